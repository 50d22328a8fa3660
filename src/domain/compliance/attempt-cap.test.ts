import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ATTEMPT_CAPS, type Channel, cappedBy, LONGEST_CAP_MS, type OutreachAttempt } from "./attempt-cap.ts";
import type { Profile } from "./jurisdiction.ts";

const DAY_MS = 86_400_000;
const noon = Date.parse("2026-01-14T17:00Z");
const tried = (ago: number, channel: Channel = "sms"): OutreachAttempt => ({ at: new Date(noon - ago), channel });

/** "rule until so many ms from noon", or "free". */
function asked(
  attempts: OutreachAttempt[],
  states: string[],
  { profile = "federal" as Profile, at = noon } = {},
): string {
  const answer = cappedBy(attempts, { states, profile }, new Date(at));
  return answer ? `${answer.rule} for ${answer.until.getTime() - noon}` : "free";
}

test("there is a cap of our own and one for each state that has one: three in a sliding day", () => {
  assert.deepEqual(
    ATTEMPT_CAPS.map((cap) => [cap.id, cap.attempts, cap.withinMs / 3_600_000]),
    ["fl", "ok", "md", "or", "strict"].map((name) => [`${name}_attempts`, 3, 24]),
  );
  assert.equal(LONGEST_CAP_MS, DAY_MS);
});

test("every cap, at its edges: the third attempt is free, the fourth is not, until a day after the first of three", () => {
  let edges = 0;
  for (const cap of ATTEMPT_CAPS) {
    const state = cap.jurisdiction.replace("US-", "");
    const where = {
      states: cap.jurisdiction === "strict" ? ["NY"] : [state],
      profile: cap.jurisdiction === "strict" ? "strict" : "federal",
    } as const;
    const three = [tried(10_000), tried(60_000), tried(3_600_000)];
    const frees = noon - 3_600_000 + cap.withinMs;
    const ask = (attempts: OutreachAttempt[], at: number) => cappedBy(attempts, where, new Date(at));
    assert.equal(ask(three.slice(0, cap.attempts - 1), noon), undefined, cap.id);
    for (const at of [noon, frees - 1_000, frees - 1]) {
      assert.deepEqual(ask(three, at), { rule: cap.id, until: new Date(frees) }, `${cap.id} at ${at - frees}`);
      edges++;
    }
    for (const at of [frees, frees + 1, frees + 1_000]) {
      assert.equal(ask(three, at), undefined, `${cap.id} at ${at - frees}`);
      edges++;
    }
  }
  assert.equal(edges, 6 * ATTEMPT_CAPS.length);
});

test("calls and texts add up, in every state", () => {
  const mixed = [tried(1_000), tried(2_000, "voice"), tried(3_000)];
  assert.equal(asked(mixed, ["OR"]), `or_attempts for ${DAY_MS - 3_000}`);
  assert.equal(asked(mixed, ["MD"]), `md_attempts for ${DAY_MS - 3_000}`);
  assert.equal(asked(mixed.slice(1), ["MD"]), "free");
  assert.equal(asked(mixed, ["MD"], { profile: "strict" }), `md_attempts for ${DAY_MS - 3_000}`);
});

test("a state without a cap has ours in the strict profile alone; the law is named before our habit", () => {
  const three = [tried(1_000), tried(2_000), tried(3_000)];
  assert.equal(asked(three, ["NY"]), "free");
  assert.equal(asked(three, ["WA"]), "free");
  assert.equal(asked(three, ["NY"], { profile: "strict" }), `strict_attempts for ${DAY_MS - 3_000}`);
  assert.equal(asked(three, ["FL"], { profile: "strict" }), `fl_attempts for ${DAY_MS - 3_000}`);
  assert.equal(asked(three, ["NY", "FL"]), `fl_attempts for ${DAY_MS - 3_000}`);
});

const attempts = fc.array(
  fc.record({
    at: fc.integer({ min: noon - 2 * DAY_MS, max: noon }),
    channel: fc.constantFrom("sms" as const, "voice" as const),
  }),
  { maxLength: 12 },
);
const places = fc.uniqueArray(fc.constantFrom("NY", "FL", "OK", "MD", "OR", "WA", "ON"), { maxLength: 3 });

test("whatever was tried, and in whatever order: a day that obeys its answers never has more than its caps allow", () => {
  fc.assert(
    fc.property(attempts, places, fc.constantFrom("strict" as const, "federal" as const), (them, states, profile) => {
      const obeyed: OutreachAttempt[] = [];
      for (const { at, channel } of them.toSorted((a, b) => a.at - b.at)) {
        const capped = cappedBy(obeyed.toReversed(), { states, profile }, new Date(at));
        if (!capped) obeyed.push({ at: new Date(at), channel });
        else {
          assert.ok(capped.until.getTime() > at);
          assert.equal(
            cappedBy(obeyed, { states, profile }, new Date(capped.until.getTime() - 1))?.until.getTime(),
            capped.until.getTime(),
          );
          assert.equal(cappedBy(obeyed, { states, profile }, capped.until), undefined);
        }
      }
      // Counted anew, in every window that ends at an attempt.
      for (const cap of ATTEMPT_CAPS) {
        const applies = cap.jurisdiction === profile || states.some((state) => cap.jurisdiction === `US-${state}`);
        if (!applies) continue;
        for (const { at } of obeyed) {
          const inWindow = obeyed.filter(
            (attempt) => attempt.at <= at && attempt.at.getTime() > at.getTime() - cap.withinMs,
          );
          assert.ok(inWindow.length <= cap.attempts, `${cap.id}: ${inWindow.length}`);
        }
      }
    }),
    { numRuns: 1_000 },
  );
});
