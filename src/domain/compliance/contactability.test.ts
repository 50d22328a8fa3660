import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { basisOf, basisText } from "#domain/sending/gate-facts.ts";
import { createCallingWindows } from "./calling-window.ts";
import { contactability } from "./contactability.ts";
import { type GateSubject, mayContact } from "./gate.ts";

const windows = createCallingWindows(1_000);
const night = new Date("2026-01-15T04:00Z");
const subject = (change: Partial<GateSubject> = {}): GateSubject => ({
  channel: "sms",
  purpose: "start",
  consent: { optedOutAt: null, doNotCall: false, doNotMessage: false },
  campaign: { status: "active", beginAt: null, endAt: null },
  isArchived: false,
  lastInboundAt: null,
  place: { zones: ["America/New_York"], states: ["NY"] },
  policy: { profile: "strict", channel: "sms" },
  attempts: [],
  bans: [],
  workingHours: null,
  ...change,
});
const tried = (iso: string) => ({ at: new Date(iso), channel: "sms" as const });

test("several holds in a row are seen through to the moment that all of them let go", () => {
  const campaign = { status: "active", beginAt: new Date("2026-01-16T03:00Z"), endAt: null };
  // Begins on Thursday night; the hours open on Friday at nine; a ban lasts to ten; the cap frees at eleven.
  const facts = subject({
    campaign,
    attempts: ["2026-01-15T16:00Z", "2026-01-15T17:00Z", "2026-01-15T18:00Z"].map(tried),
    bans: [
      {
        id: "019aa000-0000-7000-8000-000000000001",
        jurisdiction: "US-NY",
        channel: "any",
        from: new Date("2026-01-16T14:00Z"),
        until: new Date("2026-01-16T15:00Z"),
        reason: "x",
      },
    ],
  });
  const { decision, nextAt } = contactability(facts, night, windows);
  assert.deepEqual(decision, { outcome: "held", until: campaign.beginAt, rule: "campaign_not_begun" });
  assert.deepEqual(nextAt, new Date("2026-01-16T16:00Z"));
});

test("what is paused, what ends before its hour and what is blocked has no next time", () => {
  const paused = { status: "paused", beginAt: null, endAt: null };
  const ending = { status: "active", beginAt: null, endAt: new Date("2026-01-15T13:00Z") };
  assert.equal(contactability(subject({ campaign: paused }), night, windows).nextAt, null);
  assert.equal(contactability(subject({ campaign: ending }), night, windows).nextAt, null);
  const stopped = { optedOutAt: night, doNotCall: false, doNotMessage: false };
  assert.equal(contactability(subject({ consent: stopped }), night, windows).nextAt, null);
});

test("wherever and whenever: the next time is allowed by the gate, and until then nothing is, minute by minute", () => {
  const start = Date.parse("2026-01-01T00:00Z");
  fc.assert(
    fc.property(
      fc.integer({ min: start, max: start + 365 * 86_400_000 }),
      fc.constantFrom("NY", "FL", "AL", "UT", "RI", "HI"),
      fc.array(fc.integer({ min: 0, max: 86_400_000 }), { maxLength: 5 }),
      (at, state, ago) => {
        const facts = subject({
          place: { zones: ["America/New_York", "America/Chicago"], states: [state] },
          attempts: ago.map((ms) => ({ at: new Date(at - ms), channel: "sms" })),
        });
        const { decision, nextAt } = contactability(facts, new Date(at), windows);
        if (decision.outcome === "allowed") return assert.equal(nextAt, null);
        assert.ok(nextAt !== null && nextAt.getTime() > at);
        assert.equal(mayContact(facts, nextAt, windows).outcome, "allowed");
        const step = Math.max(60_000, (nextAt.getTime() - at) / 200);
        for (let t = at; t < nextAt.getTime(); t += step) {
          assert.notEqual(mayContact(facts, new Date(t), windows).outcome, "allowed");
        }
        assert.notEqual(mayContact(facts, new Date(nextAt.getTime() - 1), windows).outcome, "allowed");
      },
    ),
    { numRuns: 300 },
  );
});

test("what a decision rested on is read back as it was kept; what is none is nothing", () => {
  const place = { zones: ["America/Chicago", "America/New_York"], states: ["FL"], basis: "area_code" } as const;
  assert.deepEqual(basisOf(basisText("strict", place, 2)), {
    profile: "strict",
    placeBasis: "area_code",
    zones: place.zones,
    states: ["FL"],
    attemptsBefore: 2,
  });
  const nowhere = { zones: [], states: [], basis: "unknown" } as const;
  assert.deepEqual(basisOf(basisText("federal", nowhere, 0))?.zones, []);
  assert.equal(basisOf(null), undefined);
  assert.equal(basisOf("text"), undefined);
});
