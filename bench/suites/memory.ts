import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { leadsOf } from "#app/capacity/people.ts";
import { futureCampaign } from "../leads.ts";
import { residentMb, startService } from "../service.ts";
import type { Bench } from "../suite.ts";

/** One POST is as large as a POST may be. */
const POSTS = 10;
/** What a body has left is given back after its answer. */
const SETTLED_AFTER_MS = 1_000;

/** Resident memory of the api after the last of a million leads, against what it held before the first. */
export async function run(bench: Bench): Promise<void> {
  const count = bench.small ? 300 : 100_000;
  const service = await startService(bench);
  try {
    const { campaignId } = await futureCampaign(service);
    const idle = residentMb(service.apiPid);
    const resident: number[] = [];
    for (let i = 0; i < POSTS; i++) {
      const body = JSON.stringify({ clients: leadsOf(count, i * count) });
      const { body: answer } = await service.post(`/v1/campaigns/${campaignId}/leads`, body);
      assert.equal(answer.details?.leads_added, count, JSON.stringify(answer));
      resident.push(residentMb(service.apiPid));
    }
    process.stderr.write(`${resident.map(Math.round).join(" ")} MB\n`);
    await pause(bench.small ? 0 : SETTLED_AFTER_MS);
    const value = residentMb(service.apiPid);
    bench.figure({ name: `api after ${POSTS} POSTs`, value, unit: "MB", baseline: idle });
    bench.figure({ name: "api at an answer, at most", value: Math.max(...resident), unit: "MB", baseline: idle });
  } finally {
    await service.stop();
  }
}
