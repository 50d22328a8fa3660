import assert from "node:assert/strict";
import { test } from "node:test";
import { bannedBy, banRule, type CallingBan } from "./calling-ban.ts";

const from = new Date("2026-09-01T00:00Z");
const until = new Date("2026-09-08T00:00Z");
const HOUR_MS = 3_600_000;
const ban = (more: Partial<CallingBan> = {}): CallingBan => ({
  id: "019aa000-0000-7000-8000-000000000001",
  jurisdiction: "US-LA",
  channel: "any",
  from,
  until,
  reason: "Hurricane",
  ...more,
});
const ask = (bans: CallingBan[], at: Date, states = ["LA"], channel: "sms" | "voice" = "sms") =>
  bannedBy(bans, { states, profile: "strict", channel }, at);
const shifted = (date: Date, ms: number) => new Date(date.getTime() + ms);

test("a ban begins and ends on its second", () => {
  for (const before of [-1_000, -1])
    assert.deepEqual(ask([ban()], shifted(from, before)), { banned: false, until: from });
  for (const after of [0, 1, 1_000]) assert.ok(ask([ban()], shifted(from, after)).banned);
  for (const before of [-1_000, -1]) assert.ok(ask([ban()], shifted(until, before)).banned);
  for (const after of [0, 1, 1_000])
    assert.deepEqual(ask([ban()], shifted(until, after)), { banned: false, until: null });
});

test("it is about its own state and channel; a country's is about all its states, and about whom nobody can place", () => {
  const at = shifted(from, 1);
  assert.ok(!ask([ban()], at, ["TX"]).banned);
  assert.ok(ask([ban()], at, ["LA", "TX"]).banned);
  assert.ok(ask([ban({ jurisdiction: "US" })], at, ["TX"]).banned);
  assert.ok(ask([ban({ jurisdiction: "US" })], at, []).banned);
  assert.ok(!ask([ban({ jurisdiction: "US" })], at, ["ON"]).banned);
  assert.ok(!ask([ban({ channel: "voice" })], at).banned);
  assert.ok(ask([ban({ channel: "voice" })], at, ["LA"], "voice").banned);
});

test("of several the one that ends last is named; one without an end asks again every hour", () => {
  const at = shifted(from, 1);
  const endless = ban({ id: "019aa000-0000-7000-8000-000000000002", until: null });
  assert.deepEqual(ask([ban(), endless], at), {
    banned: true,
    rule: banRule(endless),
    until: null,
    askAgainAt: shifted(at, HOUR_MS),
  });
  assert.deepEqual(ask([ban({ until: shifted(at, 60_000) })], at), {
    banned: true,
    rule: banRule(ban()),
    until: shifted(at, 60_000),
    askAgainAt: shifted(at, 60_000),
  });
});
