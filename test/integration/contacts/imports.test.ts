import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { wire } from "#app/context.ts";
import { createTenant } from "#app/roles/keys.ts";
import { readConfig } from "#app/settings/config.ts";
import { importTask, taskId } from "#domain/system/watched-task.ts";
import { AppError } from "#domain/values/errors.ts";
import { NO_ID, publicId, type Uuid } from "#domain/values/id.ts";
import { createOrganization } from "#operations/accounts/create-organization.ts";
import { createUser } from "#operations/accounts/create-user.ts";
import { deleteContact } from "#operations/contacts/delete-contact.ts";
import type { Context } from "#operations/context.ts";
import { getImport, importErrors } from "#operations/imports/read-imports.ts";
import { importsWait, type RowWatch, runImports, tidyImports } from "#operations/imports/run-imports.ts";
import { startImport } from "#operations/imports/start-import.ts";
import { undoImport } from "#operations/imports/undo-import.ts";
import { resolveSetAside } from "#operations/system/resolve-set-aside.ts";
import { removeOld } from "#operations/system/retention.ts";
import * as stuckTasks from "#store/system/stuck-tasks.ts";
import { cloneDatabase } from "#test/support/database/database.ts";
import { openClient } from "#test/support/processes/worker-process.ts";
import { aFolder } from "#test/support/source/folder.ts";

const HOUR_MS = 3_600_000;
const NEVER = new AbortController().signal;
const REMOVED = "01900000-0000-7000-8000-00000000dead";

async function setUp(t: TestContext) {
  const url = await cloneDatabase(t);
  const dataDir = aFolder("imports");
  const config = readConfig({
    DATABASE_URL: url,
    PARLEY_DATA_DIR: dataDir,
    PARLEY_SECRET_KEY: "0123456789abcdef0123456789abcdef",
    PARLEY_LOG_LEVEL: "silent",
  });
  const another = (): Context => {
    const { ctx, close } = wire(config, url, "test");
    t.after(close);
    return ctx;
  };
  const ctx = another();
  const tenantId = await createTenant(ctx, "Acme");
  const caller = {
    tenantId,
    accountId: tenantId,
    keyId: ctx.newId(),
    mode: "test" as const,
    scopes: ["write"],
    organizations: undefined,
    newId: ctx.newId,
  };
  const organization = await createOrganization(ctx, caller, { name: "Acme" });
  const user = await createUser(ctx, caller, organization.id, { name: "Ann", email: "ann@acme.example" });
  const owner = {
    organization_id: publicId("organization", organization.id),
    user_id: publicId("user", user.id),
  };
  const send = async (text: string) => {
    const upload = await ctx.uploads.keep(
      (async function* () {
        yield Buffer.from(text);
      })(),
      1e9,
    );
    return (await startImport(ctx, caller, upload, "people.csv", owner)).started;
  };
  return { ctx, another, caller, send, client: await openClient(t, url) };
}

/** `count` rows, of which every hundredth has no usable phone and every fiftieth number comes twice. */
function aFile(count: number): { text: string; created: number; skipped: number; failed: number } {
  const rows = ["phone,first_name"];
  const seen = new Set<number>();
  let failed = 0;
  for (let i = 0; i < count; i++) {
    const n = i % 50 === 49 ? Math.max(0, i - 6_000) : i;
    if (i % 100 === 0) failed++;
    else seen.add(n);
    rows.push(`${i % 100 === 0 ? "none" : `+1303${2_000_000 + n}`},N${i}`);
  }
  return { text: rows.join("\n"), created: seen.size, skipped: count - failed - seen.size, failed };
}

/** The context, whose uploads stop giving rows after some pieces: as a process does that is killed. */
function failingAfter(ctx: Context, pieces: number): Context {
  const { rows } = ctx.uploads;
  const cut: typeof rows = async function* (...args) {
    let given = 0;
    for await (const piece of rows(...args)) {
      if (given++ === pieces) throw new Error("killed");
      yield piece;
    }
  };
  return { ...ctx, uploads: { ...ctx.uploads, rows: cut } };
}

const later = (ctx: Context, ms: number): Context => ({ ...ctx, now: () => new Date(Date.now() + ms) });

test("an import that is cut off again and again goes on where it stopped: no row is lost, none counts twice", async (t) => {
  const { ctx, caller, send, client } = await setUp(t);
  const file = aFile(23_000);
  const { id } = await send(file.text);
  for (let i = 0; i < 4; i++) {
    const before = await getImport(ctx, caller, id);
    await runImports(failingAfter(later(ctx, i * 60_000), 2), NEVER).catch(() => {});
    const after = await getImport(ctx, caller, id);
    if (i === 0) assert.ok(after.status === "running" && after.byte_offset > before.byte_offset);
  }
  await runImports(later(ctx, 300_000), NEVER);
  const fileImport = await getImport(ctx, caller, id);
  assert.deepEqual(
    [fileImport.status, fileImport.created, fileImport.updated, fileImport.skipped, fileImport.failed],
    ["completed", file.created, 0, file.skipped, file.failed],
  );
  const { rows } = await client.query(
    `select (select count(*)::int from contacts) as contacts, (select count(*)::int from list_members) as members,
       (select count(*)::int from import_errors) as errors, (select count(distinct phone)::int from consents) as consents`,
  );
  assert.deepEqual(rows[0], {
    contacts: file.created,
    members: file.created,
    errors: file.failed,
    consents: file.created,
  });
  assert.equal(await ctx.uploads.has(fileImport.upload), false);
});

test("two that work on one import do not double it: who has lost it writes nothing more", async (t) => {
  const { ctx, another, caller, send } = await setUp(t);
  const file = aFile(23_000);
  const { id } = await send(file.text);
  // The second believes that the first is gone, as after a long pause of its process.
  await Promise.all([runImports(ctx, NEVER), runImports(later(another(), 60_000), NEVER)]);
  await runImports(later(ctx, 120_000), NEVER);
  const fileImport = await getImport(ctx, caller, id);
  assert.deepEqual(
    [fileImport.status, fileImport.created, fileImport.skipped, fileImport.failed],
    ["completed", file.created, file.skipped, file.failed],
  );
});

test("two imports of the same numbers in opposite orders, and an undo between, end with one contact a number", async (t) => {
  const { ctx, another, caller, send, client } = await setUp(t);
  const rows = Array.from({ length: 12_000 }, (_, i) => `+1303${2_000_000 + i},N${i}`);
  const first = await send(["phone,a", ...rows].join("\n"));
  const second = await send(["phone,b", ...rows.toReversed()].join("\n"));
  await Promise.all([runImports(ctx, NEVER), runImports(another(), NEVER)]);
  const [one, two] = await Promise.all([getImport(ctx, caller, first.id), getImport(ctx, caller, second.id)]);
  assert.deepEqual([one.status, two.status], ["completed", "completed"]);
  assert.deepEqual([one.created + two.created, one.updated + two.updated], [12_000, 12_000]);
  for (const { id } of [first, second]) await undoImport(ctx, caller, id);
  await Promise.all([runImports(ctx, NEVER), runImports(another(), NEVER)]);
  const { rows: left } = await client.query(
    "select count(*)::int as n, count(distinct phone)::int as phones from contacts where phone like '+%'",
  );
  assert.equal(left[0].n, left[0].phones);
});

test("who was erased after a file was sent is not brought back by it", async (t) => {
  const { ctx, caller, send, client } = await setUp(t);
  await send("phone,first_name\n+12125550163,Zoe\n");
  await runImports(ctx, NEVER);
  const { id } = await send("phone,birthday\n+12125550163,1980-01-01\n+12125550164,1980-01-01\n2125550163,never\n");
  const { rows } = await client.query("select id from contacts");
  await deleteContact(ctx, caller, rows[0].id);
  await runImports(ctx, NEVER);
  const fileImport = await getImport(ctx, caller, id);
  assert.deepEqual([fileImport.created, fileImport.failed], [1, 2]);
  const table = await importErrors(ctx, caller, id);
  const failures = (await Array.fromAsync(table.rows)).flat();
  assert.deepEqual(failures, [
    ["2", "the contact was erased after the file was sent"],
    ["4", "the contact was erased after the file was sent"],
  ]);
  const again = await send("phone\n+12125550163\n");
  await runImports(ctx, NEVER);
  assert.equal((await getImport(ctx, caller, again.id)).created, 1);
});

test("an import whose file is lost is given up after an hour, and a file without an import removed", async (t) => {
  const { ctx, caller, send } = await setUp(t);
  const lost = await send("phone\n+12125550163\n");
  await ctx.uploads.remove(lost.upload);
  const waiting = await send("phone\n+12125550164\n");
  const { name } = await ctx.uploads.keep(
    (async function* () {
      yield Buffer.from("x");
    })(),
    10,
  );
  await tidyImports(ctx);
  assert.equal((await getImport(ctx, caller, lost.id)).status, "waiting");
  assert.equal(await ctx.uploads.has(name), true);
  await tidyImports(later(ctx, HOUR_MS + 60_000));
  const { status, problem } = await getImport(ctx, caller, lost.id);
  assert.deepEqual([status, problem], ["failed", "the file was lost; send it again"]);
  assert.deepEqual([await ctx.uploads.has(name), await ctx.uploads.has(waiting.upload)], [false, true]);
});

const textOfErrors = async (ctx: Context, caller: Parameters<typeof importErrors>[1], id: string) =>
  JSON.stringify((await Array.fromAsync((await importErrors(ctx, caller, id as never)).rows)).flat());

test("a row that has slipped goes with the person whose number stands in it, in whatever cell", async (t) => {
  const { ctx, caller, send, client } = await setUp(t);
  await send("phone,first_name\n+12125550163,Zoe\n");
  await runImports(ctx, NEVER);
  const { id } = await send("phone,first_name\nZanzibella,Zoe,(212) 555-0163\nMax,M,+12125550164\n");
  await runImports(ctx, NEVER);
  assert.match(await textOfErrors(ctx, caller, id), /Zanzibella.*Max/);
  const { rows } = await client.query("select id from contacts");
  await deleteContact(ctx, caller, rows[0].id);
  const left = await textOfErrors(ctx, caller, id);
  assert.ok(left.includes("Max") && !left.includes("Zanzibella"), left);
});

test("rows that could not be taken are kept for 30 days", async (t) => {
  const { ctx, caller, send, client } = await setUp(t);
  const { id } = await send("phone,first_name\nMax,M,x\n");
  await runImports(ctx, NEVER);
  await removeOld(later(ctx, 30 * 24 * HOUR_MS - 60_000), { eventDays: 30 });
  assert.match(await textOfErrors(ctx, caller, id), /Max/);
  await removeOld(later(ctx, 30 * 24 * HOUR_MS + 60_000), { eventDays: 30 });
  assert.equal(await textOfErrors(ctx, caller, id), "[]");
  assert.equal((await getImport(ctx, caller, id)).failed, 1);
  await undoImport(ctx, caller, id);
  await runImports(ctx, NEVER);
  const { rows } = await client.query(
    "select operation, object_id, content -> 'counts' as counts from audit_entries where actor = 'system' order by id",
  );
  const object_id = publicId("import", id);
  assert.deepEqual(rows, [
    { operation: "finishImport", object_id, counts: { created: 0, updated: 0, skipped: 0, failed: 1 } },
    { operation: "removeOld", object_id, counts: { rows: 1 } },
    { operation: "finishUndo", object_id, counts: { removed: 0, restored: 0, kept: 0 } },
  ]);
});

test("a hundred imports that wait for another machine do not keep this one from its own", async (t) => {
  const { ctx, caller, send, client } = await setUp(t);
  const first = await send("phone\n+12125550163\n");
  await client.query(
    `insert into imports select (jsonb_populate_record(it, jsonb_build_object('id', gen_random_uuid(), 'upload', gen_random_uuid()))).*
     from imports it, generate_series(1, 120)`,
  );
  // After all of those, which have ids of chance, in the order of ids.
  await client.query("update imports set id = 'ffffffff-ffff-7fff-bfff-ffffffffffff' where id = $1", [first.id]);
  assert.equal(await importsWait(ctx), true);
  await runImports(ctx, NEVER);
  assert.equal((await getImport(ctx, caller, "ffffffff-ffff-7fff-bfff-ffffffffffff")).status, "completed");
  assert.equal(await importsWait(ctx), false);
});

/** A call that came in, which `contactId` is said to have made (a SQL expression over the contact of `phone`). */
const insertCall = (client: { query(text: string, values: string[]): unknown }, phone: string, contactId: string) =>
  client.query(
    `insert into calls (tenant_id, id, organization_id, campaign_id, contact_id, direction, purpose, carrier, agent_id, agent_version,
       number, phone, status, start_at, dialed_at, node_id, created_at)
     select tenant_id, gen_random_uuid(), organization_id, '${NO_ID}', ${contactId}, 'inbound', 'single', 'simulator', '${NO_ID}', 1,
       '+12125550100', phone, 'ended', now(), now(), '${NO_ID}', now() from contacts where phone = $1`,
    [phone],
  );

test("a contact that has called since, or is to be called, stays when its import is undone", async (t) => {
  const { ctx, caller, send, client } = await setUp(t);
  const { id } = await send("phone\n+12125550163\n+12125550164\n+12125550165\n");
  await runImports(ctx, NEVER);
  await insertCall(client, "+12125550163", "id");
  await client.query(
    `insert into dials (tenant_id, campaign_id, id, lane_id, phone, contact_id, agent_id, agent_version, purpose, n, state, created_at,
       updated_at)
     select tenant_id, '${NO_ID}', gen_random_uuid(), '${NO_ID}', phone, id, '${NO_ID}', 1, 'single', 1, 'done', now(), now()
     from contacts where phone = '+12125550164'`,
  );
  await undoImport(ctx, caller, id);
  await runImports(ctx, NEVER);
  const { removed, kept } = await getImport(ctx, caller, id);
  assert.deepEqual([removed, kept], [1, 2]);
});

test("calls of a contact that was removed with its import go with the next contact of its number that is erased", async (t) => {
  const { ctx, caller, send, client } = await setUp(t);
  await send("phone,first_name\n+12125550163,Zoe\n");
  await runImports(ctx, NEVER);
  // As an undo left it before it looked at calls.
  await client.query(
    `insert into contacts (tenant_id, id, organization_id, phone, fields, created_at, updated_at)
     select tenant_id, '${REMOVED}', organization_id, 'removed:${REMOVED}', '{}', now(), now() from contacts`,
  );
  await insertCall(client, "+12125550163", `'${REMOVED}'`);
  const { rows } = await client.query("select id from contacts where phone like '+%'");
  await deleteContact(ctx, caller, rows[0].id);
  const calls = await client.query("select phone like 'erased:%' as erased from calls");
  assert.deepEqual(calls.rows, [{ erased: true }]);
});

/** Notes which rows are read. */
function recorder(): RowWatch & { read: number[] } {
  const read: number[] = [];
  return { read, begin() {}, row: (number) => void (number > 0 && read.push(number)) };
}

test("a row that has held two processes is not read, and the others are; it is read again when somebody wants it", async (t) => {
  const { ctx, another, caller, send, client } = await setUp(t);
  const { id } = await send("phone,notes\n+13032000001,a\n(303) 200-0002,b\n+13032000003,c\n");
  const task = importTask(caller.tenantId, id, 3);
  await stuckTasks.note(ctx.db, [task], new Date());
  await stuckTasks.note(ctx.db, [task], new Date());
  const first = recorder();
  await runImports(ctx, NEVER, first);
  assert.deepEqual(first.read, [2, 4]);
  const counts = async () => {
    const fileImport = await getImport(ctx, caller, id);
    return [fileImport.status, fileImport.created, fileImport.failed];
  };
  assert.deepEqual(await counts(), ["completed", 2, 1]);
  const errors = async () => (await Array.fromAsync((await importErrors(ctx, caller, id)).rows)).flat();
  const reason = "has held two processes that read it, and was set aside";
  assert.deepEqual(await errors(), [["3", reason, "(303) 200-0002", "b"]]);
  // An erasure finds it, though nobody has read it.
  assert.deepEqual((await client.query("select phones from import_errors")).rows, [{ phones: ["+13032000002"] }]);
  assert.equal(await importsWait(ctx), false);

  // It holds two again, and stays where it is.
  await resolveSetAside(ctx, caller, taskId(task), "retry");
  assert.equal(await importsWait(ctx), true);
  await stuckTasks.note(ctx.db, [task], new Date());
  await stuckTasks.note(ctx.db, [task], new Date());
  await runImports(ctx, NEVER, first);
  assert.deepEqual([first.read.length, await importsWait(ctx), await counts()], [2, false, ["completed", 2, 1]]);

  await resolveSetAside(ctx, caller, taskId(task), "retry");
  // Two nodes at once count it once.
  const [one, two] = [recorder(), recorder()];
  await Promise.all([runImports(ctx, NEVER, one), runImports(another(), NEVER, two)]);
  assert.deepEqual([...new Set([...one.read, ...two.read])], [3]);
  assert.deepEqual([await counts(), await errors()], [["completed", 3, 0], []]);
  const { rows } = await client.query("select fields ->> 'notes' as notes from contacts where phone = '+13032000002'");
  assert.deepEqual(rows, [{ notes: "b" }]);
  assert.deepEqual([await importsWait(ctx), await stuckTasks.setAside(ctx.db, caller.tenantId, 10)], [false, []]);
});

test("a row that held one process and not the next is like any other, and one that is left alone stays with the errors", async (t) => {
  const { ctx, caller, send } = await setUp(t);
  const note = (id: Uuid, row: number) => stuckTasks.note(ctx.db, [importTask(caller.tenantId, id, row)], new Date());
  const once = await send("phone\n+13032000001\n+13032000002\n");
  await note(once.id, 3);
  await runImports(ctx, NEVER);
  assert.equal((await getImport(ctx, caller, once.id)).created, 2);
  assert.deepEqual(await stuckTasks.ofImport(ctx.db, caller.tenantId, once.id), []);

  const twice = await send("phone\n+13032000003\n+13032000004\n");
  for (let i = 0; i < 2; i++) await note(twice.id, 3);
  await runImports(ctx, NEVER);
  await resolveSetAside(ctx, caller, taskId(importTask(caller.tenantId, twice.id, 3)), "discard");
  assert.equal(await importsWait(ctx), false);
  const fileImport = await getImport(ctx, caller, twice.id);
  assert.deepEqual(
    [fileImport.created, fileImport.failed, await stuckTasks.setAside(ctx.db, caller.tenantId, 10)],
    [1, 1, []],
  );
});

test("a file that has held two processes is given up, and a row that is kept no longer is not tried again", async (t) => {
  const { ctx, caller, send } = await setUp(t);
  const refusal = (code: string) => (error: unknown) => error instanceof AppError && error.code === code;
  const file = await send("phone\n+13032000001\n");
  const task = importTask(caller.tenantId, file.id, 0);
  for (let i = 0; i < 2; i++) await stuckTasks.note(ctx.db, [task], new Date());
  await runImports(ctx, NEVER);
  const fileImport = await getImport(ctx, caller, file.id);
  assert.deepEqual([fileImport.status, fileImport.problem], ["failed", "its file has held two processes that read it"]);
  assert.deepEqual(await ctx.uploads.names(), []);
  await assert.rejects(resolveSetAside(ctx, caller, taskId(task), "retry"), refusal("invalid_request"));
  await resolveSetAside(ctx, caller, taskId(task), "discard");

  const undone = await send("phone\n+13032000002\n+13032000003\n");
  const row = importTask(caller.tenantId, undone.id, 3);
  for (let i = 0; i < 2; i++) await stuckTasks.note(ctx.db, [row], new Date());
  await runImports(ctx, NEVER);
  await undoImport(ctx, caller, undone.id);
  await assert.rejects(resolveSetAside(ctx, caller, taskId(row), "retry"), refusal("conflict"));
  // It is still there for whoever decides.
  assert.equal((await stuckTasks.setAside(ctx.db, caller.tenantId, 10)).length, 1);
});
