import { type Role, scopesOf } from "#contract/accounts/roles.ts";
import { refuseGrant } from "#domain/accounts/api-key.ts";
import { requireAdminProof } from "#domain/accounts/factor.ts";
import { clientSecretPlace, type GroupRole, MOST_PROVIDERS } from "#domain/accounts/identity-provider.ts";
import { conflict, failure, invalidField, notFound } from "#domain/values/errors.ts";
import { publicId, type Uuid } from "#domain/values/id.ts";
import { type Caller, type Context, isOfBothModes } from "#operations/context.ts";
import { type ProviderAccess, ProviderProblem } from "#ports/sign-in.ts";
import type { IdentityProvider } from "#store/accounts/identity-providers.ts";
import * as providers from "#store/accounts/identity-providers.ts";
import * as organizations from "#store/accounts/organizations.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as users from "#store/accounts/users.ts";
import type { Tx } from "#store/database/db.ts";
import { seal } from "#store/system/sealing.ts";

export type { IdentityProvider };

/** What an admin says of a provider. An undefined `clientSecret` leaves that of before. */
export type WantedProvider = {
  name: string;
  issuer: string;
  clientId: string;
  clientSecret: string | null | undefined;
  scopes: readonly string[];
  emailDomains: readonly string[];
  groupsClaim: string | null;
  groupRoles: readonly GroupRole[];
  permission: Role | null;
  organizationIds: readonly Uuid[];
  createsUsers: boolean;
  passwordAllowed: boolean;
  factorTrusted: boolean;
  emailsTrusted: boolean;
};

export const listProviders = (ctx: Context, caller: Caller): Promise<IdentityProvider[]> =>
  providers.list(ctx.db, caller.accountId);

/**
 * Keeps a new provider, or changes the one of this id. 400 naming the field, 404 for an organization that is not in both modes, 409 where nobody could
 * sign in as an admin any more.
 */
export async function putProvider(
  ctx: Context,
  caller: Caller,
  id: Uuid | undefined,
  wanted: WantedProvider,
): Promise<IdentityProvider> {
  const { accountId } = caller;
  refuseTestKey(caller);
  requireAdminProof(caller.person, ctx.now());
  refuseWrong(ctx, wanted);
  for (const role of rolesOf(wanted))
    refuseGrant({ ...caller, mode: "live" }, { mode: "live", scopes: scopesOf(role) });
  const newId = caller.newId();
  return ctx.db.transaction(async (tx) => {
    const admins = await users.lockedAdmins(tx, accountId);
    const all = await providers.list(tx, accountId);
    // A repeat of a request whose answer was lost finds its own row.
    const before = all.find((each) => each.id === (id ?? newId));
    if (id !== undefined && !before) throw notFound("Identity provider");
    if (!before && all.length >= MOST_PROVIDERS)
      throw conflict(`A tenant has at most ${MOST_PROVIDERS} identity providers`);
    await refuseUnknown(tx, accountId, wanted);
    const isOther = before !== undefined && before.issuer !== wanted.issuer;
    if (isOther && before.client_secret !== null && wanted.clientSecret === undefined)
      throw invalidField("client_secret", "must be sent anew with another issuer");
    const own = before?.id ?? newId;
    const place = clientSecretPlace(accountId, own);
    const { clientSecret } = wanted;
    const provider: IdentityProvider = {
      id: own,
      name: wanted.name,
      issuer: wanted.issuer,
      client_id: wanted.clientId,
      client_secret: clientSecret ? await seal(tx, ctx.sealingKeys, clientSecret, place) : null,
      scopes: [...wanted.scopes],
      email_domains: [...new Set(wanted.emailDomains.map((domain) => domain.toLowerCase()))],
      groups_claim: wanted.groupsClaim,
      group_roles: [...wanted.groupRoles],
      permission: wanted.permission,
      organization_ids: [...wanted.organizationIds],
      creates_users: wanted.createsUsers,
      password_allowed: wanted.passwordAllowed,
      factor_trusted: wanted.factorTrusted,
      emails_trusted: wanted.emailsTrusted,
      created_at: before?.created_at ?? ctx.now(),
    };
    if (clientSecret === undefined) provider.client_secret = before?.client_secret ?? null;
    ctx.audit.note({ object: objectOf(own), before: before ? shown(before) : null, after: shown(provider) });
    await providers.put(tx, accountId, provider, ctx.now());
    if (isOther) await providers.forgetAll(tx, accountId, own);
    if (!wanted.passwordAllowed && !(await providers.hasAdmin(tx, accountId, own)))
      throw conflict("Passwords stay until an admin has signed in by this provider", "password_allowed");
    await refuseWithoutAdmin(tx, accountId, admins);
    return provider;
  });
}

/** 409 where nobody could sign in as an admin any more. */
export async function deleteProvider(ctx: Context, caller: Caller, id: Uuid): Promise<void> {
  const { accountId } = caller;
  refuseTestKey(caller);
  requireAdminProof(caller.person, ctx.now());
  await ctx.db.transaction(async (tx) => {
    const admins = await users.lockedAdmins(tx, accountId);
    const before = await providers.find(tx, accountId, id);
    if (!before || !(await providers.remove(tx, accountId, id))) throw notFound("Identity provider");
    ctx.audit.note({ object: objectOf(id), before: shown(before), after: null });
    await refuseWithoutAdmin(tx, accountId, admins);
  });
}

/** What is wrong with a provider, in one sentence; undefined: nothing. */
export async function checkProvider(ctx: Context, caller: Caller, id: Uuid): Promise<string | undefined> {
  const provider = await providers.find(ctx.db, caller.accountId, id);
  if (!provider) throw notFound("Identity provider");
  try {
    await ctx.identityProviders.check(accessOf(ctx, caller.accountId, provider));
    return undefined;
  } catch (error) {
    if (error instanceof ProviderProblem) return error.message;
    throw error;
  }
}

/** As it is asked. */
export const accessOf = (ctx: Context, accountId: Uuid, provider: IdentityProvider): ProviderAccess => ({
  issuer: provider.issuer,
  clientId: provider.client_id,
  clientSecret:
    provider.client_secret === null
      ? undefined
      : ctx.sealingKeys.open(provider.client_secret, clientSecretPlace(accountId, provider.id)),
  scopes: provider.scopes,
});

function refuseTestKey(caller: Caller): void {
  if (!isOfBothModes(caller))
    throw failure("live_key_required", "Only a live key, or somebody signed in, may say how people sign in");
}

function refuseWrong(ctx: Context, wanted: WantedProvider): void {
  const problem = ctx.identityProviders.problem(wanted.issuer);
  if (problem !== undefined) throw invalidField("issuer", problem);
  if (!wanted.scopes.includes("openid")) throw invalidField("scopes", "must have openid among them");
  if (wanted.createsUsers && wanted.organizationIds.length === 0)
    throw invalidField("organization_ids", "must name an organization where users are made");
  if (wanted.groupRoles.length > 0 && wanted.groupsClaim === null)
    throw invalidField("groups_claim", "must name the claim that has the groups of group_roles");
}

const rolesOf = ({ permission, groupRoles }: WantedProvider): Role[] => [
  ...(permission === null ? [] : [permission]),
  ...groupRoles.map((each) => each.permission),
];

/** Users are in both modes, so their organizations are. */
async function refuseUnknown(tx: Tx, accountId: Uuid, wanted: WantedProvider): Promise<void> {
  const modes = [accountId, await tenants.otherMode(tx, accountId)];
  const named = new Set([...wanted.organizationIds, ...wanted.groupRoles.flatMap((each) => each.organization_ids)]);
  for (const id of named)
    for (const mode of modes) if (!(await organizations.find(tx, mode, id))) throw notFound("Organization");
}

/** After the change: where there was an admin who can sign in, there is one still. */
async function refuseWithoutAdmin(tx: Tx, accountId: Uuid, before: readonly Uuid[]): Promise<void> {
  if (before.length > 0 && (await users.lockedAdmins(tx, accountId)).length === 0)
    throw conflict("Nobody could sign in as an admin any more: invite an admin to set a password first");
}

const objectOf = (id: Uuid) => ({ kind: "identity_provider", id: publicId("identityProvider", id) });

/** Of a provider, for the audit log: whether it has a secret, and not which. */
const shown = ({ id, client_secret, created_at, ...rest }: IdentityProvider) => ({
  ...rest,
  has_client_secret: client_secret !== null,
});
