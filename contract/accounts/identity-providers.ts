import { type Static, Type } from "typebox";
import { operation } from "#contract/values/operation.ts";
import { email, id, named, nullable, tenantId, text, timestamp } from "#contract/values/shapes.ts";
import { Permission } from "./organizations.ts";
import { SessionAnswer } from "./session.ts";

const tag = "Single sign-on";

const organizationIds = (description: string) =>
  Type.Array(id("organization"), { maxItems: 100, uniqueItems: true, description });

const settings = {
  name: text(100, "What people know it by"),
  issuer: Type.String({
    minLength: 1,
    maxLength: 500,
    description: "As the provider writes it; https, at a public address",
  }),
  client_id: text(300),
  scopes: Type.Array(Type.String({ pattern: "^[\\x21\\x23-\\x5b\\x5d-\\x7e]{1,100}$" }), {
    minItems: 1,
    maxItems: 20,
    uniqueItems: true,
    description: "`openid` among them",
  }),
  email_domains: Type.Array(Type.String({ maxLength: 253, pattern: "^[A-Za-z0-9-]+(\\.[A-Za-z0-9-]+)+$" }), {
    minItems: 1,
    maxItems: 50,
    description: "Whose addresses it signs in, and no others",
  }),
  groups_claim: nullable(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description:
        "Which claim has a person's groups: role and organizations follow them at each sign-in. Null: they stay",
    }),
  ),
  group_roles: Type.Array(
    Type.Object({
      group: text(300),
      permission: Permission,
      organization_ids: organizationIds("What its members work for"),
    }),
    {
      maxItems: 100,
      description: "The highest role of a person's groups counts, and the organizations of all of them",
    },
  ),
  permission: nullable(Permission),
  organization_ids: organizationIds("What those work for whose groups name none; at least one where users are made"),
  creates_users: Type.Boolean({
    description: "Whoever signs in first becomes a user. Otherwise an admin makes users before",
  }),
  password_allowed: Type.Boolean({
    description: "False: nobody of the tenant signs in otherwise, once an admin has signed in by it",
  }),
  factor_trusted: Type.Boolean({
    description: "True: it asks for a second factor itself, and none is asked for here, also where one is required",
  }),
  emails_trusted: Type.Boolean({
    description: "True: addresses count also where it does not say whether they are verified, as Entra ID",
  }),
};

const redirectUri = Type.String({ description: "To be allowed at the provider" });

export const IdentityProvider = named("IdentityProvider", {
  provider_id: Type.String(),
  ...settings,
  has_client_secret: Type.Boolean(),
  redirect_uri: redirectUri,
  sign_in_url: Type.String({ description: "A link that begins a sign-in by it" }),
  created_at: timestamp(),
});
export type IdentityProvider = Static<typeof IdentityProvider>;

const body = Type.Object({
  ...settings,
  scopes: Type.Optional(settings.scopes),
  groups_claim: Type.Optional(settings.groups_claim),
  group_roles: Type.Optional(settings.group_roles),
  permission: Type.Optional(settings.permission),
  organization_ids: Type.Optional(settings.organization_ids),
  creates_users: Type.Optional(settings.creates_users),
  password_allowed: Type.Optional(settings.password_allowed),
  factor_trusted: Type.Optional(settings.factor_trusted),
  emails_trusted: Type.Optional(settings.emails_trusted),
  client_secret: Type.Optional(
    nullable(text(1_000, "Kept sealed, and in no answer. Left out: that of before. Null: none, PKCE alone")),
  ),
  tenant_id: tenantId(),
});

const params = Type.Object({ provider_id: id("identity provider") });
const answer = Type.Object({ provider: IdentityProvider });

export const listIdentityProviders = operation({
  id: "listIdentityProviders",
  method: "GET",
  path: "/v1/identity-providers",
  tag,
  summary: "List the identity providers that people sign in by, the oldest first",
  scope: "admin",
  tenantWide: true,
  query: Type.Object({ tenant_id: tenantId() }),
  status: 200,
  response: Type.Object({ redirect_uri: redirectUri, providers: Type.Array(IdentityProvider) }),
});

export const createIdentityProvider = operation({
  id: "createIdentityProvider",
  method: "POST",
  path: "/v1/identity-providers",
  tag,
  summary: "Let people sign in by an identity provider (OpenID Connect)",
  scope: "admin",
  tenantWide: true,
  body,
  liveKeysOnly: true,
  errors: ["proof_required"],
  status: 201,
  response: answer,
});

export const putIdentityProvider = operation({
  id: "putIdentityProvider",
  method: "PUT",
  path: "/v1/identity-providers/:provider_id",
  tag,
  summary: "Change an identity provider. Another issuer is another provider: whoever signed in by it begins anew",
  scope: "admin",
  tenantWide: true,
  params,
  body,
  liveKeysOnly: true,
  errors: ["proof_required"],
  status: 200,
  response: answer,
});

export const deleteIdentityProvider = operation({
  id: "deleteIdentityProvider",
  method: "DELETE",
  path: "/v1/identity-providers/:provider_id",
  tag,
  summary: "Let nobody sign in by it any more",
  scope: "admin",
  tenantWide: true,
  params,
  query: Type.Object({ tenant_id: tenantId() }),
  liveKeysOnly: true,
  errors: ["proof_required"],
  status: 200,
  response: Type.Object({ provider_id: Type.String() }),
});

export const checkIdentityProvider = operation({
  id: "checkIdentityProvider",
  method: "POST",
  path: "/v1/identity-providers/:provider_id/check",
  tag,
  summary: "Read what the provider says of itself, and say what is wrong with it",
  scope: "admin",
  tenantWide: true,
  params,
  status: 200,
  response: Type.Object({ problem: nullable(Type.String({ description: "One sentence. Null: nothing is wrong" })) }),
});

export const findSignOn = operation({
  id: "findSignOn",
  method: "GET",
  path: "/v1/session/oidc",
  tag,
  summary: "Which identity providers sign in the addresses of a domain, whoever has them; or one by its id",
  scope: "read",
  caller: "anyone",
  query: Type.Object({
    domain: Type.Optional(Type.String({ minLength: 1, maxLength: 253, description: "What follows the @" })),
    provider_id: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  }),
  status: 200,
  response: Type.Object({
    providers: Type.Array(Type.Object({ provider_id: Type.String(), name: Type.String() }), {
      description: "Of one tenant: the first that named the domain",
    }),
  }),
});

export const startSignOn = operation({
  id: "startSignOn",
  method: "POST",
  path: "/v1/session/oidc",
  tag,
  summary: "Begin a sign-in by an identity provider: the browser goes to the address, within ten minutes and once",
  scope: "read",
  caller: "anyone",
  body: Type.Object(
    {
      email: Type.Optional(email()),
      provider_id: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
    },
    { description: "Without an id the provider is found by the address's domain. The address is filled in there" },
  ),
  errors: ["provider_problem"],
  status: 201,
  response: Type.Object({ authorization_url: Type.String(), name: Type.String() }),
});

export const completeSignOn = operation({
  id: "completeSignOn",
  method: "POST",
  path: "/v1/session/oidc/callback",
  tag,
  summary:
    "End a sign-in by what the provider has put into the address of the console's page, in the browser that began it",
  scope: "read",
  caller: "anyone",
  body: Type.Object({
    query: Type.String({ minLength: 1, maxLength: 8_000, description: "What follows the question mark" }),
  }),
  errors: ["sign_on_refused", "provider_problem"],
  status: 201,
  response: SessionAnswer,
});
