import assert from "node:assert/strict";
import { test } from "node:test";
import type pg from "pg";
import { crossTenant, statement } from "#test/support/database/statements.ts";
import { until } from "#test/support/time/until.ts";
import { dbOver } from "./db.ts";
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
