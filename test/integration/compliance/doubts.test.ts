import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { judgeOptOut } from "#operations/compliance/judge-opt-out.ts";
import type { Context } from "#operations/context.ts";
import { enqueueDue } from "#operations/sending/sweep.ts";
import type { LanguageModel } from "#ports/language-model.ts";
import type { SendOutcome } from "#ports/sms-carrier.ts";
import { until } from "#test/support/api/parley.ts";
import { consentOf, isOut, say } from "#test/support/messaging/inbound-texts.ts";
import { assertCounts } from "#test/support/messaging/ledger.ts";
import {
  aCarrier,
  accepted,
  aSending,
  drain,
  phone,
  type Sending,
  states,
  withCarrier,
} from "#test/support/messaging/sending.ts";
import { counted, looksAgain, OPEN_ATTEMPTS } from "#test/support/time/counted.ts";

const confirmations = async (sending: Sending) =>
  (await sending.client.query("select from messages where kind = 'confirmation'")).rowCount;

const UNCLEAR = "This has to stop, it is the third time";

/** A model that is not local and judges as configured; `asked` counts. */
function aJudge(answer: () => unknown): LanguageModel & { asked: number } {
  const model = {
    name: "judge",
    capabilities: { local: false, choosable: false },
    asked: 0,
    reply: () => Promise.reject(new Error("no reply is asked for")),
    converse: () => assert.fail("no call is held"),
    async extract() {
      model.asked++;
      return { value: await answer(), usage: { inputTokens: 0, outputTokens: 0 } };
    },
  };
  return model;
}

const withJudge = (ctx: Context, model: LanguageModel): Context => ({ ...ctx, models: { forMode: () => model } });
const judge = (sending: Sending, ctx: Context, at: string) =>
  judgeOptOut(ctx, { tenantId: sending.tenantId, phone: at }, new AbortController().signal);

test("without a model that can judge an unclear text stops at once", async (t) => {
  const sending = await aSending(t, 1);
  await say(sending, sending.ctx, phone(0), UNCLEAR);
  assert.equal(await isOut(sending, phone(0)), true);
  assert.equal((await consentOf(sending, phone(0))).opt_out_quote, UNCLEAR);
});

test("from the moment an unclear text has come in nothing leaves, and a yes makes it an opt-out with its quote", async (t) => {
  const sending = await aSending(t, 2);
  const carrier = aCarrier(accepted);
  const ctx = withCarrier(
    withJudge(
      sending.ctx,
      aJudge(() => ({ opt_out: "yes", quote: "has to stop" })),
    ),
    carrier,
  );
  await say(sending, ctx, phone(0), UNCLEAR);
  await drain(ctx, sending.lane);
  assert.deepEqual(
    carrier.handed.map(({ to }) => to),
    [phone(1)],
  );
  const { rows } = await sending.client.query("select state, rule from messages where kind = 'start' and phone = $1", [
    phone(0),
  ]);
  assert.deepEqual(rows, [{ state: "held", rule: "opt_out_in_doubt" }]);
  assert.equal(
    (await sending.client.query("select from graphile_worker.jobs where key like 'reply-to-thread%'")).rowCount,
    0,
  );
  await judge(sending, ctx, phone(0));
  const consent = await consentOf(sending, phone(0));
  assert.deepEqual([consent.opt_out_quote, consent.doubted_at], ["has to stop", null]);
  await drain(ctx, sending.lane);
  assert.deepEqual(
    carrier.handed.map(({ purpose }) => purpose),
    ["start", "confirmation"],
  );
  await assertCounts(sending.client);
});

test("a proven no ends the doubt: the agent answers and what was held leaves", async (t) => {
  const sending = await aSending(t, 1);
  const carrier = aCarrier(accepted);
  const ctx = withCarrier(
    withJudge(
      sending.ctx,
      aJudge(() => ({ opt_out: "no", quote: "the third time" })),
    ),
    carrier,
  );
  await say(sending, ctx, phone(0), UNCLEAR);
  await drain(ctx, sending.lane);
  await judge(sending, ctx, phone(0));
  assert.equal(await isOut(sending, phone(0)), false);
  const { rows } = await sending.client.query("select reply_due_at is not null as due, answered_step from threads");
  assert.deepEqual(rows, [{ due: true, answered_step: null }]);
  await drain(ctx, sending.lane);
  assert.deepEqual(
    carrier.handed.map(({ purpose }) => purpose),
    ["start"],
  );
});

test("a judgement that comes late opts out all the same, and confirms nothing: five minutes count from the text", async (t) => {
  const sending = await aSending(t, 2);
  const carrier = aCarrier(accepted);
  const late = 301_000;
  for (const [i, aheadMs] of [0, late].entries()) {
    const judging = withJudge(
      sending.ctx,
      aJudge(() => ({ opt_out: "yes", quote: "has to stop" })),
    );
    await say(sending, judging, phone(i), UNCLEAR);
    const ctx = withCarrier(judging, carrier, aheadMs);
    await judge(sending, ctx, phone(i));
    assert.equal(await isOut(sending, phone(i)), true);
    await drain(ctx, sending.lane);
  }
  const confirmed = carrier.handed.filter(({ purpose }) => purpose === "confirmation").map(({ to }) => to);
  assert.deepEqual(confirmed, [phone(0)]);
  const { rows } = await sending.client.query("select rule from messages where kind = 'confirmation' and phone = $1", [
    phone(1),
  ]);
  assert.deepEqual(rows, [{ rule: "confirmation_too_late" }]);
});

test("a text that is judged an opt-out is one even where its number sends no more", async (t) => {
  const sending = await aSending(t, 1);
  const ctx = withJudge(
    sending.ctx,
    aJudge(() => ({ opt_out: "yes", quote: "has to stop" })),
  );
  await say(sending, ctx, phone(0), UNCLEAR);
  await sending.client.query("update lanes set sender = '+12125550199'");
  await judge(sending, ctx, phone(0));
  assert.equal(await isOut(sending, phone(0)), true);
  assert.equal(await confirmations(sending), 0);
});

test("whatever ends a doubt first stays: STOP, a second unclear text, START", async (t) => {
  const sending = await aSending(t, 3);
  const model = aJudge(() => ({ opt_out: "no", quote: "the third time" }));
  const ctx = withJudge(sending.ctx, model);
  for (const [i, word] of ["STOP", "this is so annoying", "START"].entries()) {
    await say(sending, ctx, phone(i), UNCLEAR);
    await say(sending, ctx, phone(i), word);
    await judge(sending, ctx, phone(i));
  }
  assert.equal(model.asked, 0);
  for (const [i, out] of [true, true, false].entries()) assert.equal(await isOut(sending, phone(i)), out, phone(i));
  assert.equal(await confirmations(sending), 2);
});

test("a judgement that comes after a STOP changes nothing", async (t) => {
  const sending = await aSending(t, 1);
  let answer: (value: unknown) => void = () => {};
  const model = aJudge(() => new Promise((resolve) => (answer = resolve)));
  const ctx = withJudge(sending.ctx, model);
  await say(sending, ctx, phone(0), UNCLEAR);
  const judged = judge(sending, ctx, phone(0));
  await until("the model is asked", async () => model.asked === 1);
  await say(sending, sending.another(), phone(0), "STOP");
  answer({ opt_out: "no", quote: "the third time" });
  await judged;
  assert.equal(await isOut(sending, phone(0)), true);
  assert.equal(await confirmations(sending), 1);
});

test("a doubt whose job was lost is enqueued again by the sweep", async (t) => {
  const sending = await aSending(t, 1);
  const ctx = withJudge(
    sending.ctx,
    aJudge(() => ({})),
  );
  await say(sending, ctx, phone(0), UNCLEAR);
  const jobs = async () =>
    (await sending.client.query("select from graphile_worker.jobs where key like 'judge-opt-out:%'")).rowCount;
  assert.equal(await jobs(), 1);
  await sending.client.query("select graphile_worker.complete_jobs(array(select id from graphile_worker.jobs))");
  await sending.client.query("delete from graphile_worker._private_jobs");
  await enqueueDue(ctx);
  assert.equal(await jobs(), 1);
  const written = async () =>
    (
      await sending.client.query(
        "select id, revision from graphile_worker.jobs where task_identifier = 'judge-opt-out'",
      )
    ).rows;
  const once = await written();
  await enqueueDue(ctx);
  assert.deepEqual(await written(), once, "a bell that waits is left alone");
  await sending.client.query("update graphile_worker._private_jobs set locked_at = now(), locked_by = 'a worker'");
  await enqueueDue(ctx);
  assert.deepEqual(await written(), once, "whoever judges it is left to it");
});

test("an unclear text waits for the text that is on its way, and is followed by none", async (t) => {
  const sending = await aSending(t, 1, { agent: { drip_schedule: [{ day: 1, message: "Still there?" }] } });
  let answer: (outcome: SendOutcome) => void = () => {};
  const carrier = aCarrier(() => new Promise((resolve) => (answer = resolve)));
  const ctx = withJudge(
    sending.ctx,
    aJudge(() => ({ opt_out: "unsure" })),
  );
  const drained = drain(withCarrier(ctx, carrier), sending.lane);
  await until("the text is with the carrier", async () => carrier.handed.length >= 1);
  const looks = counted(sending.another(), OPEN_ATTEMPTS);
  const unjudged = withJudge(
    looks.ctx,
    aJudge(() => ({})),
  );
  let isIn = false;
  const said = say(sending, unjudged, phone(0), UNCLEAR).then(() => (isIn = true));
  await looksAgain(looks);
  assert.equal(isIn, false);
  answer({ outcome: "accepted", carrierId: "c_1" });
  await said;
  await drained;
  await judge(sending, ctx, phone(0));
  assert.deepEqual(await states(sending.client, "threads"), { opted_out: 1 });
  const { rows } = await sending.client.query("select state, rule from messages where kind = 'drip'");
  assert.deepEqual(rows, [{ state: "suppressed", rule: "opted_out" }]);
});

test("200 unclear texts among claims: nothing is handed over from the commit of each to its judgement", async (t) => {
  const sending = await aSending(t, 400);
  const inDoubt = new Set<string>();
  let tooLate = 0;
  const carrier = aCarrier(async (text) => {
    if (text.purpose === "start" && inDoubt.has(text.to)) tooLate++;
    await pause(2);
    return accepted(text);
  });
  const stopper = withJudge(
    sending.another(),
    aJudge(() => ({ opt_out: "yes", quote: "stop" })),
  );
  const phones = Array.from({ length: 200 }, (_, i) => phone(i * 2)).values();
  const sayAll = async () => {
    for (const from of phones) {
      await say(sending, stopper, from, UNCLEAR);
      inDoubt.add(from);
      await judge(sending, stopper, from);
    }
  };
  await sending.client.query("update lanes set per_second = 150, tokens = 20");
  const all = Promise.all([1, 2, 3, 4].map(sayAll));
  const drainer = withCarrier(sending.ctx, carrier);
  await until("all have their text or are out", async () => {
    await drain(drainer, sending.lane);
    const { rows } = await sending.client.query(
      "select from messages where kind = 'start' and state in ('scheduled', 'held') limit 1",
    );
    return rows.length === 0;
  });
  await all;
  await drain(drainer, sending.lane);
  assert.equal(tooLate, 0);
  assert.equal((await states(sending.client, "threads")).opted_out, 200);
  const { rows } = await sending.client.query(
    "select deadlocks::int from pg_stat_database where datname = current_database()",
  );
  assert.equal(rows[0].deadlocks, 0);
});
