import assert from "node:assert/strict";
import { test } from "node:test";
import { isKnownVoice } from "./voice.ts";

test("the built-in voices and well-formed names of providers are known", () => {
  for (const voice of [
    "slt",
    "rms",
    "awb",
    "kal",
    "offline-slt",
    "11labs-Adrian",
    "openai-Alloy",
    "21m00Tcm4TlvDq8ikWAM",
  ]) {
    assert.equal(isKnownVoice(voice), true, voice);
  }
});

test("a built-in voice that does not exist, or no name at all, is unknown", () => {
  for (const voice of ["offline-nobody", "offline-", "", " slt", "../etc/passwd", "<voice>", "a".repeat(101)]) {
    assert.equal(isKnownVoice(voice), false, voice);
  }
});
