import { knownModes } from "#domain/accounts/api-key.ts";
import { notFound } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { Caller, Context } from "#operations/context.ts";
import type { ApiKey } from "#store/accounts/api-keys.ts";
import * as apiKeys from "#store/accounts/api-keys.ts";

/** Revokes a key, on every node within a second. Revoking it again keeps the first time. */
export async function revokeApiKey(ctx: Context, caller: Caller, id: Uuid): Promise<ApiKey> {
  const { accountId } = caller;
  const key = await apiKeys.find(ctx.db, accountId, id, knownModes(caller.mode));
  if (!key) throw notFound("API key");
  if (key.revoked_at !== null) return key;
  const now = ctx.now();
  ctx.audit.note({ before: { revoked_at: null }, after: { revoked_at: now } });
  await apiKeys.revoke(ctx.db, accountId, id, now);
  return { ...key, revoked_at: now };
}
