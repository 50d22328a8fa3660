import { type CarrierRecord, type CarrierStatus, problemOfLent } from "#domain/numbers/carrier-account.ts";
import type { CarrierKind } from "#domain/numbers/carrier-kind.ts";
import type { Uuid } from "#domain/values/id.ts";
import * as tenants from "#store/accounts/tenants.ts";
import { changing, crossTenant, crossTenantChanging, statement, type Tx } from "#store/database/db.ts";
import * as lentCarriers from "./lent-carriers.ts";

/** An account with its credentials, each sealed (domain/numbers/carrier-account.ts). */
export type SealedAccount = CarrierRecord & { credentials: Record<string, string> };

const COLUMNS = `account.id, account.carrier, account.organization_id, account.kind, account.name, account.settings, account.status,
  account.lent_from, account.texts_per_second, account.texts_per_day, account.calls_at_once, account.problem, account.revision, account.last_checked_at, account.created_at`;
const COUNTED = `${COLUMNS}, (select count(*)::int from phone_numbers number
  where number.tenant_id = $1 and number.carrier = account.carrier) as numbers_count`;

const insertAccount = changing(
  "insert-carrier-account",
  `insert into carrier_accounts (tenant_id, id, carrier, organization_id, kind, name, credentials, settings, status, revision, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, 'new', 1, $9) on conflict (tenant_id, id) do nothing`,
);
const insertOwner = crossTenantChanging(
  "insert-carrier-account-owner",
  "insert into carrier_account_owners (id, owner) values ($1, $2) on conflict (id) do nothing",
);

const STATE = "returning carrier, status, revision, last_checked_at";
type State = Pick<CarrierRecord, "carrier" | "status" | "revision" | "last_checked_at">;

/** Whoever was lent the account has what is true of it now. */
async function spread(tx: Tx, now: State | undefined): Promise<void> {
  if (!now) return;
  const { carrier, status, revision, last_checked_at: checkedAt } = now;
  await lentCarriers.spread(tx, carrier, { status, problem: problemOfLent(status), revision, checkedAt });
}

type NewAccount = Pick<
  SealedAccount,
  "id" | "carrier" | "organization_id" | "kind" | "name" | "credentials" | "settings" | "created_at"
>;

/** Safe to repeat with the same id. In a transaction. */
export async function insert(tx: Tx, tenantId: Uuid, account: NewAccount): Promise<void> {
  const { id, carrier, organization_id, kind, name, credentials, settings, created_at } = account;
  await tx.run(insertAccount, [
    tenantId,
    id,
    carrier,
    organization_id,
    kind,
    name,
    JSON.stringify(credentials),
    JSON.stringify(settings),
    created_at,
  ]);
  await tx.run(insertOwner, [id, tenantId]);
}

// Whose they are is read first, and then the accounts tenant by tenant: of a distributed database no other server than theirs is asked.
const findOwners = crossTenant(
  "list-owners-of-carrier-accounts",
  "select id, owner from carrier_account_owners where id = any($1::uuid[])",
);
const findOfWebhooks = statement(
  "find-carrier-accounts-of-webhooks",
  `select account.id, account.tenant_id as owner, tenant.mode, account.carrier, account.revision
   from carrier_accounts account join tenants tenant on tenant.id = $1
   where account.tenant_id = $1 and account.id = any($2::uuid[])`,
);
const findEndedOfWebhooks = crossTenant(
  "find-ended-loans-of-webhooks",
  `select lent_as, holder, owner, carrier from lent_carriers where lent_as = any($1::text[]) and ended_at > $2`,
);

type Ended = { lent_as: string; holder: Uuid; owner: Uuid; carrier: string };
type OfWebhooks = { owner: Uuid; mode: "live" | "test"; carrier: string; revision: number };

/** Loans that have ended since a time, whoever's they were: webhooks for what was sent by them still come. The revision is that of the account. */
export async function endedOfWebhooks(tx: Tx, carriers: readonly string[], since: Date): Promise<OfWebhooks[]> {
  const ended = await tx.rows<Ended>(findEndedOfWebhooks, [carriers, since]);
  const found: OfWebhooks[] = [];
  for (const { lent_as, holder, owner, carrier } of ended) {
    const revision = await revisionOf(tx, owner, carrier);
    const tenant = await tenants.find(tx, holder);
    if (revision !== undefined && tenant) found.push({ owner: holder, mode: tenant.mode, carrier: lent_as, revision });
  }
  return found;
}

/** Those of the accounts that are there, whoever's they are, with the revision that counts now: for webhooks. */
export async function ofWebhooks(tx: Tx, ids: readonly Uuid[]): Promise<(OfWebhooks & { id: Uuid })[]> {
  const owners = await tx.rows<{ id: Uuid; owner: Uuid }>(findOwners, [ids]);
  const found: (OfWebhooks & { id: Uuid })[] = [];
  for (const [owner, theirs] of Map.groupBy(owners, (account) => account.owner)) {
    const values = [owner, theirs.map(({ id }) => id)];
    found.push(...(await tx.rows<OfWebhooks & { id: Uuid }>(findOfWebhooks, values)));
  }
  return found;
}

const findAccount = statement(
  "find-carrier-account",
  `select ${COUNTED} from carrier_accounts account where account.tenant_id = $1 and account.id = $2`,
);

export function find(tx: Tx, tenantId: Uuid, id: Uuid): Promise<CarrierRecord | undefined> {
  return tx.first<CarrierRecord>(findAccount, [tenantId, id]);
}

const openAccount = statement(
  "open-carrier-account",
  `select ${COLUMNS}, account.credentials from carrier_accounts account where account.tenant_id = $1 and account.carrier = $2`,
);

/** With its sealed credentials, by its public id. */
export function sealed(
  tx: Tx,
  tenantId: Uuid,
  carrier: string,
): Promise<Omit<SealedAccount, "numbers_count"> | undefined> {
  return tx.first(openAccount, [tenantId, carrier]);
}

const lockAccount = statement(
  "lock-carrier-account",
  `select ${COLUMNS}, account.credentials from carrier_accounts account
   where account.tenant_id = $1 and account.id = $2 for update`,
);

/** Holds an account until the transaction ends. */
export function lock(tx: Tx, tenantId: Uuid, id: Uuid): Promise<Omit<SealedAccount, "numbers_count"> | undefined> {
  return tx.first(lockAccount, [tenantId, id]);
}

const keepAccount = statement(
  "keep-carrier-account",
  "select carrier from carrier_accounts where tenant_id = $1 and carrier = $2 for key share",
);

/** Keeps an account from being removed until the transaction ends; false when it is not there. */
export async function keep(tx: Tx, tenantId: Uuid, carrier: string): Promise<boolean> {
  return (await tx.first(keepAccount, [tenantId, carrier])) !== undefined;
}

const accountRevision = statement(
  "carrier-account-revision",
  "select revision from carrier_accounts where tenant_id = $1 and carrier = $2",
);

/** The revision that counts now; undefined when the account is not there. */
export async function revisionOf(tx: Tx, tenantId: Uuid, carrier: string): Promise<number | undefined> {
  return (await tx.first<{ revision: number }>(accountRevision, [tenantId, carrier]))?.revision;
}

const lentAccount = statement(
  "find-lent-carrier-account",
  'select calls_at_once as "callsAtOnce" from carrier_accounts where tenant_id = $1 and carrier = $2 and lent_from is not null',
);

/** What may go on at once by an account that the tenant was lent (null: no calls); undefined for one of its own. */
export function lentCalls(
  tx: Tx,
  tenantId: Uuid,
  carrier: string,
): Promise<{ callsAtOnce: number | null } | undefined> {
  return tx.first(lentAccount, [tenantId, carrier]);
}

const listAccounts = statement(
  "list-carrier-accounts",
  `select ${COUNTED} from carrier_accounts account
   where account.tenant_id = $1 and account.id < $2 order by account.id desc limit $3`,
);

/** Newest first, older than `before`, one more than a page. */
export function list(tx: Tx, tenantId: Uuid, page: { before: Uuid; limit: number }): Promise<CarrierRecord[]> {
  return tx.rows<CarrierRecord>(listAccounts, [tenantId, page.before, page.limit + 1]);
}

const connectedAccount = statement(
  "connected-carrier-account",
  "select name from carrier_accounts where tenant_id = $1 and status = 'connected' order by id limit 1",
);

/** The name of the first account that sends. */
export async function connected(tx: Tx, tenantId: Uuid): Promise<string | undefined> {
  return (await tx.first<{ name: string }>(connectedAccount, [tenantId]))?.name;
}

const connectedTrunks = crossTenant(
  "list-connected-trunks",
  `select account.tenant_id as "tenantId", tenants.mode, account.carrier, account.revision, account.problem,
     (select coalesce(array_agg(number.phone order by number.phone), '{}') from phone_numbers number
      where number.tenant_id = account.tenant_id and number.carrier = account.carrier and number.bought_at is not null) as numbers
   from carrier_accounts account join tenants on tenants.id = account.tenant_id
   where account.kind = 'sip' and account.status = 'connected' order by account.id`,
);

/** A trunk that calls are taken from, with its numbers. */
export type ConnectedTrunk = {
  tenantId: Uuid;
  mode: "live" | "test";
  carrier: string;
  revision: number;
  problem: string | null;
  numbers: string[];
};

/** All trunks of tenants that are connected, the oldest first. For processes that hold calls. */
export const trunks = (tx: Tx): Promise<ConnectedTrunk[]> => tx.rows<ConnectedTrunk>(connectedTrunks, []);

const anyConnected = statement(
  "any-connected-carrier-account",
  "select exists (select from carrier_accounts where tenant_id = $1 and status <> 'new') as there",
);

/** Whether the tenant has an account that sends, or did. */
export async function isAnyConnected(tx: Tx, tenantId: Uuid): Promise<boolean> {
  return (await tx.first<{ there: boolean }>(anyConnected, [tenantId]))!.there;
}

const sessionAccounts = crossTenant(
  "list-carrier-accounts-with-session",
  `select account.tenant_id, tenant.mode, account.id, account.carrier, account.revision from carrier_accounts account
   join tenants tenant on tenant.id = account.tenant_id
   where account.kind = any($1::text[]) and account.status = 'connected' and account.lent_from is null order by account.id`,
);

export type SessionAccount = { tenant_id: Uuid; mode: "live" | "test"; id: Uuid; carrier: string; revision: number };

/** The accounts of these kinds that send, of every tenant: each has a session. */
export function withSession(tx: Tx, kinds: readonly CarrierKind[]): Promise<SessionAccount[]> {
  return tx.rows<SessionAccount>(sessionAccounts, [kinds]);
}

const openedAccounts = statement(
  "list-carrier-accounts-in-use",
  `select ${COLUMNS} from carrier_accounts account where account.tenant_id = $1 and account.status <> 'new' order by account.id limit 100`,
);

/** Those that are connected, or were: the oldest first. */
export function inUse(tx: Tx, tenantId: Uuid): Promise<Omit<CarrierRecord, "numbers_count">[]> {
  return tx.rows(openedAccounts, [tenantId]);
}

const changeAccount = changing(
  "change-carrier-account",
  `update carrier_accounts set name = $3, organization_id = $4, settings = $5, revision = revision + $6
   where tenant_id = $1 and id = $2 ${STATE}`,
);
const changeNumbers = changing(
  "change-owner-of-carrier-numbers",
  "update phone_numbers set organization_id = $3 where tenant_id = $1 and carrier = $2",
);

/** Its settings are new where `isNew`: what was opened with the old ones is used no more. Its numbers go with its organization. */
export async function change(
  tx: Tx,
  tenantId: Uuid,
  account: Pick<CarrierRecord, "id" | "carrier" | "name" | "organization_id" | "settings">,
  isNew: { settings: boolean; organization: boolean },
): Promise<void> {
  const { id, name, organization_id, settings } = account;
  const values = [name, organization_id, JSON.stringify(settings), isNew.settings ? 1 : 0];
  await spread(tx, await tx.first<State>(changeAccount, [tenantId, id, ...values]));
  if (isNew.organization) await tx.run(changeNumbers, [tenantId, account.carrier, organization_id]);
}

const openAttempts = statement(
  "has-open-attempts-of-carrier",
  `select exists (
     select from attempts where tenant_id = $1 and carrier = $2 and state in ('in_flight', 'uncertain')) as there`,
);

/** Whether something is on its way by the account, or in doubt. */
export async function hasOpenAttempts(tx: Tx, tenantId: Uuid, carrier: string): Promise<boolean> {
  return (await tx.first<{ there: boolean }>(openAttempts, [tenantId, carrier]))!.there;
}

const rotateAccount = changing(
  "rotate-carrier-account",
  `update carrier_accounts set former_credentials = credentials, credentials = $3, rotated_at = $4, revision = revision + 1
   where tenant_id = $1 and id = $2 ${STATE}`,
);

/** Replaces its credentials, which come sealed. The former ones are kept for webhooks that are still signed with them. */
export async function rotate(
  tx: Tx,
  tenantId: Uuid,
  id: Uuid,
  { credentials, at }: { credentials: Record<string, string>; at: Date },
): Promise<void> {
  await spread(tx, await tx.first<State>(rotateAccount, [tenantId, id, JSON.stringify(credentials), at]));
}

const formerAccount = statement(
  "former-carrier-account",
  `select ${COLUMNS}, account.former_credentials as credentials from carrier_accounts account
   where account.tenant_id = $1 and account.carrier = $2 and account.former_credentials is not null and account.rotated_at > $3`,
);

/** The account with the credentials that it had before, where they were replaced after a time. */
export function former(
  tx: Tx,
  tenantId: Uuid,
  carrier: string,
  since: Date,
): Promise<Omit<SealedAccount, "numbers_count"> | undefined> {
  return tx.first(formerAccount, [tenantId, carrier, since]);
}

const noteChecked = changing(
  "note-carrier-account-checked",
  `update carrier_accounts set status = $3, problem = $4, last_checked_at = $5 where tenant_id = $1 and id = $2 ${STATE}`,
);

/** What a check, or a set-up, has found. In a transaction. */
export async function checked(
  tx: Tx,
  tenantId: Uuid,
  id: Uuid,
  found: { status: CarrierStatus; problem: string | null; at: Date },
): Promise<void> {
  const values = [found.status, found.problem, found.at];
  await spread(tx, await tx.first<State>(noteChecked, [tenantId, id, ...values]));
}

const troubleAccount = changing(
  "trouble-carrier-account",
  `update carrier_accounts set status = $3, problem = $4
   where tenant_id = $1 and carrier = $2 and revision = $5`,
);

/** The carrier has refused the account while it was used under this revision. False where it was repaired meanwhile, and stays as it is. */
export async function inTrouble(
  tx: Tx,
  tenantId: Uuid,
  carrier: string,
  found: { status: CarrierStatus; problem: string; revision: number },
): Promise<boolean> {
  return (await tx.run(troubleAccount, [tenantId, carrier, found.status, found.problem, found.revision])) === 1;
}

const noteTrunkProblem = changing(
  "note-carrier-account-problem",
  `update carrier_accounts set problem = $3
   where tenant_id = $1 and carrier = $2 and revision = $4 and status = 'connected' and problem is distinct from $3`,
);

/** What is wrong with an account's carrier now, and passes by itself: it stays connected, and what is to leave by it waits. */
export async function noteProblem(
  tx: Tx,
  tenantId: Uuid,
  carrier: string,
  found: { problem: string | null; revision: number },
): Promise<void> {
  await tx.run(noteTrunkProblem, [tenantId, carrier, found.problem, found.revision]);
}

const usedAccount = statement(
  "carrier-account-in-use",
  `select campaign_id from campaigns
   where tenant_id = $1 and carrier = $2 and status in ('processing', 'active', 'paused', 'scheduled', 'running') limit 1`,
);

/** A campaign that is not over and sends or calls by the account, by the caller's own id. */
export async function usedBy(tx: Tx, tenantId: Uuid, carrier: string): Promise<string | undefined> {
  return (await tx.first<{ campaign_id: string }>(usedAccount, [tenantId, carrier]))?.campaign_id;
}

const removeNumbers = changing(
  "remove-carrier-numbers",
  "delete from phone_numbers where tenant_id = $1 and carrier = $2",
);
const removeAccount = changing(
  "remove-carrier-account",
  "delete from carrier_accounts where tenant_id = $1 and id = $2",
);
const removeOwner = crossTenantChanging(
  "remove-carrier-account-owner",
  "delete from carrier_account_owners where id = $1",
);

/** With its numbers, which stay what they are at the carrier. What is lent is not removed. In a transaction. */
export async function remove(
  tx: Tx,
  tenantId: Uuid,
  { id, carrier }: Pick<CarrierRecord, "id" | "carrier">,
): Promise<void> {
  await tx.run(removeNumbers, [tenantId, carrier]);
  await tx.run(removeAccount, [tenantId, id]);
  await tx.run(removeOwner, [id]);
}
