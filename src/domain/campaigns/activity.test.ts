import assert from "node:assert/strict";
import { test } from "node:test";
import { figuresOf } from "./activity.ts";

const PRICES = { segment: "0.01", pictureText: "0.03" };

test("of nothing every figure is 0, and there is no response time", () => {
  const { texts, calls } = figuresOf(new Map(), PRICES);
  assert.deepEqual([texts.delivery_rate, texts.reply_rate, texts.opt_out_rate, texts.cost], [0, 0, 0, "0.00"]);
  assert.deepEqual([calls.outbound, calls.answer_rate, calls.talk_ms], [0, 0, { total: 0, avg: 0 }]);
  assert.deepEqual(calls.response_ms, { turns: 0, p50: null, p95: null });
});

test("rates are of what left, of the contacts that were texted, and of the calls that were placed", () => {
  const { texts, calls } = figuresOf(
    new Map([
      ["sent", 40],
      ["delivered", 30],
      ["segments", 50],
      ["picture_texts", 10],
      ["texted", 20],
      ["replied", 5],
      ["opted_out", 1],
      ["answered", 3],
      ["voicemail", 1],
      ["no_answer", 4],
      ["inbound", 2],
      ["talks", 5],
      ["talk_ms", 10_001],
      ["cost_micros", 1_234_500],
    ]),
    { segment: "0.0079", pictureText: "0.03" },
  );
  assert.deepEqual([texts.delivery_rate, texts.reply_rate, texts.opt_out_rate], [0.75, 0.25, 0.05]);
  assert.equal(texts.cost, "0.616");
  assert.deepEqual([calls.outbound, calls.inbound, calls.answer_rate, calls.voicemail_rate], [8, 2, 0.375, 0.125]);
  assert.deepEqual([calls.talk_ms, calls.cost], [{ total: 10_001, avg: 2_000 }, "1.2345"]);
});

test("response times are estimated within the class in which the share falls, and are its lower end in the open one", () => {
  const spread = figuresOf(
    new Map([
      ["latency_1", 50],
      ["latency_3", 50],
    ]),
    PRICES,
  ).calls.response_ms;
  assert.deepEqual(spread, { turns: 100, p50: 500, p95: 975 });
  assert.equal(figuresOf(new Map([["latency_9", 4]]), PRICES).calls.response_ms.p95, 5_000);
});
