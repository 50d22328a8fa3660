import * as contract from "#contract/accounts/api-keys.ts";
import { publicId, requireId } from "#domain/values/id.ts";
import { requireInstant } from "#domain/values/instant.ts";
import { pageRequest } from "#domain/values/paging.ts";
import { pageAnswer } from "#http/server/page.ts";
import { type Edge, route } from "#http/server/route.ts";
import { createApiKey } from "#operations/accounts/create-api-key.ts";
import { listApiKeys } from "#operations/accounts/read-api-keys.ts";
import { revokeApiKey } from "#operations/accounts/revoke-api-key.ts";
import { rotateApiKey } from "#operations/accounts/rotate-api-key.ts";

const DEFAULT_OVERLAP_SECONDS = 86_400;

export function apiKeyRoutes(edge: Edge): void {
  route(edge, contract.createApiKey, async ({ ctx, caller, body }) => {
    const { name, mode, scopes, organization_ids, allowed_addresses, expires_at } = body;
    const expiresAt = expires_at ? requireInstant("expires_at", expires_at) : undefined;
    const organizationIds = organization_ids?.map((id) => requireId("organization", id, "Organization"));
    const { key, text } = await createApiKey(ctx, caller, {
      ...{ name, mode, scopes, organizationIds, expiresAt },
      allowedAddresses: allowed_addresses ?? undefined,
    });
    return { api_key: text, ...newKeyView(key) };
  });

  route(edge, contract.listApiKeys, async ({ ctx, caller, query }) => {
    return pageAnswer("api_keys", await listApiKeys(ctx, caller, pageRequest(query)), keyView);
  });

  route(edge, contract.revokeApiKey, async ({ ctx, caller, params }) => {
    return keyView(await revokeApiKey(ctx, caller, requireId("apiKey", params.key_id, "API key")));
  });

  route(edge, contract.rotateApiKey, async ({ ctx, caller, params, body }) => {
    const id = requireId("apiKey", params.key_id, "API key");
    const overlapMs = (body?.overlap_seconds ?? DEFAULT_OVERLAP_SECONDS) * 1000;
    const { key, text, replaces } = await rotateApiKey(ctx, caller, id, overlapMs);
    const old = { key_id: params.key_id, expires_at: replaces.expiresAt.toISOString() };
    return { api_key: text, ...newKeyView(key), replaces: old };
  });

  route(edge, contract.getMe, async ({ caller }) => ({
    tenant_id: publicId("tenant", caller.accountId),
    key_id: caller.person ? null : publicId("apiKey", caller.keyId),
    mode: caller.mode,
    scopes: caller.scopes,
    organization_ids: idsOf(caller.organizations),
  }));
}

const idsOf = (ids: readonly string[] | null | undefined) => ids?.map((id) => publicId("organization", id)) ?? null;

type Row = {
  id: string;
  name: string;
  mode: string;
  scopes: string[];
  organization_ids: string[] | null;
  allowed_addresses: string[] | null;
  created_at: Date;
  expires_at: Date | null;
  revoked_at: Date | null;
  last_used_at: Date | null;
};

function newKeyView(row: Row) {
  return {
    key_id: publicId("apiKey", row.id),
    name: row.name,
    mode: row.mode,
    scopes: row.scopes,
    organization_ids: idsOf(row.organization_ids),
    allowed_addresses: row.allowed_addresses,
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at?.toISOString() ?? null,
  };
}

function keyView(row: Row) {
  return {
    ...newKeyView(row),
    revoked_at: row.revoked_at?.toISOString() ?? null,
    last_used_at: row.last_used_at?.toISOString() ?? null,
  };
}
