import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Uuid } from "#domain/values/id.ts";
import * as tenants from "#store/accounts/tenants.ts";
import { type Db, openDb } from "#store/database/db.ts";
import { mustFitPooler } from "#store/database/pooler.ts";
import { cloneDatabase } from "#test/support/database/database.ts";
import { isInstalled, startPgBouncer } from "#test/support/database/pgbouncer.ts";
import { statement } from "#test/support/database/statements.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

const skip = isInstalled() ? false : "pgbouncer is not installed";

const whoAmI = statement(
  "test-who-am-i",
  `select $1::text as wanted, current_setting('app.tenant') as scope, current_user::text as role, current_setting('enable_seqscan') as seqscan,
     current_setting('statement_timeout') as patience, current_setting('app.timeline', true) as timeline, pg_backend_pid() as session`,
);
type Found = Record<"wanted" | "scope" | "role" | "seqscan" | "patience" | "timeline", string> & { session: number };

const LEFT = `select coalesce(current_setting('app.tenant', true), '') as scope, current_user = session_user as itself, current_setting('enable_seqscan') as seqscan,
  (select count(*)::int from pg_prepared_statements) as prepared`;

/** A database behind a pooler with so many sessions for all, and a pool of four connections to that. */
async function shared(t: TestContext, sessions: number): Promise<{ url: string; pooled: string; db: Db }> {
  const url = await cloneDatabase(t);
  const closing: (() => unknown)[] = [];
  const pooler = await startPgBouncer({ after: (close) => closing.push(close) }, url, { sessions });
  const db = openDb({ url: pooler.url, sharesSessions: true, poolSize: 4, applicationName: "test" });
  t.after(async () => {
    await db.close();
    for (const close of closing) await close();
  });
  return { url, pooled: pooler.url, db };
}

const ids = (count: number): Uuid[] => Array.from({ length: count }, () => crypto.randomUUID() as Uuid);

test("over sessions that are shared each statement and transaction has its own tenant's scope, and leaves nothing", {
  skip,
}, async (t) => {
  const { pooled, db } = await shared(t, 2);
  const alone = ids(40).map((id) => db.first<Found>(whoAmI, [id]));
  const together = ids(20).map((id) =>
    db.transaction(async (tx) => {
      const [one, two] = await Promise.all([tx.first<Found>(whoAmI, [id]), tx.first<Found>(whoAmI, [id])]);
      assert.equal(one!.session, two!.session);
      return one;
    }),
  );
  const found = (await Promise.all([...alone, ...together])) as Found[];
  for (const { wanted, scope, role, seqscan, patience, timeline } of found)
    assert.deepEqual(
      { wanted, role, seqscan, patience, timeline },
      { wanted: scope, role: "parley_app", seqscan: "off", patience: "25s", timeline: "1" },
    );
  assert.ok(new Set(found.map(({ session }) => session)).size <= 2);

  const direct = await openClient(t, pooled);
  for (let i = 0; i < 4; i++)
    assert.deepEqual((await direct.query(LEFT)).rows[0], { scope: "", itself: true, seqscan: "on", prepared: 0 });
});

test("over sessions that are shared a transaction that fails leaves nothing, and its connection works on", {
  skip,
}, async (t) => {
  const { db } = await shared(t, 1);
  const [id, otherId] = ids(2) as [Uuid, Uuid];
  await assert.rejects(
    db.transaction(async (tx) => {
      await tenants.insert(tx, { id, otherId, name: "Acme", mode: "test", created_at: new Date() });
      throw new Error("no");
    }),
    /^Error: no$/,
  );
  assert.equal(await db.transaction((tx) => tenants.any(tx)), false);
  const wrong = statement("test-divide-by-zero", "select 1 / 0 from (select $1::text) as it");
  for (let i = 0; i < 6; i++) await assert.rejects(db.first(wrong, [id]), /division by zero/);
  assert.equal((await db.first<Found>(whoAmI, [id]))!.scope, id);
});

test("over a pooler in session mode each session has the settings that it needs, one that another client had before too", {
  skip,
}, async (t) => {
  const url = await cloneDatabase(t);
  const closing: (() => unknown)[] = [];
  const owner = { after: (close: () => unknown) => closing.push(close) };
  const pooler = await startPgBouncer(owner, url, { sessions: 1, mode: "session" });
  t.after(() => Promise.all(closing.map((close) => close())));
  const [id] = ids(1) as [Uuid];
  for (let i = 0; i < 2; i++) {
    const db = openDb({ url: pooler.url, poolSize: 1, applicationName: "test" });
    const { role, seqscan, patience } = (await db.first<Found>(whoAmI, [id]))!;
    assert.deepEqual({ role, seqscan, patience }, { role: "parley_app", seqscan: "off", patience: "25s" });
    await db.close();
  }
});

test("a pooler that shares sessions is refused without an address for those of one's own", { skip }, async (t) => {
  const { url, pooled } = await shared(t, 5);
  await mustFitPooler(url, undefined);
  await mustFitPooler(pooled, url);
  await mustFitPooler(url, url);
  await assert.rejects(mustFitPooler(pooled, undefined), /shares sessions.*set DATABASE_SESSION_URL as well/);
  await assert.rejects(mustFitPooler(pooled, pooled), /DATABASE_SESSION_URL leads to a pooler that shares sessions/);
  await assert.rejects(mustFitPooler(pooled, await cloneDatabase(t)), /leads to another database than DATABASE_URL/);
});
