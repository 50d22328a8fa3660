import assert from "node:assert/strict";
import { test } from "node:test";
import type { HeldNode } from "#store/system/nodes.ts";
import { takePlace } from "./place.ts";

const none = async () => {};

/** A register that can be made to fail, and the places that were taken in it. */
function aRegister() {
  const lost = new Set<string>();
  const noted: [string, readonly string[]][] = [];
  const adopted: (readonly string[])[] = [];
  const failing = { take: false, note: false, adopt: false };
  const mayFail = (step: keyof typeof failing) => {
    if (failing[step]) throw new Error(`${step} failed`);
  };
  let n = 1;
  const moves: string[] = [];
  return {
    moves,
    lose: (id: string) => lost.add(id),
    noted,
    adopted,
    failing,
    parts: {
      async take(id: string) {
        mayFail("take");
        return { id, alive: () => !lost.has(id), lost: () => lost.has(id) } as unknown as HeldNode;
      },
      newId: () => `node-${++n}`,
      moved: (id: string) => void moves.push(id),
      async note(id: string, names: readonly string[]) {
        mayFail("note");
        noted.push([id, names]);
      },
      async adopt(ids: readonly string[]) {
        mayFail("adopt");
        adopted.push(ids);
      },
    },
  };
}

test("a place whose names or calls could not be brought to it is not whole, and they are brought at the next chance", async () => {
  const register = aRegister();
  const place = await takePlace(register.parts, "node-1");
  await place.answerAs(["pool"]);
  register.lose("node-1");
  register.failing.note = true;
  await assert.rejects(place.keep(none), /note failed/);
  assert.deepEqual([place.lease.id, place.lease.alive()], ["node-2", false]);
  assert.ok(place.withoutMs() >= 0);
  register.failing.note = false;
  register.failing.adopt = true;
  await assert.rejects(place.keep(none), /adopt failed/);
  assert.deepEqual(register.noted.at(-1), ["node-2", ["pool"]]);
  assert.equal(place.lease.alive(), false);
  register.failing.adopt = false;
  await place.keep(none);
  assert.deepEqual(register.moves, ["node-2"], "no other place was needed");
  assert.deepEqual(register.adopted, [["node-1", "node-2"]]);
  assert.equal(place.lease.alive(), true);
  await place.keep(none);
  assert.equal(register.adopted.length, 1, "once it is done it is done");
});

test("calls of a place that was lost before they were brought to it are brought to the one after it", async () => {
  const register = aRegister();
  const place = await takePlace(register.parts, "node-1");
  register.lose("node-1");
  register.failing.adopt = true;
  await assert.rejects(place.keep(none));
  register.lose("node-2");
  register.failing.adopt = false;
  await place.keep(none);
  assert.deepEqual(register.adopted, [["node-1", "node-2", "node-3"]]);
  assert.equal(place.lease.id, "node-3");
});

test("a process counts as without a place from its loss until all it holds has been brought to another", async (t) => {
  const clock = t.mock.method(performance, "now", () => 1_000);
  const register = aRegister();
  const place = await takePlace(register.parts, "node-1");
  assert.equal(place.withoutMs(), 0);
  register.lose("node-1");
  register.failing.adopt = true;
  assert.equal(place.withoutMs(), 0);
  await assert.rejects(place.keep(none));
  clock.mock.mockImplementation(() => 5_000);
  assert.equal(place.withoutMs(), 4_000);
  register.failing.adopt = false;
  await place.keep(none);
  assert.equal(place.withoutMs(), 0);
});

test("names that could not be entered when the queue was started anew are entered at the next chance", async () => {
  const register = aRegister();
  const place = await takePlace(register.parts, "node-1");
  register.failing.note = true;
  await assert.rejects(place.answerAs(["anew"]));
  register.failing.note = false;
  await place.keep(none);
  assert.deepEqual(register.noted, [["node-1", ["anew"]]]);
});
