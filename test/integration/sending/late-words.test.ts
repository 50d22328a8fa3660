import assert from "node:assert/strict";
import { test } from "node:test";
import type { Uuid } from "#domain/values/id.ts";
import { recoverCalls } from "#operations/calls/recover-calls.ts";
import { resolveUnknownCall } from "#operations/calls/resolve-unknown-call.ts";
import type { Context } from "#operations/context.ts";
import { drainDialLane } from "#operations/dialing/conduct-calls.ts";
import { resendMessage } from "#operations/messaging/resend-message.ts";
import { recordReceipts } from "#operations/sending/record-receipts.ts";
import { recoverAttempts } from "#operations/sending/recover-attempts.ts";
import type { PlaceOutcome } from "#ports/call-line.ts";
import type { DeliveryReceipt, SendOutcome } from "#ports/sms-carrier.ts";
import * as gateFacts from "#store/sending/gate-facts.ts";
import { until } from "#test/support/api/parley.ts";
import * as calling from "#test/support/calls/calling.ts";
import { assertCounts, assertLedger } from "#test/support/messaging/ledger.ts";
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

// Words on an attempt that come when it is thought to be over: a person has given it up, or nobody could say.

/** The longest that an attempt is left to its owner, and the time that its carrier has then. */
const GIVEN_UP_MS = 61_000;
const LATER_MS = 5_000;
const lost: SendOutcome = { outcome: "uncertain", code: "reply_lost" };
const REPORTS_NOTHING = { lookupByRef: false, callbackCarriesRef: false };

const caller = ({ tenantId, ctx }: Pick<Sending, "tenantId" | "ctx">) => ({
  tenantId,
  accountId: tenantId,
  keyId: tenantId,
  mode: "test" as const,
  scopes: [],
  organizations: undefined,
  newId: ctx.newId,
});
const recover = async (ctx: Context) => {
  await recoverAttempts(ctx, new AbortController().signal);
  await recoverCalls(ctx, new AbortController().signal);
};
const counted = ({ ctx, tenantId }: Pick<Sending, "tenantId" | "ctx">) =>
  ctx.db.transaction(async (tx) => (await gateFacts.outreach(tx, tenantId, [phone(0)], new Date(0))).length);
const messageId = async ({ client }: Sending): Promise<Uuid> =>
  (await client.query("select id from messages where step = 0")).rows[0].id;

/** One text of which nobody can say whether it was taken, and that a person has had sent again; it waits. */
async function aResent(t: Parameters<typeof aSending>[0]) {
  const sending = await aSending(t, 1, { agent: { drip_schedule: [{ day: 1, message: "Still there?" }] } });
  const first = aCarrier(() => lost, REPORTS_NOTHING);
  await drain(withCarrier(sending.ctx, first), sending.lane);
  await resendMessage(sending.ctx, caller(sending), sending.campaignId, await messageId(sending));
  const say = (status: DeliveryReceipt["status"]) =>
    recordReceipts(sending.ctx, sending.tenantId, [{ ref: first.handed[0]!.ref, status }]);
  const ofStart = async () => (await sending.client.query("select state from messages where step = 0")).rows[0].state;
  return { ...sending, say, ofStart };
}

test("a text that is sent again in doubt has been two attempts at the contact", async (t) => {
  const resent = await aResent(t);
  assert.equal(await counted(resent), 1, "the one that was given up may have arrived");
  await drain(withCarrier(resent.ctx, aCarrier(accepted)), resent.lane);
  assert.equal(await counted(resent), 2);
});

test("a call that is placed again in doubt has been two attempts at the contact", async (t) => {
  const setup = await calling.aCalling(t, 1);
  const line = calling.aLine(() => ({ placed: { outcome: "uncertain", code: "timeout" } }), { lookupByRef: false });
  await calling.drain(setup.with(line), setup.lane);
  const { rows } = await setup.client.query("select contact_id from threads");
  const wish = { campaignId: setup.campaignId, contactId: rows[0].contact_id, action: "redial" as const };
  await resolveUnknownCall(setup.ctx, caller(setup), wish);
  assert.equal(await counted(setup), 1);
  await calling.drain(setup.with(line), setup.lane);
  assert.equal(await counted(setup), 2);
});

test("a text that a look-up did not find, and that was taken after all, counts as an attempt", async (t) => {
  const sending = await aSending(t, 1);
  const carrier = aCarrier(() => lost);
  await drain(withCarrier(sending.ctx, carrier), sending.lane);
  await recover(withCarrier(sending.ctx, carrier, LATER_MS));
  assert.deepEqual([await states(sending.client, "attempts"), await counted(sending)], [{ not_sent: 1 }, 0]);
  await recordReceipts(sending.ctx, sending.tenantId, [{ ref: carrier.handed[0]!.ref, status: "delivered" }]);
  assert.equal(await counted(sending), 1);
  await drain(withCarrier(sending.ctx, carrier, LATER_MS), sending.lane);
  assert.equal(carrier.handed.length, 1, "and is not sent again");
  await assertLedger(sending.client);
});

test("the failure of the first does not settle the second, which waits", async (t) => {
  const resent = await aResent(t);
  for (const status of ["failed", "undelivered"] as const) await resent.say(status);
  assert.equal(await resent.ofStart(), "scheduled");
  const second = aCarrier(accepted);
  await drain(withCarrier(resent.ctx, second), resent.lane);
  assert.deepEqual([second.handed.length, await resent.ofStart()], [1, "accepted"]);
  assert.deepEqual(await states(resent.client, "messages"), { accepted: 1, scheduled: 1 }, "the follow-up stays");
  await assertLedger(resent.client);
});

test("nor does it settle a second that is on its way, and is delivered", async (t) => {
  const resent = await aResent(t);
  const second = aCarrier(async (text) => {
    for (const status of ["failed", "undelivered"] as const) await resent.say(status);
    return accepted(text);
  });
  await drain(withCarrier(resent.ctx, second), resent.lane);
  assert.equal(await resent.ofStart(), "accepted");
  await recordReceipts(resent.ctx, resent.tenantId, [{ ref: second.handed[0]!.ref, status: "delivered" }]);
  assert.equal(await resent.ofStart(), "delivered");
  await assertLedger(resent.client);
});

test("the delivery of the first withdraws the second, which waits", async (t) => {
  const resent = await aResent(t);
  await resent.say("delivered");
  const second = aCarrier(accepted);
  await drain(withCarrier(resent.ctx, second), resent.lane);
  assert.deepEqual([second.handed.length, await resent.ofStart()], [0, "delivered"]);
  await assertLedger(resent.client);
});

test("a follow-up of a text that may have been sent leaves on its day", async (t) => {
  const sending = await aSending(t, 1, { agent: { drip_schedule: [{ day: 1, message: "Still there?" }] } });
  await drain(
    withCarrier(
      sending.ctx,
      aCarrier(() => lost, REPORTS_NOTHING),
    ),
    sending.lane,
  );
  const next = aCarrier(accepted);
  await drain(withCarrier(sending.ctx, next, 86_400_000 + LATER_MS), sending.lane);
  assert.deepEqual(
    next.handed.map(({ purpose }) => purpose),
    ["drip"],
  );
  assert.deepEqual(await states(sending.client, "messages"), { accepted: 1, unknown: 1 });
});

const ANSWERS: { answer: SendOutcome; message: string; attempt: string; pending: number }[] = [
  { answer: { outcome: "accepted", carrierId: "c_1" }, message: "accepted", attempt: "accepted", pending: 0 },
  { answer: { outcome: "rejected", code: "30006" }, message: "failed", attempt: "rejected", pending: 0 },
  {
    answer: { outcome: "not_sent", code: "429", retryAfterMs: 0 },
    message: "scheduled",
    attempt: "not_sent",
    pending: 1,
  },
];
for (const { answer, message, attempt, pending } of ANSWERS) {
  test(`what was held for a person is ${message} once its own carrier answers ${answer.outcome}`, async (t) => {
    const sending = await aSending(t, 1);
    const { promise, resolve } = Promise.withResolvers<SendOutcome>();
    const carrier = aCarrier(() => promise, REPORTS_NOTHING);
    const drained = drain(withCarrier(sending.ctx, carrier), sending.lane);
    await until("it is with the carrier", async () => carrier.handed.length >= 1);
    await recover(withCarrier(sending.another(), carrier, GIVEN_UP_MS));
    await recover(withCarrier(sending.another(), carrier, GIVEN_UP_MS + LATER_MS));
    assert.deepEqual(await states(sending.client, "messages"), { unknown: 1 });
    // The rest of what the drain does is another's matter.
    await sending.client.query("update campaigns set status = 'paused'");
    resolve(answer);
    await drained;
    const { rows } = await sending.client.query(
      "select (select state from attempts) as attempt, (select sum(n)::int from campaign_counts where state = 'pending') as pending",
    );
    assert.deepEqual(rows, [{ attempt, pending }]);
    const { rows: now } = await sending.client.query("select state from messages");
    assert.ok(now[0].state === message || (message === "scheduled" && now[0].state === "held"), now[0].state);
    await assertCounts(sending.client);
  });
}

test("what a look-up did not find is not sent again once its own carrier answers that it has it", async (t) => {
  const sending = await aSending(t, 1);
  const { promise, resolve } = Promise.withResolvers<SendOutcome>();
  const carrier = aCarrier(() => promise);
  const drained = drain(withCarrier(sending.ctx, carrier), sending.lane);
  await until("it is with the carrier", async () => carrier.handed.length >= 1);
  await recover(withCarrier(sending.another(), carrier, GIVEN_UP_MS));
  await recover(withCarrier(sending.another(), carrier, GIVEN_UP_MS + LATER_MS));
  assert.deepEqual(await states(sending.client, "messages"), { scheduled: 1 });
  await sending.client.query("update messages set due_at = due_at + interval '1 hour'");
  resolve({ outcome: "accepted", carrierId: "c_1" });
  await drained;
  assert.deepEqual(await states(sending.client, "messages"), { accepted: 1 });
  assert.equal(await counted(sending), 1);
  await drain(withCarrier(sending.ctx, carrier, 2 * 3_600_000), sending.lane);
  assert.equal(carrier.handed.length, 1);
  await assertLedger(sending.client);
});

const PLACED: { answer: PlaceOutcome; dial: string; attempt: string }[] = [
  { answer: { outcome: "placed", carrierId: "c_1" }, dial: "done", attempt: "accepted" },
  { answer: { outcome: "not_placed", code: "404" }, dial: "done", attempt: "rejected" },
  { answer: { outcome: "not_placed", code: "503", retryAfterMs: 3_600_000 }, dial: "scheduled", attempt: "not_sent" },
];
for (const { answer, dial, attempt } of PLACED) {
  test(`a call that was held for a person goes on once its own line answers ${attempt}`, async (t) => {
    const setup = await calling.aCalling(t, 1);
    const { promise, resolve } = Promise.withResolvers<PlaceOutcome>();
    const line = calling.aLine(() => ({}), { lookupByRef: false });
    line.begin = (plan) => {
      line.begun.push(plan);
      const failed = { ...calling.talked(plan), ...calling.untaken("dial_failed", plan.now) };
      const report = promise.then((outcome) => (outcome.outcome === "placed" ? calling.talked(plan) : failed));
      return { placed: promise, report, stop: () => {}, inject: () => false };
    };
    const ctx = setup.with(line);
    await drainDialLane(ctx, setup.lane, new AbortController().signal);
    await until("it is with the line", async () => line.begun.length >= 1);
    await recover(setup.with(line, GIVEN_UP_MS));
    await recover(setup.with(line, GIVEN_UP_MS + LATER_MS));
    assert.deepEqual(await calling.states(setup.client, "dials"), { unknown: 1 });
    resolve(answer);
    await until(
      "the word is written down",
      async () => (await calling.states(setup.client, "attempts"))[attempt] === 1,
    );
    await until(`the dial is ${dial}`, async () => (await calling.states(setup.client, "dials"))[dial] === 1);
    const { campaign } = (await setup.api.get(`/v1/voice/campaigns/${setup.campaignId}`)).body;
    assert.equal(campaign.pending_calls, dial === "scheduled" ? 1 : 0);
  });
}
