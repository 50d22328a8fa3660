import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { leadsOf } from "#app/capacity/people.ts";
import { anotherTenant, askedDuring } from "../another-tenant.ts";
import { futureCampaign } from "../leads.ts";
import { startService } from "../service.ts";
import { type Bench, quantile } from "../suite.ts";

/** Longest look at the dispatch. */
const WATCH_MS = 20_000;

/** How long another tenant's small GETs take while 100,000 leads come in and are texted, against an idle service. */
export async function run(bench: Bench): Promise<void> {
  const count = bench.small ? 300 : 100_000;
  const service = await startService(bench);
  try {
    const target = await futureCampaign(service);
    const another = await anotherTenant(service);
    await service.startWorker();
    const body = JSON.stringify({ clients: leadsOf(count) });
    const idle = await askedDuring(another, pause(bench.small ? 300 : 5_000));
    const busy = await askedDuring(another, burden());
    bench.figure({ name: "p99 under load", value: quantile(busy, 0.99), unit: "ms", baseline: quantile(idle, 0.99) });
    bench.figure({ name: "p50 under load", value: quantile(busy, 0.5), unit: "ms", baseline: quantile(idle, 0.5) });

    async function burden(): Promise<void> {
      const posted = await service.post(`/v1/campaigns/${target.campaignId}/leads`, body);
      assert.equal(posted.status, 202, JSON.stringify(posted.body));
      await service.post("/v1/simulator/clock", { to: new Date(target.beginAt.getTime() + 60_000).toISOString() });
      const end = performance.now() + WATCH_MS;
      for (let open = 1; open > 0 && performance.now() < end; await pause(500)) {
        const { body: state } = await service.get(`/v1/campaigns/${target.campaignId}`);
        open = state.campaign.pending_messages;
      }
    }
  } finally {
    await service.stop();
  }
}
