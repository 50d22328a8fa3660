import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { root } from "#test/support/source/source.ts";
import { HEARD, READ } from "./lines.ts";
import { play } from "./play.ts";
import { type Summary, summaryOf } from "./summary.ts";
import { fileOf } from "./write.ts";

const CHOSEN: readonly string[] = [...Object.values(READ), ...Object.values(HEARD)].map(({ phone }) => phone);

/** Held in real time: who speaks into whose words is another each time. */
const WITH_SOUND = /^call demo_(?:spring_calls|recalls) /;

/** What the chosen contacts and agents say to each other, in text and in calls in words. */
const chosenOf = ({ talks }: Summary) =>
  Object.fromEntries(
    Object.entries(talks).filter(([key]) => CHOSEN.includes(key.split(" ").at(-1)!) && !WITH_SOUND.test(key)),
  );

test("the demo's file holds what the engine makes of the story now: npm run demo:make writes it anew", {
  timeout: 600_000,
}, async (t) => {
  const kept = gunzipSync(readFileSync(join(root, "data/demo/story.jsonl.gz"))).toString();
  const expected = summaryOf(kept.split("\n").slice(1));
  const actual = summaryOf((await fileOf(await play(t, () => {}))).lines);
  assert.deepEqual(chosenOf(actual), chosenOf(expected));
  assert.deepEqual(actual.counts, expected.counts);
  assert.deepEqual(Object.keys(actual.talks).sort(), Object.keys(expected.talks).sort());
});
