import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Uuid } from "#domain/values/id.ts";
import { joinOverdueParts, receivePart } from "#operations/messaging/join-parts.ts";
import { recordNamedReceipts, sweepEarlyReceipts } from "#operations/sending/record-named-receipts.ts";
import type { InboundPart } from "#ports/carrier-session.ts";
import * as receipts from "#store/sending/receipts.ts";
import { SENDER } from "#test/support/campaigns/campaign.ts";
import { aCarrier, accepted, aSending, drain, phone, withCarrier } from "#test/support/messaging/sending.ts";

const CARRIER = "carrier_01m8a5g69ze009eg401hw9assm";

/** Texts that were handed over to a gateway, the answers of which have no id yet. */
async function handedOver(t: TestContext, texts: number) {
  const sending = await aSending(t, texts);
  await drain(withCarrier(sending.ctx, aCarrier(accepted), 0), sending.lane);
  await sending.client.query("update attempts set carrier = $1, carrier_id = null", [CARRIER]);
  const { rows } = await sending.client.query("select ref, phone from attempts order by phone");
  const refs = rows.map(({ ref }) => ref as Uuid);
  const answer = (ref: Uuid, carrierId: string) =>
    sending.client.query("update attempts set carrier_id = $2 where ref = $1", [ref, carrierId]);
  const stateOf = async (i: number) =>
    (await sending.client.query("select state from messages where phone = $1", [phone(i)])).rows[0].state;
  const kept = async () => (await sending.client.query("select carrier_id from early_receipts")).rows.length;
  return { ...sending, refs, answer, stateOf, kept };
}

const delivered = (carrierId: string, more = {}) => ({ carrierId, status: "delivered" as const, ...more });

test("a receipt finds its text by the carrier's id, and where ids came again the one to its phone, or the newest", async (t) => {
  const { ctx, tenantId, refs, answer, stateOf, client } = await handedOver(t, 3);
  await client.query("update attempts set at = at - interval '1 hour' where ref = $1", [refs[0]]);
  for (const ref of refs.slice(0, 2)) await answer(ref, "7");
  await recordNamedReceipts(ctx, tenantId, CARRIER, [delivered("7")]);
  assert.deepEqual([await stateOf(0), await stateOf(1)], ["accepted", "delivered"]);
  await recordNamedReceipts(ctx, tenantId, CARRIER, [delivered("7", { to: phone(0) })]);
  assert.equal(await stateOf(0), "delivered");
  await answer(refs[2]!, "8");
  await recordNamedReceipts(ctx, tenantId, "carrier_01m8a5g69ze009eg401hw9asss", [delivered("8")]);
  assert.equal(await stateOf(2), "accepted", "another account says nothing of it");
});

test("where a gateway uses its ids again, a receipt is not taken for an older text's", async (t) => {
  const { ctx, tenantId, refs, answer, stateOf, kept, client } = await handedOver(t, 3);
  const named = (more = {}) => recordNamedReceipts(ctx, tenantId, CARRIER, [delivered("7", more)]);
  const set = (ref: Uuid, assignment: string) =>
    client.query(`update attempts set ${assignment} where ref = $1`, [ref]);
  await set(refs[0]!, "at = at - interval '2 days'");
  await answer(refs[0]!, "7");
  // It names a phone to which another text went, the answer of which is not here yet.
  await named({ to: phone(1), sender: SENDER });
  assert.deepEqual([await stateOf(0), await kept()], ["accepted", 1]);
  await answer(refs[1]!, "7");
  await sweepEarlyReceipts({ ...ctx, now: () => new Date(Date.now() + 6_000) });
  assert.deepEqual([await stateOf(0), await stateOf(1), await kept()], ["accepted", "delivered", 0]);
  // One phone twice, from the same sender: the later text waits for its answer.
  await set(refs[2]!, `phone = '${phone(0)}', state = 'in_flight'`);
  await named({ to: phone(0), sender: SENDER });
  await sweepEarlyReceipts({ ...ctx, now: () => new Date(Date.now() + 6_000) });
  assert.deepEqual([await stateOf(0), await stateOf(2), await kept()], ["accepted", "accepted", 1]);
  await set(refs[2]!, "carrier_id = '7', state = 'accepted'");
  await sweepEarlyReceipts({ ...ctx, now: () => new Date(Date.now() + 6_000) });
  assert.deepEqual([await stateOf(0), await stateOf(2), await kept()], ["accepted", "delivered", 0]);
  // From another of our numbers.
  await set(refs[2]!, "sender = '+13105550199'");
  await named({ to: phone(0), sender: SENDER });
  assert.equal(await stateOf(0), "delivered");
});

test("an early receipt that names another phone is not taken for the text that is answered with its id, nor for one of four days ago", async (t) => {
  const { ctx, tenantId, refs, answer, stateOf, kept, client } = await handedOver(t, 2);
  await recordNamedReceipts(ctx, tenantId, CARRIER, [delivered("7", { to: phone(1) })]);
  await answer(refs[0]!, "7");
  const change = { now: new Date(), newId: ctx.newId };
  await receipts.recordEarly(ctx.db, tenantId, CARRIER, [{ ref: refs[0]!, carrierId: "7" }], change);
  assert.deepEqual([await stateOf(0), await kept()], ["accepted", 1]);
  await client.query("update attempts set at = at - interval '4 days' where ref = $1", [refs[1]]);
  await answer(refs[1]!, "7");
  await sweepEarlyReceipts({ ...ctx, now: () => new Date(Date.now() + 6_000) });
  assert.deepEqual([await stateOf(0), await stateOf(1), await kept()], ["accepted", "accepted", 1]);
});

test("a gateway that writes phones in its own way is still understood", async (t) => {
  const { ctx, tenantId, refs, answer, stateOf } = await handedOver(t, 1);
  await answer(refs[0]!, "9");
  await recordNamedReceipts(ctx, tenantId, CARRIER, [delivered("9", { to: "0012124440000", sender: "another" })]);
  assert.equal(await stateOf(0), "delivered");
});

test("where the answer was lost it is found by its phone and the end of our ref, if only one can be meant", async (t) => {
  const { ctx, tenantId, refs, stateOf, kept } = await handedOver(t, 2);
  const reference = Number.parseInt(refs[0]!.slice(-4), 16);
  await recordNamedReceipts(ctx, tenantId, CARRIER, [delivered("1", { to: phone(1), reference })]);
  assert.deepEqual([await stateOf(1), await kept()], ["accepted", 1], "another's phone");
  await recordNamedReceipts(ctx, tenantId, CARRIER, [delivered("2", { to: phone(0), reference })]);
  assert.deepEqual([await stateOf(0), await kept()], ["delivered", 1]);
});

test("a receipt that comes before the answer is kept, and recorded once when the answer is here", async (t) => {
  const { ctx, tenantId, refs, answer, stateOf, kept } = await handedOver(t, 3);
  for (let n = 0; n < 3; n++) await recordNamedReceipts(ctx, tenantId, CARRIER, [delivered("1"), delivered("2")]);
  assert.equal(await kept(), 2);
  await answer(refs[0]!, "1");
  const change = { now: ctx.now(), newId: ctx.newId };
  const settle = () => receipts.recordEarly(ctx.db, tenantId, CARRIER, [{ ref: refs[0]!, carrierId: "1" }], change);
  await Promise.all([settle(), settle()]);
  assert.deepEqual([await stateOf(0), await kept()], ["delivered", 1]);
  // The process that was answered died before it could look.
  await answer(refs[1]!, "2");
  await sweepEarlyReceipts({ ...ctx, now: () => new Date(Date.now() + 6_000) });
  assert.deepEqual([await stateOf(1), await kept()], ["delivered", 0]);
  await recordNamedReceipts(ctx, tenantId, CARRIER, [delivered("of another service")]);
  await sweepEarlyReceipts({ ...ctx, now: () => new Date(Date.now() + 7_200_000) });
  assert.deepEqual([await stateOf(2), await kept()], ["accepted", 0]);
});

test("parts make one text, once, in whatever order and however often they come", async (t) => {
  const { ctx, tenantId, client } = await aSending(t, 1);
  const from = phone(0);
  const common = { carrier: "simulator", from, to: SENDER, sentAt: new Date() };
  const part = (number: number, text: string, of = 2, reference = 5): InboundPart => ({
    ...{ ...common, number, text, of, reference },
  });
  const texts = async () =>
    (await client.query("select text from messages where direction = 'inbound' order by created_at, id")).rows.map(
      ({ text }) => text,
    );
  // A character of two halves is cut in the middle.
  const [first, second] = [part(1, "A house \ud83c"), part(2, "\udfe0 for me")];
  await Promise.all([second, first, second].map((one) => receivePart(ctx, tenantId, one)));
  await receivePart(ctx, tenantId, first);
  assert.deepEqual(await texts(), ["A house \u{1f3e0} for me"]);
  // The same reference again, of another text.
  for (const one of [part(2, "two"), part(1, "One ")]) await receivePart(ctx, tenantId, one);
  assert.deepEqual(await texts(), ["A house \u{1f3e0} for me", "One two"]);
  // What never comes whole is taken in as what there is.
  for (const one of [part(3, "later", 3, 6), part(1, "sooner", 3, 6)]) await receivePart(ctx, tenantId, one);
  await joinOverdueParts({ ...ctx, now: () => new Date(Date.now() + 30_000) });
  assert.equal((await texts()).length, 2);
  await joinOverdueParts({ ...ctx, now: () => new Date(Date.now() + 61_000) });
  assert.equal((await texts()).at(-1), "sooner later");
  await joinOverdueParts({ ...ctx, now: () => new Date(Date.now() + 1_000_000) });
  assert.equal((await client.query("select from inbound_parts")).rows.length, 0);
  assert.equal((await texts()).length, 3);
});
