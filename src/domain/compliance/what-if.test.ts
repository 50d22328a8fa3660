import assert from "node:assert/strict";
import { test } from "node:test";
import { supposedConsent } from "./what-if.ts";

const AT = new Date("2026-06-01T12:00:00Z");
const WRITTEN = { basis: "express_written", channel: "voice", at: "2026-01-01T00:00:00.000Z" };
const KNOWN = {
  ...{ phone: "+12125550100", opted_out_at: null, doubted_at: null, deactivated_at: null },
  bases: [WRITTEN, { ...WRITTEN, channel: "sms" }],
};

test("a supposed consent takes the place of what stands for its channel, and none of another's", () => {
  const given = supposedConsent(KNOWN, { consent: { basis: "inquiry", channel: "sms" } }, AT);
  assert.deepEqual(given.bases, [WRITTEN, { basis: "inquiry", channel: "sms", at: AT.toISOString() }]);
  assert.deepEqual(supposedConsent(KNOWN, { consent: { basis: "none", channel: "sms" } }, AT).bases, [WRITTEN]);
  assert.deepEqual(supposedConsent(KNOWN, { consent: { basis: "none", channel: "any" } }, AT).bases, []);
});

test("an opt-out may be supposed, or supposed away; what is not said stays", () => {
  assert.deepEqual(supposedConsent(KNOWN, {}, AT), KNOWN);
  const out = supposedConsent(KNOWN, { optedOut: true }, AT);
  assert.deepEqual([out.opted_out_at, out.bases], [AT, KNOWN.bases]);
  assert.equal(supposedConsent(out, { optedOut: false }, AT).opted_out_at, null);
});
