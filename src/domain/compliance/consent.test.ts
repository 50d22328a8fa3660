import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type ConsentRequirement,
  consentAt,
  isEnough,
  isUndoneByStart,
  type StandingBasis,
  withBasis,
} from "./consent.ts";

const at = (text: string) => new Date(`${text}T12:00:00Z`);
const basis = (name: StandingBasis["basis"], day: string, channel: "sms" | "voice" = "sms"): StandingBasis => ({
  basis: name,
  channel,
  at: at(day),
});

test("a purchase holds for 18 months and an inquiry for 3, to the second; express consent holds", () => {
  const bought = [basis("existing_business_relationship", "2025-05-21")];
  assert.deepEqual(consentAt(bought, "sms", new Date("2026-11-21T11:59:59Z"))?.until, at("2026-11-21"));
  assert.equal(consentAt(bought, "sms", at("2026-11-21")), undefined);
  const asked = [basis("inquiry", "2026-08-21")];
  assert.ok(consentAt(asked, "sms", new Date("2026-11-21T11:59:59Z")));
  assert.equal(consentAt(asked, "sms", at("2026-11-21")), undefined);
  assert.equal(consentAt([basis("express", "2001-01-01")], "sms", at("2026-11-21"))?.until, null);
});

test("a month without that day ends on its last: an inquiry of 30 November runs to the end of February", () => {
  assert.deepEqual(consentAt([basis("inquiry", "2026-11-30")], "sms", at("2027-01-01"))?.until, at("2027-02-28"));
});

test("the strongest that stands counts, of equal ones the newest, and each channel has its own", () => {
  const bases = [basis("inquiry", "2026-11-01"), basis("express", "2026-01-01"), basis("express", "2026-02-01")];
  assert.deepEqual(consentAt(bases, "sms", at("2026-11-21")), { basis: "express", at: at("2026-02-01"), until: null });
  assert.equal(consentAt(bases, "voice", at("2026-11-21")), undefined);
});

test("a basis is added once a kind and channel, the newest; an older one changes nothing", () => {
  const first = withBasis([], { basis: "express", channel: "any", at: at("2026-05-01") });
  assert.deepEqual(
    first.map((basis) => basis.channel),
    ["sms", "voice"],
  );
  const older = withBasis(first, { basis: "express", channel: "sms", at: at("2026-01-01") });
  assert.deepEqual(consentAt(older, "sms", at("2026-11-21"))?.at, at("2026-05-01"));
  assert.equal(older.length, 2);
});

test("none ends what stood for the channel, and nothing that is newer", () => {
  const both = withBasis([], { basis: "express", channel: "any", at: at("2026-05-01") });
  const texts = withBasis(both, { basis: "none", channel: "sms", at: at("2026-06-01") });
  assert.deepEqual([consentAt(texts, "sms", at("2026-11-21")), texts.length], [undefined, 1]);
  assert.equal(withBasis(both, { basis: "none", channel: "any", at: at("2026-04-01") }).length, 2);
});

test("START undoes what was said by text, however it was, and not what was said in a call", () => {
  for (const source of ["keyword", "free_text", "agent", "carrier", "journal", "unclear", null]) {
    assert.equal(isUndoneByStart(source), true, String(source));
  }
  assert.equal(isUndoneByStart("call"), false);
});

test("a requirement is met by its own basis and every stronger one", () => {
  const consent = (name: StandingBasis["basis"]) => ({ basis: name, at: at("2026-11-01"), until: null });
  const met = (requirement: ConsentRequirement) =>
    [undefined, ...(["inquiry", "existing_business_relationship", "express", "express_written"] as const).map(consent)]
      .map((consent) => isEnough(consent, requirement))
      .map(Number)
      .join("");
  assert.equal(met("none"), "11111");
  assert.equal(met("inquiry"), "01111");
  assert.equal(met("express"), "00011");
  assert.equal(met("express_written"), "00001");
});
