import assert from "node:assert/strict";
import { futureCampaign, insertRaw, rawRows } from "../leads.ts";
import { type Service, startService } from "../service.ts";
import { type Bench, quantile } from "../suite.ts";

const PAGES = 200;

/** A page of a campaign's messages with 1,000 and with 1,000,000 of them: the first page, and pages in the middle. */
export async function run(bench: Bench): Promise<void> {
  const few = 1_000;
  const many = bench.small ? 3_000 : 1_000_000;
  const service = await startService(bench);
  try {
    const target = await futureCampaign(service);
    const fill = async (from: number, to: number) => {
      // In parts: the values of a million rows at once would be a gigabyte.
      for (let at = from; at < to; at += 50_000)
        await insertRaw(service.sql, rawRows(target, Math.min(50_000, to - at), at, target.beginAt));
    };
    const path = `/v1/campaigns/${target.campaignId}/messages?limit=50`;
    await fill(0, few);
    await pages(service, path);
    const small = await pages(service, path);
    await fill(few, many);
    await pages(service, path);
    const large = await pages(service, path);
    bench.figure({ name: "first page p50", value: large.first, unit: "ms", baseline: small.first });
    bench.figure({ name: "next pages p50", value: large.next, unit: "ms", baseline: small.next });
  } finally {
    await service.stop();
  }
}

async function pages(service: Service, path: string): Promise<{ first: number; next: number }> {
  const first: number[] = [];
  const next: number[] = [];
  let key: string | undefined;
  for (let i = 0; i < PAGES; i++) {
    const begin = performance.now();
    const { status, body } = await service.get(key ? `${path}&pagination_key=${encodeURIComponent(key)}` : path);
    (key ? next : first).push(performance.now() - begin);
    assert.equal(status, 200, JSON.stringify(body));
    // Every fourth is a first page again.
    key = i % 4 === 3 ? undefined : body.next_pagination_key;
  }
  return { first: quantile(first, 0.5), next: quantile(next, 0.5) };
}
