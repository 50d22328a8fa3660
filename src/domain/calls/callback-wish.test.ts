import assert from "node:assert/strict";
import { test } from "node:test";
import { callbackWish } from "./callback-wish.ts";

/** A Friday, eight in the morning in Denver. */
const now = new Date("2026-11-20T15:00:00Z");
const at = (text: string, zone = "America/Denver") => callbackWish(text, now, zone)?.at.toISOString();

test("a call that is asked for at a time is read in the contact's zone", () => {
  assert.equal(at("Can you call me tomorrow after lunch?"), "2026-11-21T20:30:00.000Z");
  assert.equal(at("i'm driving call me back in ten minutes"), "2026-11-20T15:10:00.000Z");
  assert.equal(at("try me again tuesday at three"), "2026-11-24T22:00:00.000Z");
  assert.equal(at("give me a call at 4pm"), "2026-11-20T23:00:00.000Z");
  assert.equal(at("llámeme mañana a las 3"), "2026-11-21T22:00:00.000Z");
  assert.equal(callbackWish("Call me tomorrow at noon", now, "America/Denver")?.quote, "Call me tomorrow at noon");
});

test("a time without a call, a call without a time, and a refusal ask for none", () => {
  for (const text of [
    "I moved here in two weeks",
    "Call me back",
    "Don't call me tomorrow",
    "Never call me again at 3pm",
    "You can call me Ana, I was born on May 5",
    "I bought it yesterday",
    "",
    "Call me in 200 days",
  ]) {
    assert.equal(at(text), undefined, text);
  }
  assert.equal(at("Call me tomorrow at noon", "Mars/Base"), undefined);
});
