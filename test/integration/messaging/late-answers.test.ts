import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import { receiveMessage } from "#operations/messaging/receive-message.ts";
import { replyToThread } from "#operations/messaging/reply-to-thread.ts";
import { type LanguageModel, ModelError, type ReplyResult } from "#ports/language-model.ts";
import * as threadLists from "#store/messaging/thread-lists.ts";
import { SENDER } from "#test/support/campaigns/campaign.ts";
import {
  aCarrier,
  accepted,
  aSending,
  drain,
  phone,
  type Sending,
  withCarrier,
} from "#test/support/messaging/sending.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** New York in winter. */
const NOON = new Date("2026-12-01T17:00:00Z");
const LATE_EVENING = new Date("2026-12-02T01:59:00Z");

const outage = (more: { vendorCode?: string; retryable?: boolean; retryAfterMs?: number } = {}) =>
  new ModelError("away", { retryable: true, vendorCode: "503", retryAfterMs: HOUR_MS / 60, ...more });

type Clock = { now: Date };

/** A process over this database whose clock is the test's and whose model does as configured. */
function aProcess(sending: Sending, clock: Clock, reply: () => Promise<ReplyResult>): Context {
  const model: LanguageModel = { ...sending.ctx.models.forMode("test"), reply };
  return { ...sending.ctx, now: () => clock.now, models: { forMode: () => model } };
}

const failing = (error: ModelError) => () => Promise.reject(error);
const saying = (text: string) => async () => ({ text, toolCalls: [], usage: { inputTokens: 1, outputTokens: 1 } });

async function anUnanswered(t: TestContext, at: Date) {
  const sending = await aSending(t, 1, { agent: { reply_delay_ms: 0 } });
  await drain(withCarrier(sending.ctx, aCarrier(accepted)), sending.lane);
  const clock: Clock = { now: at };
  // The tenant's clock is the real one from here on: the test moves that.
  await sending.client.query("update tenants set clock_offset_ms = 0");
  let words = 0;
  const write = async (text: string) => {
    const word = { carrier: "simulator", carrierId: `in_${words++}`, from: phone(0), to: SENDER, text };
    await receiveMessage({ ...sending.ctx, now: () => clock.now }, sending.tenantId, { ...word, sentAt: clock.now });
  };
  await write("Yes, tell me more");
  const { rows } = await sending.client.query("select id, campaign_id from threads");
  const key = { tenantId: sending.tenantId, campaignId: rows[0].campaign_id as Uuid, threadId: rows[0].id as Uuid };
  const thread = async () => (await sending.client.query("select * from threads")).rows[0];
  const turn = (reply: () => Promise<ReplyResult>) =>
    replyToThread(aProcess(sending, clock, reply), key, new AbortController().signal);
  const said = async () =>
    (await sending.client.query("select text from messages where kind = 'reply' order by step")).rows.map(
      ({ text }) => text,
    );
  const counts = () => threadLists.waiting(sending.ctx.db, sending.tenantId, null);
  return { ...sending, clock, key, write, thread, turn, said, counts };
}

const after = (from: Date, ms: number) => new Date(from.getTime() + ms);

test("while the model is unavailable nothing is sent, and it is called again at growing intervals until it answers, once", async (t) => {
  const unanswered = await anUnanswered(t, NOON);
  const waits: number[] = [];
  for (let tries = 1; tries <= 8; tries++) {
    await unanswered.turn(failing(outage()));
    const { reply_due_at, answer_failures, answer_failing_since } = await unanswered.thread();
    assert.deepEqual([answer_failures, answer_failing_since, await unanswered.said()], [tries, NOON, []]);
    const { rows } = await unanswered.client.query(
      "select run_at from graphile_worker.jobs where task_identifier = 'reply-to-thread'",
    );
    assert.deepEqual(rows, [{ run_at: reply_due_at }], "a job rings then");
    waits.push((reply_due_at.getTime() - unanswered.clock.now.getTime()) / 1_000);
    unanswered.clock.now = reply_due_at;
  }
  assert.deepEqual(waits, [60, 60, 60, 60, 80, 160, 320, 640], "never sooner than the provider says");
  assert.deepEqual(await unanswered.counts(), { needPerson: 0, delayed: 1, delayedSince: NOON });
  await unanswered.turn(saying("Here I am again."));
  await unanswered.turn(saying("And again."));
  assert.deepEqual(await unanswered.said(), ["Here I am again."]);
  assert.deepEqual(await unanswered.counts(), { needPerson: 0, delayed: 0, delayedSince: null });
  assert.equal((await unanswered.thread()).answer_failures, 0);
});

test("a newer text supersedes the answer that waits: the model is called at once, and the answer is sent once", async (t) => {
  const unanswered = await anUnanswered(t, NOON);
  await unanswered.turn(failing(outage()));
  unanswered.clock.now = after(NOON, 5_000);
  await unanswered.write("Hello?");
  assert.deepEqual(await unanswered.counts(), { needPerson: 0, delayed: 0, delayedSince: null });
  assert.deepEqual((await unanswered.thread()).reply_due_at, unanswered.clock.now);
  let asked = 0;
  await unanswered.turn(async () => {
    asked++;
    // While it is asked the contact goes on: this failure is of a text that nobody waits for any more.
    unanswered.clock.now = after(NOON, 6_000);
    await unanswered.write("Are you there?");
    throw outage();
  });
  const { answer_failures, answer_failing_since, reply_due_at } = await unanswered.thread();
  assert.deepEqual([asked, answer_failures, answer_failing_since, reply_due_at], [1, 0, null, unanswered.clock.now]);
  await unanswered.turn(saying("I am."));
  unanswered.clock.now = after(NOON, 2 * MINUTE_MS);
  await unanswered.turn(saying("Twice."));
  assert.deepEqual(await unanswered.said(), ["I am."]);
});

test("after a day of outage the conversation waits for a person, and a newer text has the agent try anew", async (t) => {
  const unanswered = await anUnanswered(t, NOON);
  let tries = 0;
  let last = NOON;
  while ((await unanswered.thread()).reply_due_at !== null) {
    last = (await unanswered.thread()).reply_due_at;
    unanswered.clock.now = last;
    await unanswered.turn(failing(outage()));
    if (tries++ > 200) assert.fail("it never ends");
  }
  assert.ok(last.getTime() - NOON.getTime() > 22 * HOUR_MS, `last asked at ${last.toISOString()}`);
  assert.ok(last.getTime() - NOON.getTime() <= 24 * HOUR_MS);
  assert.deepEqual(await unanswered.counts(), { needPerson: 1, delayed: 0, delayedSince: null });
  assert.deepEqual([(await unanswered.thread()).person_wanted_at, await unanswered.said()], [unanswered.clock.now, []]);
  await unanswered.write("Anyone?");
  assert.equal((await unanswered.counts()).needPerson, 0);
  await unanswered.turn(saying("Sorry for the wait."));
  assert.deepEqual(await unanswered.said(), ["Sorry for the wait."]);
});

test("the model is called again only within the contact's hours", async (t) => {
  const unanswered = await anUnanswered(t, LATE_EVENING);
  await unanswered.turn(failing(outage({ retryAfterMs: 2 * MINUTE_MS })));
  const due: Date = (await unanswered.thread()).reply_due_at;
  assert.ok(due.getTime() - LATE_EVENING.getTime() > 8 * HOUR_MS, due.toISOString());
  const where = { zones: ["America/New_York"], states: ["NY"] } as const;
  const open = (at: Date) =>
    unanswered.ctx.callingWindows(at, where, { profile: unanswered.ctx.profile, channel: "sms" }).open;
  assert.deepEqual([open(after(due, -1)), open(due)], [false, true], "at the first moment of the next morning");
});

test("what the model refuses for its content waits for a person at once; a wrong key is asked about again", async (t) => {
  const unanswered = await anUnanswered(t, NOON);
  await unanswered.turn(failing(outage({ vendorCode: "401", retryable: false })));
  assert.equal((await unanswered.counts()).delayed, 1);
  unanswered.clock.now = after(NOON, HOUR_MS);
  await unanswered.turn(failing(outage({ vendorCode: "content_filter", retryable: false })));
  assert.deepEqual(await unanswered.counts(), { needPerson: 1, delayed: 0, delayedSince: null });
  assert.deepEqual(await unanswered.said(), []);
});

test("an answer that cannot be used is passed on to a person, and only then it says so", async (t) => {
  const unanswered = await anUnanswered(t, NOON);
  await unanswered.turn(saying("see https://evil.example/pay"));
  assert.deepEqual(await unanswered.said(), ["Thanks for your message. I've passed it on to our team."]);
  assert.equal((await unanswered.counts()).needPerson, 1);
  await unanswered.write("STOP");
  assert.equal((await unanswered.counts()).needPerson, 0);
});

test("an outage of seconds is over within the turn: Retry-After is obeyed, and the answer is one", async (t) => {
  const unanswered = await anUnanswered(t, NOON);
  const asked: number[] = [];
  await unanswered.turn(async () => {
    asked.push(performance.now());
    if (asked.length === 1) throw outage({ vendorCode: "429", retryAfterMs: 1_000 });
    if (asked.length === 2) throw outage({ vendorCode: "ECONNRESET", retryAfterMs: 0 });
    return saying("Sure.")();
  });
  assert.deepEqual([asked.length, await unanswered.said()], [3, ["Sure."]]);
  assert.ok(asked[1]! - asked[0]! >= 990, "not before it may");
});
