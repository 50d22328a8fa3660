import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type pg from "pg";
import { type Db, openDb } from "#store/database/db.ts";
import { cloneDatabase } from "#test/support/database/database.ts";
import { crossTenant } from "#test/support/database/statements.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

const note = crossTenant("test-note", "insert into notes values ($1)");
const count = crossTenant("test-count", "update counted set n = n + $1::int");

async function openBoth(t: TestContext): Promise<{ db: Db; other: pg.Client; kept(): Promise<unknown[]> }> {
  const url = await cloneDatabase(t);
  const other = await openClient(t, url);
  await other.query("create table notes (text text primary key); create table counted (n int not null check (n < 10))");
  await other.query("insert into counted values (0); grant all on notes, counted to public");
  const db = openDb({ url, poolSize: 1, applicationName: "test" });
  t.after(() => db.close());
  const kept = async () => [
    (await other.query("select n from counted")).rows[0].n,
    ...(await other.query("select text from notes order by text")).rows.map(({ text }) => text),
  ];
  return { db, other, kept };
}

test("a row that is written at the commit is not locked before, and is part of the transaction", async (t) => {
  const { db, other, kept } = await openBoth(t);
  await other.query("set lock_timeout = '2s'");
  await db.transaction(async (tx) => {
    await tx.atCommit(count, [1]);
    await tx.run(note, ["ours"]);
    await other.query("update counted set n = n + 2");
    assert.deepEqual(await kept(), [2]);
  });
  assert.deepEqual(await kept(), [3, "ours"]);
});

test("where what is written at the commit fails nothing is committed, and the connection serves the next", async (t) => {
  const { db, kept } = await openBoth(t);
  const failing = db.transaction(async (tx) => {
    await tx.atCommit(count, [20]);
    await tx.run(note, ["ours"]);
  });
  await assert.rejects(failing, { code: "23514" });
  assert.deepEqual(await kept(), [0]);
  await db.transaction((tx) => tx.atCommit(count, [1]));
  assert.deepEqual(await kept(), [1]);
});

test("an error after the commit cannot undo it", async (t) => {
  const { db, kept } = await openBoth(t);
  await db.transaction(async (tx) => {
    await tx.afterwards(count, [20]);
    await tx.afterwards(count, [4]);
    await tx.run(note, ["ours"]);
  });
  assert.deepEqual(await kept(), [4, "ours"]);
});
