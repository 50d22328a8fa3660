import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { readHeads } from "#adapters/files/head-file.ts";
import { wire } from "#app/context.ts";
import { keepHeads } from "#app/process/daily-heads.ts";
import { createTenant } from "#app/roles/keys.ts";
import type { AuditLine } from "#domain/accounts/audit-file.ts";
import type { Uuid } from "#domain/values/id.ts";
import {
  exportAuditLog,
  readAuditFile,
  recordedHeads,
  verifyAudit,
  verifyAuditLog,
} from "#operations/accounts/verify-audit.ts";
import type { Context } from "#operations/context.ts";
import { auditService } from "#operations/system/audit-service.ts";
import { chainRecords, journalChains } from "#operations/system/chain-records.ts";
import { lostLinks, lostOfBoth } from "#operations/system/lost-links.ts";
import type { JournalEntry, ReadJournals } from "#ports/journal.ts";
import * as audit from "#store/accounts/audit.ts";
import { sqlState } from "#store/database/db.ts";
import { startParley } from "#test/support/api/parley.ts";
import { crossTenant, statement } from "#test/support/database/statements.ts";
import { openClient } from "#test/support/processes/worker-process.ts";
import { aFolder } from "#test/support/source/folder.ts";

const CHANGES = 10_000;
const IN_A_TRANSACTION = 250;

const change = (n: number): Parameters<typeof audit.addOfSystem>[2] => ({
  object: { kind: "agent", id: `agent ${n}` },
  before: { name: `Agent ${n}`, temperature: 0.7, calls: [1, 2.5, 1e21] },
  after: { name: `Agent ${n + 1}`, temperature: 0.70000001, note: "é € 😀 \u2028 \u007f" },
  counts: { versions: n },
  phone: n % 10 === 0 ? "+12125550177" : undefined,
});

async function aLog(t: TestContext) {
  const api = await startParley(t, {}, ["api"]);
  const journaled: JournalEntry[] = [];
  const wired = wire(api.config, api.databaseUrl, "test");
  t.after(wired.close);
  const ctx: Context = { ...wired.ctx, journal: { append: async (entry) => void journaled.push(entry) } };
  const tenantId = await createTenant(ctx, "Audited");
  const client = await openClient(t, api.databaseUrl);
  const read: ReadJournals = async function* () {
    yield* journaled;
  };
  const heads = () => recordedHeads(read, tenantId);
  return { ctx, tenantId, client, heads, read };
}

async function changes(ctx: Context, tenantId: Uuid, many: number): Promise<void> {
  for (let from = 0; from < many; from += IN_A_TRANSACTION) {
    await ctx.db.transaction(async (tx) => {
      for (let n = from; n < Math.min(many, from + IN_A_TRANSACTION); n++)
        await audit.addOfSystem(
          tx,
          { tenantId, mode: null, id: ctx.newId(), operation: "updateAgent" },
          change(n),
          new Date(),
        );
    });
  }
  while (await chainRecords(ctx));
}

async function* linesOf(lines: Iterable<string>) {
  yield* lines;
}

test("the chain of 10,000 changes is verified in under 5 s, and what was changed, removed or moved is named", async (t) => {
  const { ctx, tenantId, client, heads } = await aLog(t);
  await changes(ctx, tenantId, CHANGES);
  await journalChains(ctx);
  const recorded = await heads();
  assert.deepEqual(
    recorded.map(({ seq }) => seq),
    [CHANGES],
  );

  const [begun, used] = [performance.now(), process.cpuUsage()];
  const whole = await verifyAuditLog(ctx, tenantId, recorded);
  const took = performance.now() - begun;
  const busy = process.cpuUsage(used);
  assert.deepEqual([whole.links, whole.entries, whole.fault], [CHANGES, CHANGES, undefined]);
  const lines: string[] = [];
  for await (const line of exportAuditLog(ctx, tenantId)) lines.push(line);
  const fromFile = performance.now();
  const file = await readAuditFile(linesOf(lines));
  const read = await verifyAudit(file.tenantId, file.lines, file.recorded);
  assert.equal(read.fault, undefined);
  t.diagnostic(
    `${CHANGES} changes verified: database ${Math.round(took)} ms, file ${Math.round(performance.now() - fromFile)} ms`,
  );
  // Of the processor: beside other tests the clock says how many they are.
  assert.ok((busy.user + busy.system) / 1_000 < 5_000, `${took} ms`);

  const faultAfter = async (sql: string, values: unknown[] = [tenantId]) => {
    await client.query("begin");
    await (values.length > 0 ? client.query(sql, values) : client.query(sql));
    // The owner's session, under its own transaction: what it changed is seen by nobody else.
    const there = {
      ...ctx,
      db: {
        ...ctx.db,
        rows: onClient(client),
        first: async <T>(...of: Parameters<typeof ctx.db.rows>) => (await onClient(client)<T>(...of))[0],
      },
    };
    const verdict = await verifyAuditLog(there as Context, tenantId, recorded);
    await client.query("rollback");
    t.diagnostic(`${sql.slice(0, 60)}...: link ${verdict.fault?.seq}: ${verdict.fault?.what}`);
    return verdict.fault?.seq;
  };
  const entryAt = "(select ref from chain_links where tenant_id = $1 and seq = 4711)";
  const swap = (table: string, columns: string, where: (at: number) => string) =>
    `with two as (select ${columns
      .split(",")
      .map(
        (name) =>
          `max(${name}::text) filter (where ${where(300)}) as a_${name}, max(${name}::text) filter (where ${where(301)}) as b_${name}`,
      )
      .join(", ")} from ${table} where tenant_id = $1)
     update ${table} set ${columns
       .split(",")
       .map(
         (name) =>
           `${name} = (case when ${where(300)} then b_${name} else a_${name} end)::${name === "content" ? "jsonb" : "bytea"}`,
       )
       .join(", ")} from two where tenant_id = $1 and (${where(300)} or ${where(301)})`;
  const ofLink = (seq: number) => `id = (select ref from chain_links where tenant_id = $1 and seq = ${seq})`;

  await t.test("one byte of an entry", async () => {
    const fault = await faultAfter(
      `update audit_entries set object_id = replace(object_id, 'agent', 'agenu') where tenant_id = $1 and id = ${entryAt}`,
    );
    assert.equal(fault, 4711);
  });
  await t.test("one byte of an entry, with its digest made to fit", async () => {
    assert.equal(
      await faultAfter("update chain_links set digest = sha256('other') where tenant_id = $1 and seq = 4711"),
      4711,
    );
  });
  await t.test("one entry removed", async () => {
    const fault = await faultAfter(
      `with gone as (delete from audit_values where tenant_id = $1 and entry_id = ${entryAt}) delete from audit_entries where tenant_id = $1 and id = ${entryAt}`,
    );
    assert.equal(fault, 4711);
  });
  await t.test("one link removed with its entry", async () => {
    assert.equal(await faultAfter("delete from chain_links where tenant_id = $1 and seq = 4712"), 4712);
  });
  await t.test("the last three removed, which the journal knew", async () => {
    const fault = await faultAfter(`delete from chain_links where tenant_id = $1 and seq > ${CHANGES - 3}`);
    assert.equal(fault, CHANGES - 2);
  });
  await t.test("two entries that have changed places", async () => {
    assert.equal(await faultAfter(swap("audit_entries", "content,digest", ofLink)), 300);
  });
  await t.test("two links that have changed places", async () => {
    const to = (from: number, at: number) =>
      `update chain_links set seq = ${at} where tenant_id = '${tenantId}' and seq = ${from}`;
    assert.equal(await faultAfter([to(300, 0), to(301, 300), to(0, 301)].join("; "), []), 300);
  });
  await t.test("in a file: a byte, a line removed, two swapped, the end cut off", async () => {
    const verdictOf = async (changed: string[]) => {
      const parts = await readAuditFile(linesOf(changed));
      return (await verifyAudit(parts.tenantId, parts.lines, parts.recorded)).fault?.seq;
    };
    const byte = lines.with(100, lines[100]!.replace("updateAgent", "updateAgenu"));
    const removed = lines.toSpliced(200, 1);
    const swapped = lines.with(300, lines[301]!).with(301, lines[300]!);
    const shorter = lines.toSpliced(CHANGES - 1, 2);
    assert.deepEqual(
      [await verdictOf(byte), await verdictOf(removed), await verdictOf(swapped), await verdictOf(shorter)],
      [100, 200, 300, CHANGES - 1],
    );
    await assert.rejects(verdictOf(lines.slice(0, -1)), /cut off/);
  });
  await t.test("a contact's values go, and the chain stays whole", async () => {
    const before = await client.query("select count(*)::int as n from audit_values where tenant_id = $1", [tenantId]);
    assert.ok(before.rows[0].n > CHANGES / 10);
    await ctx.db.transaction((tx) => audit.forgetPhonesOf(tx, tenantId, ["+12125550177"]));
    const { rows } = await client.query("select count(*)::int as n from audit_values where tenant_id = $1", [tenantId]);
    assert.equal(rows[0].n, 0);
    assert.equal((await verifyAuditLog(ctx, tenantId, recorded)).fault, undefined);
  });
});

const onClient =
  (client: Awaited<ReturnType<typeof openClient>>) =>
  async <T>({ text }: { text: string }, values: readonly unknown[] = []): Promise<T[]> =>
    (await client.query(text, values as unknown[])).rows as T[];

test("the service's role can add to the log and read its own tenant's, and change or delete nothing", async (t) => {
  const { ctx, tenantId } = await aLog(t);
  const other = await createTenant(ctx, "Other");
  await changes(ctx, tenantId, 3);
  for (const table of ["audit_entries", "chain_links"]) {
    const refused = (text: string) =>
      ctx.db.run(statement(`${table} ${text.slice(0, 6)}`, text), [tenantId]).then(() => "done", sqlState);
    assert.equal(await refused(`update ${table} set tenant_id = tenant_id where tenant_id = $1`), "42501", table);
    assert.equal(await refused(`delete from ${table} where tenant_id = $1`), "42501", table);
    const all = crossTenant(`truncate ${table}`, `truncate ${table} cascade`);
    assert.equal(await ctx.db.run(all).then(() => "done", sqlState), "42501", table);
    const read = statement(`read ${table}`, `select count(*)::int as n from ${table} where $1::uuid is not null`);
    assert.deepEqual(await ctx.db.rows(read, [tenantId]), [{ n: 3 }]);
    assert.deepEqual(await ctx.db.rows(read, [other]), [{ n: 0 }]);
  }
});

test("an entry is lost with the change that is rolled back, and two who link leave no gap", async (t) => {
  const { ctx, tenantId } = await aLog(t);
  const add = (fails: boolean) =>
    ctx.db.transaction(async (tx) => {
      const by = { tenantId, mode: null, id: ctx.newId(), operation: "updateAgent" };
      await audit.addOfSystem(tx, by, { after: { fails } }, new Date());
      if (fails) throw new Error("rolled back");
    });
  const done = new AbortController();
  const linking = [1, 2].map(async () => {
    while (!done.signal.aborted) await chainRecords(ctx);
  });
  const all = await Promise.allSettled(Array.from({ length: 200 }, (_, n) => add(n % 4 === 0)));
  done.abort();
  await Promise.all(linking);
  while (await chainRecords(ctx));
  assert.equal(all.filter(({ status }) => status === "fulfilled").length, 150);
  const links: AuditLine[] = [];
  for await (const link of audit.chain(ctx.db, tenantId)) links.push(link);
  assert.deepEqual(
    links.map(({ seq }) => seq),
    Array.from({ length: 150 }, (_, n) => n + 1),
  );
  assert.equal((await verifyAuditLog(ctx, tenantId, [])).fault, undefined);
});

test("a chain that was set back in the database keeps no other tenant's from going on", async (t) => {
  const { ctx, tenantId, client } = await aLog(t);
  const other = await createTenant(ctx, "Other");
  await changes(ctx, tenantId, 1);
  await client.query("update chain_heads set seq = 0 where tenant_id = $1", [tenantId]);
  for (const each of [tenantId, other]) {
    const source = { tenantId: each, mode: null, id: ctx.newId(), operation: "updateAgent" };
    await ctx.db.transaction((tx) => audit.addOfSystem(tx, source, change(1), new Date()));
  }
  while (await chainRecords(ctx));

  const { rows } = await client.query("select count(*)::int as n from chain_links where tenant_id = $1", [other]);
  assert.equal(rows[0].n, 1);
});

test("after a restore the log says which links were lost, and former heads are no fault; a log that is cut off later is one", async (t) => {
  const { ctx, tenantId, client, heads, read } = await aLog(t);
  const other = await createTenant(ctx, "Other");
  await changes(ctx, other, 1);
  await changes(ctx, tenantId, 6);
  await journalChains(ctx);
  await changes(ctx, tenantId, 4);
  await journalChains(ctx);
  const file = join(aFolder("heads"), "audit-heads.ndjson");
  await keepHeads(ctx, file);
  await keepHeads(ctx, file);
  assert.equal(readFileSync(file, "utf8").trim().split("\n").length, 2, "of each tenant once a day");

  // As a backup of after the eighth has it.
  const refs = "(select ref from chain_links where tenant_id = $1 and seq > 8)";
  await client.query(`delete from audit_values where tenant_id = $1 and entry_id in ${refs}`, [tenantId]);
  await client.query(`delete from audit_entries where tenant_id = $1 and id in ${refs}`, [tenantId]);
  await client.query("delete from chain_links where tenant_id = $1 and seq > 8", [tenantId]);
  await client.query(
    `update chain_heads set seq = 8, journaled_seq = 6, hash = (select hash from chain_links where tenant_id = $1 and seq = 8)
     where tenant_id = $1`,
    [tenantId],
  );
  await changes(ctx, tenantId, 5);
  const former = [...(await heads()), ...(await recordedHeads(readHeads(file), tenantId))];
  assert.deepEqual(
    former.map(({ seq }) => seq),
    [6, 10, 10],
  );
  const wrong = await verifyAuditLog(ctx, tenantId, former);
  assert.deepEqual([wrong.fault?.seq, wrong.restores], [10, []]);

  const lost = await lostLinks(ctx, read);
  const hash = former[1]!.hash.toString("hex");
  assert.deepEqual([...lost], [[tenantId, { from: 10, to: 10, hash }]]);
  const by = { operation: "parley fence lift", actor: "command", by: "a test" } as const;
  await auditService(ctx, by, async (id) => ({ after: { up: false, ...(await lostOfBoth(ctx, id, lost)) } }));
  while (await chainRecords(ctx));
  await journalChains(ctx);
  const all = [...(await heads()), ...former];
  const right = await verifyAuditLog(ctx, tenantId, all);
  assert.equal(right.fault, undefined);
  assert.deepEqual(
    right.restores.map(({ from, to }) => [from, to]),
    [[10, 10]],
  );
  assert.equal((await verifyAuditLog(ctx, other, await recordedHeads(read, other))).fault, undefined);

  await changes(ctx, tenantId, 2);
  await journalChains(ctx);
  await client.query("delete from chain_links where tenant_id = $1 and seq > 14", [tenantId]);
  assert.equal((await verifyAuditLog(ctx, tenantId, await heads())).fault?.seq, 15, "what is lost later is missed");
});
