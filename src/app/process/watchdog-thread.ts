import inspector from "node:inspector";
import { setTimeout as pause } from "node:timers/promises";
import { workerData } from "node:worker_threads";
import { destination, pino } from "pino";
import { openDb } from "#store/database/db.ts";
import * as stuckTasks from "#store/system/stuck-tasks.ts";
import { tasksIn } from "./tasks-in-hand.ts";
import type { ThreadData } from "./watchdog.ts";

// The watchdog thread. Its time is counted in its own turns, not by a clock: a machine that slept, or a process that was stopped and
// goes on, has not stood still.

const TURN_MS = 500;
/** A database that is away does not keep a process alive that does nothing. */
const NOTE_WITHIN_MS = 5_000;

const { beat, tasks: memory, databaseUrl, name, logLevel, standstillMs } = workerData as ThreadData;
const count = new Int32Array(beat);
const log = pino({ name, level: logLevel }, destination({ fd: 1, sync: true }));

let seen = -1;
let turns = 0;
while (turns * TURN_MS < standstillMs) {
  await pause(TURN_MS);
  const beats = Atomics.load(count, 0);
  // A debugger is attached and may hold the process at a breakpoint.
  turns = beats === seen && inspector.url() === undefined ? turns + 1 : 0;
  seen = beats;
}
const tasks = tasksIn(memory);
log.fatal({ tasks, standstillMs }, "this process has stood still and is ended; what it was at is named");
await Promise.race([noted(), pause(NOTE_WITHIN_MS)]);
process.kill(process.pid, "SIGKILL");

async function noted(): Promise<void> {
  try {
    const db = openDb({ url: databaseUrl, poolSize: 1, applicationName: `parley watchdog ${name}` });
    await stuckTasks.note(db, tasks, new Date());
  } catch (err) {
    log.error({ err }, "what it was at could not be kept");
  }
}
