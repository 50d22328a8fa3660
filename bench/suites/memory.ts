import assert from "node:assert/strict";
import { leadsOf } from "#app/capacity/people.ts";
import { futureCampaign } from "../leads.ts";
import { residentMb, startService } from "../service.ts";
import type { Bench } from "../suite.ts";

/** One POST is as large as a POST may be. */
const POSTS = 10;

/** Resident memory of the api after the last of a million leads, against what it held after the second POST of ten. */
export async function run(bench: Bench): Promise<void> {
  const count = bench.small ? 300 : 100_000;
  const service = await startService(bench);
  try {
    const { campaignId } = await futureCampaign(service);
    const resident: number[] = [];
    for (let i = 0; i < POSTS; i++) {
      const body = JSON.stringify({ clients: leadsOf(count, i * count) });
      const { body: answer } = await service.post(`/v1/campaigns/${campaignId}/leads`, body);
      assert.equal(answer.details?.leads_added, count, JSON.stringify(answer));
      resident.push(residentMb(service.apiPid));
    }
    process.stderr.write(`${resident.map(Math.round).join(" ")} MB\n`);
    const [value, baseline] = [resident.at(-1)!, resident[1]!];
    bench.figure({ name: `api after ${POSTS} POSTs`, value, unit: "MB", baseline });
    bench.figure({ name: "api at most", value: Math.max(...resident), unit: "MB", baseline });
  } finally {
    await service.stop();
  }
}
