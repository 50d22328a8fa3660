import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import type { Tx } from "./db.ts";
import { sharedPosition } from "./positions.ts";

type Answer = { resolve(lsn: string): void; reject(error: Error): void };

/** A primary that answers when it is let. */
function aPrimary() {
  const asked: Answer[] = [];
  const first = () =>
    new Promise((resolve, reject) => {
      asked.push({ resolve: (lsn) => resolve({ id: "one", timeline: 1, lsn }), reject });
    });
  return { asked, ask: sharedPosition({ first } as unknown as Tx) };
}

test("whoever asks while an answer is on its way shares the next one, which has what was committed meanwhile", async () => {
  const { asked, ask } = aPrimary();
  const first = ask();
  const others = [ask(), ask()];
  await turn();
  assert.equal(asked.length, 1);
  asked[0]!.resolve("1");
  assert.equal((await first).lsn, 1n);
  await turn();
  assert.equal(asked.length, 2);
  const last = ask();
  asked[1]!.resolve("2");
  assert.deepEqual(
    (await Promise.all(others)).map(({ lsn }) => lsn),
    [2n, 2n],
  );
  await turn();
  assert.equal(asked.length, 3);
  asked[2]!.resolve("3");
  assert.equal((await last).lsn, 3n);
});

test("a question that fails is no answer to who waits for the next", async () => {
  const { asked, ask } = aPrimary();
  const first = ask();
  const second = ask();
  asked[0]!.reject(new Error("away"));
  await assert.rejects(first, /away/);
  await turn();
  asked[1]!.resolve("5");
  assert.equal((await second).lsn, 5n);
});
