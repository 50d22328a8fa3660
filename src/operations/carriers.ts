import { type LiveTenantId, liveTenant } from "#domain/accounts/modes.ts";
import { SIMULATOR } from "#domain/accounts/tenant-clock.ts";
import { mediaUrlsProblem } from "#domain/messaging/media.ts";
import { type CarrierRecord, notSendable } from "#domain/numbers/carrier-account.ts";
import type { CarrierKind } from "#domain/numbers/carrier-kind.ts";
import { numberKind } from "#domain/numbers/rate-limits.ts";
import { blockedTollFree } from "#domain/numbers/toll-free.ts";
import { type AppError, conflict, failure, invalidField, notFound } from "#domain/values/errors.ts";
import { parseId, type Uuid } from "#domain/values/id.ts";
import type { CallLine, CallLines } from "#ports/call-line.ts";
import { type AccountField, type CarrierDriver, CarrierProblem, type OpenCarrier } from "#ports/carrier-account.ts";
import type { NumberInventories, NumberInventory } from "#ports/number-inventory.ts";
import type { NumberLookup } from "#ports/number-lookup.ts";
import type { Registry } from "#ports/registry.ts";
import type { SmsCarrier } from "#ports/sms-carrier.ts";
import * as audit from "#store/accounts/audit.ts";
import * as campaigns from "#store/campaigns/campaigns.ts";
import type { Db, Tx } from "#store/database/db.ts";
import * as carrierAccounts from "#store/numbers/carrier-accounts.ts";
import * as lentCarriers from "#store/numbers/lent-carriers.ts";
import * as phoneNumbers from "#store/numbers/phone-numbers.ts";
import * as tollFree from "#store/numbers/toll-free.ts";

/**
 * Carriers of texts, and of calls over tenants' own trunks. Test mode has the simulator, and nothing that leads to an account; accounts open for a LiveTenantId, which is made of a tenant
 * in live mode alone (domain/accounts/modes.ts). So no request of a test key has a carrier to call.
 */
export type Carriers = { readonly simulator: SmsCarrier; readonly accounts: Accounts };

/** Tenants' accounts with carriers. What is opened is kept, by account and revision. */
export type Accounts = {
  /** Kinds whose texts go over a session that one process holds. */
  readonly sessionKinds: readonly CarrierKind[];
  /**
   * An account, opened. With the revision that counts now it is at hand without a statement once it has been opened; without, that is read first.
   * Undefined when the account is not there.
   */
  open(
    tenantId: LiveTenantId,
    carrier: string,
    read: { tx: Tx; revision?: number | undefined },
  ): Promise<OpenCarrier | undefined>;
  /** What is true of all accounts of a kind. */
  driver(kind: CarrierKind): Pick<CarrierDriver, "identity" | "places">;
  /** 400 that names every field that is wrong. */
  refuseWrong(kind: CarrierKind, given: Fields): void;
  /** In the transaction that keeps them. */
  seal(
    tx: Tx,
    tenantId: LiveTenantId,
    carrier: string,
    credentials: Record<string, string>,
  ): Promise<Record<string, string>>;
  /** The credentials of an account as they were before they were sealed. */
  unseal(tenantId: LiveTenantId, account: Sealed): Record<string, string>;
  /** Opens an account with credentials that it does not have yet. To be closed by who asks. */
  tryOut(tenantId: LiveTenantId, account: Sealed, credentials: Record<string, string>): OpenCarrier;
  close(): Promise<void>;
};

type Fields = { credentials: Readonly<Record<string, unknown>>; settings: Readonly<Record<string, unknown>> };

/** Those of the fields that are not the same in both. */
export const differing = (fields: readonly AccountField[], before: Fields, after: Fields): AccountField[] =>
  fields.filter((field) => {
    const [part, name] = field.split(".") as [keyof Fields, string];
    return before[part][name] !== after[part][name];
  });

export type Sealed = Omit<carrierAccounts.SealedAccount, "numbers_count">;
type Voice = { lines: CallLines; carriers: Carriers };
type Tenant = { tenantId: Uuid; mode: "live" | "test" };

/** In words that read on from the field's name. */
export const NO_ACCOUNT = "is on no carrier account: connect one that has the number";

const LENT_FOR_TEXTS =
  "is an account of who runs this service, lent to you for texts alone: connect a SIP trunk or an account of your own";

/** Whether a lane's or an attempt's carrier is an account, which any process can open. */
export const isAccount = (carrier: string): boolean => parseId("carrier", carrier) !== undefined;

/** The carrier of texts that a lane or an attempt of this tenant names; undefined when it is not there (any more). */
export async function smsCarrier(
  { simulator, accounts }: Carriers,
  tx: Tx,
  tenant: Tenant,
  name: string,
  revision?: number,
): Promise<SmsCarrier | undefined> {
  const live = liveTenant(tenant);
  if (live === undefined) return name === simulator.name ? simulator : undefined;
  return (await accounts.open(live, name, { tx, revision }))?.sms;
}

/** What texts from a number of the tenant's leave by, or why they cannot, in words that read on from the field's name. */
export async function senderCarrier(
  { simulator, accounts }: Carriers,
  tx: Tx,
  tenant: Tenant,
  phone: string,
): Promise<{ carrier: SmsCarrier; organizationId: Uuid | null } | { problem: string }> {
  const live = liveTenant(tenant);
  if (live === undefined) {
    return (await simulator.mayUseSender(tenant.tenantId, phone))
      ? { carrier: simulator, organizationId: null }
      : { problem: "is not a number that this tenant may send from" };
  }
  const number = await phoneNumbers.find(tx, live, phone);
  const account = number && (await carrierAccounts.sealed(tx, live, number.carrier));
  if (!number || !account) return { problem: NO_ACCOUNT };
  const why = notSendable(account);
  if (why !== undefined) return { problem: `cannot send: ${why}` };
  if (!number.sms) return { problem: `cannot send: ${account.name} has the number for calls alone` };
  const blocked = numberKind(phone) === "toll_free" && blockedTollFree(await tollFree.find(tx, live, phone));
  if (blocked) return { problem: blocked };
  const carrier = (await accounts.open(live, account.carrier, { tx, revision: account.revision }))?.sms;
  if (!carrier || !(await carrier.mayUseSender(live, phone))) {
    return { problem: `cannot send: the carrier account ${account.name} sends no texts from it` };
  }
  return { carrier, organizationId: number.organization_id };
}

/** 400 for addresses that no carrier could fetch, and where the number sends no pictures. The simulator's all do. */
export async function checkMedia(
  tx: Tx,
  tenantId: Uuid,
  { carrier, sender }: { carrier: string; sender: string },
  urls: readonly string[] = [],
  problemOf = mediaUrlsProblem,
): Promise<void> {
  const wrong = problemOf(urls);
  if (wrong) throw invalidField("media_urls", wrong);
  if (urls.length === 0 || carrier === SIMULATOR) return;
  const number = await phoneNumbers.find(tx, tenantId, sender);
  if (number?.carrier !== carrier || !number.mms)
    throw invalidField("media_urls", `cannot be sent: ${sender} sends no pictures (MMS)`);
}

/** What calls of a lane or of a tenant leave by, by its name: a line of the service's own, or an account's. Undefined when it is not there (any more). */
export async function callLine(
  { lines, carriers }: Voice,
  tx: Tx,
  tenant: Tenant,
  name: string,
  revision?: number,
): Promise<CallLine | undefined> {
  if (!isAccount(name)) return lines.byName(name);
  const live = liveTenant(tenant);
  return live && (await carriers.accounts.open(live, name, { tx, revision }))?.line;
}

/** What calls from a number of the tenant's leave by, or why they cannot, in words that read on from the field's name. */
export async function callerLine(
  { lines, carriers }: Voice,
  tx: Tx,
  tenant: Tenant,
  phone: string,
): Promise<{ line: CallLine } | { problem: string }> {
  const own = await lines.forNumber(tenant, phone);
  const live = liveTenant(tenant);
  if (own) return { line: own };
  if (live === undefined) return { problem: "is not a number that this tenant may call from" };
  const number = await phoneNumbers.find(tx, live, phone);
  const account = number && (await carrierAccounts.sealed(tx, live, number.carrier));
  if (!number || !account) return { problem: NO_ACCOUNT };
  const why = notSendable(account);
  if (why !== undefined) return { problem: `cannot call: ${why}` };
  if (account.lent_from !== null && account.calls_at_once === null)
    return { problem: `cannot call: ${account.name} ${LENT_FOR_TEXTS}` };
  if (!number.voice) return { problem: `cannot call: ${account.name} has the number for texts alone` };
  const line = (await carriers.accounts.open(live, account.carrier, { tx, revision: account.revision }))?.line;
  if (!line && account.lent_from !== null)
    return { problem: `cannot call: ${account.name} is an account of who runs this service, and carries no calls now` };
  if (!line) {
    const how = account.kind === "twilio" ? "set its setting voice to stream, or connect a SIP trunk" : "connect one";
    return { problem: `cannot call: ${account.name} carries no calls, which SIP trunks do: ${how}` };
  }
  return { line };
}

/** An account as it was used: what the carrier then says of it is of this revision. */
export type Used = Pick<CarrierRecord, "carrier" | "revision">;

const IN_TROUBLE = {
  suspended: {
    status: "suspended",
    problem: "The carrier has suspended the account",
    because: "carrier_account_suspended",
  },
  refused: {
    status: "problem",
    problem: "The carrier does not take the account's credentials any more",
    because: "carrier_key_refused",
  },
} as const;

/**
 * The carrier has refused the whole account: the account says so, and its campaigns pause, those of all tenants who have it where it is lent. What was
 * under way before the account was repaired says nothing of it now.
 */
export async function accountBarred(
  tx: Tx,
  tenantId: Uuid,
  { carrier, revision }: Used,
  { how, code }: { how: "refused" | "suspended"; code: string },
  by: Clocked,
): Promise<void> {
  const { status, problem, because } = IN_TROUBLE[how];
  for (const one of await allWhoHave(tx, { tenantId, carrier })) {
    const found = { status, problem: `${problem} (${code})`, revision };
    if (!(await carrierAccounts.inTrouble(tx, one.tenantId, one.carrier, found))) continue;
    const paused = await campaigns.pauseCarrier(tx, one.tenantId, one.carrier, because, by.now());
    await notePaused(tx, one.tenantId, { kind: "carrier", id: one.carrier }, { because, paused }, by);
  }
}

type Clocked = { now(): Date; newId(): Uuid };

/** That the system has paused campaigns by itself is in the tenant's audit log. */
export async function notePaused(
  tx: Tx,
  tenantId: Uuid,
  object: { kind: string; id: string | null },
  { because, paused }: { because: string; paused: number },
  { now, newId }: Clocked,
): Promise<void> {
  if (paused === 0) return;
  const note = { object, reason: because, counts: { campaigns: paused } };
  await audit.addOfSystemInMode(tx, tenantId, { id: newId(), operation: "pauseCampaigns" }, note, now());
}

/** The owner of an account and all whom it is lent to, in the order in which they are locked. */
async function allWhoHave(tx: Tx, one: lentCarriers.Named): Promise<lentCarriers.Named[]> {
  const owner = (await lentCarriers.lenderOf(tx, one.carrier)) ?? one;
  const all = [owner, ...(await lentCarriers.loansOf(tx, owner.carrier))];
  return all.sort((a, b) => (a.tenantId < b.tenantId ? -1 : 1));
}

/** 409 for what only the owner of an account does, where this one is lent. */
export function refuseLent({ lent_from, name }: Pick<CarrierRecord, "lent_from" | "name">): void {
  if (lent_from !== null)
    throw failure("conflict", `${name} is an account of who runs this service: ask them to change it`);
}

/**
 * The answer of an account's carrier; one that refuses its credentials has the account say so, before the error is thrown on. What only this request
 * could not be paid for, a carrier may call suspended: texts find that out. Whoever has asked, the account's campaigns of all organizations pause.
 */
export const heeded = <T>(
  by: Clocked & { tenantDb: Db },
  tenantId: Uuid,
  used: Used | null,
  answer: Promise<T>,
): Promise<T> =>
  answer.catch(async (error: unknown) => {
    if (used && error instanceof CarrierProblem && error.account === "refused") {
      const barred = { how: error.account, code: error.code };
      await by.tenantDb.transaction((tx) => accountBarred(tx, tenantId, used, barred, by));
    }
    throw error;
  });

/** Whether a campaign may be made that goes out by this carrier: an account then stays at least until the transaction ends, and the campaign keeps it. */
export const keepCarrier = async (tx: Tx, tenantId: Uuid, carrier: string): Promise<boolean> =>
  !isAccount(carrier) || (await carrierAccounts.keep(tx, tenantId, carrier));

/** Why a campaign that goes out by an account cannot go on, as a sentence; undefined where it can. */
export async function whyHeld(tx: Tx, tenantId: Uuid, carrier: string): Promise<string | undefined> {
  const account = await carrierAccounts.sealed(tx, tenantId, carrier);
  return account && notSendable(account);
}

/** What an account is used for besides texts. */
type Parts = { inventory: NumberInventory; registry: Registry; lookup: NumberLookup };
type Part = keyof Parts;
const DOES: Record<Part, string> = {
  inventory: "has no numbers to give out",
  registry: "registers no brands",
  lookup: "looks up no numbers",
};

export type AccountPart<P extends Part> = {
  account: Pick<CarrierRecord, "id" | "carrier" | "name" | "organization_id" | "revision">;
  part: Parts[P];
};

/**
 * The account of a tenant that numbers are bought by, or brands registered: the one that is named, else the only connected one that can. Undefined
 * where there is none. 400 where several could, 404 and 409 for one that is named and cannot be used.
 */
export async function accountFor<P extends Part>(
  { accounts }: Carriers,
  tx: Tx,
  tenantId: LiveTenantId,
  part: P,
  wanted: { id?: Uuid | undefined; organizationId?: Uuid | undefined },
): Promise<AccountPart<P> | undefined> {
  if (wanted.id !== undefined) {
    const account = await carrierAccounts.find(tx, tenantId, wanted.id);
    if (!account) throw notFound("Carrier");
    const why = notSendable(account);
    if (why !== undefined) throw conflict(`Nothing can be ordered: ${why}`, "carrier_id");
    if (!isFor(account, wanted)) throw invalidField("carrier_id", "is an account of another organization");
    if (account.lent_from !== null && part !== "registry") refuseLent(account);
    const opened = await accounts.open(tenantId, account.carrier, { tx, revision: account.revision });
    if (!opened?.[part]) throw invalidField("carrier_id", `is of kind ${account.kind}, which ${DOES[part]}`);
    return { account, part: opened[part] as Parts[P] };
  }
  const found: AccountPart<P>[] = [];
  const troubled: string[] = [];
  for (const account of (await carrierAccounts.inUse(tx, tenantId)).filter((one) => isFor(one, wanted))) {
    const opened = await accounts.open(tenantId, account.carrier, { tx, revision: account.revision });
    if (!opened?.[part]) continue;
    const why = notSendable(account);
    if (why === undefined) found.push({ account, part: opened[part] as Parts[P] });
    else troubled.push(why);
  }
  const [only, ...others] = found;
  if (only && others.length > 0) {
    const names = found.map(({ account }) => `${account.name} (${account.carrier})`).join(", ");
    throw invalidField("carrier_id", `must say by which account: ${names}`);
  }
  if (!only && troubled[0] !== undefined) throw failure("conflict", `Nothing can be ordered: ${troubled[0]}`);
  return only;
}

/** The account that looks up numbers and pays for it: of an organization's contacts none of another organization's. 409 where there is none. */
export async function requireLookup(
  { carriers, db }: { carriers: Carriers; db: Tx },
  tenantId: LiveTenantId,
  { carrierId, organizationId }: { carrierId: Uuid | undefined; organizationId?: Uuid },
): Promise<AccountPart<"lookup">> {
  const by = await accountFor(carriers, db, tenantId, "lookup", { id: carrierId, organizationId });
  if (!by) throw failure("conflict", "No carrier looks up numbers here: connect an account with Twilio or Telnyx");
  return by;
}

const isFor = (
  { organization_id }: Pick<CarrierRecord, "organization_id">,
  wanted: { organizationId?: Uuid | undefined },
) => organization_id === null || wanted.organizationId === undefined || wanted.organizationId === organization_id;

/** What an account that a number or a brand names is used by; undefined when the account is not there any more, or has no such part. */
export async function partOf<P extends Part>(
  { accounts }: Carriers,
  tx: Tx,
  tenant: Tenant,
  carrier: string | null,
  part: P,
): Promise<Parts[P] | undefined> {
  const live = liveTenant(tenant);
  if (live === undefined || carrier === null || !isAccount(carrier)) return undefined;
  return (await accounts.open(live, carrier, { tx }))?.[part] as Parts[P] | undefined;
}

/** Where a tenant's numbers come from. `account` is null for the simulator and the host's trunks. */
export type Stock = {
  inventory: NumberInventory;
  account: Pick<CarrierRecord, "carrier" | "revision" | "organization_id"> | null;
};
type Stocks = { carriers: Carriers; numbers: NumberInventories; db: Tx };

/**
 * What a tenant buys numbers from, in the order in which it is asked: in live mode its own account, then the host's trunks; an account that is named
 * alone. 4xx where there is none, with what to do.
 */
export async function stocksOf(
  { carriers, numbers, db }: Stocks,
  tenant: Tenant,
  wanted: { id?: Uuid | undefined; organizationId?: Uuid | undefined },
): Promise<Stock[]> {
  const live = liveTenant(tenant);
  const ofHost = () => numbers.forTenant(tenant).map((inventory) => ({ inventory, account: null }));
  if (live === undefined) {
    if (wanted.id !== undefined) throw invalidField("carrier_id", "is of live mode: test keys get simulated numbers");
    return ofHost();
  }
  const own = await accountFor(carriers, db, live, "inventory", wanted);
  const stocks = [...(own ? [{ inventory: own.part, account: own.account }] : []), ...(wanted.id ? [] : ofHost())];
  if (stocks.length === 0)
    throw failure("voice_not_enabled", "No carrier gives out numbers here: connect an account with Twilio or Telnyx");
  return stocks;
}

/** The stock that a number of the tenant's came from; undefined when it is not there any more. */
export async function stockNamed(
  { carriers, numbers, db }: Stocks,
  tenant: Tenant,
  name: string,
): Promise<Stock | undefined> {
  if (!isAccount(name)) {
    const inventory = numbers.byName(name);
    return inventory && { inventory, account: null };
  }
  const live = liveTenant(tenant);
  const account = live && (await carrierAccounts.sealed(db, live, name));
  const opened = account && (await carriers.accounts.open(live, name, { tx: db, revision: account.revision }));
  return opened?.inventory && { inventory: opened.inventory, account: account ?? null };
}

type Registries = { carriers: Carriers; registry: Registry; db: Tx };

/**
 * The registry that a new brand goes to, and the account that it is of: in test mode the simulated one, in live mode the account's. 4xx where there is
 * none, with what to do.
 */
export async function registryForNew(
  { carriers, registry, db }: Registries,
  tenant: Tenant,
  id: Uuid | undefined,
): Promise<{ registry: Registry; carrier: string | null }> {
  const live = liveTenant(tenant);
  if (live === undefined) {
    if (id !== undefined) throw invalidField("carrier_id", "is of live mode: test keys have a simulated registry");
    return { registry, carrier: null };
  }
  const own = await accountFor(carriers, db, live, "registry", { id });
  if (!own) throw failure("conflict", "No carrier registers brands here: connect an account with Twilio or Telnyx");
  return { registry: own.part, carrier: own.account.carrier };
}

/** The registry that a brand is registered with; undefined in live mode where its account is not there (any more). */
export const registryOf = async (
  { carriers, registry, db }: Registries,
  tenant: Tenant,
  carrier: string | null,
): Promise<Registry | undefined> =>
  liveTenant(tenant) === undefined ? registry : partOf(carriers, db, tenant, carrier, "registry");

/** The same for a request: 409 where the brand's account is not there any more. */
export async function requireRegistry(of: Registries, tenant: Tenant, carrier: string | null): Promise<Registry> {
  const registry = await registryOf(of, tenant, carrier);
  if (!registry)
    throw failure("conflict", "The carrier account that this brand was registered by is not there any more");
  return registry;
}

/** What a carrier did not do, as an answer: 422, or 409 where it may have been done. What is no carrier's doing is thrown as it is. */
export function asRefusal(error: unknown): AppError {
  const isLate = error instanceof DOMException && error.name === "TimeoutError";
  if (isLate) return failure("order_pending", "The carrier did not answer in time: repeat the request in a minute");
  if (!(error instanceof CarrierProblem)) throw error;
  const sentence = [error.message.replace(/\.$/, ""), error.remedy].filter((part) => part !== null).join(". ");
  return failure(error.isUndecided ? "order_pending" : "carrier_problem", sentence);
}
