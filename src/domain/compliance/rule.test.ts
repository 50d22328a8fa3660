import assert from "node:assert/strict";
import { test } from "node:test";
import { ATTEMPT_CAPS } from "./attempt-cap.ts";
import { banRule, type CallingBan } from "./calling-ban.ts";
import { CALLING_RULES } from "./calling-rules.ts";
import { sourceOf } from "./rule.ts";

const ban: CallingBan = {
  id: "019aa000-0000-7000-8000-000000000001",
  jurisdiction: "US-LA",
  channel: "any",
  from: new Date("2026-09-01T00:00Z"),
  until: null,
  reason: "Hurricane",
};

test("every rule of law and every cap is explained by its jurisdiction, source, strength and date", () => {
  for (const rule of [...CALLING_RULES, ...ATTEMPT_CAPS]) {
    const { id, jurisdiction, source, strength, verifiedOn } = rule;
    assert.deepEqual(sourceOf(id, []), { id, jurisdiction, source, strength, verifiedOn });
  }
});

test("no two rules share an id, across hours and caps", () => {
  const ids = [...CALLING_RULES, ...ATTEMPT_CAPS].map((rule) => rule.id);
  assert.equal(new Set(ids).size, ids.length);
});

test("a ban is explained by its reason, as long as it is known", () => {
  const id = banRule(ban);
  assert.deepEqual(sourceOf(id, [ban]), {
    id,
    jurisdiction: "US-LA",
    source: "Hurricane",
    strength: null,
    verifiedOn: null,
  });
  assert.equal(sourceOf(id, []).source, "A ban that was removed");
});

test("what holds or ends a call or a confirmation is no fault of a text", () => {
  for (const id of ["call_in_progress", "confirmation_too_late", "another_call_was_asked_for", "manual_stopped"]) {
    assert.notEqual(sourceOf(id, []).source, "The text itself or its conversation", id);
  }
  assert.match(sourceOf("ai_voice_consent", []).source, /FCC 24-17/);
});

test("wishes name the law that gives them force, and anything else is put to the text itself", () => {
  assert.match(sourceOf("opted_out", []).source, /64\.1200\(a\)\(10\)/);
  assert.equal(sourceOf("missing_variable", []).source, "The text itself or its conversation");
});
