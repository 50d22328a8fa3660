import type { CarrierStatus } from "#domain/numbers/carrier-account.ts";
import type { LentLimits } from "#domain/sending/lent-limit.ts";
import type { Uuid } from "#domain/values/id.ts";
import * as tenants from "#store/accounts/tenants.ts";
import { changing, crossTenant, crossTenantChanging, type Tx } from "#store/database/db.ts";

// Accounts that are lent. Who has which, and which number, is read before the tenant is known; on Citus these two tables are on the coordinator. What a
// tenant sees of its loan is its own row of carrier_accounts, which has no credentials and no settings of the owner's.

/** A tenant's name for an account. */
export type Named = { tenantId: Uuid; carrier: string };
/** `calls_at_once` null: it carries no calls. */
export type Limits = LentLimits & { calls_at_once: number | null };

const insertLoan = crossTenantChanging(
  "insert-lent-carrier",
  `insert into lent_carriers (carrier, owner, holder, lent_as) values ($1, $2, $3, $4)
   on conflict (carrier, holder) do update set ended_at = null where lent_carriers.lent_as = excluded.lent_as`,
);
const insertRow = changing(
  "insert-row-of-lent-carrier",
  `insert into carrier_accounts (tenant_id, id, carrier, lent_from, kind, name, credentials, settings, status, revision, created_at)
   values ($1, $2, $3, $4, $5, $6, '{}', '{}', $7, $8, $9)`,
);
const insertRowOwner = crossTenantChanging(
  "insert-owner-of-lent-carrier",
  "insert into carrier_account_owners (id, owner) values ($1, $2)",
);

type NewLoan = { id: Uuid; kind: string; name: string; status: CarrierStatus; revision: number; created_at: Date };

/** Lends an account to a tenant that does not have it; one that had it has it by the name of then. In a transaction that holds the account. */
export async function lend(tx: Tx, from: Named, to: Named, row: NewLoan): Promise<void> {
  await tx.run(insertLoan, [from.carrier, from.tenantId, to.tenantId, to.carrier]);
  const { id, kind, name, status, revision, created_at } = row;
  await tx.run(insertRow, [to.tenantId, id, to.carrier, from.carrier, kind, name, status, revision, created_at]);
  await tx.run(insertRowOwner, [id, to.tenantId]);
}

const changeLoan = changing(
  "change-lent-carrier",
  `update carrier_accounts set name = $3, settings = $4, texts_per_second = $5, texts_per_day = $6, calls_at_once = $7,
     revision = revision where tenant_id = $1 and carrier = $2`,
);

/** What the borrower calls it, may do by it, and has in the place of the account's own settings. */
export async function change(
  tx: Tx,
  { tenantId, carrier }: Named,
  { name, settings, limits }: { name: string; settings: Record<string, unknown>; limits: Limits },
): Promise<void> {
  const { texts_per_second, texts_per_day, calls_at_once } = limits;
  const values = [name, JSON.stringify(settings), texts_per_second, texts_per_day, calls_at_once];
  await tx.run(changeLoan, [tenantId, carrier, ...values]);
}

const findLoans = crossTenant(
  "list-loans-of-carrier",
  'select holder as "tenantId", lent_as as carrier from lent_carriers where carrier = $1 and ended_at is null order by holder',
);

/** Who has an account of an owner's, by their own names for it. In one order, in which they are locked. */
export function loansOf(tx: Tx, carrier: string): Promise<Named[]> {
  return tx.rows<Named>(findLoans, [carrier]);
}

export type Lender = Named & { mode: "live" | "test" };

const findLender = crossTenant(
  "find-lender-of-carrier",
  'select owner as "tenantId", carrier from lent_carriers where lent_as = $1',
);

/** Whose account a tenant's row stands for; undefined for an account of its own. */
export async function lenderOf(tx: Tx, lentAs: string): Promise<Lender | undefined> {
  const lender = await tx.first<Named>(findLender, [lentAs]);
  const tenant = lender && (await tenants.find(tx, lender.tenantId));
  return lender && tenant && { ...lender, mode: tenant.mode };
}

const findEnded = crossTenant(
  "find-ended-loan-of-carrier",
  'select holder as "tenantId", lent_as as carrier from lent_carriers where carrier = $1 and holder = $2 and ended_at is not null',
);

/** What a tenant had an account as that it has no more: it has it as the same again, should it be lent it again. */
export function ended(tx: Tx, carrier: string, holder: Uuid): Promise<Named | undefined> {
  return tx.first<Named>(findEnded, [carrier, holder]);
}

const findRoute = crossTenant(
  "route-number-of-carrier",
  `with lender as (select carrier, owner from lent_carriers where lent_as = $1)
   select holder as "tenantId", lent_as as carrier, 1 as place from lent_numbers
   where phone = $2 and carrier = coalesce((select lender.carrier from lender), $1)
   union all
   select owner, carrier, 2 from lender
   order by place limit 1`,
);

/** Whose a number of an account is, by whatever name the account is known; undefined where the account is not lent, or the number is the owner's and it was asked for by its own name. */
export async function routeOf(tx: Tx, carrier: string, phone: string): Promise<Named | undefined> {
  const found = await tx.first<Named>(findRoute, [carrier, phone]);
  return found && { tenantId: found.tenantId, carrier: found.carrier };
}

const everyLoan = crossTenant(
  "list-loans-ever-of-carrier",
  'select holder as "tenantId", lent_as as carrier from lent_carriers where carrier = $1 order by holder',
);
const spreadState = changing(
  "spread-state-of-lent-carrier",
  `update carrier_accounts set status = $3, problem = $4, revision = $5, last_checked_at = coalesce($6, last_checked_at)
   where tenant_id = $1 and carrier = $2`,
);

/** What an account is now, for all who have it. */
export async function spread(
  tx: Tx,
  carrier: string,
  now: { status: CarrierStatus; problem: string | null; revision: number; checkedAt: Date | null },
): Promise<void> {
  for (const { tenantId, carrier: lentAs } of await tx.rows<Named>(everyLoan, [carrier]))
    await tx.run(spreadState, [tenantId, lentAs, now.status, now.problem, now.revision, now.checkedAt]);
}

const giveNumbers = crossTenantChanging(
  "give-numbers-of-lent-carrier",
  `insert into lent_numbers (carrier, phone, holder, lent_as) select $1, it.phone, $2, $3 from unnest($4::text[]) as it (phone)
   on conflict (carrier, phone) do update set holder = excluded.holder where lent_numbers.holder = excluded.holder
   returning phone`,
);

/** Returns those that nobody else has, which are the borrower's from now on. In a transaction; they are locked in their order. */
export async function give(tx: Tx, from: string, to: Named, phones: readonly string[]): Promise<Set<string>> {
  const rows = await tx.rows<{ phone: string }>(giveNumbers, [from, to.tenantId, to.carrier, [...phones].sort()]);
  return new Set(rows.map(({ phone }) => phone));
}

const takeNumbers = crossTenantChanging(
  "take-back-numbers-of-lent-carrier",
  "delete from lent_numbers where carrier = $1 and holder = $2 and phone = any($3::text[])",
);

export async function takeBack(tx: Tx, from: string, holder: Uuid, phones: readonly string[]): Promise<void> {
  await tx.run(takeNumbers, [from, holder, phones]);
}

const listGiven = crossTenant(
  "list-numbers-of-lent-carrier",
  'select phone, holder as "tenantId", lent_as as carrier from lent_numbers where carrier = $1 order by phone',
);

/** The account's numbers that borrowers have. */
export function given(tx: Tx, carrier: string): Promise<(Named & { phone: string })[]> {
  return tx.rows(listGiven, [carrier]);
}

const endLoan = crossTenantChanging(
  "end-loan-of-carrier",
  "update lent_carriers set ended_at = $3 where carrier = $1 and holder = $2",
);

/** The loan alone: its row goes as an account's does (carrier-accounts.ts). Receipts of what was sent by it are still to come. */
export async function end(tx: Tx, carrier: string, holder: Uuid, at: Date): Promise<void> {
  await tx.run(endLoan, [carrier, holder, at]);
}

const noteFormer = crossTenantChanging(
  "note-former-holder-of-number",
  `insert into former_lent_numbers (carrier, phone, holder, lent_as, until) values ($1, $2, $3, $4, $5)
   on conflict (carrier, phone, holder) do update set lent_as = excluded.lent_as, until = excluded.until`,
);

/** A number of an account has been a tenant's until now. */
export async function had(tx: Tx, carrier: string, phone: string, holder: Named, until: Date): Promise<void> {
  await tx.run(noteFormer, [carrier, phone, holder.tenantId, holder.carrier, until]);
}

const formerHolders = crossTenant(
  "list-former-holders-of-number",
  `select holder as "tenantId", lent_as as carrier from former_lent_numbers
   where phone = $2 and carrier = $1 order by holder`,
);

/** Who had a number of an account before, by whatever name the account is known; whose it is now may be one of them. */
export async function formerHoldersOf(tx: Tx, carrier: string, phone: string): Promise<Named[]> {
  const lender = await tx.first<Named>(findLender, [carrier]);
  return tx.rows<Named>(formerHolders, [lender?.carrier ?? carrier, phone]);
}
