import assert from "node:assert/strict";
import { test } from "node:test";
import { answerTo, factsOf } from "./facts.ts";

test("how long it takes is not answered by what is taken, nor when it begins by how many hours a price is for", () => {
  const facts = factsOf(
    "You are Ina. We take cash and cards. A signing takes about an hour. A tour is 80 dollars for three hours. Tours begin at 10 at the gate.",
  );
  for (const [question, answer] of [
    ["how much time does that take", "A signing takes about an hour."],
    ["do you take cards", "We take cash and cards."],
    ["what time do they start", "Tours begin at 10 at the gate."],
  ] as const) {
    assert.deepEqual(answerTo(question, facts), { kind: "fact", text: answer }, question);
  }
});
