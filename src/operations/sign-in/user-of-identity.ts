import { domainOf, groupsOf, isHigher, isVerified, standingOf } from "#domain/accounts/identity-provider.ts";
import { failure } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import type { ProvedIdentity } from "#ports/sign-in.ts";
import type { IdentityProvider } from "#store/accounts/identity-providers.ts";
import * as providers from "#store/accounts/identity-providers.ts";
import * as sessions from "#store/accounts/sessions.ts";
import * as tenants from "#store/accounts/tenants.ts";
import type { User } from "#store/accounts/users.ts";
import * as users from "#store/accounts/users.ts";
import type { Tx } from "#store/database/db.ts";
import * as inbox from "#store/messaging/inbox.ts";

/** Who has signed in where, and the id of a user that may have to be made. */
type Arrival = { accountId: Uuid; provider: IdentityProvider; proved: ProvedIdentity; newUserId: Uuid };

/** What the audit log says of it. */
type Entered = { userId: Uuid; change: { before?: object | null; after?: object } };

const refused = (why: string) => failure("sign_on_refused", why);

/** Addresses as the database and people can have them: no control characters. */
const ADDRESS = /^[^\s@\p{C}]+@[^\s@\p{C}]+$/u;
const MAX_ADDRESS = 254;
const MAX_NAME = 200;

/**
 * The user of somebody at a provider, by the provider's own name of the person. At first that is whoever has the verified address, or a new user; role
 * and organizations follow the groups each time. The last admin stays one. Fails with `sign_on_refused`.
 */
export async function userOfIdentity(ctx: Context, tx: Tx, arrival: Arrival): Promise<Entered> {
  const { accountId, provider, proved } = arrival;
  const email = addressOf(provider, proved);
  const standing = standingOf(provider, groupsOf(proved.claims, provider.groups_claim));
  if (!standing) throw refused("None of your groups at the provider may sign in here");
  // Before any other user is locked.
  const admins = await users.lockedAdmins(tx, accountId);
  const { user, isKnown } = await find(tx, arrival, email);
  const modes = [accountId, await tenants.otherMode(tx, accountId)];
  const link = (userId: Uuid) => {
    const identity = { providerId: provider.id, subject: proved.subject, userId, now: ctx.now() };
    return providers.link(tx, accountId, identity);
  };
  if (!user) {
    const made = await make(ctx, tx, arrival, { email, ...standing, modes });
    await link(made.id);
    return { userId: made.id, change: { before: null, after: shown(made) } };
  }
  await link(user.id);
  const after = { ...user };
  if (provider.groups_claim !== null) {
    const isLastAdmin = admins.length === 0 || (admins.length === 1 && admins[0] === user.id);
    after.permission = user.permission === "admin" && isLastAdmin ? "admin" : standing.permission;
    if (standing.organizationIds.length > 0) after.organization_ids = standing.organizationIds;
    if (!after.organization_ids.includes(after.organization_id)) after.organization_id = after.organization_ids[0]!;
    await change(tx, { accountId, modes }, user, after);
  }
  const linked = isKnown ? {} : { provider: provider.name };
  return { userId: user.id, change: { before: shown(user), after: { ...shown(after), ...linked } } };
}

/** The verified address of somebody whom the provider may sign in. */
function addressOf({ email_domains, emails_trusted }: IdentityProvider, { claims }: ProvedIdentity): string {
  const { email } = claims;
  if (typeof email !== "string" || email.length > MAX_ADDRESS || !ADDRESS.test(email))
    throw refused("The provider names no e-mail address of yours");
  if (!(isVerified(claims) ?? emails_trusted))
    throw refused("The provider does not say that your e-mail address is verified");
  if (!email_domains.includes(domainOf(email)))
    throw refused(`Addresses of ${domainOf(email)} do not sign in by this provider`);
  return email;
}

/** Who it is here, locked; undefined where a user has to be made. */
async function find(
  tx: Tx,
  { accountId, provider, proved: { subject } }: Arrival,
  email: string,
): Promise<{ user: User | undefined; isKnown: boolean }> {
  if (/\p{C}/u.test(subject)) throw refused("The provider's name of you cannot be kept");
  const knownId = await providers.userOf(tx, accountId, { providerId: provider.id, subject });
  const known = knownId && (await users.lock(tx, accountId, knownId));
  if (known) return { user: known, isKnown: true };
  const found = await users.byEmail(tx, accountId, email);
  const user = found && (await users.lock(tx, accountId, found.id));
  if (user) {
    const other = await providers.subjectOf(tx, accountId, { providerId: provider.id, userId: user.id });
    // An address that was given to somebody else must not bring along what the first one has here.
    if (other !== undefined) throw refused("The user of this e-mail address is another person at the provider");
    return { user, isKnown: false };
  }
  if (knownId !== undefined) throw refused("Your user was deleted here: an admin can make it anew");
  if (!provider.creates_users) throw refused("Nobody here has this e-mail address: an admin makes users");
  return { user: undefined, isKnown: false };
}

type Made = { email: string; permission: User["permission"]; organizationIds: readonly Uuid[]; modes: readonly Uuid[] };

async function make(
  ctx: Context,
  tx: Tx,
  { proved: { claims }, newUserId }: Arrival,
  { email, permission, organizationIds, modes }: Made,
): Promise<User> {
  const said = typeof claims.name === "string" ? claims.name.replace(/\p{C}/gu, "").trim().slice(0, MAX_NAME) : "";
  const user: User = {
    id: newUserId,
    organization_id: organizationIds[0]!,
    organization_ids: [...organizationIds],
    name: said.toWellFormed() || email.split("@")[0]!,
    email,
    permission,
    test_only: false,
    created_at: ctx.now(),
  };
  if (!(await users.insert(tx, modes, user))) throw refused("Another sign-in of yours came first: begin again");
  return user;
}

async function change(
  tx: Tx,
  { accountId, modes }: { accountId: Uuid; modes: readonly Uuid[] },
  before: User,
  after: User,
): Promise<void> {
  await users.change(tx, modes, after);
  if (after.organization_id !== before.organization_id) await users.move(tx, modes, after.id, after.organization_id);
  // A session gets no more rights than it was signed in with.
  if (isHigher(after.permission, before.permission)) await sessions.endAll(tx, accountId, after.id, undefined);
  if (after.permission !== "admin") await inbox.release(tx, modes, after.id, after.organization_ids);
}

const shown = ({ name, email, permission, organization_ids }: User) => ({ name, email, permission, organization_ids });
