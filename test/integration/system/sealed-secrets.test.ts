import assert from "node:assert/strict";
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { backUp } from "#app/command/backup.ts";
import { wire } from "#app/context.ts";
import { sayKnownKeys } from "#app/process/known-keys.ts";
import { sealingKeysFile } from "#app/settings/sealing.ts";
import { liveTenant } from "#domain/accounts/modes.ts";
import { parseId } from "#domain/values/id.ts";
import { addNewKey, readSealing, rotateSecrets } from "#operations/system/rotate-secrets.ts";
import { SEALED_COLUMNS } from "#store/system/sealed-columns.ts";
import { changeTo } from "#store/system/sealing.ts";
import { anotherTenant } from "#test/support/accounts/tenant.ts";
import { startParley } from "#test/support/api/parley.ts";
import { cloneDatabase } from "#test/support/database/database.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

const SECRET = /secret|credential|token|passw|private|sealed|_key$|^key$|signing|recovery|pin$/;

/** Columns that sound like secrets and are none, or are kept as hashes that nobody can turn back. */
const NO_SECRETS: Readonly<Record<string, string>> = {
  "cluster.sealing_key": "an id",
  "cluster.secret_fingerprint": "a keyed hash",
  "idempotency_keys.key": "the caller's own name of a request",
  "factors.credential": "the public id of a passkey",
  "factors.public_key": "a public key",
  "logins.password": "an argon2 hash",
};

test("every column that holds a secret is sealed, or says why it needs not be", async (t) => {
  const client = await openClient(t, await cloneDatabase(t));
  const { rows } = await client.query<{ name: string }>(
    `select class.relname || '.' || attribute.attname as name from pg_class class
     join pg_attribute attribute on attribute.attrelid = class.oid and attnum > 0 and not attisdropped
     join pg_type type on type.oid = attribute.atttypid
     where class.relnamespace = 'public'::regnamespace and class.relkind in ('r', 'p') and not class.relispartition
       and type.typname not in ('bool', 'int4', 'int8', 'float4', 'float8', 'timestamptz', 'date', 'uuid') order by 1`,
  );
  const names = rows.map(({ name }) => name);
  const sealed = SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`);

  assert.deepEqual(
    sealed.filter((name) => !names.includes(name)),
    [],
    "what is listed as sealed is there",
  );
  assert.deepEqual(
    names.filter((name) => SECRET.test(name.split(".")[1]!) && !sealed.includes(name) && !(name in NO_SECRETS)),
    [],
  );
  assert.deepEqual(
    Object.keys(NO_SECRETS).filter((name) => !names.includes(name)),
    [],
  );
});

const KEYS = ["first-sealing-key-of-this-test-0000000001", "second-sealing-key-of-this-test-000000002"];
const TOKEN = "0123456789abcdef".repeat(2);
const CREDENTIALS = { account_sid: `AC${"0f".repeat(16)}`, auth_token: TOKEN };

/** A service with some accounts whose credentials are sealed. */
async function sealedAccounts(t: TestContext, count: number, env: Record<string, string> = {}) {
  const api = await startParley(t, env, ["api"]);
  const live = await anotherTenant(api, "live");
  const tenantId = liveTenant({
    tenantId: parseId("tenant", (await live.get("/v1/me")).body.tenant_id)!,
    mode: "live",
  })!;
  const ids: string[] = [];
  for (let i = 0; i < count; i++) {
    const made = await live.post("/v1/carriers", { kind: "twilio", name: `Main ${i}`, credentials: CREDENTIALS });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    ids.push(made.body.carrier_id);
  }
  const { ctx, close } = wire(api.config, api.databaseUrl, "rotation");
  t.after(close);
  const client = await openClient(t, api.databaseUrl);
  const kept = async () =>
    (await client.query("select carrier, credentials from carrier_accounts order by carrier")).rows as {
      carrier: string;
      credentials: Record<string, string>;
    }[];
  const opened = async () =>
    (await kept()).map(({ carrier, credentials }) =>
      ctx.sealingKeys.open(credentials.auth_token!, {
        ...{ table: "carrier_accounts", tenantId },
        ...{ row: carrier, column: "credentials.auth_token" },
      }),
    );
  return { api, live, tenantId, ctx, client, kept, opened, ids };
}

test("a rotation seals everything under the new key, and the old one opens nothing any more", async (t) => {
  const { api, ctx, kept, opened, ids } = await sealedAccounts(t, 3);
  const before = await kept();
  const file = join(api.config.dataDir, "backup.gz");
  await backUp(api.config, api.databaseUrl, file, new Date());
  const dump = gunzipSync(readFileSync(file)).toString();
  assert.ok(dump.includes(before[0]!.credentials.auth_token!), "a backup has what is sealed");
  for (const secret of Object.values(CREDENTIALS)) assert.ok(!dump.includes(secret), "and nothing of it in clear");
  assert.ok(before.every(({ credentials }) => credentials.auth_token!.startsWith(`${ctx.sealingKeys.first}.`)));
  appendFileSync(sealingKeysFile(api.config), `${KEYS[0]}\n`);

  const done = (await rotateSecrets(ctx))!;

  assert.deepEqual(done, { from: ctx.sealingKeys.first, to: ctx.sealingKeys.ids().at(-1), resealed: 3 });
  assert.deepEqual(await opened(), Array(ids.length).fill(TOKEN));
  const after = await kept();
  for (const { credentials } of after)
    for (const sealed of Object.values(credentials)) assert.ok(sealed.startsWith(`${done.to}.`));
  assert.deepEqual((await readSealing(ctx)).inUse, [done.to]);
  assert.equal(await rotateSecrets(ctx), undefined, "again there is nothing to do");
});

test("of two rotations that begin at once one adds a key, and both go over to it", async (t) => {
  const { api, ctx, opened, ids } = await sealedAccounts(t, 1);
  const other = wire(api.config, api.databaseUrl, "other");
  t.after(other.close);
  const keys = [...KEYS];
  const add = () => appendFileSync(sealingKeysFile(api.config), `${keys.shift()}\n`);

  await Promise.all([addNewKey(ctx, add), addNewKey(other.ctx, add)]);

  assert.equal(keys.length, 1);
  await Promise.all([rotateSecrets(ctx), rotateSecrets(other.ctx)]);
  assert.equal((await readSealing(ctx)).current, ctx.sealingKeys.ids()[1]);
  assert.deepEqual(await opened(), Array(ids.length).fill(TOKEN));
});

test("nothing is sealed under a key that a running process does not have: it is named, and all stays as it was", async (t) => {
  const [first, second] = KEYS as [string, string];
  const { api, ctx, kept } = await sealedAccounts(t, 1, { PARLEY_SEALING_KEYS: first });
  const before = await kept();
  const newer = wire({ ...api.config, sealingKeys: [first, second] }, api.databaseUrl, "rotation");
  t.after(newer.close);

  await assert.rejects(
    rotateSecrets(newer.ctx, 300),
    /These processes do not have the new key .*: api [0-9a-f-]{36}\./,
  );

  assert.deepEqual(await kept(), before);
  assert.equal((await readSealing(ctx)).current, ctx.sealingKeys.first);
  await rotateSecrets(ctx);
  assert.match((await kept())[0]!.credentials.auth_token!, new RegExp(`^${ctx.sealingKeys.ids()[1]}\\.`));
});

test("what is sealed while a rotation begins is under the new key in the end, and one that was cut off is gone on with", async (t) => {
  const { api, ctx, live, kept, opened } = await sealedAccounts(t, 2);
  const other = wire(api.config, api.databaseUrl, "other");
  t.after(other.close);
  const said = await sayKnownKeys(other.ctx, "other");
  t.after(said.stop);
  appendFileSync(sealingKeysFile(api.config), `${KEYS[1]}\n`);
  const to = ctx.sealingKeys.ids().at(-1)!;
  // As a rotation that was killed once the new key counted.
  await ctx.db.transaction((tx) => changeTo(tx, to));
  await live.post("/v1/carriers", { kind: "twilio", name: "Later", credentials: CREDENTIALS });
  assert.equal((await readSealing(ctx)).inUse.length, 2);

  const done = await rotateSecrets(ctx);

  assert.deepEqual(done, { from: to, to, resealed: 2 });
  assert.equal((await kept()).length, 3);
  assert.deepEqual(await opened(), [TOKEN, TOKEN, TOKEN]);
  assert.deepEqual((await readSealing(ctx)).inUse, [to]);
});
