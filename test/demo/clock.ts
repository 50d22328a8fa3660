import pg from "pg";
import type { Parley } from "#test/support/api/parley.ts";
import { until } from "#test/support/time/until.ts";
import { sweep } from "./sweep.ts";

/** The clock was moved at a real time, in milliseconds since 1970, and is so far ahead since. */
export type Move = { real: number; offsetMs: number };

/** What comes next within this of the first is done with it: people look at their phones at about the same time. */
const TOGETHER_MS = 45_000;

/** A call with sound lasts as long as it lasts. */
const QUIET_WITHIN_MS = 120_000;

/** Real time is not waited for where something is due within it. */
const NEXT = `
  with tenant as (select id, now() + clock_offset_ms * interval '1 millisecond' as now from tenants where mode = 'test')
  select tenant.now, least(
    (select min(next_due_at) from lanes where tenant_id = tenant.id),
    (select min(next_due_at) from dial_lanes where tenant_id = tenant.id),
    (select min(owed_at) from simulator_texts where tenant_id = tenant.id and owed is not null),
    (select min(owed_at) from simulator_calls where tenant_id = tenant.id),
    (select min(reply_due_at) from threads where tenant_id = tenant.id),
    (select min(extraction_due_at) from threads where tenant_id = tenant.id)) as next
  from tenant`;

const BUSY = `
  with tenant as (select id, now() + clock_offset_ms * interval '1 millisecond' as now from tenants where mode = 'test')
  select exists (select from lanes join tenant on tenant.id = tenant_id where next_due_at <= tenant.now) as lanes,
    exists (select from dial_lanes join tenant on tenant.id = tenant_id where next_due_at <= tenant.now) as dials,
    exists (select from attempts where state in ('in_flight', 'uncertain')) as attempts,
    exists (select from calls where status in ('registered', 'ongoing')) as calls,
    exists (select from calls where analysed_at is null and status in ('ended', 'error')) as analyses,
    exists (select from simulator_texts join tenant on tenant.id = tenant_id where owed is not null and owed_at <= tenant.now) as webhooks,
    exists (select from simulator_calls join tenant on tenant.id = tenant_id where owed_at <= tenant.now) as rings,
    exists (select from threads join tenant on tenant.id = tenant_id where reply_due_at <= tenant.now or extraction_due_at <= tenant.now) as turns,
    exists (select from campaigns where status = 'processing' and (begin_at is null or begin_at <= now())) as campaigns,
    exists (select from graphile_worker.jobs where run_at <= now()) as jobs`;

/** Moves a scratch tenant's clock on to moments, stopping at each at which something is due until the service has done it. */
export function clockOf(api: Parley) {
  const moves: Move[] = [];
  const client = new pg.Client(api.databaseUrl);
  const connected = client.connect();
  const ask = async <T extends pg.QueryResultRow>(text: string): Promise<T> => {
    await connected;
    return (await client.query<T>(text)).rows[0]!;
  };
  const quiet = () =>
    until(
      "the service is quiet",
      async () => {
        busy = await ask<Record<string, boolean>>(BUSY);
        return Object.values(busy).every((one) => !one);
      },
      QUIET_WITHIN_MS,
    ).catch((error: Error) => {
      throw new Error(`${error.message}: ${JSON.stringify(busy)}`);
    });
  let busy = {};
  const move = async (to: Date) => {
    const { status, body } = await api.post("/v1/simulator/clock", { to: to.toISOString() });
    if (status !== 200) throw new Error(JSON.stringify(body));
    const real = Date.now();
    moves.push({ real, offsetMs: new Date(body.now).getTime() - real });
  };
  return {
    moves,
    quiet,
    async to(moment: Date): Promise<void> {
      for (;;) {
        await quiet();
        const { now, next } = await ask<{ now: Date; next: Date | null }>(NEXT);
        if (next === null || next >= moment) break;
        await move(new Date(Math.min(moment.getTime(), Math.max(now.getTime() + 1, next.getTime() + TOGETHER_MS))));
      }
      const { now } = await ask<{ now: Date }>(NEXT);
      if (now < moment) await move(moment);
      await quiet();
      await sweep(api);
    },
    close: () => client.end(),
  };
}
