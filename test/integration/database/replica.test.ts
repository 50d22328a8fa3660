import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { type TestContext, test } from "node:test";
import type { Uuid } from "#domain/values/id.ts";
import * as organizations from "#store/accounts/organizations.ts";
import * as tenants from "#store/accounts/tenants.ts";
import { type Db, openDb } from "#store/database/db.ts";
import { migrate } from "#store/database/migrate.ts";
import { openReplica, type ReadReplica } from "#store/database/replica.ts";
import { replicaFit } from "#store/database/replica-fit.ts";
import { asAdmin, type OwnPostgres, startOwnPostgres } from "#test/support/database/own-postgres.ts";
import { type Standby, startStandby } from "#test/support/database/standby.ts";
import { statement } from "#test/support/database/statements.ts";
import { until } from "#test/support/time/until.ts";

const MAX_LAG_MS = 500;

/** Takes its time where it is read from a replica alone. */
const countSlowly = statement(
  "test-count-organizations-slowly",
  `select count(*)::int as n from organizations, pg_sleep(case when pg_is_in_recovery() then 300 else 0 end) where tenant_id = $1`,
);
const whichServer = statement(
  "test-which-server",
  "select pg_is_in_recovery() as is_replica from organizations where tenant_id = $1 limit 1",
);
const holdAll = statement("test-hold-organizations", "select id from organizations where tenant_id = $1 for update");

type Both = {
  primary: OwnPostgres;
  standby: Standby;
  db: Db;
  replica: ReadReplica;
  tenantId: Uuid;
  add(tenantId?: Uuid): Promise<Uuid>;
  names(on: Db, tenantId?: Uuid): Promise<Uuid[]>;
};

async function aReplica(t: TestContext, settings: Readonly<Record<string, string>> = {}): Promise<Both> {
  const primary = (await startOwnPostgres(t))!;
  await migrate(primary.url);
  // As a process says once it has found all that it had committed.
  await asAdmin(primary.adminUrl, (client) => client.query("update cluster set timeline = 1"));
  const standby = await startStandby(t, primary, settings);
  const db = openDb({ url: primary.url, poolSize: 3, applicationName: "ours" });
  t.after(() => db.close());
  const tenantId = await aTenant(db);
  const replica = openReplica({
    ...{ url: standby.url, primary: db, poolSize: 3, applicationName: "ours replica", maxLagMs: MAX_LAG_MS },
  });
  t.after(() => replica.close());
  const both: Both = {
    ...{ primary, standby, db, replica, tenantId },
    async add(of = tenantId) {
      const id = randomUUID() as Uuid;
      await organizations.insert(db, [of], { id, name: id, contact_email: "a@example.com", created_at: new Date() });
      return id;
    },
    names: async (on, of = tenantId) =>
      (await organizations.list(on, of, { before: LAST, limit: 1_000, name: undefined, withArchived: true })).map(
        ({ id }) => id,
      ),
  };
  await both.add();
  await until("the replica answers", async () => replica.state().problem === null);
  return both;
}

const LAST = "ffffffff-ffff-ffff-ffff-ffffffffffff" as Uuid;

async function aTenant(db: Db): Promise<Uuid> {
  const id = randomUUID() as Uuid;
  const tenant = { id, otherId: randomUUID() as Uuid, name: "One", mode: "test" as const, created_at: new Date() };
  await db.transaction((tx) => tenants.insert(tx, tenant));
  return id;
}

const isOfReplica = async (on: Db, tenantId: Uuid) =>
  (await on.first<{ is_replica: boolean }>(whichServer, [tenantId]))!.is_replica;

test("what was committed before a request is in what it reads, by whom it may be answered", async (t) => {
  const { standby, replica, tenantId, add, names, db } = await aReplica(t);

  await t.test("from the replica, while that follows", async () => {
    for (let i = 0; i < 20; i++) {
      const id = await add();
      const reading = replica.reading();
      assert.ok((await names(reading)).includes(id));
      assert.ok(await isOfReplica(reading, tenantId));
    }
    assert.ok(replica.state().readings.replica >= 40);
  });

  await t.test("from the database, while that shows nothing new, and from the replica again afterwards", async () => {
    assert.ok(await isOfReplica(replica.reading(), tenantId), "of a database with nothing to do it has everything");
    await standby.pauseReplay();
    const id = await add();
    const reading = replica.reading();
    assert.ok((await names(reading)).includes(id));
    assert.equal(await isOfReplica(reading, tenantId), false);
    assert.equal(replica.state().readings.behind, 2);
    await until("it counts as too far behind", async () => replica.state().lagMs > MAX_LAG_MS);
    assert.match(replica.state().problem!, /ms behind/);
    const begun = performance.now();
    assert.ok((await names(replica.reading())).includes(id));
    assert.ok(performance.now() - begun < MAX_LAG_MS, "nobody waits for one that is known to be behind");
    await standby.resumeReplay();
    await until("the replica answers again", async () => replica.state().problem === null);
    assert.ok((await names(replica.reading())).includes(id));
    assert.ok(await isOfReplica(replica.reading(), tenantId));
  });

  await t.test("from the database, where it locks; a change of the same request is in what it reads next", async () => {
    const reading = replica.reading();
    const held = await reading.transaction((tx) => tx.rows(holdAll, [tenantId]));
    assert.ok(held.length > 20);
    assert.equal(replica.state().readings.failed, 1);
    const other = replica.reading();
    await names(other);
    const id = randomUUID() as Uuid;
    const organization = { id, name: id, contact_email: "a@example.com", created_at: new Date() };
    await organizations.insert(other, [tenantId], organization);
    assert.ok((await names(other)).includes(id));
  });

  await t.test("only what is the tenant's, and the organizations' that a request is limited to", async () => {
    const otherId = await aTenant(db);
    const theirs = await add(otherId);
    const reading = replica.reading();
    assert.deepEqual(await names(reading, otherId), [theirs]);
    assert.ok(!(await names(reading)).includes(theirs));
    const [one] = await names(db);
    assert.deepEqual(await names(reading.limitedTo([one!])), [one]);
    assert.deepEqual(await names(reading.limitedTo([])), []);
    assert.deepEqual(await names(reading.limitedTo([theirs])), []);
    assert.ok(await isOfReplica(reading, tenantId));
  });
});

test("a reading that the replica ends, or dies at, is the database's", async (t) => {
  const { primary, standby, replica, tenantId, names, add } = await aReplica(t, { max_standby_streaming_delay: "0" });
  const slow = () => replica.reading().first<{ n: number }>(countSlowly, [tenantId]);
  const isAtIt = () =>
    asAdmin(standby.adminUrl, async (client) => {
      const { rowCount } = await client.query(
        "select from pg_stat_activity where query like '%pg_sleep%' and state = 'active' and pid <> pg_backend_pid()",
      );
      return rowCount === 1;
    });

  const ended = slow();
  await until("the replica is at it", isAtIt);
  // Its row cannot be followed while somebody reads there.
  await asAdmin(primary.adminUrl, (client) => client.query("begin; lock table organizations; commit"));
  assert.equal((await ended)!.n, 1);
  assert.equal(replica.state().readings.failed, 1);

  const killed = slow();
  await until("the replica is at it", isAtIt);
  await standby.kill();
  assert.equal((await killed)!.n, 1);
  const id = await add();
  assert.ok((await names(replica.reading())).includes(id));
  await until("it counts as away", async () => replica.state().problem !== null);
  const { away } = replica.state().readings;
  assert.ok((await names(replica.reading())).includes(id));
  assert.equal(replica.state().readings.away, away + 1);

  await standby.start();
  await until("the replica answers again", async () => replica.state().problem === null);
  assert.ok(await isOfReplica(replica.reading(), tenantId));
});

test("a server that is no replica of the database is refused, and one that was promoted is not read from", async (t) => {
  const { primary, standby, db, replica, tenantId, names, add } = await aReplica(t);
  const fit = await replicaFit(primary.url, standby.url, { waitMs: 5_000 });
  assert.ok(fit.lagMs! < 5_000);
  assert.match((await replicaFit(primary.url, primary.url)).wrong!, /stands in for no other/);
  const elsewhere = new URL(standby.url);
  elsewhere.port = "1";
  assert.match((await replicaFit(primary.url, elsewhere.href)).away!, /ECONNREFUSED/);
  const postgres = standby.adminUrl.replace("/parley?", "/postgres?");
  assert.match((await replicaFit(primary.url, postgres)).wrong!, /the database postgres, and DATABASE_URL to parley/);

  // As after a failover that it does not know of: what it has may be on no server any more.
  await asAdmin(primary.adminUrl, (client) => client.query("update cluster set timeline = 7"));
  await until("it counts as away", async () => /change of servers/.test(replica.state().problem ?? ""));
  await asAdmin(primary.adminUrl, (client) => client.query("update cluster set timeline = 1"));
  await until("the replica answers again", async () => replica.state().problem === null);

  await asAdmin(standby.adminUrl, (client) => client.query("select pg_promote()"));
  const id = await add();
  assert.ok((await names(replica.reading())).includes(id));
  await until("it counts as away", async () => /stands in for no other/.test(replica.state().problem ?? ""));
  assert.equal(await isOfReplica(replica.reading(), tenantId), false);
  assert.match((await replicaFit(primary.url, standby.url)).wrong!, /stands in for no other/);
  assert.ok(await db.first(whichServer, [tenantId]));
});
