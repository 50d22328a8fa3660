import { randomBytes } from "node:crypto";
import { allowedAddresses, type KeyMode, keyText, refuseGrant, SECRET_BYTES } from "#domain/accounts/api-key.ts";
import { requireAdminProof } from "#domain/accounts/factor.ts";
import { invalidField, notFound } from "#domain/values/errors.ts";
import { base32, publicId, type Uuid } from "#domain/values/id.ts";
import type { Caller, Context } from "#operations/context.ts";
import type { ApiKey } from "#store/accounts/api-keys.ts";
import * as apiKeys from "#store/accounts/api-keys.ts";
import * as organizations from "#store/accounts/organizations.ts";
import * as tenants from "#store/accounts/tenants.ts";

/**
 * Makes a key of no more power than the caller's own: by default the same, of the whole tenant, from the same addresses. `text`, the key itself, is returned only now. 404 for
 * an organization that is not there in the key's mode.
 */
export async function createApiKey(
  ctx: Context,
  caller: Caller,
  input: {
    name: string;
    mode: KeyMode | undefined;
    scopes: readonly string[] | undefined;
    organizationIds: readonly Uuid[] | undefined;
    allowedAddresses: readonly string[] | undefined;
    expiresAt: Date | undefined;
  },
): Promise<{ key: ApiKey; text: string }> {
  const mode = input.mode ?? caller.mode;
  const scopes = input.scopes ?? caller.scopes;
  refuseGrant(caller, { mode, scopes });
  if (scopes.includes("admin")) requireAdminProof(caller.person, ctx.now());
  const addresses = allowedAddresses(caller, input.allowedAddresses);
  const { organizationIds } = input;
  if (organizationIds !== undefined) await checkLimit(ctx, caller, mode, organizationIds, scopes);
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
    organization_ids: organizationIds === undefined ? null : [...organizationIds],
    allowed_addresses: addresses === null ? null : [...addresses],
    created_at: now,
    expires_at: input.expiresAt ?? null,
    revoked_at: null,
    last_used_at: null,
  };
  const { name, organization_ids, allowed_addresses, expires_at } = key;
  const object = { kind: "api_key", id: publicId("apiKey", id) };
  ctx.audit.note({
    object,
    before: null,
    after: { name, mode, scopes, organization_ids, allowed_addresses, expires_at },
  });
  await apiKeys.insertNew(ctx.db, lookup, key);
  return { key, text };
}

async function checkLimit(
  ctx: Context,
  caller: Caller,
  mode: KeyMode,
  organizationIds: readonly Uuid[],
  scopes: readonly string[],
): Promise<void> {
  // Keys, users and what belongs to no organization belong to the tenant.
  if (scopes.includes("admin")) {
    throw invalidField("organization_ids", "cannot limit a key with the scope admin, which is for the whole tenant");
  }
  const tenantId = await tenants.inMode(ctx.db, caller.accountId, mode);
  // A live key cannot see what a test key made, whichever mode the new key is for.
  for (const mine of [caller.tenantId, tenantId!])
    for (const id of organizationIds) if (!(await organizations.find(ctx.db, mine, id))) throw notFound("Organization");
}
