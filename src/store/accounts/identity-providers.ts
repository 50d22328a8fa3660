import type { Role } from "#contract/accounts/roles.ts";
import type { GroupRole } from "#domain/accounts/identity-provider.ts";
import type { Uuid } from "#domain/values/id.ts";
import { changing, crossTenant, statement, type Tx } from "#store/database/db.ts";

/** A provider that people of a tenant sign in by. `client_secret` is sealed. */
export type IdentityProvider = {
  id: Uuid;
  name: string;
  issuer: string;
  client_id: string;
  client_secret: string | null;
  scopes: string[];
  email_domains: string[];
  groups_claim: string | null;
  group_roles: GroupRole[];
  permission: Role | null;
  organization_ids: Uuid[];
  creates_users: boolean;
  password_allowed: boolean;
  factor_trusted: boolean;
  emails_trusted: boolean;
  created_at: Date;
};

const COLUMNS = `id, name, issuer, client_id, client_secret, scopes, email_domains, groups_claim, group_roles, permission,
  organization_ids, creates_users, password_allowed, factor_trusted, emails_trusted, created_at`;

const listProviders = statement(
  "list-identity-providers",
  `select ${COLUMNS} from identity_providers where tenant_id = $1 order by id`,
);

/** By the tenant's public id, the oldest first. */
export function list(tx: Tx, accountId: Uuid): Promise<IdentityProvider[]> {
  return tx.rows<IdentityProvider>(listProviders, [accountId]);
}

const findProvider = statement(
  "find-identity-provider",
  `select ${COLUMNS} from identity_providers where tenant_id = $1 and id = $2`,
);

export function find(tx: Tx, accountId: Uuid, id: Uuid): Promise<IdentityProvider | undefined> {
  return tx.first<IdentityProvider>(findProvider, [accountId, id]);
}

const holdProvider = statement(
  "hold-identity-provider",
  `select ${COLUMNS} from identity_providers where tenant_id = $1 and id = $2 for share`,
);

/** As it is until the transaction ends. */
export function hold(tx: Tx, accountId: Uuid, id: Uuid): Promise<IdentityProvider | undefined> {
  return tx.first<IdentityProvider>(holdProvider, [accountId, id]);
}

const ownerOfProvider = crossTenant(
  "owner-of-identity-provider",
  "select tenant_id from identity_providers where id = $1",
);

/** Whose a provider is: for who is not signed in. */
export async function ownerOf(tx: Tx, id: Uuid): Promise<Uuid | undefined> {
  return (await tx.first<{ tenant_id: Uuid }>(ownerOfProvider, [id]))?.tenant_id;
}

const providersOfDomain = crossTenant(
  "list-identity-providers-of-domain",
  "select tenant_id, id, name from identity_providers where $1 = any(email_domains) order by created_at, id limit 10",
);

/** Of all tenants, the oldest first: nothing proves whose a domain is. */
export function ofDomain(tx: Tx, domain: string): Promise<{ tenant_id: Uuid; id: Uuid; name: string }[]> {
  return tx.rows<{ tenant_id: Uuid; id: Uuid; name: string }>(providersOfDomain, [domain]);
}

const putProvider = changing(
  "put-identity-provider",
  `insert into identity_providers (tenant_id, ${COLUMNS}, changed_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)
   on conflict (tenant_id, id) do update set name = excluded.name, issuer = excluded.issuer, client_id = excluded.client_id,
     client_secret = excluded.client_secret, scopes = excluded.scopes, email_domains = excluded.email_domains,
     groups_claim = excluded.groups_claim, group_roles = excluded.group_roles, permission = excluded.permission,
     organization_ids = excluded.organization_ids, creates_users = excluded.creates_users,
     password_allowed = excluded.password_allowed, factor_trusted = excluded.factor_trusted,
     emails_trusted = excluded.emails_trusted, changed_at = excluded.changed_at`,
);

export async function put(tx: Tx, accountId: Uuid, provider: IdentityProvider, at: Date): Promise<void> {
  await tx.run(putProvider, [
    accountId,
    provider.id,
    provider.name,
    provider.issuer,
    provider.client_id,
    provider.client_secret,
    provider.scopes,
    provider.email_domains,
    provider.groups_claim,
    JSON.stringify(provider.group_roles),
    provider.permission,
    provider.organization_ids,
    provider.creates_users,
    provider.password_allowed,
    provider.factor_trusted,
    provider.emails_trusted,
    provider.created_at,
    at,
  ]);
}

const removeProvider = changing(
  "remove-identity-provider",
  "delete from identity_providers where tenant_id = $1 and id = $2",
);

/** With who signs in by it. */
export async function remove(tx: Tx, accountId: Uuid, id: Uuid): Promise<boolean> {
  return (await tx.run(removeProvider, [accountId, id])) === 1;
}

const forgetIdentities = changing(
  "forget-identities",
  "delete from identities where tenant_id = $1 and provider_id = $2",
);

/** Where another issuer has its place: the names of its people are others. */
export async function forgetAll(tx: Tx, accountId: Uuid, providerId: Uuid): Promise<void> {
  await tx.run(forgetIdentities, [accountId, providerId]);
}

const anyWithoutPasswords = statement(
  "are-passwords-refused",
  "select exists (select from identity_providers where tenant_id = $1 and not password_allowed) as there",
);

/** Whether people of this tenant sign in by a provider alone. */
export async function arePasswordsRefused(tx: Tx, accountId: Uuid): Promise<boolean> {
  return (await tx.first<{ there: boolean }>(anyWithoutPasswords, [accountId]))!.there;
}

const anyAdminIdentity = statement(
  "has-admin-identity",
  `select exists (
     select from identities identity
     join users it on it.tenant_id = $1 and it.id = identity.user_id and it.permission = 'admin' and it.deleted_at is null
     where identity.tenant_id = $1 and identity.provider_id = $2) as there`,
);

/** Whether an admin has signed in by it. */
export async function hasAdmin(tx: Tx, accountId: Uuid, providerId: Uuid): Promise<boolean> {
  return (await tx.first<{ there: boolean }>(anyAdminIdentity, [accountId, providerId]))!.there;
}

const userOfSubject = statement(
  "find-identity",
  "select user_id from identities where tenant_id = $1 and provider_id = $2 and subject = $3 for update",
);

/** Who this person at the provider is; locked. */
export async function userOf(
  tx: Tx,
  accountId: Uuid,
  { providerId, subject }: { providerId: Uuid; subject: string },
): Promise<Uuid | undefined> {
  return (await tx.first<{ user_id: Uuid }>(userOfSubject, [accountId, providerId, subject]))?.user_id;
}

const putIdentity = changing(
  "put-identity",
  `insert into identities (tenant_id, provider_id, subject, user_id, created_at, last_used_at) values ($1, $2, $3, $4, $5, $5)
   on conflict (tenant_id, provider_id, subject) do update set user_id = excluded.user_id, last_used_at = excluded.last_used_at`,
);

const identityOfUser = statement(
  "subject-of-user",
  "select subject from identities where tenant_id = $1 and provider_id = $2 and user_id = $3",
);

/** By which name at the provider a user signs in. */
export async function subjectOf(
  tx: Tx,
  accountId: Uuid,
  { providerId, userId }: { providerId: Uuid; userId: Uuid },
): Promise<string | undefined> {
  return (await tx.first<{ subject: string }>(identityOfUser, [accountId, providerId, userId]))?.subject;
}

/** The user signs in by this name from now on, and did so just now. */
export async function link(
  tx: Tx,
  accountId: Uuid,
  { providerId, subject, userId, now }: { providerId: Uuid; subject: string; userId: Uuid; now: Date },
): Promise<void> {
  await tx.run(putIdentity, [accountId, providerId, subject, userId, now]);
}
