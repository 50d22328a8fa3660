import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { MessagePurpose } from "#domain/messaging/message.ts";
import { banRule, type CallingBan } from "./calling-ban.ts";
import { createCallingWindows } from "./calling-window.ts";
import { type GatePurpose, type GateSubject, GOES_ON_MS, isUnasked, mayContact } from "./gate.ts";

const windows = createCallingWindows(100);
const noon = new Date("2026-01-14T17:00Z");
const night = new Date("2026-01-15T04:00Z");
const morning = new Date("2026-01-15T14:00Z");
const closing = new Date("2026-01-15T01:00Z");
const PURPOSES: MessagePurpose[] = ["start", "drip", "reply", "human", "confirmation", "help"];

const nobody = { optedOutAt: null, doNotCall: false, doNotMessage: false };
const running = { status: "active", beginAt: null, endAt: null };

function subject(change: Partial<GateSubject> = {}): GateSubject {
  return {
    channel: "sms",
    purpose: "start",
    consent: nobody,
    campaign: running,
    isArchived: false,
    lastInboundAt: null,
    place: { zones: ["America/New_York"], states: ["NY"] },
    policy: { profile: "strict", channel: "sms" },
    attempts: [],
    bans: [],
    workingHours: null,
    ...change,
  };
}

/** "allowed", "held by rule until T" or "blocked by rule" for each purpose in turn. */
function verdicts(change: Partial<GateSubject>, now = noon): Record<string, string> {
  return Object.fromEntries(
    PURPOSES.map((purpose) => {
      const decision = mayContact(subject({ ...change, purpose }), now, windows);
      return [purpose, decision.outcome === "allowed" ? "allowed" : `${decision.outcome} by ${decision.rule}`];
    }),
  );
}
const all = (verdict: string, except: Record<string, string> = {}) => ({
  ...Object.fromEntries(PURPOSES.map((purpose) => [purpose, verdict])),
  ...except,
});

test("everything is allowed at noon with nothing against it", () => {
  assert.deepEqual(verdicts({}), all("allowed"));
  assert.deepEqual(verdicts({ campaign: null }), all("allowed"));
});

test("an opt-out blocks everything but its confirmation and an answer to HELP, even amid a conversation", () => {
  const consent = { ...nobody, optedOutAt: noon };
  const expected = all("blocked by opted_out", { confirmation: "allowed", help: "allowed" });
  assert.deepEqual(verdicts({ consent, lastInboundAt: noon }), expected);
  assert.deepEqual(verdicts({ consent, channel: "voice" }), expected);
});

test("the do-not-call list blocks texts and calls alike, but no confirmation", () => {
  const consent = { ...nobody, doNotCall: true };
  assert.deepEqual(verdicts({ consent }), all("blocked by do_not_call", { confirmation: "allowed" }));
  assert.deepEqual(verdicts({ consent, channel: "voice" }), all("blocked by do_not_call", { confirmation: "allowed" }));
});

test("do-not-message blocks texts, not calls", () => {
  const consent = { ...nobody, doNotMessage: true };
  assert.deepEqual(
    verdicts({ consent }),
    all("blocked by do_not_message", { confirmation: "allowed", help: "allowed" }),
  );
  assert.deepEqual(verdicts({ consent, channel: "voice" }), all("allowed"));
});

test("a deleted campaign sends nothing more, but keywords are still answered", () => {
  const campaign = { ...running, status: "deleted" };
  assert.deepEqual(
    verdicts({ campaign }),
    all("blocked by campaign_deleted", { confirmation: "allowed", help: "allowed" }),
  );
});

test("a paused campaign holds what it would send until it is resumed; a person's own text goes", () => {
  const paused = { ...running, status: "paused" };
  assert.deepEqual(
    verdicts({ campaign: paused, lastInboundAt: noon }),
    all("held by campaign_paused", { human: "allowed", confirmation: "allowed", help: "allowed" }),
  );
  assert.deepEqual(mayContact(subject({ campaign: paused }), noon, windows), {
    outcome: "held",
    until: null,
    rule: "campaign_paused",
  });
});

test("for an archived organization outreach waits, and of answers only those to a keyword leave", () => {
  const archived = all("blocked by organization_archived", {
    start: "held by organization_archived",
    drip: "held by organization_archived",
    confirmation: "allowed",
    help: "allowed",
  });
  assert.deepEqual(verdicts({ isArchived: true, lastInboundAt: noon }), archived);
  assert.deepEqual(verdicts({ isArchived: true, channel: "voice", campaign: null }), archived);
  const callback = mayContact(subject({ isArchived: true, channel: "voice", purpose: "callback" }), noon, windows);
  assert.equal(callback.outcome === "blocked" && callback.rule, "organization_archived");
  const paused = { ...running, status: "paused" };
  assert.equal(verdicts({ isArchived: true, campaign: paused }).reply, "held by campaign_paused");
});

test("before the campaign begins its texts are held until then, to the millisecond", () => {
  const beginAt = new Date("2026-01-14T18:00Z");
  const campaign = { ...running, beginAt };
  assert.deepEqual(mayContact(subject({ campaign }), new Date(beginAt.getTime() - 1), windows), {
    outcome: "held",
    until: beginAt,
    rule: "campaign_not_begun",
  });
  assert.deepEqual(mayContact(subject({ campaign }), beginAt, windows), { outcome: "allowed", until: closing });
});

test("past its end a campaign starts nothing, and conversations go on", () => {
  const campaign = { ...running, endAt: noon };
  assert.deepEqual(
    verdicts({ campaign, lastInboundAt: noon }),
    all("allowed", { start: "blocked by campaign_ended", drip: "blocked by campaign_ended" }),
  );
  assert.equal(mayContact(subject({ campaign }), new Date(noon.getTime() - 1), windows).outcome, "allowed");
});

test("at night starts and drips are held until morning, answers go out", () => {
  assert.deepEqual(
    verdicts({ lastInboundAt: night }, night),
    all("allowed", { start: "held by us_hours", drip: "held by us_hours" }),
  );
  assert.deepEqual(mayContact(subject(), night, windows), { outcome: "held", until: morning, rule: "us_hours" });
});

test("a person may not wake a contact who never wrote", () => {
  assert.deepEqual(mayContact(subject({ purpose: "human" }), night, windows), {
    outcome: "held",
    until: morning,
    rule: "us_hours",
  });
});

/** What the gate says at night to an answer so long after the contact's last word. */
function answered(purpose: GatePurpose, channel: "sms" | "voice", agoMs: number, change: Partial<GateSubject> = {}) {
  const policy = { profile: "strict", channel } as const;
  const lastInboundAt = new Date(night.getTime() - agoMs);
  const decision = mayContact(subject({ ...change, purpose, channel, policy, lastInboundAt }), night, windows);
  return decision.outcome === "allowed" ? "allowed" : `${decision.outcome} by ${decision.rule}`;
}

test("an answer is free of hours and bans while the conversation goes on, and not a second longer: a day by text", () => {
  assert.equal(GOES_ON_MS.sms, 24 * 3_600_000);
  for (const purpose of ["reply", "human"] as const) {
    assert.equal(answered(purpose, "sms", GOES_ON_MS.sms - 1_000, { bans: [ban] }), "allowed");
    assert.equal(answered(purpose, "sms", GOES_ON_MS.sms, { bans: [ban] }), "allowed");
    assert.equal(answered(purpose, "sms", GOES_ON_MS.sms + 1), "held by us_hours");
    assert.equal(answered(purpose, "sms", GOES_ON_MS.sms + 1_000), "held by us_hours");
    assert.equal(answered(purpose, "sms", GOES_ON_MS.sms + 1_000, { bans: [ban] }), `held by ${banRule(ban)}`);
  }
});

test("a call that goes on with a conversation is free of them for a quarter of an hour, and then as a callback is", () => {
  assert.equal(GOES_ON_MS.voice, 15 * 60_000);
  assert.equal(answered("reply", "voice", GOES_ON_MS.voice - 1_000), "allowed");
  assert.equal(answered("reply", "voice", GOES_ON_MS.voice), "allowed");
  assert.equal(answered("reply", "voice", GOES_ON_MS.voice + 1_000), "held by us_hours");
  assert.equal(answered("reply", "voice", 13 * 86_400_000), "held by us_hours");
  assert.equal(answered("reply", "voice", 13 * 86_400_000, { bans: [ban] }), `held by ${banRule(ban)}`);
});

test("an answer is allowed until it would be late, or, where hours are open then, until they close", () => {
  const until = (lastInboundAt: Date, at: Date) => {
    const decision = mayContact(subject({ purpose: "reply", lastInboundAt }), at, windows);
    return decision.outcome === "allowed" ? decision.until?.toISOString() : decision.outcome;
  };
  assert.equal(until(noon, noon), "2026-01-16T01:00:00.000Z");
  const yesterdayNight = new Date(night.getTime() - GOES_ON_MS.sms);
  assert.equal(until(yesterdayNight, noon), new Date(night.getTime() + 1).toISOString());
});

test("a late answer is still an answer: no cap holds it, no screening blocks it, its agent's hours do hold it", () => {
  const late = { attempts: three, lastInboundAt: new Date("2026-01-01T12:00Z") };
  const listed = {
    consent: undefined,
    requireConsent: "express",
    requireVoiceConsent: "express_written",
    national: { listed: true, listedOn: noon },
    needsNational: true,
    oldListsAllowed: false,
    reassigned: undefined,
  } as const;
  for (const purpose of ["reply", "human"] as const) {
    assert.equal(mayContact(subject({ ...late, purpose, screening: listed }), noon, windows).outcome, "allowed");
    assert.ok(!isUnasked(purpose, late.lastInboundAt));
  }
  const workingHours = { start: "13:00", end: "17:00", days: [1, 2, 3, 4, 5] };
  const held = mayContact(subject({ ...late, purpose: "reply", workingHours }), noon, windows);
  assert.equal(held.outcome === "held" && held.rule, "agent_working_hours");
});

test("a contact for whom no hour is allowed is blocked, not held for ever", () => {
  const decision = mayContact(subject({ place: { zones: [], states: [] } }), noon, windows);
  assert.equal(decision.outcome === "blocked" && decision.rule, "never_open");
});

test("the earlier rule is the one that is named", () => {
  const everything = { optedOutAt: noon, doNotCall: true, doNotMessage: true };
  const ended = { status: "paused", beginAt: null, endAt: noon };
  const rule = (change: Partial<GateSubject>) => {
    const decision = mayContact(subject(change), night, windows);
    return decision.outcome === "allowed" ? "" : decision.rule;
  };
  assert.deepEqual(
    [
      rule({ consent: everything, campaign: { ...ended, status: "deleted" } }),
      rule({ consent: { ...everything, optedOutAt: null }, campaign: { ...ended, status: "deleted" } }),
      rule({ consent: { ...nobody, doNotMessage: true }, campaign: { ...ended, status: "deleted" } }),
      rule({ campaign: { ...ended, status: "deleted" } }),
      rule({ campaign: ended }),
      rule({ campaign: { ...ended, status: "active" } }),
      rule({}),
    ],
    ["opted_out", "do_not_call", "do_not_message", "campaign_deleted", "campaign_paused", "campaign_ended", "us_hours"],
  );
});

const three = ["2026-01-14T15:00Z", "2026-01-14T16:00Z", "2026-01-14T16:59Z"].map((at) => ({
  at: new Date(at),
  channel: "sms" as const,
}));
const ban: CallingBan = {
  id: "019aa000-0000-7000-8000-000000000001",
  jurisdiction: "US-NY",
  channel: "any",
  from: new Date("2026-01-14T12:00Z"),
  until: new Date("2026-01-16T12:00Z"),
  reason: "Declared emergency",
};

test("a fourth attempt within a day is held until the first of the three is a day old; answers are not counted", () => {
  assert.deepEqual(
    verdicts({ attempts: three, lastInboundAt: noon }),
    all("allowed", { start: "held by strict_attempts", drip: "held by strict_attempts" }),
  );
  assert.deepEqual(mayContact(subject({ attempts: three }), noon, windows), {
    outcome: "held",
    until: new Date("2026-01-15T15:00Z"),
    rule: "strict_attempts",
  });
  const federal = { ...subject(), attempts: three, policy: { profile: "federal" as const, channel: "sms" as const } };
  assert.equal(mayContact(federal, noon, windows).outcome, "allowed");
});

test("a person's text counts and obeys caps like a campaign's, while the contact has never written", () => {
  const decision = mayContact(subject({ purpose: "human", attempts: three }), noon, windows);
  assert.equal(decision.outcome === "held" && decision.rule, "strict_attempts");
  assert.ok(isUnasked("human", null) && !isUnasked("human", noon));
  assert.deepEqual(
    PURPOSES.filter((purpose) => isUnasked(purpose, noon)),
    ["start", "drip"],
  );
});

test("a ban holds outreach in its state until it ends, asks again within the hour, and lets answers go", () => {
  assert.deepEqual(
    verdicts({ bans: [ban], lastInboundAt: noon }),
    all("allowed", { start: `held by ${banRule(ban)}`, drip: `held by ${banRule(ban)}` }),
  );
  assert.deepEqual(mayContact(subject({ bans: [ban] }), noon, windows), {
    outcome: "held",
    until: ban.until,
    rule: banRule(ban),
    askAgainAt: new Date(noon.getTime() + 3_600_000),
  });
  const elsewhere = { zones: ["America/New_York"], states: ["NJ"] };
  assert.equal(mayContact(subject({ bans: [ban], place: elsewhere }), noon, windows).outcome, "allowed");
});

test("allowed says to when: the hours' end, a ban's begin or the campaign's end, whichever is first", () => {
  const later = { ...ban, from: new Date("2026-01-14T20:00Z") };
  assert.deepEqual(mayContact(subject(), noon, windows), { outcome: "allowed", until: closing });
  assert.deepEqual(mayContact(subject({ bans: [later] }), noon, windows), { outcome: "allowed", until: later.from });
  const endAt = new Date("2026-01-14T19:00Z");
  assert.deepEqual(mayContact(subject({ bans: [later], campaign: { ...running, endAt } }), noon, windows), {
    outcome: "allowed",
    until: endAt,
  });
});

test("an agent's answer waits for its working hours, and nothing else does", () => {
  const workingHours = { start: "13:00", end: "17:00", days: [1, 2, 3, 4, 5] };
  assert.deepEqual(
    verdicts({ workingHours, lastInboundAt: noon }),
    all("allowed", { reply: "held by agent_working_hours" }),
  );
  assert.deepEqual(mayContact(subject({ purpose: "reply", workingHours }), noon, windows), {
    outcome: "held",
    until: new Date("2026-01-14T18:00Z"),
    rule: "agent_working_hours",
  });
});

test("an opt-out, a list and a deleted campaign win over bans, hours and caps", () => {
  const against = { attempts: three, bans: [ban] };
  const rule = (change: Partial<GateSubject>) => {
    const decision = mayContact(subject({ ...against, ...change }), night, windows);
    return decision.outcome === "allowed" ? "" : `${decision.outcome} ${decision.rule}`;
  };
  assert.equal(rule({ consent: { ...nobody, optedOutAt: noon } }), "blocked opted_out");
  assert.equal(rule({ consent: { ...nobody, doNotCall: true } }), "blocked do_not_call");
  assert.equal(rule({ campaign: { ...running, status: "deleted" } }), "blocked campaign_deleted");
  assert.equal(rule({ campaign: { ...running, status: "paused" } }), "held campaign_paused");
  assert.equal(rule({}), `held ${banRule(ban)}`);
  assert.equal(rule({ bans: [] }), "held us_hours");
});

const bans: fc.Arbitrary<CallingBan> = fc.record({
  id: fc.constant(ban.id),
  jurisdiction: fc.constantFrom("US", "US-NY", "CA"),
  channel: fc.constantFrom("any" as const, "sms" as const, "voice" as const),
  from: fc.date({ min: new Date("2026-01-01"), max: new Date("2027-12-31"), noInvalidDate: true }),
  until: fc.option(fc.date({ min: new Date("2026-01-01"), max: new Date("2027-12-31"), noInvalidDate: true })),
  reason: fc.constant("x"),
});

test("whatever comes in, the gate answers, and lets nothing pass an opt-out", () => {
  const date = fc.option(fc.date({ min: new Date("2026-01-01"), max: new Date("2027-12-31"), noInvalidDate: false }));
  const subjects = fc.record({
    channel: fc.constantFrom("sms" as const, "voice" as const),
    purpose: fc.constantFrom(...PURPOSES),
    consent: fc.record({ optedOutAt: date, doNotCall: fc.boolean(), doNotMessage: fc.boolean() }),
    campaign: fc.option(
      fc.record({
        status: fc.constantFrom("processing", "active", "paused", "completed", "deleted", "?"),
        beginAt: date,
        endAt: date,
      }),
    ),
    isArchived: fc.boolean(),
    lastInboundAt: date,
    place: fc.record({
      zones: fc.array(fc.constantFrom("America/New_York", "Mars/Olympus_Mons", ""), { maxLength: 2 }),
      states: fc.array(fc.constantFrom("NY", "AL", "ZZ", "__proto__"), { maxLength: 2 }),
    }),
    policy: fc.record(
      {
        profile: fc.constantFrom("strict" as const, "federal" as const),
        channel: fc.constantFrom("sms" as const, "voice" as const),
        window: fc.record({ start: fc.string(), end: fc.string(), days: fc.array(fc.integer()) }),
      },
      { requiredKeys: ["profile", "channel"] },
    ),
    attempts: fc.array(
      fc.record({
        at: fc.date({ min: new Date("2026-01-01"), max: new Date("2027-12-31"), noInvalidDate: true }),
        channel: fc.constantFrom("sms" as const, "voice" as const),
      }),
      { maxLength: 6 },
    ),
    bans: fc.array(bans, { maxLength: 2 }),
    workingHours: fc.option(fc.record({ start: fc.string(), end: fc.string(), days: fc.array(fc.integer()) })),
  });
  fc.assert(
    fc.property(subjects, fc.date({ noInvalidDate: false }), (each, now) => {
      const decision = mayContact(each, now, windows);
      if (each.consent.optedOutAt !== null && each.purpose !== "confirmation" && each.purpose !== "help") {
        assert.equal(decision.outcome, "blocked");
      }
      if (each.campaign?.status === "deleted" && each.purpose !== "confirmation" && each.purpose !== "help") {
        assert.equal(decision.outcome, "blocked");
      }
      if (each.isArchived && each.purpose !== "confirmation" && each.purpose !== "help") {
        assert.notEqual(decision.outcome, "allowed");
      }
      if (decision.outcome === "held" && decision.until) assert.ok(!(decision.until <= now));
      if (decision.outcome === "held" && decision.askAgainAt) assert.ok(!(decision.askAgainAt <= now));
      if (decision.outcome === "allowed" && decision.until) assert.ok(!(decision.until <= now));
    }),
    { numRuns: 500 },
  );
});
