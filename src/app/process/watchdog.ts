import { Worker } from "node:worker_threads";
import { SET_ASIDE_AFTER, taskKey, type WatchedTask } from "#domain/system/watched-task.ts";
import { type Log, UNWATCHED, type Watch } from "#operations/context.ts";
import type { Db } from "#store/database/db.ts";
import * as stuckTasks from "#store/system/stuck-tasks.ts";
import { noteTasks, taskMemory } from "./tasks-in-hand.ts";

/** Far below the time that counts as a standstill. */
const BEAT_EVERY_MS = 250;
/** What held another process is known here this much later. */
const LOOK_EVERY_MS = 1_000;
const HEAP_MB = 48;

/** What the thread is started with. `beat` has one number, which counts up while the main thread turns; `tasks` is of tasks-in-hand.ts. */
export type ThreadData = {
  beat: SharedArrayBuffer;
  tasks: SharedArrayBuffer;
  databaseUrl: string;
  name: string;
  logLevel: string;
  standstillMs: number;
};

export type Watchdog = Watch & { stop(): Promise<void> };

/**
 * Ends this process once its main thread has stood still for `standstillMs` (0: never), and keeps what it was at: what has held two processes is set aside. A
 * thread of its own looks on, since nothing of the main one's runs then. `db` is given where tasks are run; resolves when it is known what was
 * set aside before.
 */
export async function startWatchdog(
  { standstillMs, logLevel }: { standstillMs: number; logLevel: string },
  { databaseUrl, name, log, db }: { databaseUrl: string; name: string; log: Log; db?: Db },
): Promise<Watchdog> {
  if (standstillMs === 0) return { ...UNWATCHED, stop: async () => {} };
  const beat = new SharedArrayBuffer(4);
  const count = new Int32Array(beat);
  const tasks = taskMemory();
  const begin = noteTasks(tasks);
  let known = new Map<string, stuckTasks.StuckTask>();
  const look = async () => {
    if (db === undefined) return;
    const rows = await stuckTasks.list(db);
    known = new Map(rows.map((row) => [taskKey({ ...row, tenantId: row.tenant_id }), row]));
  };
  await look();
  const looking = setInterval(() => {
    look().catch((err: unknown) => log.warn({ err }, "what was set aside could not be read"));
  }, LOOK_EVERY_MS).unref();

  const thread = new Worker(new URL("./watchdog-thread.ts", import.meta.url), {
    workerData: { beat, tasks, databaseUrl, name, logLevel, standstillMs } satisfies ThreadData,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  thread.on("error", (err) =>
    log.error({ err }, "the watchdog has ended; a standstill of this process is not noticed"),
  );
  thread.unref();
  const beating = setInterval(() => Atomics.add(count, 0, 1), BEAT_EVERY_MS);
  beating.unref();

  /** Those that have held a process before run one after another: the next standstill then names the right one. */
  let suspects: Promise<unknown> = Promise.resolve();

  async function watched<T>(task: WatchedTask, work: () => Promise<T>): Promise<T> {
    const end = begin(task);
    try {
      return await work();
    } finally {
      end();
    }
  }

  async function suspected<T>(task: WatchedTask, work: () => Promise<T>): Promise<T> {
    const answer = await watched(task, work);
    if (db !== undefined) await stuckTasks.clear(db, task);
    known.delete(taskKey(task));
    return answer;
  }

  return {
    isSetAside: (task) => (known.get(taskKey(task))?.times ?? 0) >= SET_ASIDE_AFTER,
    run(task, work) {
      if (!known.has(taskKey(task))) return watched(task, work);
      const mine = suspects.then(() => suspected(task, work));
      suspects = mine.catch(() => {});
      return mine;
    },
    async stop() {
      clearInterval(looking);
      clearInterval(beating);
      await thread.terminate();
    },
  };
}
