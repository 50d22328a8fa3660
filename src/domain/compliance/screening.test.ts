import assert from "node:assert/strict";
import { test } from "node:test";
import type { Consent } from "./consent.ts";
import { type Screening, screen } from "./screening.ts";

const now = new Date("2026-11-21T15:00:00Z");
const clear: Screening = {
  consent: undefined,
  requireConsent: "none",
  requireVoiceConsent: "none",
  national: { listed: false, listedOn: new Date("2026-11-01T00:00:00Z") },
  needsNational: false,
  oldListsAllowed: false,
  reassigned: undefined,
};
const bought: Consent = { basis: "existing_business_relationship", at: now, until: new Date("2028-05-21T15:00:00Z") };
const verdict = (change: Partial<Screening>, at = now) => {
  const refusal = screen({ ...clear, ...change }, at);
  return refusal && `${refusal.outcome} by ${refusal.rule}`;
};

test("nothing against it, nothing said", () => {
  assert.equal(verdict({}), undefined);
  assert.equal(verdict({ national: null }), undefined);
  assert.equal(verdict({ national: undefined, needsNational: true }), undefined);
});

test("a listed number is blocked, unless there is consent or a business relationship", () => {
  const national = { listed: true, listedOn: now };
  assert.equal(verdict({ national }), "blocked by national_do_not_call");
  assert.equal(verdict({ national, oldListsAllowed: true }), "blocked by national_do_not_call");
  assert.equal(verdict({ national, consent: bought }), undefined);
});

test("a list may be 31 days old and not a second more, unless the operator lets it, or consent makes it needless", () => {
  const national = { listed: false, listedOn: new Date("2026-10-21T00:00:00Z") };
  assert.equal(verdict({ national }, new Date("2026-11-21T00:00:00Z")), undefined);
  assert.equal(verdict({ national }, new Date("2026-11-21T00:00:01Z")), "held by national_list_old");
  assert.equal(verdict({ national, oldListsAllowed: true }), undefined);
  assert.equal(verdict({ national, consent: bought }), undefined);
});

test("an area code without a list is held only where the tenant's rule asks for lists", () => {
  assert.equal(verdict({ national: null, needsNational: true }), "held by national_list_missing");
  assert.equal(verdict({ national: null, needsNational: true, consent: bought }), undefined);
});

test("where consent is required none, or a weaker one, blocks", () => {
  assert.equal(verdict({ requireConsent: "inquiry" }), "blocked by consent_missing");
  assert.equal(verdict({ requireConsent: "express", consent: bought }), "blocked by consent_missing");
  assert.equal(verdict({ requireConsent: "inquiry", consent: bought }), undefined);
});

test("where calls need a consent of their own, a weaker one or none blocks by that rule", () => {
  const written: Consent = { basis: "express_written", at: now, until: null };
  const express: Consent = { basis: "express", at: now, until: null };
  assert.equal(verdict({ requireVoiceConsent: "express_written" }), "blocked by ai_voice_consent");
  assert.equal(verdict({ requireVoiceConsent: "express_written", consent: express }), "blocked by ai_voice_consent");
  assert.equal(verdict({ requireVoiceConsent: "express", consent: express }), undefined);
  assert.equal(verdict({ requireVoiceConsent: "express_written", consent: written }), undefined);
  assert.equal(verdict({ requireConsent: "inquiry", requireVoiceConsent: "express" }), "blocked by consent_missing");
});

test("a number with a new owner is blocked whatever was consented to; while it is asked the text waits", () => {
  const consent: Consent = { basis: "express_written", at: now, until: null };
  assert.equal(verdict({ consent, reassigned: "yes" }), "blocked by reassigned_number");
  assert.equal(verdict({ consent, reassigned: "unchecked" }), "held by reassigned_unchecked");
  for (const reassigned of ["no", "no_data", undefined] as const)
    assert.equal(verdict({ consent, reassigned }), undefined);
});
