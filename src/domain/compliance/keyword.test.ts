import assert from "node:assert/strict";
import { test } from "node:test";
import { countSegments } from "#domain/messaging/segments.ts";
import { helpText, keywordOf, optInConfirmation, optOutConfirmation } from "./keyword.ts";

test("every stop word is known however it is written", () => {
  for (const text of [
    "STOP",
    "stop",
    " STOP. ",
    "Stop!!!",
    "STOPALL",
    "stop all",
    "UNSUBSCRIBE",
    "QUIT",
    "END",
    "CANCEL",
    "REVOKE",
    "OPT OUT",
    "opt-out",
    "Optout",
    "remove",
    "ALTO",
    "PARAR",
    "Arrêt",
    "ARRET",
    "ＳＴＯＰ",
    "STОP",
    "ЅТОР",
    "стоп",
    "🛑",
    "🛑 STOP 🛑",
    "STOP 🙏",
    "🅂🅃🄾🄿",
    "S T O P",
    "s.t.o.p.",
    "ST0P",
    "STOP STOP STOP",
    "stop\nstop",
    '"STOP"',
    "“Stop”",
    "\u200bSTOP\ufeff",
    "stooop",
    "sotp",
    "STOP\n\n> Hi Ana, this is Sam from Acme",
    "Stop\n\nOn Tue, Nov 18, 2026 at 9:12 AM Sam wrote:\nHi Ana",
    "> STOP",
  ]) {
    assert.equal(keywordOf(text), "stop", JSON.stringify(text));
  }
});

test("a stop word inside a longer message is not a keyword", () => {
  for (const text of [
    "the bus stop",
    "stop by at 5",
    "don't stop",
    "a bill called STOP",
    "weekend",
    "the end of May",
    "cancel my appointment",
    "Sounds good\n> Reply STOP to opt out",
    "Liked “Reply STOP to opt out”",
    "Disliked “STOP”",
    "👍 to “Stop”",
    "shop",
    "",
    "   ",
    "?",
  ]) {
    assert.equal(keywordOf(text), undefined, JSON.stringify(text));
  }
});

test("START and UNSTOP subscribe, YES never does", () => {
  assert.equal(keywordOf("Start"), "start");
  assert.equal(keywordOf("unstop!"), "start");
  assert.equal(keywordOf("YES"), undefined);
  assert.equal(keywordOf("Yes."), undefined);
});

test("HELP and INFO ask for help, in three languages", () => {
  for (const text of ["HELP", "help?", "Info", "AYUDA", "aide"]) assert.equal(keywordOf(text), "help", text);
  assert.equal(keywordOf("can you help me"), undefined);
});

test("the standard texts name the sender, fit one segment and send no braces", () => {
  for (const name of [
    "Acme Homes",
    "{{name}} The Very Long Organization Name of Northern Colorado and Wyoming, Inc.",
  ]) {
    for (const text of [
      optOutConfirmation(name, "stop"),
      optOutConfirmation(name, "she died"),
      optInConfirmation(name),
      helpText(name),
    ]) {
      assert.equal(countSegments(text).segments, 1, text);
      assert.doesNotMatch(text, /[{}]/);
    }
  }
  assert.match(optOutConfirmation("Acme", "stop"), /^You are unsubscribed from Acme .* START/);
  assert.match(optOutConfirmation("Acme", "He died in May, stop"), /^We are very sorry to hear that. You are unsub/);
  assert.match(optOutConfirmation("Acme", "so sick of your texts, stop"), /^You are unsub/);
  assert.match(
    optOutConfirmation("Acme", "stop\nOn Mon, Nov 3, 2026 Ava wrote:\n> Sorry that he died"),
    /^You are unsub/,
  );
  assert.match(helpText("Acme", "help@acme.example"), /help@acme\.example.*STOP/);
  assert.match(helpText(" "), /^us:/);
});
