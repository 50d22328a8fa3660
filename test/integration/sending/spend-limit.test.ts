import assert from "node:assert/strict";
import { test } from "node:test";
import { changeSpendLimit, readSending } from "#operations/sending/limit-spending.ts";
import { aCampaign } from "#test/support/campaigns/campaign.ts";
import { say } from "#test/support/messaging/inbound-texts.ts";
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

const CENT = { PARLEY_PRICE_PER_SEGMENT: "0.01" };
const limit = (sending: Sending, cents: number | null) =>
  changeSpendLimit(sending.ctx, sending, { limit: cents === null ? null : cents * 10_000, zone: undefined });
const spentCents = async (sending: Sending) => (await readSending(sending.ctx, sending)).spent / 10_000;

test("workers of several lanes together spend what the day's limit holds, to the cent, and the rest once it is raised", async (t) => {
  const sending = await aSending(t, 400, { env: CENT });
  const others = Array.from({ length: 400 }, (_, i) => ({ phone_number: phone(1_000 + i), first_name: "Bo" }));
  await aCampaign(sending.api, { contacts: others, campaign: { svc_sms_number: "+12125550101" } });
  const { rows } = await sending.client.query("select id from lanes order by id");
  assert.equal(rows.length, 2);
  const carrier = aCarrier(accepted);
  const workers = Array.from({ length: 4 }, () => withCarrier(sending.another(), carrier));
  const all = () =>
    Promise.all(workers.map((ctx, i) => drain(ctx, { tenantId: sending.tenantId, laneId: rows[i % 2].id })));
  await limit(sending, 333);
  await all();
  assert.equal(carrier.handed.length, 333);
  assert.equal(await spentCents(sending), 333);
  assert.equal((await readSending(sending.ctx, sending)).isReached, true);
  const { body } = await sending.api.get(`/v1/campaigns/${sending.campaignId}`);
  assert.equal(body.campaign.waiting_because, "spend_limit");
  assert.equal((await states(sending.client, "messages")).scheduled, 800 - 333, "what waits is not touched");
  await all();
  assert.equal(carrier.handed.length, 333);

  await limit(sending, 500);
  await all();
  assert.equal(carrier.handed.length, 500);
  await limit(sending, null);
  await all();
  assert.equal(carrier.handed.length, 800);
  assert.equal(await spentCents(sending), 800, "counted without a limit, too");
  await assertCounts(sending.client);
  await assertLedger(sending.client);
});

test("a text of two segments is not begun where one is left, and a new day has its own limit", async (t) => {
  const words = `Hi, this is Ava. ${"We have a longer text for you today. ".repeat(4)}`;
  const sending = await aSending(t, 5, { env: CENT, agent: { starting_message: words.trim() } });
  const carrier = aCarrier(accepted);
  const ctx = withCarrier(sending.ctx, carrier);
  await limit(sending, 5);
  await drain(ctx, sending.lane);
  assert.equal(carrier.handed.length, 2);
  assert.equal(await spentCents(sending), 4);
  await sending.client.query("update tenants set clock_offset_ms = clock_offset_ms + 86400000");
  await drain(ctx, sending.lane);
  assert.equal(carrier.handed.length, 4);
  assert.equal(await spentCents(sending), 4);
});

test("what a carrier did not take is paid when it leaves, not before", async (t) => {
  const sending = await aSending(t, 10, { env: CENT });
  let isOpen = false;
  const carrier = aCarrier((text) =>
    isOpen ? accepted(text) : { outcome: "not_sent", code: "429", retryAfterMs: 1_000 },
  );
  await limit(sending, 10);
  await drain(withCarrier(sending.ctx, carrier), sending.lane);
  assert.equal(await spentCents(sending), 0);
  isOpen = true;
  await drain(withCarrier(sending.ctx, carrier, 5_000), sending.lane);
  assert.equal(carrier.taken.size, 10);
  assert.equal(await spentCents(sending), 10);
});

test("a STOP is confirmed however much was spent", async (t) => {
  const sending = await aSending(t, 3, { env: CENT });
  const carrier = aCarrier(accepted);
  const ctx = withCarrier(sending.ctx, carrier);
  await limit(sending, 2);
  await drain(ctx, sending.lane);
  await limit(sending, 0);
  await say(sending, ctx, phone(0), "STOP");
  await drain(ctx, sending.lane);
  assert.deepEqual(
    carrier.handed.map(({ purpose }) => purpose),
    ["start", "start", "confirmation"],
  );
});
