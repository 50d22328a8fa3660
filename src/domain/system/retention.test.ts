import assert from "node:assert/strict";
import { test } from "node:test";
import { LONGEST_CAP_MS } from "#domain/compliance/attempt-cap.ts";
import { keptDays, type Retention, retentionProblem, shortestDays } from "./retention.ts";

const SERVICE = { eventDays: 30, journalDays: 14 };
const NOTHING: Retention = { messages: null, calls: null, recordings: null, events: null, requests: null };
const of = (some: Partial<Retention>, service = SERVICE) => retentionProblem({ ...NOTHING, ...some }, service);

test("what is kept without end, or within the limits, is fine", () => {
  assert.equal(of({}), undefined);
  assert.equal(of({ messages: 30, calls: 3_650, recordings: 1, events: 30, requests: 7 }), undefined);
});

test("each kind is refused beyond its limits, by its name and with the limits", () => {
  assert.deepEqual(of({ messages: 29 }), {
    kind: "messages",
    problem: "must be from 30 to 3650 days, or null: until then decisions, receipts and a restore may need it",
  });
  assert.equal(of({ calls: 3_651 })?.kind, "calls");
  assert.equal(of({ recordings: 0 })?.problem, "must be from 1 to 3650 days, or null");
  assert.equal(of({ events: 31 })?.problem, "must be from 1 to 30 days, or null: the service keeps them no longer");
  assert.equal(of({ requests: 8 })?.kind, "requests");
});

test("texts and calls are kept longer than the journal and the attempt caps look back, and as long as events", () => {
  assert.equal(shortestDays({ eventDays: 30, journalDays: 90 }), 91);
  assert.equal(of({ messages: 90 }, { eventDays: 30, journalDays: 90 })?.kind, "messages");
  assert.ok(shortestDays({ eventDays: 1, journalDays: 1 }) * 86_400_000 > LONGEST_CAP_MS);
  const long = { eventDays: 400, journalDays: 14 };
  assert.match(of({ calls: 365 }, long)!.problem, /at least 400 days: events/);
  assert.equal(of({ calls: 365, events: 60 }, long), undefined);
});

test("a setting from before the journal was kept longer counts as the least that is safe", () => {
  assert.equal(keptDays("messages", 30, { eventDays: 30, journalDays: 60 }), 61);
  assert.equal(keptDays("recordings", 2, SERVICE), 2);
});
