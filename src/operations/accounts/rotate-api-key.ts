import { randomBytes } from "node:crypto";
import { keyText, knownModes, refuseElsewhere, refuseGrant, SECRET_BYTES } from "#domain/accounts/api-key.ts";
import { requireAdminProof } from "#domain/accounts/factor.ts";
import { failure, notFound } from "#domain/values/errors.ts";
import { base32, publicId, type Uuid } from "#domain/values/id.ts";
import type { Caller, Context } from "#operations/context.ts";
import type { ApiKey } from "#store/accounts/api-keys.ts";
import * as apiKeys from "#store/accounts/api-keys.ts";

/**
 * Replaces a key by a new one of the same name, powers and end. The old one works until the overlap is over, or until its own end if that is sooner.
 * 409 when it is revoked or has ended.
 */
export async function rotateApiKey(
  ctx: Context,
  caller: Caller,
  id: Uuid,
  overlapMs: number,
): Promise<{ key: ApiKey; text: string; replaces: { id: Uuid; expiresAt: Date } }> {
  const { accountId } = caller;
  const now = ctx.now();
  const newId = caller.newId();
  const lookup = base32(newId);
  return ctx.db.transaction(async (tx) => {
    const old = await apiKeys.find(tx, accountId, id, knownModes(caller.mode));
    if (!old) throw notFound("API key");
    refuseGrant(caller, old);
    refuseElsewhere(caller, old);
    // What comes of it is a new key of an admin, as one that is made.
    if (old.scopes.includes("admin")) requireAdminProof(caller.person, ctx.now());
    const ended = old.revoked_at !== null || (old.expires_at !== null && old.expires_at <= now);
    if (ended) throw failure("conflict", "This API key is revoked or has expired");
    const text = keyText(old.mode, lookup, randomBytes(SECRET_BYTES));
    const key: ApiKey = {
      ...old,
      id: newId,
      digest: ctx.digest(text),
      created_at: now,
      last_used_at: null,
    };
    ctx.audit.note({ after: { replaced_by: publicId("apiKey", newId), overlap_seconds: overlapMs / 1_000 } });
    await apiKeys.insertNew(tx, lookup, key);
    const end = new Date(now.getTime() + overlapMs);
    await apiKeys.expire(tx, accountId, id, end);
    const expiresAt = old.expires_at && old.expires_at < end ? old.expires_at : end;
    return { key, text, replaces: { id, expiresAt } };
  });
}
