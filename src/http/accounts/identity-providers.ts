import type { Static } from "typebox";
import * as contract from "#contract/accounts/identity-providers.ts";
import { roleOf } from "#contract/accounts/roles.ts";
import { publicId, requireId, type Uuid } from "#domain/values/id.ts";
import { type Edge, route } from "#http/server/route.ts";
import {
  checkProvider,
  deleteProvider,
  type IdentityProvider,
  listProviders,
  putProvider,
  type WantedProvider,
} from "#operations/sign-in/identity-providers.ts";
import { completeSignOn, findSignOn, startSignOn } from "#operations/sign-in/sign-on.ts";
import { signedIn } from "./session-view.ts";

/** The console's page that providers send browsers back to. */
const PAGE = "/console/sign-on";

export function identityProviderRoutes(edge: Edge): void {
  const { logins } = edge;

  route(edge, contract.listIdentityProviders, async ({ ctx, caller, origin }) => {
    const all = await listProviders(ctx, caller);
    return { redirect_uri: origin + PAGE, providers: all.map((provider) => providerView(provider, origin)) };
  });

  route(edge, contract.createIdentityProvider, async ({ ctx, caller, body, origin }) => ({
    provider: providerView(await putProvider(ctx, caller, undefined, wantedOf(body)), origin),
  }));

  route(edge, contract.putIdentityProvider, async ({ ctx, caller, params, body, origin }) => ({
    provider: providerView(await putProvider(ctx, caller, providerId(params.provider_id), wantedOf(body)), origin),
  }));

  route(edge, contract.deleteIdentityProvider, async ({ ctx, caller, params }) => {
    await deleteProvider(ctx, caller, providerId(params.provider_id));
    return { provider_id: params.provider_id };
  });

  route(edge, contract.checkIdentityProvider, async ({ ctx, caller, params }) => ({
    problem: (await checkProvider(ctx, caller, providerId(params.provider_id))) ?? null,
  }));

  route(edge, contract.findSignOn, async ({ ctx, query }) => {
    const found = await findSignOn(ctx, { domain: query.domain, providerId: query.provider_id });
    return { providers: found.map(({ id, name }) => ({ provider_id: publicId("identityProvider", id), name })) };
  });

  route(edge, contract.startSignOn, async ({ ctx, body, origin, signOn }) => {
    const wanted = { email: body.email, providerId: body.provider_id };
    const { url, name, browser } = await startSignOn(ctx, wanted, origin + PAGE);
    signOn.set(browser);
    return { authorization_url: url, name };
  });

  route(edge, contract.completeSignOn, async ({ ctx, body, origin, cookie, device, signOn, from }) => {
    const { address } = from;
    // Whatever comes of it, it was the one try.
    signOn.clear();
    const given = { query: body.query, browser: signOn.browser };
    const token = await logins.attempt({ address }, () => completeSignOn(ctx, given, origin + PAGE, from));
    return signedIn(edge, { cookie, device }, token);
  });
}

const providerId = (text: string): Uuid => requireId("identityProvider", text, "Identity provider");
const organization = (text: string): Uuid => requireId("organization", text, "Organization");

type Body = Static<NonNullable<typeof contract.putIdentityProvider.body>>;

/** What is left out is as little as it can be. */
const wantedOf = (body: Body): WantedProvider => ({
  name: body.name,
  issuer: body.issuer,
  clientId: body.client_id,
  clientSecret: body.client_secret,
  scopes: body.scopes ?? ["openid", "email", "profile"],
  emailDomains: body.email_domains,
  groupsClaim: body.groups_claim ?? null,
  groupRoles: (body.group_roles ?? []).map(({ group, permission, organization_ids }) => ({
    group,
    permission: roleOf(permission),
    organization_ids: organization_ids.map(organization),
  })),
  permission: body.permission === undefined ? "viewer" : body.permission && roleOf(body.permission),
  organizationIds: (body.organization_ids ?? []).map(organization),
  createsUsers: body.creates_users ?? false,
  passwordAllowed: body.password_allowed ?? true,
  factorTrusted: body.factor_trusted ?? false,
  emailsTrusted: body.emails_trusted ?? false,
});

const organizationView = (id: Uuid): string => publicId("organization", id);

const providerView = (provider: IdentityProvider, origin: string) => ({
  provider_id: publicId("identityProvider", provider.id),
  name: provider.name,
  issuer: provider.issuer,
  client_id: provider.client_id,
  scopes: provider.scopes,
  email_domains: provider.email_domains,
  groups_claim: provider.groups_claim,
  group_roles: provider.group_roles.map((each) => ({
    ...each,
    organization_ids: each.organization_ids.map(organizationView),
  })),
  permission: provider.permission,
  organization_ids: provider.organization_ids.map(organizationView),
  creates_users: provider.creates_users,
  password_allowed: provider.password_allowed,
  factor_trusted: provider.factor_trusted,
  emails_trusted: provider.emails_trusted,
  has_client_secret: provider.client_secret !== null,
  redirect_uri: origin + PAGE,
  sign_in_url: `${origin}/console/sign-in?provider=${publicId("identityProvider", provider.id)}`,
  created_at: provider.created_at.toISOString(),
});
