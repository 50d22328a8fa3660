import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { isGone, onceGone } from "#app/process/child-end.ts";
import { until } from "#test/support/time/until.ts";
import { supervise } from "./supervise.ts";

const nothing = () => spawn("/nowhere/node", []);
const waiting = () => spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);

test("a child has one end: its exit, or that it never was a process", async () => {
  const ends: string[] = [];
  const none = nothing();
  onceGone(none, () => ends.push("none"));
  assert.ok(isGone(none));
  await until("the end is reported", async () => ends.length > 0);
  none.emit("exit", 1, null);
  const child = waiting();
  onceGone(child, ({ signal }) => ends.push(signal!));
  child.emit("error", new Error("it could not be spoken to"));
  assert.equal(isGone(child), false);
  child.kill("SIGKILL");
  await once(child, "exit");
  assert.deepEqual(ends, ["none", "SIGKILL"]);
});

test("a role whose process cannot be started is started again, and a service that stops waits for no such process", async () => {
  const log: string[] = [];
  const started: ChildProcess[] = [];
  const starts = [
    nothing,
    () => {
      throw new Error("spawn E2BIG");
    },
    waiting,
  ];
  const part = supervise(
    "worker",
    () => {
      const child = (starts.shift() ?? waiting)();
      started.push(child);
      return child;
    },
    { restartAfterMs: 1, stopWithinMs: 5_000, log: (line) => log.push(line) },
  );
  await until("one runs", async () => started.some((process) => !isGone(process)));
  assert.deepEqual(log, [
    "the worker ended (spawn /nowhere/node ENOENT); starting another",
    "the worker ended (spawn E2BIG); starting another",
  ]);
  await part.stop();
  assert.ok(started.every(isGone));

  const never = supervise("worker", nothing, { restartAfterMs: 60_000, stopWithinMs: 5_000, log() {} });
  await never.stop();
});
