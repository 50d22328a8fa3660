import assert from "node:assert/strict";
import { test } from "node:test";
import { sharedAnswer } from "./shared-answer.ts";

test("all who ask while there is no answer yet share one question, and who comes later asks anew", async () => {
  const waiting: PromiseWithResolvers<number>[] = [];
  const ask = sharedAnswer(() => {
    const question = Promise.withResolvers<number>();
    waiting.push(question);
    return question.promise;
  }, 0);

  const first = Array.from({ length: 100 }, ask);
  assert.equal(waiting.length, 1);
  waiting[0]!.resolve(1);
  assert.deepEqual(new Set(await Promise.all(first)), new Set([1]));

  const failed = [ask(), ask()];
  waiting[1]!.reject(new Error("away"));
  assert.deepEqual(
    (await Promise.allSettled(failed)).map(({ status }) => status),
    ["rejected", "rejected"],
  );
  const last = ask();
  waiting[2]!.resolve(3);
  assert.equal(await last, 3, "a failure is no answer for ever");
});

test("an answer is kept for a while", async () => {
  let asked = 0;
  const ask = sharedAnswer(async () => ++asked, 60_000);

  assert.deepEqual([await ask(), await ask(), await ask()], [1, 1, 1]);
});
