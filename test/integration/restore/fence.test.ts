import assert from "node:assert/strict";
import { test } from "node:test";
import { readMark } from "#app/process/mark.ts";
import { startMedia } from "#app/roles/media.ts";
import { secretKey } from "#app/settings/secret-key.ts";
import type { Context } from "#operations/context.ts";
import { advanceMark, fenceReason, guardAgainstPast } from "#operations/restore/raise-fence.ts";
import type { Statement, Tx } from "#store/database/db.ts";
import { until } from "#test/support/api/parley.ts";
import { lift } from "#test/support/database/restore.ts";
import { aSending } from "#test/support/messaging/sending.ts";
import { aFolder } from "#test/support/source/folder.ts";

const recorded = (mark: number, asOf?: Date) => () => ({ mark, asOf: () => asOf });

test("a database that is behind a record of it is fenced, and no other", async (t) => {
  const { ctx } = await aSending(t, 1);
  const { mark } = await advanceMark(ctx);
  assert.equal(await guardAgainstPast(ctx, () => undefined), undefined, "nobody has a record of it");
  assert.equal(await guardAgainstPast(ctx, recorded(mark)), undefined);
  assert.match((await guardAgainstPast(ctx, recorded(mark + 1))) ?? "", /behind this machine's record of it/);
  assert.ok(await fenceReason(ctx));
});

test("a mark that another worker moves on while it is compared raises no fence", async (t) => {
  const { ctx } = await aSending(t, 1);
  let { mark } = await advanceMark(ctx);
  /** After each look at the database another worker of the machine has moved it on, and recorded that. */
  const moving = (tx: Tx): Tx => ({
    ...tx,
    async first<T>(statement: Statement, values?: readonly unknown[]) {
      const row = await tx.first<T>(statement, values);
      mark = (await advanceMark(ctx)).mark;
      return row;
    },
  });
  const db: Context["db"] = { ...ctx.db, transaction: (work) => ctx.db.transaction((tx) => work(moving(tx))) };
  assert.equal(await guardAgainstPast({ ...ctx, db }, () => ({ mark, asOf: () => undefined })), undefined);
  assert.equal(await fenceReason(ctx), undefined);
});

test("a fence that is lifted where nothing was recorded is not raised again by a machine whose record was ahead", async (t) => {
  const { ctx, api } = await aSending(t, 1);
  await guardAgainstPast(ctx, recorded(90_000));
  await lift(ctx, api.config, { seen: () => undefined, acceptMissing: true, asOf: new Date() });
  assert.equal(await fenceReason(ctx), undefined);
  assert.equal(await guardAgainstPast(ctx, recorded(90_000)), undefined);
  assert.equal(await fenceReason(ctx), undefined);
});

test("every machine that is ahead of a fenced database is accounted for, and the first has said why and as of when", async (t) => {
  const { ctx, client } = await aSending(t, 1);
  const { mark } = await advanceMark(ctx);
  const asOf = new Date("2026-11-20T12:00:00Z");
  const asked: number[] = [];
  const dated = (attempt: number) => {
    asked.push(attempt);
    return asOf;
  };
  const reason = await guardAgainstPast(ctx, () => ({ mark: 80_000, asOf: dated }));
  assert.match(reason ?? "", new RegExp(`at ${mark} of 80000$`));
  assert.deepEqual(asked, [mark], "it is dated by how far it had come back");
  assert.equal(await guardAgainstPast(ctx, recorded(90_000, new Date())), reason);
  assert.equal(await guardAgainstPast(ctx, recorded(70_000, new Date())), reason);
  const { rows } = await client.query("select fence_reason, fenced_as_of, mark::int as mark from cluster");
  assert.deepEqual(rows, [{ fence_reason: reason, fenced_as_of: asOf, mark: 90_000 }]);
});

test("a media node on a machine of its own records how far the database is, and fences one that was put back", async (t) => {
  const { ctx, api, client } = await aSending(t, 1);
  const dataDir = aFolder("media");
  const config = { ...api.config, dataDir, secretKey: secretKey(api.config) };
  const { rows } = await client.query("select id from cluster");
  const media = await startMedia(config, api.databaseUrl);
  try {
    await until("it has noted the mark", async () => (readMark(dataDir, rows[0].id)?.mark ?? 0) > 0);
  } finally {
    await media.stop();
  }
  await client.query("update cluster set mark = 0");
  const next = await startMedia(config, api.databaseUrl);
  try {
    assert.match((await fenceReason(ctx)) ?? "", /behind this machine's record of it/);
  } finally {
    await next.stop();
  }
});
