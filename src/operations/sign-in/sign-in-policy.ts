import { requireAdminProof } from "#domain/accounts/factor.ts";
import { failure, notFound } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";
import { type Caller, type Context, isOfBothModes } from "#operations/context.ts";
import * as organizations from "#store/accounts/organizations.ts";
import type { SignInPolicy } from "#store/accounts/sign-in-policies.ts";
import * as policies from "#store/accounts/sign-in-policies.ts";

export const getSignInPolicy = (ctx: Context, caller: Caller): Promise<SignInPolicy> =>
  policies.find(ctx.db, caller.accountId);

/**
 * Says who must have a second factor. It binds open sessions from their next request on: store/accounts/sessions.ts. 404 for an organization that is not
 * there.
 */
export async function setSignInPolicy(
  ctx: Context,
  caller: Caller,
  wanted: { factorRequired: boolean; organizationIds: readonly Uuid[] },
): Promise<SignInPolicy> {
  if (!isOfBothModes(caller))
    throw failure("live_key_required", "Only a live key, or somebody signed in, may say how people sign in");
  requireAdminProof(caller.person, ctx.now());
  const organization_ids = [...new Set(wanted.organizationIds)];
  for (const id of organization_ids)
    if (!(await organizations.find(ctx.db, caller.tenantId, id))) throw notFound("Organization");
  const policy = { factor_required: wanted.factorRequired, organization_ids };
  await policies.put(ctx.db, caller.accountId, policy, ctx.now());
  return policy;
}
