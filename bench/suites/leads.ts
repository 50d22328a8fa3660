import assert from "node:assert/strict";
import { leadsOf } from "#app/capacity/people.ts";
import { futureCampaign, insertRaw, rawRows } from "../leads.ts";
import { startService } from "../service.ts";
import { type Bench, timed } from "../suite.ts";

/** Large enough for the thread for large bodies: it is up, as it is in a service that has been running. */
const WARM_UP = 1_000;

/** Leads a second by one POST, against the same rows by SQL in another database. */
export async function run(bench: Bench): Promise<void> {
  const count = bench.small ? 300 : 100_000;
  const service = await startService(bench);
  const raw = await startService(bench);
  try {
    const { campaignId } = await futureCampaign(service);
    const path = `/v1/campaigns/${campaignId}/leads`;
    await service.post(path, { clients: leadsOf(WARM_UP, count) });
    const body = JSON.stringify({ clients: leadsOf(count) });
    const ours = await timed(() => service.post(path, body));
    assert.equal(ours.result.body.details?.leads_added, count, JSON.stringify(ours.result.body));

    const target = await futureCampaign(raw);
    await raw.stopApi();
    await insertRaw(raw.sql, rawRows(target, WARM_UP, count, target.beginAt));
    const rows = rawRows(target, count, 0, target.beginAt);
    const theirs = await timed(() => insertRaw(raw.sql, rows));
    bench.figure({ name: "one POST", value: count / ours.seconds, unit: "leads/s", baseline: count / theirs.seconds });
  } finally {
    await service.stop();
    await raw.stop();
  }
}
