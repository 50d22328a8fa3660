import { isDeepStrictEqual } from "node:util";
import type { AuditNote } from "#domain/accounts/audit.ts";
import { type LiveTenantId, liveTenant } from "#domain/accounts/modes.ts";
import type { CarrierRecord } from "#domain/numbers/carrier-account.ts";
import { areaCodeOf } from "#domain/numbers/phone-number.ts";
import { failure, notFound } from "#domain/values/errors.ts";
import { parseId, publicId, type Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as openCalls from "#store/calls/open-calls.ts";
import type { Tx } from "#store/database/db.ts";
import * as carrierAccounts from "#store/numbers/carrier-accounts.ts";
import * as lentCarriers from "#store/numbers/lent-carriers.ts";
import * as phoneNumbers from "#store/numbers/phone-numbers.ts";

// For who runs the service, at the command line: no key of a tenant's lends anything.

/** An account that is lent, and to whom: the tenant's id in either mode. */
export type Loan = { account: Uuid; tenant: Uuid };
export type LoanChanges = {
  /** What the tenant calls it. */
  name?: string | undefined;
  limits?: Partial<lentCarriers.Limits> | undefined;
  /** In the place of the account's own: a messaging service or profile for the tenant's numbers alone. */
  settings?: Record<string, unknown> | undefined;
};

const KINDS: readonly string[] = ["twilio", "telnyx", "smpp"];
/** What a borrower may have of its own. */
const SETTINGS: Readonly<Record<string, readonly string[]>> = {
  twilio: ["messaging_service_sid"],
  telnyx: ["messaging_profile_id"],
};

type Owned = { tenantId: LiveTenantId; carrier: string; account: Omit<CarrierRecord, "numbers_count"> };

/** Lends an account to a tenant, or changes what they may do by it. Returns what the tenant sees of it. Safe to repeat. */
export async function lendCarrier(ctx: Context, loan: Loan, changes: LoanChanges): Promise<CarrierRecord> {
  const id = ctx.newId();
  const to = await holderOf(ctx, loan);
  const row = await ctx.db.transaction(async (tx) => {
    const { tenantId, carrier, account } = await ownedBy(tx, loan);
    if (tenantId === to) throw failure("conflict", "The account is this tenant's own");
    if (!KINDS.includes(account.kind))
      throw failure("conflict", "A SIP trunk is lent by PARLEY_SIP_TRUNKS: its numbers are there for all tenants");
    if (account.organization_id !== null)
      throw failure("conflict", "The account is one organization's: have it be the whole tenant's first");
    refuseUnknown(account.kind, changes.settings);
    if (changes.limits?.calls_at_once) refuseCallsOf(account);
    await note(ctx, tx, { tenantId, to }, loan, { after: { lent: { name: changes.name, ...changes.limits } } });
    const before = (await lentCarriers.loansOf(tx, carrier)).find((one) => one.tenantId === to);
    const ended = before ? undefined : await lentCarriers.ended(tx, carrier, to);
    const lentAs = before ?? ended ?? { tenantId: to, carrier: publicId("carrier", id) };
    if (!before) {
      const { kind, name, status, revision } = account;
      const row = parseId("carrier", lentAs.carrier)!;
      const state = { id: row, kind, name, status, revision, created_at: ctx.now() };
      await lentCarriers.lend(tx, { tenantId, carrier }, lentAs, state);
    }
    const now = await carrierAccounts.sealed(tx, to, lentAs.carrier);
    if (!now) throw notFound("Carrier");
    const { texts_per_second, texts_per_day, calls_at_once } = now;
    await lentCarriers.change(tx, lentAs, {
      name: changes.name ?? now.name,
      settings: changes.settings ?? now.settings,
      limits: { texts_per_second, texts_per_day, calls_at_once, ...changes.limits },
    });
    // What was opened with other settings, or for the loan before, is used no more, by anybody who has the account.
    if (ended || (changes.settings && !isDeepStrictEqual(changes.settings, now.settings)))
      await carrierAccounts.change(tx, tenantId, account, { settings: true, organization: false });
    return now.id;
  });
  return (await carrierAccounts.find(ctx.db, to, row))!;
}

/** Calls go over a SIP trunk, which all tenants have by PARLEY_SIP_TRUNKS, or by the account's own API. */
function refuseCallsOf({ kind, name, settings }: Pick<CarrierRecord, "kind" | "name" | "settings">): void {
  if (kind !== "twilio") throw failure("conflict", `An account of kind ${kind} is lent for texts alone`);
  if (settings.voice !== "stream")
    throw failure("conflict", `${name} carries no calls itself: set its setting voice to stream, and connect it again`);
}

function refuseUnknown(kind: string, settings: Record<string, unknown> = {}): void {
  const wrong = Object.keys(settings).find((field) => !SETTINGS[kind]?.includes(field));
  if (wrong !== undefined) throw failure("conflict", `An account of kind ${kind} is lent without a setting ${wrong}`);
}

/** Gives a tenant numbers of an account that it was lent. Each has one tenant. A number that a campaign of its owner's uses stays. Safe to repeat. */
export async function giveNumbers(ctx: Context, loan: Loan, phones: readonly string[]): Promise<void> {
  const at = ctx.now();
  const to = await holderOf(ctx, loan);
  await ctx.db.transaction(async (tx) => {
    const { tenantId, carrier } = await ownedBy(tx, loan);
    const lentAs = await lentTo(tx, carrier, to);
    await note(ctx, tx, { tenantId, to }, loan, { after: { given: phones }, counts: { numbers: phones.length } });
    const given = await lentCarriers.give(tx, carrier, lentAs, phones);
    for (const phone of [...phones].sort()) {
      if (!given.has(phone)) throw failure("conflict", `${phone} is another tenant's`);
      const number = await phoneNumbers.find(tx, tenantId, phone);
      if (number?.carrier !== carrier) {
        if ((await phoneNumbers.find(tx, to, phone))?.carrier === lentAs.carrier) continue;
        throw failure("conflict", `${phone} is no number of this account`);
      }
      await refuseUsed(tx, tenantId, { phone, carrier });
      await phoneNumbers.remove(tx, tenantId, phone, at);
      await lentCarriers.had(tx, carrier, phone, { tenantId, carrier }, at);
      const { sms, mms, voice } = number;
      await take(ctx, tx, lentAs, { phone, sms, mms, voice });
    }
  });
}

/** The account's owner has the numbers again. 409 while a campaign that is not over uses one, or a text from it is on its way. Safe to repeat. */
export async function takeNumbersBack(ctx: Context, loan: Loan, phones: readonly string[]): Promise<void> {
  const to = await holderOf(ctx, loan);
  await ctx.db.transaction(async (tx) => {
    const { tenantId, carrier } = await ownedBy(tx, loan);
    const lentAs = await lentTo(tx, carrier, to);
    await note(ctx, tx, { tenantId, to }, loan, { before: { given: phones }, counts: { numbers: phones.length } });
    for (const phone of [...phones].sort()) await takeOne(ctx, tx, { tenantId, carrier }, lentAs, phone);
    await lentCarriers.takeBack(tx, carrier, to, phones);
  });
}

/** The tenant has the account no more, and its numbers are the owner's again. 409 as for the numbers. */
export async function endLoan(ctx: Context, loan: Loan): Promise<void> {
  const to = await holderOf(ctx, loan);
  await ctx.db.transaction(async (tx) => {
    const { tenantId, carrier } = await ownedBy(tx, loan);
    const lentAs = await lentTo(tx, carrier, to);
    const campaign = await carrierAccounts.usedBy(tx, to, lentAs.carrier);
    if (campaign !== undefined) throw failure("conflict", `The campaign ${campaign} sends by this account`);
    if (await carrierAccounts.hasOpenAttempts(tx, to, lentAs.carrier)) throw onTheirWay("this account");
    await refuseWhileCalling(tx, to, lentAs.carrier);
    const theirs = (await lentCarriers.given(tx, carrier)).filter((one) => one.tenantId === to);
    for (const { phone } of theirs) await takeOne(ctx, tx, { tenantId, carrier }, lentAs, phone);
    const phones = theirs.map(({ phone }) => phone);
    await note(ctx, tx, { tenantId, to }, loan, {
      before: { lent: lentAs.carrier },
      counts: { numbers: phones.length },
    });
    await lentCarriers.takeBack(tx, carrier, to, phones);
    await lentCarriers.end(tx, carrier, to, ctx.now());
    const row = await carrierAccounts.sealed(tx, to, lentAs.carrier);
    if (row) await carrierAccounts.remove(tx, to, row);
  });
}

export type LentView = { loan: CarrierRecord; tenantId: Uuid; numbers: string[] };

/** To whom an account is lent, with their limits and numbers. */
export async function listLoans(ctx: Context, account: Uuid): Promise<LentView[]> {
  const { carrier } = await ctx.db.transaction((tx) => ownedBy(tx, { account }));
  const [loans, given] = [await lentCarriers.loansOf(ctx.db, carrier), await lentCarriers.given(ctx.db, carrier)];
  const views: LentView[] = [];
  for (const { tenantId, carrier: lentAs } of loans) {
    const row = await carrierAccounts.sealed(ctx.db, tenantId, lentAs);
    const loan = row && (await carrierAccounts.find(ctx.db, tenantId, row.id));
    const numbers = given.filter((one) => one.tenantId === tenantId).map(({ phone }) => phone);
    if (loan) views.push({ loan, tenantId, numbers });
  }
  return views;
}

async function takeOne(
  ctx: Context,
  tx: Tx,
  owner: lentCarriers.Named,
  lentAs: lentCarriers.Named,
  phone: string,
): Promise<void> {
  const number = await phoneNumbers.find(tx, lentAs.tenantId, phone);
  if (number?.carrier !== lentAs.carrier) return;
  await refuseUsed(tx, lentAs.tenantId, { phone, carrier: lentAs.carrier });
  await phoneNumbers.remove(tx, lentAs.tenantId, phone, ctx.now());
  await lentCarriers.had(tx, owner.carrier, phone, lentAs, ctx.now());
  const { sms, mms, voice } = number;
  await take(ctx, tx, owner, { phone, sms, mms, voice });
}

type Number = { phone: string; sms: boolean; mms: boolean; voice: boolean };

async function take(ctx: Context, tx: Tx, { tenantId, carrier }: lentCarriers.Named, number: Number): Promise<void> {
  const row = { id: ctx.newId(), area_code: areaCodeOf(number.phone), ...number };
  const taken = await phoneNumbers.take(tx, tenantId, { carrier, organizationId: null, at: ctx.now() }, [row]);
  if (!taken.has(number.phone)) throw failure("conflict", `The tenant has ${number.phone} on another account`);
}

async function refuseUsed(tx: Tx, tenantId: Uuid, number: { phone: string; carrier: string }): Promise<void> {
  const campaign = await phoneNumbers.usedBy(tx, tenantId, number.phone);
  if (campaign !== undefined) throw failure("conflict", `The campaign ${campaign} uses ${number.phone}`);
  // What is in doubt is looked up as the tenant's whose the number is.
  if (await carrierAccounts.hasOpenAttempts(tx, tenantId, number.carrier)) throw onTheirWay(number.phone);
  await refuseWhileCalling(tx, tenantId, number.carrier);
}

/** Its stream, and what the carrier reports of it, come by the name that the tenant has for the account. */
async function refuseWhileCalling(tx: Tx, tenantId: Uuid, carrier: string): Promise<void> {
  if ((await openCalls.over(tx, tenantId, carrier)) > 0)
    throw failure("conflict", "Calls by this account are going on: try again when they are over");
}

const onTheirWay = (what: string) =>
  failure("conflict", `Texts or calls by ${what} are on their way: try again when they have arrived`);

/** The tenant in live mode, whichever of its two ids was given. */
async function holderOf({ db }: Context, { tenant }: Loan): Promise<Uuid> {
  const found = await tenants.find(db, tenant);
  if (!found) throw notFound("Tenant");
  return found.mode === "live" ? tenant : found.other_id;
}

/** The account, held, by its owner. 404 for one that is not there, and for a loan of one. */
/** The entry is in the logs of both: the account's owner's, and of whom it is lent to. */
async function note(
  { audit }: Context,
  tx: Tx,
  { tenantId, to }: { tenantId: Uuid; to: Uuid },
  { account, tenant }: Loan,
  said: AuditNote,
): Promise<void> {
  const [owner, other] = [await tenants.find(tx, tenantId), await tenants.find(tx, to)];
  audit.by({ tenantId: owner!.account_id, mode: "live" });
  audit.alsoIn(other!.account_id);
  const reason = `tenant ${publicId("tenant", other?.account_id ?? tenant)}`;
  audit.note({ object: { kind: "carrier", id: publicId("carrier", account) }, reason, ...said });
}

async function ownedBy(tx: Tx, { account: id }: Pick<Loan, "account">): Promise<Owned> {
  const [found] = await carrierAccounts.ofWebhooks(tx, [id]);
  const tenantId = found && liveTenant({ tenantId: found.owner, mode: found.mode });
  const account = tenantId && (await carrierAccounts.lock(tx, tenantId, id));
  if (!account) throw notFound("Carrier");
  if (account.lent_from !== null)
    throw failure("conflict", `${account.name} is lent itself: name the account it is of`);
  return { tenantId, carrier: account.carrier, account };
}

async function lentTo(tx: Tx, carrier: string, tenantId: Uuid): Promise<lentCarriers.Named> {
  const found = (await lentCarriers.loansOf(tx, carrier)).find((one) => one.tenantId === tenantId);
  if (!found) throw failure("conflict", "The account is not lent to this tenant: do that first");
  return found;
}
