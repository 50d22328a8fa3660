import assert from "node:assert/strict";
import { test } from "node:test";
import { writeNetwork } from "#domain/revocation/network.ts";
import { trainedReading } from "#domain/revocation/reading.ts";
import { LEARNED_FROM, WEIGHTS } from "#domain/revocation/weights.ts";
import { digestOf, readExamples, readSaid } from "../../scripts/revocation/examples.ts";
import { learn } from "../../scripts/revocation/learn.ts";
import { readRows } from "./rows.ts";

test("the weights were learned from the examples that are there", () => {
  const digest = digestOf([...readExamples(), ...readSaid("learn")]);
  assert.equal(LEARNED_FROM, digest, "npm run revocation:train writes them anew");
});

test("no example says what a row of the open half says in the same words, and each is in one label only", () => {
  const examples = readExamples();
  const labels = new Map<string, boolean>();
  const twice = examples.filter(({ text, stop }) => {
    const before = labels.get(text.toLowerCase());
    labels.set(text.toLowerCase(), stop);
    return before !== undefined && before !== stop;
  });
  const open = new Set(readRows("open").map(({ text }) => text));
  assert.deepEqual([...twice, ...examples.filter(({ text }) => open.has(text))], []);
  assert.ok(examples.length > 12_000, `${examples.length}`);
});

test("learning the same examples again gives the same bytes", () => {
  const few = readExamples().filter((_, index) => index % 100 === 0);
  const learned = () => writeNetwork(learn(few, 1, 1)).bytes;
  assert.equal(learned(), learned());
});

test("the trained reading alone finds most of the open half, which it has not seen", () => {
  const rows = readRows("open").map((row) => ({ ...row, isLikely: trainedReading(row.text).likelihood === "likely" }));
  const share = (label: string) => {
    const of = rows.filter((row) => row.label === label);
    return of.filter(({ isLikely }) => isLikely).length / of.length;
  };
  assert.ok(share("stop") >= 0.96, `${share("stop")} of the stops`);
  assert.ok(share("not_stop") <= 0.03, `${share("not_stop")} of the others`);
});

test("of what is said in conversations that it has not seen it takes at most one in a hundred for a wish", () => {
  const said = readSaid("validate");
  const taken = said.filter(({ text }) => trainedReading(text).likelihood === "likely");
  assert.ok(said.length > 700 && taken.length <= said.length / 100, `${taken.length} of ${said.length}`);
});

test("the weights are small", () => {
  assert.ok(WEIGHTS.reduce((sum, { bytes }) => sum + bytes.length, 0) < 600_000);
});
