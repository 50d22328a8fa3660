import assert from "node:assert/strict";
import { test } from "node:test";
import { inBatches } from "./in-batches.ts";

/** Questions that are answered when they are let. */
function aDatabase() {
  const asked: { items: readonly number[]; answer(text: string): void; fail(): void }[] = [];
  const ask = inBatches(
    (items: readonly number[]) =>
      new Promise<string>((resolve, reject) => {
        asked.push({ items, answer: resolve, fail: () => reject(new Error("away")) });
      }),
  );
  return { asked, ask };
}

const turns = async () => {
  for (let i = 0; i < 10; i++) await Promise.resolve();
};

test("those that come while a question is on its way are in the next one, and never in that one", async () => {
  const { asked, ask } = aDatabase();
  const first = ask(1);
  const others = [ask(2), ask(3)];
  assert.deepEqual(
    asked.map(({ items }) => items),
    [[1]],
  );
  asked[0]!.answer("before");
  assert.equal(await first, "before");
  await turns();
  const last = ask(4);
  assert.deepEqual(
    asked.map(({ items }) => items),
    [[1], [2, 3]],
  );
  asked[1]!.answer("after");
  assert.deepEqual(await Promise.all(others), ["after", "after"]);
  await turns();
  asked[2]!.answer("last");
  assert.equal(await last, "last");
});

test("one that fails does so for its own alone", async () => {
  const { asked, ask } = aDatabase();
  const first = ask(1);
  const second = ask(2);
  asked[0]!.fail();
  await assert.rejects(first, /away/);
  await turns();
  asked[1]!.answer("there");
  assert.equal(await second, "there");
});

test("one that stalls is not waited for, and its late answer is of no matter to the others", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { asked, ask } = aDatabase();
  const first = ask(1);
  const second = ask(2);
  assert.equal(asked.length, 1);
  t.mock.timers.tick(100);
  assert.deepEqual(asked[1]?.items, [2]);
  const third = ask(3);
  asked[0]!.answer("late");
  assert.equal(await first, "late");
  await turns();
  assert.equal(asked.length, 2);
  asked[1]!.answer("second");
  assert.equal(await second, "second");
  await turns();
  asked[2]!.answer("third");
  assert.equal(await third, "third");
});
