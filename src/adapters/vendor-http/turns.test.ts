import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { takeTurns } from "./turns.ts";

const signal = new AbortController().signal;

test("a party with ten thousand waiting keeps nobody with ten from theirs, and each party's go in order", async () => {
  const turns = takeTurns(2);
  const ran: string[] = [];
  const add = (party: string, n: number) =>
    Array.from({ length: n }, (_, i) =>
      turns(
        signal,
        async () => {
          ran.push(`${party}${i}`);
          await setImmediate();
        },
        party,
      ),
    );
  const all = [...add("large", 10_000), ...add("small", 10)];
  await Promise.all(all.slice(10_000));
  assert.ok(ran.length <= 2 + 2 * 10 + 2, `${ran.length} had their turn before the ten had`);
  await Promise.all(all);
  const of = (party: string) => ran.filter((one) => one.startsWith(party));
  assert.deepEqual(
    of("small"),
    Array.from({ length: 10 }, (_, i) => `small${i}`),
  );
  assert.deepEqual(
    of("large"),
    Array.from({ length: 10_000 }, (_, i) => `large${i}`),
  );
});

test("who stops waiting leaves the turns as they are", async () => {
  const turns = takeTurns(1);
  const held = Promise.withResolvers<void>();
  const first = turns(signal, () => held.promise);
  const gone = new AbortController();
  const left = turns(gone.signal, async () => assert.fail("it has left"), "a");
  const stays = turns(signal, async () => "b", "b");
  gone.abort();
  await assert.rejects(left, { code: "aborted" });
  held.resolve();
  await first;
  assert.equal(await stays, "b");
  assert.equal(await turns(signal, async () => "c", "a"), "c");
});
