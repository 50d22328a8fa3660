import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "#app/settings/config.ts";
import { keyText, readKey, SECRET_BYTES } from "#domain/accounts/api-key.ts";
import { SCOPES } from "#domain/accounts/key-scopes.ts";
import { base32, publicId, type Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import * as apiKeys from "#store/accounts/api-keys.ts";
import * as setups from "#store/accounts/console-setup.ts";
import * as tenants from "#store/accounts/tenants.ts";
import type { Tx } from "#store/database/db.ts";

/** The same, with all that its `db` does in this transaction. */
const inside = (ctx: Context, tx: Tx): Context => ({
  ...ctx,
  db: { ...ctx.db, ...tx, transaction: (work) => work(tx) },
});

/** A tenant with no more than its name. Its id is also that of what belongs to `mode`, which nobody sees. */
export async function createTenant(ctx: Context, name: string, mode: tenants.Mode = "test"): Promise<Uuid> {
  const [id, otherId] = [ctx.newId(), ctx.newId()];
  ctx.audit.by({ tenantId: id });
  ctx.audit.note({ object: { kind: "tenant", id: publicId("tenant", id) }, before: null, after: { name } });
  await ctx.db.transaction((tx) => tenants.insert(tx, { id, otherId, name, mode, created_at: ctx.now() }));
  return id;
}

/** A key with all scopes for a tenant: its text, which is never shown again. */
export async function createKey(ctx: Context, tenantId: Uuid, mode: "live" | "test", name: string): Promise<string> {
  const id = ctx.newId();
  const text = keyText(mode, base32(id), randomBytes(SECRET_BYTES));
  await keep(ctx, { id, tenantId, mode, name, text });
  return text;
}

type NewKey = { id: Uuid; tenantId: Uuid; mode: "live" | "test"; name: string; text: string };

async function keep(ctx: Context, { id, tenantId, mode, name, text }: NewKey): Promise<boolean> {
  const lookup = lookupOf(ctx, text);
  ctx.audit.by({ tenantId, mode });
  ctx.audit.note({
    object: { kind: "api_key", id: publicId("apiKey", id) },
    before: null,
    after: { name, mode, scopes: SCOPES },
  });
  return apiKeys.insert(ctx.db, lookup, {
    id,
    tenant_id: tenantId,
    name,
    mode,
    digest: ctx.digest(text),
    scopes: [...SCOPES],
    organization_ids: null,
    allowed_addresses: null,
    created_at: ctx.now(),
    expires_at: null,
  });
}

const lookupOf = (ctx: Context, text: string): string =>
  readKey(text, (key) => ctx.digest(key).toString("hex").slice(0, 26))!.lookup;

/** A key of our own making. It is shown once, by the start that made it. */
export type FirstKey = { text: string; isNew: boolean };

/**
 * Sees to it that there is a first tenant with a first key: the configured one, or on an empty database a test key
 * of our own making, kept in the data directory. Repeat boots change nothing. Answers with the key of our own making.
 */
export async function bootstrap(ctx: Context, config: Config): Promise<FirstKey | undefined> {
  const file = join(config.dataDir, "first-api-key");
  const configured = config.bootstrapApiKey;
  const text = configured ?? (existsSync(file) ? readFileSync(file, "utf8").trim() : undefined);
  if (text === undefined) {
    return ctx.db.transaction(async (tx) => {
      // Two processes may boot at once: the slower one finds the tenant of the other.
      await setups.hold(tx);
      if (await tenants.any(tx)) return undefined;
      const here = inside(ctx, tx);
      const made = await createKey(here, await createTenant(here, "First tenant"), "test", "First key");
      // Before the commit: a key that is in the database alone could never be read again.
      writeFileSync(file, `${made}\n`, { mode: 0o600 });
      return { text: made, isNew: true };
    });
  }
  const answer = configured === undefined ? { text, isNew: false } : undefined;
  const lookup = lookupOf(ctx, text);
  if (await (await apiKeys.byLookups(ctx.db, [lookup])).get(lookup)) return answer;
  // Two processes may boot at once: the key is unique, so the tenant of the slower one is taken back.
  const mode = text.startsWith("pk_live_") ? "live" : "test";
  await ctx.db
    .transaction(async (tx) => {
      const here = inside(ctx, tx);
      const tenantId = await createTenant(here, "First tenant", mode);
      if (!(await keep(here, { id: ctx.newId(), tenantId, mode, name: "Bootstrap key", text })))
        throw new AlreadyThere();
    })
    .catch((error: unknown) => {
      if (!(error instanceof AlreadyThere)) throw error;
    });
  return answer;
}

class AlreadyThere extends Error {}

export const tenantLine = (id: Uuid): string => publicId("tenant", id);
