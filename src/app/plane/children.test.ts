import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";
import { inheritedEnv } from "#app/settings/config.ts";
import { aPlan } from "#test/support/calls/plan.ts";
import { aFolder } from "#test/support/source/folder.ts";
import { until } from "#test/support/time/until.ts";
import { createPlane } from "./plane.ts";
import type { SoundResult } from "./protocol.ts";

/** A child that opens every call and holds it: the plane's handling of children needs no audio. */
const CHILD = `
  process.on("message", (it) => {
    if (it.do === "open") process.send({ say: "opened", call: it.call });
    if (it.do === "digit") process.send({ say: "pace", pace: { calls: 30, lateMs: Number(it.digit), busy: 0.5 } });
    if (it.do === "end") process.send({ say: "ended", call: it.call, result: {} });
  });
  process.on("disconnect", () => process.exit(0));
  const carries = process.argv.includes("measure") ? { carries: Number(process.env.TEST_CARRIES ?? 300) } : {};
  process.send({ say: "ready", ...carries });`;

/** Longer than an environment variable may be: spawning such a process fails at once (E2BIG). */
const TOO_LONG = "x".repeat(1_000_000);

const contact = { answerer: "human" as const, says: [] };
const on = { report: async () => {}, transfer: async () => true };

function aPlane(t: TestContext, env: NodeJS.ProcessEnv = inheritedEnv({}), callsPerChild = 2, children = 1) {
  const folder = aFolder("children");
  const entry = join(folder, "child.mjs");
  writeFileSync(entry, CHILD);
  const logged: string[] = [];
  const note = (_data: unknown, message: string) => void logged.push(message);
  const salvaged: string[] = [];
  const plane = createPlane({
    children,
    callsPerChild,
    entry: pathToFileURL(entry),
    env,
    salvage: async (plan) => {
      salvaged.push(plan.callId);
      return undefined;
    },
    log: { info: note, warn: note, error: note },
  });
  /** Of whatever was started, or was to be. */
  const processes: ChildProcess[] = [];
  const made = (message: unknown) => void processes.push((message as { process: ChildProcess }).process);
  subscribe("child_process", made);
  t.after(async () => {
    unsubscribe("child_process", made);
    assert.notEqual(await within(plane.close()), "never", "the plane does not close");
  });
  const open = () => plane.open(aPlan(), { kind: "handset", contact }, on);
  /** Until the place is not blocked any more, and a call is opened. */
  const opened = async () => {
    let call = open();
    await until("a call is opened", async () => {
      const isOpen = await call.local.then(
        () => true,
        () => false,
      );
      if (!isOpen) call = open();
      return isOpen;
    });
    return call;
  };
  return { plane, logged, salvaged, processes, open, opened };
}

/** No process can be started while it lasts. */
async function withoutNode<T>(work: () => Promise<T>): Promise<T> {
  const { execPath } = process;
  process.execPath = "/nowhere/node";
  try {
    return await work();
  } finally {
    process.execPath = execPath;
  }
}

const within = <T>(promise: Promise<T>): Promise<T | "never"> =>
  Promise.race([promise, new Promise<"never">((resolve) => setTimeout(resolve, 5_000, "never").unref())]);

test("the calls of a process that cannot be started are over at once, and their places are free", async (t) => {
  const { plane, logged, processes, open, opened } = aPlane(t);
  await withoutNode(async () => {
    const calls = [open(), open()];
    for (const call of calls) {
      const result = await within(call.ended);
      assert.notEqual(result, "never", "a call has no end");
      assert.equal((result as SoundResult).reason, "error_unknown");
      await assert.rejects(call.local);
    }
    assert.deepEqual([plane.room(), plane.pids()], [2, []]);
    // Not as fast as the machine can.
    await assert.rejects(open().local, /no media process/);
    assert.equal(processes.length, 1);
  });
  const next = await opened();
  const pids = plane.pids();
  assert.equal(pids.length, 1);
  // One that has been given up has no say any more.
  processes[0]!.emit("exit", 1, null);
  processes[0]!.emit("error", new Error("late"));
  assert.deepEqual(plane.pids(), pids);
  assert.equal(next.inject("still there"), true);
  assert.equal(logged.filter((line) => line.includes("its calls with it")).length, 1);
});

test("as many calls may begin as a process measured that it carries, and fewer while it says that they are late", async (t) => {
  const { plane, open, logged } = aPlane(t, inheritedEnv({ TEST_CARRIES: "40" }), 100);
  assert.equal(plane.room(), 20);
  plane.warm();
  await until("it has measured", async () => plane.room() === 40);
  const calls = Array.from({ length: 30 }, open);
  await Promise.all(calls.map((call) => call.local));
  assert.equal(plane.room(), 10);
  calls[0]!.digit("30");
  await until("no more may begin", async () => plane.room() === 0);
  assert.match(logged.at(-1)!, /fewer new ones may begin/);
  for (const call of calls.slice(0, 5)) call.end("manual_stopped");
  await until("places that were above the limit are no room", async () => plane.room() === 3);
  for (const call of calls.slice(5)) call.end("manual_stopped");
  await until("without calls as many may begin as at first", async () => plane.room() === 40);
});

test("a call that is under way is opened whatever the limit says, up to the most of the setting", async (t) => {
  const { plane, open } = aPlane(t, inheritedEnv({ TEST_CARRIES: "25" }), 30);
  plane.warm();
  await until("it has measured", async () => plane.room() === 25);
  const calls = Array.from({ length: 30 }, open);
  await Promise.all(calls.map((call) => call.local));
  assert.equal(plane.room(), 0);
  await assert.rejects(open().local, /no media process/);
});

test("one process measures for all, and one that comes in its place has no need to", async (t) => {
  const { plane, processes } = aPlane(t, inheritedEnv({ TEST_CARRIES: "50" }), 100, 3);
  plane.warm();
  await until("it has measured", async () => plane.room() === 150);
  const measuring = () => processes.filter(({ spawnargs }) => spawnargs.includes("measure")).length;
  assert.deepEqual([processes.length, measuring()], [3, 1]);
  for (const process of processes.splice(0)) process.kill("SIGKILL");
  await until("others are started", async () => {
    plane.warm();
    return plane.pids().length === 3 && processes.length === 3;
  });
  assert.deepEqual([plane.room(), measuring()], [150, 0]);
});

test("a plane closes whose process could not be started", async (t) => {
  const { plane } = aPlane(t);
  await withoutNode(async () => plane.warm());
  assert.notEqual(await within(plane.close()), "never", "the plane does not close");
});

test("a process whose start is refused outright takes no call with it, and blocks its place", async (t) => {
  const env: NodeJS.ProcessEnv = inheritedEnv({ TOO_LONG });
  const { plane, logged, salvaged, open, opened } = aPlane(t, env);
  await assert.rejects(open().local, /no media process/);
  assert.deepEqual([plane.room(), plane.pids(), logged.length], [2, [], 1]);
  await assert.rejects(open().local, /no media process/);
  assert.equal(logged.length, 1, "it is not tried again at once");
  delete env.TOO_LONG;
  await opened();
  assert.deepEqual(salvaged, []);
});

test("an error of a process that runs ends nothing, and a request to a process that ends returns the states of the others", async (t) => {
  const { plane, processes, salvaged, opened } = aPlane(t);
  const call = await opened();
  call.begin(new Date());
  processes[0]!.emit("error", new Error("it could not be spoken to"));
  assert.equal(call.inject("still there"), true);
  // This child does not answer.
  const states = plane.states();
  processes[0]!.kill("SIGKILL");
  assert.equal((await call.ended).reason, "error_unknown");
  assert.equal(salvaged.length, 1);
  assert.deepEqual(await within(states), []);
});
