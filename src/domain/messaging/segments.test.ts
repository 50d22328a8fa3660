import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import calculator from "sms-segments-calculator";
import { countSegments } from "./segments.ts";

/** Twilio's own library: slow, and the measure. */
function oracle(text: string) {
  const message = new calculator.SegmentedMessage(text);
  return {
    segments: message.segmentsCount,
    encoding: message.encodingName,
    characters: message.numberOfCharacters,
  };
}

test("the edges of one, two and three segments are where the standard puts them", () => {
  for (const [text, segments] of [
    ["", 1],
    ["a".repeat(160), 1],
    ["a".repeat(161), 2],
    ["a".repeat(306), 2],
    ["a".repeat(307), 3],
    ["é".repeat(160), 1],
    ["ç".repeat(70), 1],
    ["ç".repeat(71), 2],
    ["ç".repeat(134), 2],
    ["ç".repeat(135), 3],
    ["a".repeat(1530), 10],
    ["a".repeat(1531), 11],
  ] as const) {
    assert.equal(countSegments(text).segments, segments, `${text.length} of ${text[0]}`);
  }
});

test("a two-septet character is not cut in two", () => {
  const text = `${"a".repeat(152)}€${"a".repeat(152)}`;
  assert.deepEqual(countSegments(text), oracle(text));
  assert.equal(countSegments(`${text}€`).segments, 3);
});

test("one emoji or curly quote turns the text to UCS-2", () => {
  assert.deepEqual(countSegments("Hi 👋"), { segments: 1, encoding: "UCS-2", characters: 4 });
  assert.equal(countSegments(`${"a".repeat(100)}’`).segments, 2);
  assert.equal(countSegments("a\u001bb").encoding, "UCS-2");
});

test("every count is the library's", () => {
  const char = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(..."abc XYZ019{}[]€|^~\\`@£ñÇΩ\n\r\f\t") },
    { weight: 2, arbitrary: fc.constantFrom(..."ç’“…日本한글Жя", "👋", "🛑", "\ud83d") },
    {
      weight: 1,
      arbitrary: fc.constantFrom("❤️", "👨‍👩‍👧", "🇺🇸", "👍🏽", "e\u0301", "नि", "กำ", "\u200d", "\ufe0f", "각"),
    },
  );
  const gsm = fc.constantFrom(..."abc XYZ019{}[]€|^~@£ñ\n");
  for (const unit of [char, gsm]) {
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 330, size: "max" }), (chars) => {
        const text = chars.join("");
        assert.deepEqual(countSegments(text), oracle(text));
      }),
      { numRuns: 60 },
    );
  }
});

test("a megabyte of emoji is counted at once and is over every limit", () => {
  assert.ok(countSegments("👨‍👩‍👧".repeat(100_000)).segments > 10_000);
});
