import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { until } from "#test/support/time/until.ts";
import { childrenOf } from "./children.ts";
import { heldAgain, watchMachine } from "./standstill.ts";

const skip = process.platform === "linux" ? false : "only Linux shows the state of processes";
const STILL_MS = 300;

/** What a standstill is to those who watch for one: they are stopped. */
async function standStill(): Promise<void> {
  const stopped = childrenOf(process.pid);
  for (const pid of stopped) process.kill(pid, "SIGSTOP");
  await pause(STILL_MS);
  for (const pid of stopped) process.kill(pid, "SIGCONT");
}

test("a standstill is seen, once for all processors, and only where it was", { skip }, async (t) => {
  const machine = await watchMachine(t);
  const begin = performance.now();
  await standStill();
  const end = performance.now();
  const still = await machine.between(begin, end);
  assert.ok(still.ms >= STILL_MS - 50 && still.ms <= end - begin, JSON.stringify(still));
  assert.ok(still.longestMs <= still.ms && still.share > 0.5 && still.share <= 1, JSON.stringify(still));
  assert.equal((await machine.between(0, 1)).ms, 0);
});

test("a machine that has more to do than it has processors is seen", { skip }, async (t) => {
  const machine = await watchMachine(t);
  const others = Array.from({ length: 2 * availableParallelism() }, () =>
    spawn(process.execPath, ["--eval", "for (;;);"], { stdio: "ignore" }),
  );
  t.after(() => others.forEach((child) => void child.kill("SIGKILL")));
  const begin = performance.now();
  await until("all of them run", async () => (await machine.between(begin, performance.now())).busyShare > 0);
  const busy = performance.now();
  await pause(STILL_MS);
  const { busyShare } = await machine.between(busy, performance.now());
  assert.ok(busyShare > 0.5 && busyShare <= 1, `${busyShare}`);
  assert.equal((await machine.between(0, 1)).busyShare, 0);
});

test("what failed while the machine stood still is held again after it was ended, and what fails each time fails", {
  skip,
}, async (t) => {
  const did: string[] = [];
  await heldAgain(t, async (owner) => {
    owner.after(() => void did.push("ended"));
    did.push("held");
    await standStill();
    if (did.length === 1) throw new Error("late");
  });
  assert.deepEqual(did, ["held", "ended", "held", "ended"]);
  let tries = 0;
  const holding = heldAgain(t, async () => {
    tries++;
    await standStill();
    throw new Error("wrong");
  });
  await assert.rejects(holding, /wrong/);
  assert.equal(tries, 5);
});
