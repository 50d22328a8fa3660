import { randomBytes } from "node:crypto";
import { type KeyMode, keyText, refuseGrant, SECRET_BYTES } from "#domain/api-key.ts";
import { invalidField } from "#domain/errors.ts";
import { base32 } from "#domain/id.ts";
import type { ApiKey } from "#store/api-keys.ts";
import * as apiKeys from "#store/api-keys.ts";
import type { Caller, Context } from "./context.ts";

/** Makes a key of no more power than the caller's own: by default the same. `text` is told now and never again. */
export async function createApiKey(
  ctx: Context,
  caller: Caller,
  input: {
    name: string;
    mode: KeyMode | undefined;
    scopes: readonly string[] | undefined;
    expiresAt: Date | undefined;
  },
): Promise<{ key: ApiKey; text: string }> {
  const mode = input.mode ?? caller.mode;
  const scopes = input.scopes ?? caller.scopes;
  refuseGrant(caller, { mode, scopes });
  const now = ctx.now();
  if (input.expiresAt && input.expiresAt <= now) throw invalidField("expires_at", "must be in the future");
  const id = caller.newId();
  const lookup = base32(id);
  const text = keyText(mode, lookup, randomBytes(SECRET_BYTES));
  const key: ApiKey = {
    id,
    tenant_id: caller.accountId,
    name: input.name,
    mode,
    digest: ctx.digest(text),
    scopes: [...scopes],
    created_at: now,
    expires_at: input.expiresAt ?? null,
    revoked_at: null,
    last_used_at: null,
  };
  await apiKeys.insertNew(ctx.db, lookup, key);
  return { key, text };
}
