import assert from "node:assert/strict";
import { leadsOf } from "#app/capacity/people.ts";
import { until } from "#test/support/api/parley.ts";
import { claimAndSettleRaw, futureCampaign, insertRaw, rawRows } from "../leads.ts";
import { type Service, startService } from "../service.ts";
import { type Bench, timed } from "../suite.ts";

/** Longest drain; a tenth of the speed that is aimed at. */
const PATIENCE_MS = 300_000;

/** A campaign drained through the simulated carrier by a worker in its own process, receipts included. */
export async function run(bench: Bench): Promise<void> {
  const count = bench.small ? 300 : 100_000;
  const ours = await drain(bench, count);
  const baseline = await drainRaw(bench, count);
  bench.figure({ name: "to accepted", value: count / ours.accepted, unit: "texts/s", baseline });
  bench.figure({ name: "to delivered", value: count / ours.delivered, unit: "texts/s", baseline });
}

async function drain(bench: Bench, count: number): Promise<{ accepted: number; delivered: number }> {
  const service = await startService(bench);
  try {
    const target = await futureCampaign(service);
    await service.post(`/v1/campaigns/${target.campaignId}/leads`, { clients: leadsOf(count) });
    await service.startWorker();
    const begin = performance.now();
    await service.post("/v1/simulator/clock", { to: new Date(target.beginAt.getTime() + 60_000).toISOString() });
    const seconds = () => (performance.now() - begin) / 1000;
    const settled = async () => (await counted(service, target.id)).pending === 0;
    await until("every text is accepted", settled, PATIENCE_MS);
    const accepted = seconds();
    await until(
      "every text is delivered",
      async () => (await counted(service, target.id)).delivered === count + 1,
      PATIENCE_MS,
    );
    const delivered = seconds();
    const { body } = await service.get(`/v1/simulator/traffic?campaign_id=${target.campaignId}`);
    const { accepted: taken, distinct, duplicates, outside_window: outside } = body;
    assert.deepEqual([taken, distinct, duplicates, outside], [count + 1, count + 1, 0, 0]);
    return { accepted, delivered };
  } finally {
    await service.stop();
  }
}

async function counted({ sql }: Service, campaignId: string): Promise<{ pending: number; delivered: number }> {
  const { rows } = await sql.query(
    `select coalesce(sum(n) filter (where state = 'pending'), 0)::int as pending,
       coalesce(sum(n) filter (where state = 'delivered'), 0)::int as delivered
     from campaign_counts where campaign_id = $1`,
    [campaignId],
  );
  return rows[0];
}

async function drainRaw(bench: Bench, count: number): Promise<number> {
  const service = await startService(bench);
  try {
    const target = await futureCampaign(service);
    await service.stopApi();
    await insertRaw(service.sql, rawRows(target, count, 0, target.beginAt));
    const { seconds, result } = await timed(() => claimAndSettleRaw(service.sql, target, target.beginAt));
    assert.equal(result, count + 1);
    return count / seconds;
  } finally {
    await service.stop();
  }
}
