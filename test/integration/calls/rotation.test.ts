import assert from "node:assert/strict";
import { test } from "node:test";
import { countActivity } from "#operations/campaigns/count-activity.ts";
import { judgeNumbers } from "#operations/numbers/judge-numbers.ts";
import { numberEvents } from "#operations/system/number-events.ts";
import * as optOuts from "#store/compliance/opt-outs.ts";
import { aCalling, aLine, drain, phone, states, untaken } from "#test/support/calls/calling.ts";
import { SENDER } from "#test/support/campaigns/campaign.ts";

const SECOND = "+12125550101";
const ELSEWHERE = "+13125550101";
const DAY_MS = 86_400_000;

type Client = Awaited<ReturnType<typeof aCalling>>["client"];

/** Has a number rest for a day, as if its calls had gone badly. */
const rest = (client: Client, tenantId: string, number: string) =>
  client.query(
    `insert into number_rests (tenant_id, number, rested_at, resting_until, reason, rests)
     select id, $2, now(), now() + clock_offset_ms * interval '1 millisecond' + interval '1 day', 'unwanted', 1 from tenants where id = $1`,
    [tenantId, number],
  );

test("contacts are called from a number of their area code, and nobody from one that rests", async (t) => {
  const calling = await aCalling(t, 6, { agent_outbound_numbers: [SECOND, ELSEWHERE] });
  await rest(calling.client, calling.tenantId, SENDER);
  const line = aLine();
  await drain(calling.with(line), calling.lane);
  assert.deepEqual([...new Set(line.left.map((plan) => plan.number))], [SECOND]);
  assert.equal(line.left.length, 6);
});

test("where all numbers rest the campaign waits, says so, and goes on when the rest is over", async (t) => {
  const calling = await aCalling(t, 3, { agent_outbound_numbers: [SECOND] });
  for (const number of [SENDER, SECOND]) await rest(calling.client, calling.tenantId, number);
  const line = aLine();
  await drain(calling.with(line), calling.lane);
  assert.equal(line.begun.length, 0);
  const { campaign } = (await calling.api.get(`/v1/voice/campaigns/${calling.campaignId}`)).body;
  assert.deepEqual(
    [campaign.status, campaign.waiting_because, campaign.pending_calls],
    ["running", "numbers_resting", 3],
  );
  assert.deepEqual(await states(calling.client, "dials"), { scheduled: 3 });
  await drain(calling.with(line, DAY_MS + 60_000), calling.lane);
  assert.equal(line.left.length, 3);
});

test("who opts out after a call counts for the number that called", async (t) => {
  const calling = await aCalling(t, 1, { agent_outbound_numbers: [SECOND] });
  await rest(calling.client, calling.tenantId, SENDER);
  await drain(calling.with(aLine()), calling.lane);
  const { ctx, tenantId } = calling;
  const stop = { source: "call", quote: "Do not call me again.", at: ctx.now(), newId: ctx.newId, hash: ctx.hashPhone };
  await ctx.db.transaction((tx) => optOuts.optOut(tx, tenantId, phone(0), stop));
  while (await numberEvents(ctx));
  while (await countActivity(ctx, judgeNumbers));
  const counted = await calling.client.query(
    `select number, n::int from activity_counts where measure = 'call_opted_out'
     union all select number, complaints from number_days where complaints > 0`,
  );
  assert.deepEqual(
    counted.rows,
    [SECOND, SECOND].map((number) => ({ number, n: 1 })),
  );
});

test("a redial comes from the number that the contact knows, unless that rests", async (t) => {
  const calling = await aCalling(t, 6, {
    agent_outbound_numbers: [SECOND],
    redial_enabled: true,
    redial_config: { max_attempts: 3, retry_delay_minutes: 30, retry_on: ["no_answer"] },
  });
  const line = aLine((plan) => ({ report: untaken("dial_no_answer", plan.now) }));
  await drain(calling.with(line), calling.lane);
  const first = new Map(line.left.map((plan) => [plan.contactPhone, plan.number]));
  assert.equal(new Set(first.values()).size, 2);
  await drain(calling.with(line, 31 * 60_000), calling.lane);
  const again = line.left.slice(6);
  assert.equal(again.length, 6);
  for (const plan of again) assert.equal(plan.number, first.get(plan.contactPhone));
  await rest(calling.client, calling.tenantId, SENDER);
  await drain(calling.with(line, 62 * 60_000), calling.lane);
  assert.deepEqual([...new Set(line.left.slice(12).map((plan) => plan.number))], [SECOND]);
  assert.equal(line.left.length, 18);
});

test("claims of two campaigns at once keep to what the line takes from a number, and call each contact once", async (t) => {
  const calling = await aCalling(t, 24, { agent_outbound_numbers: [SECOND] });
  const second = await calling.api.post("/v1/voice/campaigns", {
    leads: Array.from({ length: 24 }, (_, i) => ({ phone_number: phone(100 + i) })),
    voice_agent_id: (await calling.api.get(`/v1/voice/campaigns/${calling.campaignId}`)).body.campaign.voice_agent_id,
    agent_outbound_number: SENDER,
    agent_outbound_numbers: [SECOND],
  });
  const { rows } = await calling.client.query("select id from campaigns where campaign_id = $1", [
    second.body.campaign_id,
  ]);
  const lanes = [calling.lane, { ...calling.lane, laneId: rows[0].id as string }];
  const open = new Map<string, number>();
  let most = 0;
  const line = aLine(
    (plan) => {
      open.set(plan.number, (open.get(plan.number) ?? 0) + 1);
      most = Math.max(most, open.get(plan.number)!);
      const until = new Promise((resolve) => setTimeout(resolve, 5)).then(() =>
        open.set(plan.number, open.get(plan.number)! - 1),
      );
      return { until };
    },
    { concurrency: 3, callsPerSecond: 200 },
  );
  const contexts = [calling.with(line), calling.with(line)];
  for (let i = 0; i < 60 && line.left.length < 48; i++)
    await Promise.all(contexts.flatMap((ctx) => lanes.map((lane) => drain(ctx, lane))));
  assert.equal(line.left.length, 48);
  assert.equal(new Set(line.left.map((plan) => plan.contactPhone)).size, 48);
  assert.ok(most <= 3, `${most} at once from one number`);
});

test("claims at once place no more calls a second from a number than its line takes", async (t) => {
  const calling = await aCalling(t, 30, { agent_outbound_numbers: [SECOND] });
  const line = aLine(() => ({}), { callsPerSecond: 2 });
  const contexts = [calling.with(line), calling.with(line), calling.with(line)];
  const begun = performance.now();
  await Promise.all(contexts.map((ctx) => drain(ctx, calling.lane)));
  const seconds = (performance.now() - begun) / 1_000;
  const byNumber = Map.groupBy(line.left, (plan) => plan.number);
  for (const [number, plans] of byNumber) assert.ok(plans.length <= 2 + 2 * seconds, `${plans.length} from ${number}`);
  assert.ok(line.left.length >= 4);
});
