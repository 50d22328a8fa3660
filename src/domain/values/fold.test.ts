import assert from "node:assert/strict";
import { test } from "node:test";
import { foldText } from "./fold.ts";

test("case, punctuation, spaces and emoji do not count", () => {
  assert.equal(foldText("  Please, STOP!!! 🛑\n\nNow… "), "please stop now");
  assert.equal(foldText("don't DON’T donʼt"), "dont dont dont");
});

test("accents and wide letters become plain ones", () => {
  assert.equal(foldText("ＳＴＯＰ arrêt MÁS ŁÓDŹ"), "stop arret mas lodz");
});

test("look-alikes of other alphabets become the letter they look like", () => {
  assert.equal(foldText("STОP"), "stop");
  assert.equal(foldText("ЅТОР"), "stop");
  assert.equal(foldText("ΤΕΧΤ"), "text");
  assert.equal(foldText("ꜱᴛᴏᴘ 𝐒𝐓𝐎𝐏 🅂🅃🄾🄿 🆂🆃🅾🅿 🇸🇹🇴🇵 ⓢⓣⓞⓟ"), "stop stop stop stop stop stop");
});

test("what cannot be seen does not split a word", () => {
  assert.equal(foldText("S\u200bT\u2060O\ufeffP"), "stop");
});
