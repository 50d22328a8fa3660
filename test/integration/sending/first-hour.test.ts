import assert from "node:assert/strict";
import { test } from "node:test";
import { aCampaign } from "#test/support/campaigns/campaign.ts";
import { aCarrier, accepted, aSending, drain, withCarrier } from "#test/support/messaging/sending.ts";

const MINUTE_MS = 60_000;

test("a sender that is new with a real carrier begins slowly, over all workers, and after an hour sends what is left", async (t) => {
  const sending = await aSending(t, 300, { env: { PARLEY_FIRST_HOUR_TEXTS: "100" } });
  const carrier = { ...aCarrier(accepted), name: "elsewhere" };
  await sending.client.query("update lanes set carrier = 'elsewhere'");
  const after = async (minutes: number) => {
    const workers = [sending.ctx, sending.another()].map((ctx) => ({
      ...withCarrier(ctx, carrier, minutes * MINUTE_MS),
      clockMovesLive: true,
    }));
    await Promise.all(workers.map((ctx) => drain(ctx, sending.lane)));
    return carrier.handed.length;
  };
  assert.equal(await after(0), 10);
  assert.equal(await after(0), 10);
  const half = await after(30);
  assert.ok(half >= 55 && half <= 57, `${half}`);
  const nearly = await after(59);
  assert.ok(nearly > half && nearly <= 100, `${nearly}`);
  assert.equal(await after(62), 300);
});

test("the texts of several campaigns share the first hour, and what was put back is not counted", async (t) => {
  const sending = await aSending(t, 30, { env: { PARLEY_FIRST_HOUR_TEXTS: "100" } });
  for (const area of ["213", "214"]) {
    const contacts = Array.from({ length: 30 }, (_, i) => ({
      phone_number: `+1${area}444${String(i).padStart(4, "0")}`,
    }));
    await aCampaign(sending.api, { contacts });
  }
  await sending.client.query("update lanes set carrier = 'elsewhere'");
  const counted = async () => (await sending.client.query("select first_hour_texts as n from lanes")).rows[0].n;
  const at = async (minutes: number, answer: Parameters<typeof aCarrier>[0]) => {
    const carrier = { ...aCarrier(answer), name: "elsewhere" };
    const ctx = { ...withCarrier(sending.another(), carrier, minutes * MINUTE_MS), clockMovesLive: true };
    await drain(ctx, sending.lane);
    return carrier.handed.length;
  };
  assert.equal(await at(0, () => ({ outcome: "not_sent", code: "busy", retryAfterMs: MINUTE_MS })), 10);
  assert.equal(await counted(), 0);
  const sent = await at(2, accepted);
  assert.ok(sent >= 10 && sent <= 13, `${sent}`);
  assert.equal(await counted(), sent);
});

test("the simulator has no first hour", async (t) => {
  const sending = await aSending(t, 100, { env: { PARLEY_FIRST_HOUR_TEXTS: "10" } });
  const carrier = aCarrier(accepted);
  await drain(withCarrier(sending.ctx, carrier), sending.lane);
  assert.equal(carrier.handed.length, 100);
});
