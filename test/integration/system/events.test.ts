import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import type pg from "pg";
import { wire } from "#app/context.ts";
import { createTenant } from "#app/roles/keys.ts";
import type { Uuid } from "#domain/values/id.ts";
import { reportProgress } from "#operations/campaigns/report-progress.ts";
import type { Context } from "#operations/context.ts";
import { numberEvents } from "#operations/system/number-events.ts";
import { EVERY_EVENT, logBounds, readEvents } from "#operations/system/read-events.ts";
import { removeOld } from "#operations/system/retention.ts";
import * as eventNumbers from "#store/system/event-numbers.ts";
import * as events from "#store/system/events.ts";
import { startParley, until } from "#test/support/api/parley.ts";
import { aCarrier, accepted, aSending, drain, withCarrier } from "#test/support/messaging/sending.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

const DAY_MS = 86_400_000;

/** A service without a worker: numbers are given when the test says so, by as many as it makes. */
async function aLog(t: TestContext) {
  const api = await startParley(t, {}, ["api"]);
  const another = (): Context => {
    const { ctx, close } = wire(api.config, api.databaseUrl, "test");
    t.after(close);
    return ctx;
  };
  const ctx = another();
  const client = await openClient(t, api.databaseUrl);
  return { ctx, another, client, databaseUrl: api.databaseUrl, tenantId: await createTenant(ctx, "Another") };
}

const note = (ctx: Context, tenantId: Uuid, brand: string) => ctx.db.transaction((tx) => noteIn(tx, tenantId, brand));
const noteIn = (tx: Parameters<typeof events.add>[0], tenantId: Uuid, brand: string) =>
  events.add(tx, tenantId, { kind: "brand.updated", data: { brand_id: brand, status: "PENDING" } }, new Date());

async function eventsOf(ctx: Context, tenantId: Uuid, limit = 500): Promise<{ seq: number; brand: string }[]> {
  const all: { seq: number; brand: string }[] = [];
  const { head } = await logBounds(ctx, tenantId);
  for (let after = 0; after < head; ) {
    const { events: page, reached } = await readEvents(ctx, tenantId, EVERY_EVENT, { after, upTo: head, limit });
    all.push(...page.map(({ seq, data }) => ({ seq, brand: String(data.brand_id) })));
    assert.ok(reached > after, "a page goes on");
    after = reached;
  }
  return all;
}

const numberAll = async (ctx: Context): Promise<void> => {
  while (await numberEvents(ctx));
};

test("many writers, some of which roll back or take long, and two who give numbers: no gap, no loss, and what is read stays", async (t) => {
  const { ctx, another, tenantId } = await aLog(t);
  const tenants = [tenantId, await createTenant(ctx, "Third")];
  const done = new AbortController();
  const sequencers = [another(), another()].map(async (context) => {
    while (!done.signal.aborted) if (!(await numberEvents(context))) await pause(2);
  });
  const committed: string[] = [];
  const writers = Array.from({ length: 8 }, async (_, w) => {
    const own = another();
    for (let i = 0; i < 40; i++) {
      const brand = `w${w}-${i}`;
      const fails = i % 7 === 3;
      await own.db
        .transaction(async (tx) => {
          await noteIn(tx, tenants[w % 2]!, brand);
          // A number given to it now would be seen, or skipped, before it is known whether it happened.
          if (i % 5 === w % 5) await pause(20);
          if (fails) throw new Error("rolled back");
        })
        .then(
          () => committed.push(brand),
          () => {},
        );
    }
  });
  // What a reader has seen up to a number is all there ever is up to it.
  const seen: string[][] = [[], []];
  const reader = (async () => {
    while (!done.signal.aborted) {
      for (const [i, id] of tenants.entries()) {
        const now = (await eventsOf(ctx, id)).map(({ brand }) => brand);
        assert.deepEqual(now.slice(0, seen[i]!.length), seen[i]);
        seen[i] = now;
      }
      await pause(5);
    }
  })();
  await Promise.all(writers);
  await until("all of them have numbers", async () => {
    const counts = await Promise.all(tenants.map(async (id) => (await logBounds(ctx, id)).head));
    return counts.reduce((sum, n) => sum + n, 0) === committed.length;
  });
  done.abort();
  await Promise.all([...sequencers, reader]);
  const logs = await Promise.all(tenants.map((id) => eventsOf(ctx, id)));
  for (const log of logs) {
    assert.deepEqual(
      log.map(({ seq }) => seq),
      log.map((_, i) => i + 1),
    );
  }
  assert.deepEqual(
    logs
      .flat()
      .map(({ brand }) => brand)
      .sort(),
    committed.sort(),
  );
  // What one writer has committed comes before what it commits next.
  for (const log of logs) {
    for (const theirs of Map.groupBy(log, ({ brand }) => brand.split("-")[0]).values()) {
      const order = theirs.map(({ brand }) => Number(brand.split("-")[1]));
      assert.deepEqual(
        order,
        order.toSorted((a, b) => a - b),
      );
    }
  }
});

test("who gives numbers may die in the middle of it: another goes on, and gives each once", async (t) => {
  const { ctx, another, client, tenantId } = await aLog(t);
  for (let i = 0; i < 5; i++) await note(ctx, tenantId, `${i}`);
  await numberAll(ctx);
  for (let i = 5; i < 10; i++) await note(ctx, tenantId, `${i}`);
  // Cut off as by kill -9: its connection goes while its transaction is open, with numbers that nobody has seen.
  const dying = another();
  const locked = Promise.withResolvers<void>();
  const over = Promise.withResolvers<void>();
  const cut = dying.db.transaction(async (tx) => {
    await eventNumbers.number(tx, tenantId, new Date());
    locked.resolve();
    await over.promise;
  });
  const isCut = assert.rejects(cut);
  await locked.promise;
  assert.equal(await numberEvents(ctx), false, "another does not wait for the lock");
  assert.equal((await logBounds(ctx, tenantId)).head, 5);
  const { rows } = await client.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and state = 'idle in transaction'",
  );
  assert.equal(rows.length, 1);
  over.resolve();
  await until("the next one has it", async () => {
    await numberAll(ctx);
    return (await logBounds(ctx, tenantId)).head === 10;
  });
  await isCut;
  assert.deepEqual(
    (await eventsOf(ctx, tenantId)).map(({ brand }) => brand),
    Array.from({ length: 10 }, (_, i) => `${i}`),
  );
});

test("texts of a batch are one row and each has its number, its delivery comes after it, and pages cut through", async (t) => {
  const { ctx, client, tenantId, lane } = await aSending(t, 600);
  await drain(withCarrier(ctx, aCarrier(accepted)), lane);
  await numberAll(ctx);
  const { rows } = await client.query(
    "select sum(n)::int as n, count(*)::int as rows from events where kind = 'message.sent'",
  );
  assert.equal(rows[0].n, 600);
  assert.ok(rows[0].rows <= 10, `${rows[0].rows} rows`);
  const { head } = await logBounds(ctx, tenantId);
  for (const limit of [1, 7, 499, 500]) {
    const found: string[] = [];
    const filter = { ...EVERY_EVENT, kinds: ["message.sent" as const] };
    let pages = 0;
    for (let after = 0; after < head && pages < 100; pages++) {
      const { events: page, reached } = await readEvents(ctx, tenantId, filter, { after, upTo: head, limit });
      assert.ok(page.length <= limit && reached > after);
      assert.ok(page.every(({ seq, threadPhone }) => seq > after && seq <= reached && threadPhone !== null));
      found.push(...page.map(({ id }) => id!));
      after = reached;
    }
    if (limit > 1) assert.equal(found.length, pages < 100 ? 600 : found.length);
    assert.equal(new Set(found).size, found.length);
  }
});

test("an event has a campaign's counts when they have changed, once a second at most, by whichever node comes first", async (t) => {
  const { ctx, client, another, lane } = await aSending(t, 20);
  const report = (aheadMs: number) =>
    Promise.all(
      [ctx, another(), another()].map((context) =>
        reportProgress({ ...context, now: () => new Date(Date.now() + aheadMs) }),
      ),
    );
  const counts = async () =>
    (
      await client.query(
        "select data -> 'counts' as counts from events where kind = 'campaign.progressed' order by position",
      )
    ).rows.map((row) => row.counts);
  await report(0);
  assert.deepEqual(await counts(), [{ scheduled: 20 }]);
  await report(2_000);
  assert.equal((await counts()).length, 1, "nothing has changed");
  await drain(withCarrier(ctx, aCarrier(accepted)), lane);
  await client.query("update campaign_progress set at = now() + interval '10 seconds'");
  await report(2_500);
  assert.equal((await counts()).length, 1, "not twice in a second");
  await report(12_000);
  assert.deepEqual((await counts()).slice(1), [{ sent: 20 }]);
});

test("events are forgotten when their time is over, the oldest first, and none that has no number", async (t) => {
  const { ctx, client, tenantId } = await aLog(t);
  for (let i = 0; i < 6; i++) await note(ctx, tenantId, `${i}`);
  await numberAll(ctx);
  await note(ctx, tenantId, "late");
  const age = (days: number, upTo: number) =>
    client.query("update events set numbered_at = now() - $1 * interval '1 day' where seq <= $2", [days, upTo]);
  await age(31, 4);
  await removeOld(ctx, { eventDays: 30 });
  assert.deepEqual(await logBounds(ctx, tenantId), { head: 6, oldest: 5 });
  await age(31, 6);
  await removeOld({ ...ctx, now: () => new Date(Date.now() + DAY_MS) }, { eventDays: 30 });
  assert.deepEqual(await logBounds(ctx, tenantId), { head: 6, oldest: 7 });
  await numberAll(ctx);
  assert.deepEqual(await logBounds(ctx, tenantId), { head: 7, oldest: 7 });
  assert.deepEqual(await plansOf(client), []);
});

/** Of what is done again and again: whatever reads a whole table for it. */
async function plansOf(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query(
    "explain select tenant_id from events where seq is null order by tenant_id limit 1",
  );
  return rows.map((row) => String(row["QUERY PLAN"])).filter((line) => line.includes("Seq Scan"));
}
