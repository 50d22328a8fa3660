import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import type { WatchedTask } from "#domain/system/watched-task.ts";
import { noteTasks, taskMemory, tasksIn } from "./tasks-in-hand.ts";

const tenantId = randomUUID();
const task = (id: string): WatchedTask => ({ tenantId, kind: "text", id });

test("who has the memory reads which tasks have begun and not ended, each once", () => {
  const memory = taskMemory();
  const begin = noteTasks(memory);
  assert.deepEqual(tasksIn(memory), []);
  const ends = ["twilio SM1", "señal ü", "twilio SM1", "smpp 2"].map((id) => begin(task(id)));
  const named = () => new Set(tasksIn(memory).map(({ id }) => id));
  assert.deepEqual(named(), new Set(["twilio SM1", "señal ü", "smpp 2"]));
  assert.deepEqual(
    tasksIn(memory).find(({ id }) => id === "smpp 2"),
    task("smpp 2"),
  );
  ends[0]!();
  ends[3]!();
  assert.deepEqual(named(), new Set(["twilio SM1", "señal ü"]));
  ends[2]!();
  assert.deepEqual(named(), new Set(["señal ü"]));
});

test("a place is free again after a task's end; what finds none, or is too long for one, is not named", () => {
  const memory = taskMemory();
  const begin = noteTasks(memory);
  const ends = Array.from({ length: 1_024 }, (_, i) => begin(task(`${i}`)));
  const ofNoPlace = begin(task("too many"));
  assert.equal(tasksIn(memory).length, 1_024);
  ofNoPlace();
  for (const end of ends.slice(0, 3)) end();
  begin(task("x".repeat(252)));
  begin(task("again"));
  const named = tasksIn(memory).map(({ id }) => id);
  assert.equal(named.length, 1_022);
  assert.ok(named.includes("again") && !named.includes("too many") && !named.includes("0"));
});
