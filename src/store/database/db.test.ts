import assert from "node:assert/strict";
import { test } from "node:test";
import type pg from "pg";
import { crossTenant, crossTenantChanging, statement } from "#test/support/database/statements.ts";
import { until } from "#test/support/time/until.ts";
import { dbOver, type Tx } from "./db.ts";
import { recognizeDatabase } from "./scoped-query.ts";
import type { Outage } from "./servers.ts";

const AWAY = "01900000-0000-7000-8000-00000000000a";
const THERE = "01900000-0000-7000-8000-00000000000b";
const ofOne = statement("test-of-one", "select from things where tenant_id = $1");
const ofAll = crossTenant("test-of-all", "select from things");
const OUTAGE: Outage = {
  down: ["10.0.0.2:5432"],
  isAway: (tenantId) => tenantId === AWAY,
  there: [THERE],
  tables: new Map([["things", "tenant_id"]]),
};

const addingToAll = crossTenantChanging("test-adding", "insert into things select * from unnest($1::uuid[])");

/** A database whose connections are all lent, and what it was asked once they are given back. */
function crowded() {
  const asked: pg.QueryConfig[] = [];
  let outage: Outage | undefined;
  let giveBack = () => {};
  let waiting = 0;
  const free = new Promise<void>((resolve) => {
    giveBack = resolve;
  });
  const client = { on() {}, off() {}, release() {} };
  const pool = {
    async connect() {
      waiting++;
      await free;
      return client;
    },
  };
  const servers = { watch() {}, isWatching: () => true, outage: () => outage, async close() {} };
  const db = dbOver(
    pool as unknown as pg.Pool,
    async (_, __, query) => {
      asked.push(query);
      return { rows: [], rowCount: 0 } as unknown as pg.QueryResult;
    },
    { servers, atWork: new Map() },
  );
  const goDown = () => {
    outage = OUTAGE;
  };
  return { db, asked, goDown, giveBack: () => giveBack(), waiting: () => waiting };
}

test("a statement that waits for a connection while a server goes down is not asked of that server", async () => {
  const { db, asked, goDown, giveBack, waiting } = crowded();
  const refused = assert.rejects(db.rows(ofOne, [AWAY]), /server that has the tenant's rows is down/);
  const others = db.rows(ofOne, [THERE]);
  const all = db.rows(ofAll);
  await until("all wait for a connection", async () => waiting() === 3);
  goDown();
  giveBack();
  await Promise.all([refused, others, all]);

  assert.deepEqual(
    asked.map(({ name, values }) => [name, values]),
    [
      ["test-of-one", [THERE]],
      ["test-of-all-of-some", [[THERE]]],
    ],
  );
});

test("a tenant whose server is down is refused before it waits for a connection", async () => {
  const { db, goDown, waiting } = crowded();
  goDown();
  await assert.rejects(db.rows(ofOne, [AWAY]), /server that has the tenant's rows is down/);
  assert.equal(waiting(), 0);
});

const plain = (name: string) => statement(name, "select from things where tenant_id = $1");
const staged = (name: string) =>
  statement(name, "with a as (insert into things (t) values ($1) returning t) select t from a");

/** A cluster's connection, and what comes over it; `fails` names what is refused there. */
async function oneConnection({ fails = "", outage }: { fails?: string; outage?: Outage } = {}) {
  const said: string[] = [];
  const client = {
    on() {},
    off() {},
    release: () => void said.push("released"),
    async query(asked: string | { name: string; text: string }) {
      const text = typeof asked === "string" ? asked : asked.name;
      if (text.startsWith("select exists")) return { rows: [{ citus: true, backend: 1 }] };
      if (text === "name-types") return { rows: [{ id: 25, type: "text" }] };
      if (!text.startsWith("set ")) said.push(text);
      // What was sent before is answered before.
      for (let i = 0; i < 5; i++) await Promise.resolve();
      if (text === fails) throw new Error(`${text} failed`);
      return { rows: [], rowCount: 0, fields: [{ name: "t", dataTypeID: 25 }] };
    },
  };
  await recognizeDatabase(client as never);
  const pool = { connect: async () => client } as unknown as pg.Pool;
  const servers = { watch() {}, isWatching: () => true, outage: () => outage, async close() {} };
  return { db: dbOver(pool, undefined, { servers, atWork: new Map() }), said };
}

test("nothing comes between the stages of a statement, and the commit comes after them", async () => {
  const { db, said } = await oneConnection();
  await db.transaction(async (tx) => {
    await Promise.all([tx.run(plain("p"), [THERE]), tx.run(staged("s"), [THERE]), tx.run(plain("q"), [THERE])]);
    await tx.atCommit(staged("last"), [THERE]);
    await tx.atCommit(plain("r"), [THERE]);
  });
  assert.deepEqual(said, ["begin", "p", "s-1", "s-2", "q", "last-1", "last-2", "r", "commit", "released"]);
});

test("a statement in stages is a transaction by itself", async () => {
  const { db, said } = await oneConnection();
  await db.run(staged("s"), [THERE]);
  assert.deepEqual(said, ["begin", "s-1", "s-2", "commit", "released"]);
});

test("nothing is sent over a connection that has gone back", async () => {
  for (const [fails, expected] of [
    ["p", ["begin", "p", "s-1", "s-2", "rollback", "released"]],
    ["s-1", ["begin", "p", "s-1", "q", "rollback", "released"]],
  ] as const) {
    const { db, said } = await oneConnection({ fails });
    const all = (tx: Tx) =>
      Promise.all([tx.run(plain("p"), [THERE]), tx.run(staged("s"), [THERE]), tx.run(plain("q"), [THERE])]);
    await assert.rejects(db.transaction(all), new RegExp(`${fails} failed`));
    await new Promise(setImmediate);
    assert.deepEqual(said, expected);
  }
});

test("what is to come at the commit is of a tenant whose server is down: nothing is committed", async () => {
  const { db, said } = await oneConnection({ outage: OUTAGE });
  const work = async (tx: Tx) => {
    await tx.run(plain("p"), [THERE]);
    await tx.atCommit(plain("q"), [THERE]);
    await tx.atCommit(plain("r"), [AWAY]);
  };
  await assert.rejects(db.transaction(work), /server that has the tenant's rows is down/);
  const only = (tx: Tx) => tx.atCommit(plain("r"), [AWAY]);
  await assert.rejects(db.transaction(only), /server that has the tenant's rows is down/);
  assert.deepEqual(said, ["begin", "p", "rollback", "released", "rollback", "released"]);
});

test("what adds rows of tenants is asked as it is while all of theirs are there, and refused with one of another", async () => {
  const { db, said } = await oneConnection({ outage: OUTAGE });
  await db.run(addingToAll, [[THERE]]);
  await assert.rejects(db.run(addingToAll, [[THERE, AWAY]]), /a server is down that test-adding has to write to/);
  assert.deepEqual(said, ["begin", "test-adding", "commit", "released"]);
  assert.deepEqual([db.isAway?.(THERE), db.isAway?.(AWAY)], [false, true]);
});
