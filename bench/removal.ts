import assert from "node:assert/strict";
import { until } from "#test/support/api/parley.ts";
import { anotherTenant, askedDuring } from "./another-tenant.ts";
import { daysAgo } from "./history.ts";
import type { Service } from "./service.ts";
import { type Bench, quantile } from "./suite.ts";

/** No more than ten million texts are removed, and never all. */
const MOST_TEXTS = 10_000_000;
const PATIENCE_MS = 3_600_000;
/** What a tenant keeps of all else. */
const KEPT = { calls_days: null, recordings_days: null, events_days: null, requests_days: null };
/** Tenants' old texts are removed from when they are asked for, which is every few seconds; the first piece is awaited. */
const BEGINS_WITHIN_MS = 120_000;

/**
 * Has the oldest texts of a history removed by their age, and says what another tenant's small requests take, and how many texts a second are sent, before
 * and meanwhile. `send`: a round of sending, from its beginning to its end, in texts a second.
 */
export async function removeOldest(
  bench: Bench,
  service: Service,
  parts: { campaigns: number; textsOfEach: number; send(round: number): Promise<number> },
): Promise<void> {
  const removed = Math.min(Math.floor(MOST_TEXTS / parts.textsOfEach), Math.floor(parts.campaigns / 2));
  const another = await anotherTenant(service);
  const beside = async (round: number) => {
    const sending = parts.send(round);
    const asked = await askedDuring(another, sending);
    return { rate: await sending, p50: quantile(asked, 0.5), p99: quantile(asked, 0.99) };
  };
  await beside(0);
  const before = await beside(1);
  const days = daysAgo(parts.campaigns - removed) - 1;
  const { status, body } = await service.put("/v1/retention", JSON.stringify({ ...KEPT, messages_days: days }));
  assert.equal(status, 200, JSON.stringify(body));
  const progress = async () => {
    const { rows } = await service.sql.query(
      "select place is null as is_through, coalesce(nullif(removed, '{}') ->> 'messages', '0')::float8 as n from retention_walks where kind = 'messages'",
    );
    return rows[0] as { is_through: boolean; n: number } | undefined;
  };
  await until(
    "the first old texts are removed",
    async () => ((await progress())?.n ?? 0) > 0 || (await progress())?.is_through === true,
    BEGINS_WITHIN_MS,
  );
  const begin = performance.now();
  const from = (await progress())!.n;
  const meanwhile = await beside(2);
  const isMeanwhile = !(await progress())!.is_through;
  const name = `old texts are removed${isMeanwhile ? "" : " (over before the sending was)"}`;
  bench.figure({ name: `another tenant's p99 while ${name}`, value: meanwhile.p99, unit: "ms", baseline: before.p99 });
  bench.figure({ name: `another tenant's p50 while ${name}`, value: meanwhile.p50, unit: "ms", baseline: before.p50 });
  bench.figure({
    name: `claim to settled while ${name}`,
    value: meanwhile.rate,
    unit: "texts/s",
    baseline: before.rate,
  });
  await until("all old texts are removed", async () => (await progress())!.is_through, PATIENCE_MS);
  const seconds = (performance.now() - begin) / 1_000;
  const left = async (n: number) => {
    const { rows } = await service.sql.query(
      "select count(*)::int as n from messages join campaigns on campaigns.id = messages.campaign_id where campaigns.campaign_id = $1",
      [`cmp_history_${n}`],
    );
    return rows[0].n;
  };
  assert.deepEqual(
    [await left(parts.campaigns - removed - 1), await left(parts.campaigns - removed), await left(parts.campaigns - 1)],
    [parts.textsOfEach, 0, 0],
  );
  bench.figure({ name: "old texts removed", value: removed * parts.textsOfEach, unit: "texts", baseline: null });
  bench.figure({
    name: "old texts removed a second",
    value: (removed * parts.textsOfEach - from) / seconds,
    unit: "texts/s",
    baseline: null,
  });
}
