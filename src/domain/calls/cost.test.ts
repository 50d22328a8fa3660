import assert from "node:assert/strict";
import { test } from "node:test";
import { callCost } from "./cost.ts";

const PRICES = {
  carrierMinute: "0.014",
  speechToTextMinute: "0.0077",
  voiceThousandCharacters: "0.015",
  modelMillionInput: "0.15",
  modelMillionOutput: "0.6",
};

test("each part has its price, minutes of the carrier are whole, and the total is their sum", () => {
  const usage = { speechToTextMs: 45_000, voiceCharacters: 1_234, inputTokens: 12_345, outputTokens: 678 };
  assert.deepEqual(callCost({ durationMs: 60_001, usage }, PRICES), {
    carrier: "0.028",
    transcription: "0.005775",
    voice: "0.01851",
    model: "0.002259",
    total: "0.054544",
  });
});

test("a call that nobody answered costs nothing, and a part done at home neither", () => {
  const none = { speechToTextMs: 0, voiceCharacters: 0, inputTokens: 0, outputTokens: 0 };
  assert.deepEqual(callCost({ durationMs: 0, usage: none }, PRICES), {
    carrier: "0.00",
    transcription: "0.00",
    voice: "0.00",
    model: "0.00",
    total: "0.00",
  });
  const free = Object.fromEntries(Object.keys(PRICES).map((name) => [name, "0"])) as typeof PRICES;
  const usage = { speechToTextMs: 1e9, voiceCharacters: 1e9, inputTokens: 1e9, outputTokens: 1e9 };
  assert.equal(callCost({ durationMs: 1e9, usage }, free).total, "0.00");
});

test("a minute that has begun is paid, one that has not is not", () => {
  const usage = { speechToTextMs: 0, voiceCharacters: 0, inputTokens: 0, outputTokens: 0 };
  const carrier = (durationMs: number) => callCost({ durationMs, usage }, PRICES).carrier;
  assert.deepEqual([1, 60_000, 60_001].map(carrier), ["0.014", "0.014", "0.028"]);
});

test("the parts of many calls, summed, are the total of the sums: nothing is lost in rounding the total", () => {
  for (let n = 0; n < 500; n++) {
    const usage = { speechToTextMs: n * 977, voiceCharacters: n * 31, inputTokens: n * 113, outputTokens: n * 7 };
    const { total, ...rest } = callCost({ durationMs: n * 1_009, usage }, PRICES);
    const micros = (text: string) => Math.round(Number(text) * 1e6);
    assert.equal(
      micros(total),
      Object.values(rest).reduce((sum, part) => sum + micros(part), 0),
    );
  }
});
