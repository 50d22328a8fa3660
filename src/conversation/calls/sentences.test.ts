import assert from "node:assert/strict";
import { test } from "node:test";
import { sentenceSplitter } from "./sentences.ts";

/** The sentences of a text that comes letter by letter, trimmed. */
function sentencesOf(text: string): string[] {
  const splitter = sentenceSplitter();
  const sentences = [...text].flatMap((char) => splitter.push(char));
  return [...sentences, ...splitter.end()].map((sentence) => sentence.trim());
}

for (const [title, ...sentences] of [
  ["plain sentences", "Hi Ana!", "How are you?", "I am well."],
  ["titles and initials", "I am calling for Dr. Lee and Mr. J. Smith.", "Is this Ana?"],
  ["decimals and money", "It costs $3.50 or 1,000.25 in all.", "Is that fine?"],
  ["e-mail addresses and hosts", "Write to sam@acme.example.com or see acme.com for more.", "Thanks."],
  ["times of day", "Is 3 p.m. good?", "Or 4 p.m. Tuesday?", "I am there until 5 p.m.", "Then I leave."],
  ["companies", "This is Sam from Acme Inc. in Denver.", "I work for Acme Inc.", "We sell homes."],
  ["an ellipsis", "Well... let me see.", "Hmm...", "That works."],
  ["the sign for an ellipsis", "Well… let me see.", "Hmm…", "That works."],
  ["latin", "Some banks, e.g. Acme, i.e. us, do it vs. others.", "Yes."],
  ["marks in a row", "Really?!", "No way!!!", "Yes."],
  ["quotes", 'He said "yes."', "Then he left.", "(Really.)", "Fine."],
  ["lines", "First line", "Second line", "Third."],
  ["a list", "1. Call me.", "2. Or text."],
  ["Chinese", "你好。", "你在吗？", "好。"],
  ["plan I", "So it is I.", "Really."],
  ["Spanish", "Hola, ¿cómo está?", "¡Muy bien!", "Gracias, Sra. Ruiz."],
] as const) {
  test(`sentences are cut where they end: ${title}`, () => {
    const joint = title === "lines" ? "\n" : title === "Chinese" ? "" : " ";
    assert.deepEqual(sentencesOf(sentences.join(joint)), sentences);
  });
}

test("a sentence comes out with the space after its mark, before the next one has begun", () => {
  const splitter = sentenceSplitter();
  assert.deepEqual(splitter.push("Hi Ana"), []);
  assert.deepEqual(splitter.push("!"), []);
  assert.deepEqual(splitter.push(" "), ["Hi Ana! "]);
  assert.deepEqual(splitter.push("How are you? I"), ["How are you? "]);
  assert.deepEqual(splitter.end(), ["I"]);
});

test("a text without an end is cut at a comma, at a space, or in a word, and never waits for ever", () => {
  const words = "and then we will call you, ".repeat(30);
  const cut = sentencesOf(words);
  assert.ok(cut.length >= 3);
  for (const sentence of cut.slice(0, -1)) {
    assert.ok(sentence.length <= 240, sentence);
    assert.match(sentence, /,$/);
  }
  assert.ok(sentencesOf("word ".repeat(200)).every((sentence) => /^(?:word ?)+$/.test(sentence)));
  assert.ok(sentencesOf("x".repeat(1_000)).every((sentence) => sentence.length <= 240));
  assert.equal(sentencesOf("👍".repeat(500)).join(""), "👍".repeat(500));
});

/** A generator of numbers that a seed decides: a failure can be looked at again. */
function drawsOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

const PIECES = [
  ..." .!?…\n\"')(,;:-".split(""),
  "...",
  "Dr. ",
  "p.m. ",
  "Tuesday",
  "3.5",
  "$1,000",
  "a@b.co",
  "Inc. ",
  "word",
  "Word",
  "é",
  "👍",
  "好。",
  "  ",
];

test("whatever the text and however it comes in pieces, the sentences joined are the text, and no cut depends on the pieces", () => {
  for (let seed = 1; seed <= 3_000; seed++) {
    const draw = drawsOf(seed);
    const text = Array.from({ length: draw(60) }, () => PIECES[draw(PIECES.length)]!).join("");
    const splitter = sentenceSplitter();
    const sentences: string[] = [];
    for (let at = 0; at < text.length; ) {
      const size = 1 + draw(7);
      sentences.push(...splitter.push(text.slice(at, at + size)));
      at += size;
    }
    sentences.push(...splitter.end());
    assert.equal(sentences.join(""), text, `seed ${seed}`);
    assert.ok(
      sentences.every((sentence) => sentence !== ""),
      `seed ${seed}`,
    );
    if (text.length > 200) continue;
    const whole = sentenceSplitter();
    assert.deepEqual(sentences, [...whole.push(text), ...whole.end()], `seed ${seed}: ${JSON.stringify(text)}`);
  }
});
