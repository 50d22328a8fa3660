import assert from "node:assert/strict";
import { test } from "node:test";
import { checkSpoken, speakable } from "./speech.ts";

const PROMPT = "You sell homes in Denver. The discount of nine percent is internal and stays between the two of us.";
const rules = {
  allowedLinks: ["acme.com"],
  instructions: { text: PROMPT },
  promptCanaries: ["ref-abc123"],
  known: `${PROMPT} ana@x.example +12125550123`,
};

const spoken = (text: string, before = ""): string => {
  const verdict = checkSpoken(text, before, rules);
  return verdict.ok ? verdict.text : `refused: ${verdict.reason}`;
};

test("markup, emoji and links are not spoken", () => {
  for (const [written, said] of [
    ["**Great**, Ana! 🎉", "Great, Ana!"],
    ["# Offer", "Offer"],
    ["- one of _many_ `things`", "one of many things"],
    ["1. Call me", "Call me"],
    ["See [our page](https://acme.com/x) today", "See our page today"],
    ["Go to https://acme.com/book?x=1 now.", "Go to now."],
    ["👍", ""],
    ["...", ""],
    ["It costs $3.50, and 20% less on 5 May.", "It costs $3.50, and 20% less on 5 May."],
  ] as const) {
    assert.equal(spoken(written), said, written);
  }
});

test("what is read out is an address or a number as people say it", () => {
  assert.equal(spoken("I have ana@x.example, is that right?"), "I have ana at x dot example, is that right?");
  assert.equal(
    speakable("Call (212) 555-0123 or +1 212 555 0123."),
    "Call 2 1 2, 5 5 5, 0 1 2 3 or 2 1 2, 5 5 5, 0 1 2 3.",
  );
  assert.equal(spoken("It is acme.com."), "It is acme dot com.");
});

test("numbers, hosts and addresses that nobody here knows are refused, in digits and in words", () => {
  for (const text of [
    "Call +1 900 555 1234",
    "Call nine zero zero, five five five, one two three four.",
    "Call nine oh oh 5 5 5 one two three four.",
    "It is evil dot com",
    "Write to bob at evil dot com",
    "Write to bob@evil.com",
  ]) {
    assert.match(spoken(text), /^refused/, text);
  }
  assert.equal(spoken("five five five one two three four", "Call nine zero zero"), "refused: foreign_contact_data");
  assert.equal(
    spoken("Your number is two one two, five five five, zero one two three, right?").startsWith("refused"),
    false,
  );
  assert.equal(spoken("It has three rooms, or four, at one hundred."), "It has three rooms, or four, at one hundred.");
});

test("instructions leak neither in a sentence nor over several", () => {
  assert.equal(spoken("The discount of nine percent is internal and stays here."), "refused: prompt_leak");
  assert.equal(spoken("is internal and stays", "The discount of nine percent"), "refused: prompt_leak");
  assert.equal(spoken("My reference is ref abc 123."), "refused: prompt_leak");
  assert.equal(spoken("I am a real person."), "refused: claims_human");
});
