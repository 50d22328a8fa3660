import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { checkExtraction, fieldValue, outcomeLabel, parseZonedTime } from "./extraction.ts";
import { normaliseExtractionFields } from "./extraction-field.ts";

const fields = normaliseExtractionFields([
  "budget",
  "constructor",
  { name: "rooms", type: "number" },
  { name: "owner", type: "boolean" },
  { name: "size", choices: ["Small", "Large"] },
]);
const messages = [
  { id: "m1", role: "agent" as const, text: "What is your budget?" },
  { id: "m2", role: "contact" as const, text: "About  300k,\nI have three rooms" },
];
const facts = { doNotMessage: false, callTransferred: false };
const check = (raw: unknown, more: object = {}) => checkExtraction(raw, fields, messages, { ...facts, ...more });

test("an honest answer is kept whole", () => {
  const { extraction, notes } = check({
    extracted_fields: { budget: "300k", rooms: 3, owner: true, size: "large" },
    lead_outcome: "Qualified",
    objective_met: true,
    evidence: {
      budget: { message_id: "m2", quote: "about 300K" },
      rooms: { message_id: "m2", quote: "300k, I have three rooms" },
      owner: { message_id: "m2", quote: "I have" },
      size: { message_id: "m2", quote: "three" },
    },
  });
  assert.deepEqual(notes, []);
  assert.deepEqual(extraction.extracted_fields, { budget: "300k", rooms: "3", owner: "true", size: "Large" });
  assert.equal(extraction.lead_outcome, "qualified");
  assert.equal(extraction.objective_met, true);
  assert.equal(extraction.call_scheduled, false);
  assert.deepEqual(extraction.evidence.rooms, { message_id: "m2", quote: "300k, I have three rooms" });
});

test("invented evidence is dropped, and the value stays unproven", () => {
  for (const evidence of [
    { message_id: "m2", quote: "500k" },
    { message_id: "m1", quote: "What is your budget?" },
    { message_id: "m9", quote: "300k" },
    { message_id: "m2", quote: " " },
    { message_id: "m2", quote: "a".repeat(1_000) },
    "300k",
    null,
  ]) {
    const { extraction, notes } = check({ extracted_fields: { budget: "300k" }, evidence: { budget: evidence } });
    assert.equal(extraction.extracted_fields.budget, "300k");
    assert.deepEqual(extraction.evidence, {});
    assert.deepEqual(notes, ["budget: no evidence"]);
  }
});

test("fields of the wrong type, over length or not the agent's are dropped", () => {
  const { extraction, notes } = check({
    extracted_fields: {
      budget: "x".repeat(1_001),
      rooms: "many",
      owner: "maybe",
      size: "Huge",
      phone: "+1900",
      __proto__x: 1,
    },
  });
  assert.deepEqual(extraction.extracted_fields, {});
  assert.equal(notes.length, 5);
});

test("a model's word makes no opt-out, no transfer and no call", () => {
  const { extraction } = check({
    do_not_message: true,
    call_transferred: true,
    call_scheduled: true,
    call_scheduled_time: "2026-11-21T10:00:00Z",
    lead_outcome: "call_scheduled",
    objective_met: "yes",
  });
  assert.equal(extraction.do_not_message, false);
  assert.equal(extraction.call_transferred, false);
  assert.equal(extraction.call_scheduled, false);
  assert.equal(extraction.call_scheduled_time, null);
  assert.equal(extraction.lead_outcome, "call_requested");
  assert.equal(extraction.objective_met, false);
});

test("what the program knows stands, whatever the model says", () => {
  const callScheduledAt = new Date("2026-11-22T18:00:00Z");
  const { extraction } = check(
    { do_not_message: false, call_scheduled: false, lead_outcome: "call_scheduled" },
    { doNotMessage: true, callTransferred: true, callScheduledAt },
  );
  assert.equal(extraction.do_not_message, true);
  assert.equal(extraction.call_transferred, true);
  assert.equal(extraction.call_scheduled, true);
  assert.equal(extraction.call_scheduled_time, "2026-11-22T18:00:00.000Z");
  assert.equal(extraction.lead_outcome, "call_scheduled");
});

test("any value at all makes a sound extraction", () => {
  fc.assert(
    fc.property(fc.anything(), fc.jsonValue(), (a, b) => {
      for (const raw of [a, b, { extracted_fields: a, evidence: b, lead_outcome: a }]) {
        const { extraction } = check(raw);
        assert.equal(typeof extraction.lead_outcome, "string");
        for (const value of Object.values(extraction.extracted_fields)) assert.equal(typeof value, "string");
      }
    }),
  );
  assert.deepEqual(check({ extracted_fields: JSON.parse('{"__proto__": "x"}') }).extraction.extracted_fields, {});
});

test("values are read by type", () => {
  const of = (type: "number" | "boolean" | "enum" | "string", given: unknown) =>
    fieldValue(given, { type, choices: ["Yes, now", "No"] });
  assert.equal(of("number", "$300,000"), "300000");
  assert.equal(of("number", "3 rooms"), undefined);
  assert.equal(of("number", Number.POSITIVE_INFINITY), undefined);
  assert.equal(of("boolean", "Yes"), "true");
  assert.equal(of("enum", "yes now"), "Yes, now");
  assert.equal(of("string", "a\u0000b\n c"), "ab c");
  assert.equal(of("string", {}), undefined);
});

test("a time must name its zone and exist", () => {
  for (const text of [
    "2026-11-21T10:00",
    "tomorrow",
    "2026-02-30T10:00:00Z",
    "2026-13-01T10:00:00Z",
    "2026-11-21T25:00Z",
    5,
  ]) {
    assert.equal(parseZonedTime(text), undefined, String(text));
  }
  assert.equal(parseZonedTime("2026-11-21 10:00-07:00")?.toISOString(), "2026-11-21T17:00:00.000Z");
});

test("a label is short, plain and never empty", () => {
  assert.equal(outcomeLabel("Very Interested!"), "very_interested");
  for (const given of ["", "\u0000", 5, null, "x".repeat(5_000), "🎉"]) assert.equal(outcomeLabel(given), "unknown");
  assert.equal(outcomeLabel("a".repeat(500)).length, 64);
});
