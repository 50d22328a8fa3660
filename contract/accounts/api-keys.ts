import { Type } from "typebox";
import { operation } from "#contract/values/operation.ts";
import { id, instant, named, nullable, page, paging, tenantId, text, timestamp } from "#contract/values/shapes.ts";
import { KEY_SCOPES, type KeyScope } from "./key-scopes.ts";

const tag = "API keys";

const Mode = Type.Union([Type.Literal("live"), Type.Literal("test")]);
const ScopeName = Type.Unsafe<KeyScope>({
  type: "string",
  enum: KEY_SCOPES,
  description:
    "`read`, `write`, `send` or `admin`; or one of the first three in one area alone, as `contacts:read`: `docs/api-keys.md`",
});

/** More than any office has exits. */
const MAX_RANGES = 50;
/** An IPv6 network in full has 43. */
const AddressRange = Type.String({ minLength: 1, maxLength: 50 });

const keyFields = {
  key_id: Type.String(),
  name: Type.String(),
  mode: Mode,
  scopes: Type.Array(ScopeName),
  organization_ids: nullable(
    Type.Array(Type.String(), { description: "Those that the key is limited to; null: it sees the whole tenant" }),
  ),
  allowed_addresses: nullable(
    Type.Array(Type.String(), { description: "Addresses and networks that it may be used from; null: anywhere" }),
  ),
  created_at: timestamp(),
  expires_at: nullable(timestamp()),
};

export const ApiKey = named("ApiKey", {
  ...keyFields,
  revoked_at: nullable(timestamp()),
  last_used_at: nullable(timestamp()),
});

const NewKey = named("NewApiKey", {
  api_key: Type.String({ description: "The key itself; shown this once" }),
  ...keyFields,
});

export const createApiKey = operation({
  id: "createApiKey",
  method: "POST",
  path: "/v1/api-keys",
  tag,
  summary: "Create an API key of no more power than this one",
  scope: "admin",
  body: Type.Object({
    name: text(200),
    mode: Type.Optional(Mode),
    scopes: Type.Optional(Type.Array(ScopeName, { minItems: 1, uniqueItems: true })),
    organization_ids: Type.Optional(
      nullable(
        Type.Array(id("organization"), {
          minItems: 1,
          maxItems: 100,
          uniqueItems: true,
          description:
            "Limits the key to what belongs to these; not with the scope admin. null or absent: the whole tenant",
        }),
      ),
    ),
    allowed_addresses: Type.Optional(
      nullable(
        Type.Array(AddressRange, {
          minItems: 1,
          maxItems: MAX_RANGES,
          uniqueItems: true,
          description:
            "Addresses and networks, as 203.0.113.9 and 2001:db8::/32, that it may be used from; null or absent: from where this key may",
        }),
      ),
    ),
    expires_at: Type.Optional(nullable(instant("When it stops working; null or absent: never"))),
    tenant_id: tenantId(),
  }),
  errors: ["live_key_required", "proof_required"],
  status: 201,
  response: NewKey,
});

export const listApiKeys = operation({
  id: "listApiKeys",
  method: "GET",
  path: "/v1/api-keys",
  tag,
  summary: "List the tenant's API keys, newest first",
  scope: "admin",
  query: Type.Object({ tenant_id: tenantId(), ...paging }),
  status: 200,
  response: page("api_keys", ApiKey),
});

const params = Type.Object({ key_id: id("API key") });

export const revokeApiKey = operation({
  id: "revokeApiKey",
  method: "DELETE",
  path: "/v1/api-keys/:key_id",
  tag,
  summary: "Revoke an API key, at once on every node",
  scope: "admin",
  params,
  status: 200,
  response: ApiKey,
});

export const rotateApiKey = operation({
  id: "rotateApiKey",
  method: "POST",
  path: "/v1/api-keys/:key_id/rotate",
  tag,
  summary: "Replace an API key; the old one works on for the overlap",
  scope: "admin",
  params,
  // A rotation as it comes needs no body at all.
  body: nullable(
    Type.Object({
      overlap_seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: 2_592_000, default: 86_400 })),
      tenant_id: tenantId(),
    }),
  ),
  errors: ["live_key_required", "proof_required"],
  status: 201,
  response: Type.Object({
    ...NewKey.properties,
    replaces: Type.Object({ key_id: Type.String(), expires_at: timestamp() }),
  }),
});

export const getMe = operation({
  id: "getMe",
  method: "GET",
  path: "/v1/me",
  tag,
  summary: "What this API key is",
  scope: "read",
  forEveryKey: true,
  status: 200,
  response: Type.Object({
    tenant_id: Type.String(),
    key_id: nullable(Type.String({ description: "null for a session of the console: GET /v1/session" })),
    mode: Mode,
    scopes: Type.Array(ScopeName),
    organization_ids: nullable(
      Type.Array(Type.String(), { description: "Those that the caller is limited to; null: the whole tenant" }),
    ),
  }),
});
