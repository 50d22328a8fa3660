import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { receiveMessage, receiveMessages } from "#operations/messaging/receive-message.ts";
import { replyToThread } from "#operations/messaging/reply-to-thread.ts";
import { recordReceipts } from "#operations/sending/record-receipts.ts";
import type { InboundText } from "#ports/sms-carrier.ts";
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
import { counted } from "#test/support/time/counted.ts";

const CONTACTS = 24;
const never = new AbortController().signal;

/** A campaign whose texts have left. */
async function aTextedCampaign(t: TestContext): Promise<Sending> {
  const sending = await aSending(t, CONTACTS, { agent: { reply_delay_ms: 0 } });
  await drain(withCarrier(sending.ctx, aCarrier(accepted)), sending.lane);
  return sending;
}

const word = (id: string, from: string, text: string, to = SENDER): InboundText => ({
  ...{ carrier: "simulator", carrierId: id, from, to, text },
  sentAt: new Date(),
});

const all = (n: number, text: string): InboundText[] =>
  Array.from({ length: n }, (_, i) => word(`in_${i}`, phone(i), text));

async function rowsOf<T>({ client }: Sending, text: string): Promise<T[]> {
  return (await client.query(text)).rows as T[];
}

test("texts of one moment are taken in once each, in their order, whatever the others request", async (t) => {
  const sending = await aTextedCampaign(t);
  const { ctx, tenantId } = sending;
  const texts = [
    ...all(CONTACTS, "Sure, what is it about?"),
    word("in_0", phone(0), "Sure, what is it about?"),
    word("again", phone(0), "Hello?"),
    word("stop", phone(1), "STOP"),
    word("stranger", "+12124559999", "Who is this?"),
    word("short", "72727", "Your code is 123"),
    word("nowhere", phone(2), "Hi", "+12125550199"),
    word("strangers stop", "+12124558888", "stop"),
  ];
  await receiveMessages(ctx, tenantId, texts);
  await receiveMessages(ctx, tenantId, texts.toReversed());

  const outcomes = await rowsOf(
    sending,
    "select outcome, count(*)::int as n from inbound_texts group by outcome order by outcome",
  );
  assert.deepEqual(outcomes, [
    { outcome: "conversation", n: CONTACTS + 2 },
    { outcome: "not_a_phone", n: 1 },
    { outcome: "stop", n: 2 },
    { outcome: "unknown_number", n: 1 },
  ]);
  const said = await rowsOf<{ text: string }>(
    sending,
    `select text from messages where direction = 'inbound' and phone = '${phone(0)}' order by step`,
  );
  assert.deepEqual(
    said.map(({ text }) => text),
    ["Sure, what is it about?", "Hello?"],
  );
  const [state] = await rowsOf(
    sending,
    `select count(*) filter (where reply_due_at is not null)::int as due, count(*) filter (where last_inbound_step = next_step - 1)::int as last,
       count(*) filter (where state = 'replied')::int as replied from threads`,
  );
  // Who said STOP has a confirmation after it.
  assert.deepEqual(state, { due: CONTACTS - 1, last: CONTACTS - 1, replied: CONTACTS - 1 });
  const stopped = await rowsOf(sending, "select phone from consents where opted_out_at is not null order by phone");
  assert.deepEqual(stopped, [{ phone: phone(1) }, { phone: "+12124558888" }]);
  const [counted] = await rowsOf(
    sending,
    "select coalesce(sum(n), 0)::int as replied from campaign_counts where state = 'replied'",
  );
  assert.deepEqual(counted, { replied: CONTACTS - 1 });
});

test("a text that cannot be stored keeps none that came with it from being stored", async (t) => {
  const { ctx, tenantId, ...sending } = await aTextedCampaign(t);
  const unstorable = word("bad", phone(3), `a${String.fromCharCode(0)}b`);
  await assert.rejects(receiveMessages(ctx, tenantId, [...all(3, "Tell me more"), unstorable]));
  const rows = await rowsOf({ ...sending, ctx, tenantId }, "select carrier_id from inbound_texts order by carrier_id");
  assert.deepEqual(rows, [{ carrier_id: "in_0" }, { carrier_id: "in_1" }, { carrier_id: "in_2" }]);
});

test("texts that come one by one at one moment are stored together, and one that cannot be keeps none from it", async (t) => {
  const sending = await aTextedCampaign(t);
  const stores = counted(sending.ctx, "insert-inbound-texts");
  const texts = [...all(CONTACTS, "Sure, what is it about?"), word("in_0", phone(0), "Sure, what is it about?")];
  await Promise.all(texts.map((text) => receiveMessage(stores.ctx, sending.tenantId, text)));
  assert.ok(stores.times() < CONTACTS / 2, `${stores.times()} statements for ${texts.length} texts`);
  const unstorable = word("bad", phone(3), `a${String.fromCharCode(0)}b`);
  const more = all(CONTACTS, "And then?").map((text) => ({ ...text, carrierId: `more_${text.carrierId}` }));
  const came = await Promise.allSettled(
    [...more, unstorable].map((text) => receiveMessage(stores.ctx, sending.tenantId, text)),
  );
  assert.deepEqual(
    came.flatMap(({ status }, i) => (status === "rejected" ? [i] : [])),
    [CONTACTS],
    "who brought it hears of it, and nobody else",
  );
  const kept = await rowsOf(
    sending,
    "select count(*)::int as n, count(distinct phone)::int as phones from messages where direction = 'inbound'",
  );
  assert.deepEqual(kept, [{ n: 2 * CONTACTS, phones: CONTACTS }]);
});

test("receipts that come one by one at one moment are recorded together, the furthest of each text", async (t) => {
  const sending = await aTextedCampaign(t);
  const refs = (await rowsOf<{ ref: string }>(sending, "select ref from attempts order by ref")).map(({ ref }) => ref);
  const records = counted(sending.ctx, "record-receipts");
  const receipts = [
    ...refs.map((ref) => ({ ref, status: "delivered" as const })),
    ...refs.map((ref) => ({ ref, status: "sent" as const })),
    { ref: sending.ctx.newId(), status: "delivered" as const },
  ];
  await Promise.all(receipts.map((receipt) => recordReceipts(records.ctx, sending.tenantId, [receipt])));
  assert.ok(records.times() < refs.length, `${records.times()} statements for ${receipts.length} receipts`);
  const states = await rowsOf(sending, "select state, count(*)::int as n from messages group by state");
  assert.deepEqual(states, [{ state: "delivered", n: refs.length }]);
});

test("turns that are taken together are answered once each, also where one is asked for twice", async (t) => {
  const sending = await aTextedCampaign(t);
  const { ctx, tenantId } = sending;
  await receiveMessages(ctx, tenantId, all(CONTACTS, "Sure, what is it about?"));
  const threads = await rowsOf<{ id: string; campaign_id: string }>(sending, "select id, campaign_id from threads");
  const keys = threads.map(({ id, campaign_id }) => ({ tenantId, campaignId: campaign_id, threadId: id }));
  await Promise.all([...keys, ...keys].map((key) => replyToThread(ctx, { ...key }, never)));
  const replies = await rowsOf(
    sending,
    "select count(*)::int as n, count(distinct thread_id)::int as threads from messages where kind = 'reply'",
  );
  assert.deepEqual(replies, [{ n: CONTACTS, threads: CONTACTS }]);
  const due = await rowsOf(sending, "select from threads where reply_due_at is not null or answered_step is null");
  assert.equal(due.length, 0);
  const jobs = await rowsOf(
    sending,
    "select count(*)::int as n from graphile_worker.jobs where task_identifier = 'extract-thread'",
  );
  assert.deepEqual(jobs, [{ n: CONTACTS }]);
});
