import assert from "node:assert/strict";
import { test } from "node:test";
import type { CallingPolicy } from "#domain/compliance/calling-window.ts";
import type { Decision } from "#domain/compliance/gate.ts";
import type { Forecast } from "#domain/sending/forecast.ts";
import { templatesOf, variablesOf } from "#domain/sending/templates.ts";
import { type PreflightLead, preflight } from "./preflight.ts";
import { preflightAnswer } from "./preflight-answer.ts";
import { callPreflightAnswer } from "./preflight-calls.ts";

const startsAt = new Date("2026-05-05T18:00:00Z");
const opensAt = new Date("2026-05-06T13:00:00Z");
const config = {
  starting_message: "Hi {{first_name}}, it is Ava.",
  drip_schedule: [{ day: 2, message: "Still there, {{first_name}} of {{city}}?" }],
};
const policy: CallingPolicy = { profile: "federal", channel: "sms" };
const eastern = { zones: ["America/New_York"], states: ["NY"], basis: "state" } as const;
const western = { zones: ["America/Los_Angeles"], states: ["CA"], basis: "state" } as const;
const allowed: Decision = { outcome: "allowed", until: null };

const begin = (more: { endAt?: Date; pictures?: string[] } = {}) =>
  preflight({
    templates: templatesOf(`preflight-test`, 1, config),
    variables: variablesOf(config),
    endAt: more.endAt ?? null,
    startsAt,
    pictures: more.pictures ?? [],
  });
const lead = (n: number, more: Partial<PreflightLead> = {}): PreflightLead => ({
  phone: `+1212555${String(n).padStart(4, "0")}`,
  fields: { first_name: `N${n}`, city: "Reno" },
  place: eastern,
  policy,
  decision: allowed,
  ...more,
});

test("everyone is counted once: by the reason to skip them, or by what they would get", () => {
  const check = begin();
  check.skip("invalid_number", 3);
  check.skip("duplicate", 0);
  check.add(lead(1));
  check.add(lead(2, { decision: { outcome: "blocked", rule: "opted_out", reason: "" } }));
  check.add(lead(3, { fields: { city: "Reno" } }));
  check.add(lead(4, { fields: { first_name: "x".repeat(1_600), city: "Reno" } }));
  check.add(lead(5, { fields: { first_name: "Ann" } }));
  const report = check.report();
  assert.deepEqual([report.total, report.willBeTexted], [8, 2]);
  assert.deepEqual(report.skips, { invalid_number: 3, opted_out: 1, missing_variable: 1, too_long: 1 });
  assert.deepEqual(report.missingVariables, { first_name: 1, city: 1 });
  assert.deepEqual(
    [report.texts, report.segments],
    [
      { starting: 2, drips: 1 },
      { starting: 2, drips: 1 },
    ],
  );
});

test("a field with a fallback is missing from nobody's text, and the sample shows the fallback", () => {
  const config = {
    starting_message: "Hi {{first_name}}, a home in {{city|your area}}?",
    drip_schedule: [{ day: 2, message: "Still looking{{budget|}} in {{city|your area}}?" }],
  };
  const check = preflight({
    templates: templatesOf("preflight-test-of-fallbacks", 1, config),
    variables: variablesOf(config),
    endAt: null,
    startsAt,
  });
  check.add(lead(1, { fields: { first_name: "Ann" } }));
  check.add(lead(2, { fields: {} }));
  const report = check.report();
  assert.deepEqual([report.skips, report.missingVariables], [{ missing_variable: 1 }, { first_name: 1 }]);
  assert.deepEqual(report.texts, { starting: 1, drips: 1 });
  assert.deepEqual(
    report.samples.map(({ text }) => text),
    ["Hi Ann, a home in your area?"],
  );
});

test("who is called without the consent that an AI voice needs is counted, of those alone who are called", () => {
  const check = begin();
  const lacksVoiceConsent = true;
  check.add(lead(1));
  check.add(lead(2, { lacksVoiceConsent }));
  check.add(lead(3, { lacksVoiceConsent, decision: { outcome: "blocked", rule: "opted_out", reason: "" } }));
  const report = check.report();
  assert.equal(report.withoutVoiceConsent, 1);
  const startsAt = new Date("2026-05-05T18:00:00Z");
  const endAt = new Date("2026-05-06T18:00:00Z");
  const of = {
    numbers: [],
    resting: new Map(),
    perSecond: 1,
    concurrency: 1,
    startsAt,
    endAt,
    namesOrganization: true,
  };
  const forecast = { finishAt: startsAt, limitedBy: null } as Forecast;
  const answer = callPreflightAnswer({ ...of, report, forecast });
  assert.deepEqual(answer.warnings, ["ai_voice_consent"]);
  assert.deepEqual(answer.voice_consent, { missing: 1, law: "FCC 24-17; 47 CFR 64.1200(a)(2)-(3)" });
});

test("hours are listed by zone and by the rule that holds", () => {
  const check = begin();
  for (let n = 0; n < 3; n++) check.add(lead(n));
  check.add(lead(3, { place: western, decision: { outcome: "held", until: opensAt, rule: "strict_hours" } }));
  check.add(lead(4, { place: western, decision: { outcome: "held", until: null, rule: "national_list_missing" } }));
  const { openNow, zones, holds } = check.report();
  assert.equal(openNow, 3);
  assert.deepEqual(zones, [
    { zones: eastern.zones, recipients: 3, openNow: 3, opensAt: null },
    { zones: western.zones, recipients: 2, openNow: 0, opensAt },
  ]);
  assert.deepEqual(holds, [
    { rule: "strict_hours", opensAt, recipients: 1 },
    { rule: "national_list_missing", opensAt: null, recipients: 1 },
  ]);
});

test("twenty samples are kept, spread over all, whatever their number", () => {
  for (const n of [0, 1, 20, 21, 41, 1_000, 12_345]) {
    const check = begin();
    for (let i = 0; i < n; i++) check.add(lead(i));
    const { samples } = check.report();
    assert.equal(samples.length, Math.min(n, 20), `of ${n}`);
    assert.equal(new Set(samples.map(({ phone }) => phone)).size, samples.length);
    if (n >= 1_000) assert.ok(Number(samples.at(-1)!.text.slice(4, -12)) > n * 0.85, "some from the end");
  }
});

test("only texts that take a picture along are one message, at its price: a contact without one has none of its own", () => {
  const check = begin({ pictures: ["{{media_url}}"] });
  check.add(lead(1, { fields: { ...lead(1).fields, media_url: "https://cdn.example.com/a.jpg" } }));
  check.add(lead(2));
  // Kept before it was checked.
  check.add(lead(3, { fields: { ...lead(3).fields, media_url: "http://cdn.example.com/a.jpg" } }));
  const { texts, pictureTexts } = check.report();
  assert.deepEqual([texts.starting, pictureTexts], [3, 1]);
});

test("the answer prices every segment, and warns of what is surprising", () => {
  const check = begin({ endAt: new Date("2026-05-05T20:00:00Z") });
  check.add(lead(1, { decision: { outcome: "held", until: opensAt, rule: "strict_hours" } }));
  const sender = {
    number: "+12125550100",
    kind: "local",
    perSecond: null,
    registered: null,
    budget: undefined,
    firstHourTexts: null,
    isRegisteredElsewhere: false,
  } as const;
  const open = () => ({ open: true, until: new Date(8.64e15) }) as const;
  const parts = {
    report: check.report(),
    forecast: check.forecast({ perSecond: null, budget: null }, open),
    sender,
    prices: { segment: "0.0083", pictureText: "0.03" },
    hasPictures: false,
    startsAt,
    endAt: new Date("2026-05-05T20:00:00Z"),
    lastDripDay: 2,
  };
  const answer = preflightAnswer(parts);
  assert.deepEqual(answer.cost, {
    amount: "0.0166",
    currency: "USD",
    price_per_segment: "0.0083",
    price_per_picture_text: null,
  });
  assert.deepEqual(answer.warnings, ["unregistered_sender", "ends_before_it_is_done"]);
  const live = preflightAnswer({ ...parts, sender: { ...sender, isRegisteredElsewhere: true } });
  assert.deepEqual(live.warnings, ["ends_before_it_is_done"], "an account's registrations are at its carrier");
  assert.deepEqual(answer.forecast, {
    starts_at: startsAt.toISOString(),
    starting_messages_finish_at: opensAt.toISOString(),
    finish_at: "2026-05-08T13:00:00.000Z",
    limited_by: "calling_hours",
  });
});
