import { type LiveTenantId, liveTenant } from "#domain/accounts/modes.ts";
import { notSendable } from "#domain/numbers/carrier-account.ts";
import type { CarrierKind } from "#domain/numbers/carrier-kind.ts";
import { parseId, type Uuid } from "#domain/values/id.ts";
import type { AccountField, CarrierDriver, OpenCarrier } from "#ports/carrier-account.ts";
import type { SmsCarrier } from "#ports/sms-carrier.ts";
import type { Tx } from "#store/database/db.ts";
import * as carrierAccounts from "#store/numbers/carrier-accounts.ts";
import * as phoneNumbers from "#store/numbers/phone-numbers.ts";

/**
 * Carriers of texts. Test mode has the simulator, and nothing that leads to an account; accounts open for a LiveTenantId, which is made of a tenant
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
  /** What is true of all accounts of a kind; 400 for one that cannot be had here. */
  driver(kind: CarrierKind): Pick<CarrierDriver, "identity" | "places">;
  /** 400 that names every field that is wrong, or a kind that cannot be had here. */
  refuseWrong(kind: CarrierKind, given: Fields): void;
  seal(tenantId: LiveTenantId, carrier: string, credentials: Record<string, string>): Record<string, string>;
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
type Tenant = { tenantId: Uuid; mode: "live" | "test" };

/** In words that read on from the field's name. */
export const NO_ACCOUNT = "is on no carrier account: connect one that has the number";

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
  const carrier = (await accounts.open(live, account.carrier, { tx, revision: account.revision }))?.sms;
  if (!carrier || !(await carrier.mayUseSender(live, phone))) {
    return { problem: `cannot send: the carrier account ${account.name} sends no texts from it` };
  }
  return { carrier, organizationId: number.organization_id };
}

/** Whether a campaign may be made that goes out by this carrier: an account then stays at least until the transaction ends, and the campaign keeps it. */
export const keepCarrier = async (tx: Tx, tenantId: Uuid, carrier: string): Promise<boolean> =>
  !isAccount(carrier) || (await carrierAccounts.keep(tx, tenantId, carrier));

/** Why a campaign that goes out by an account cannot go on, as a sentence; undefined where it can. */
export async function whyHeld(tx: Tx, tenantId: Uuid, carrier: string): Promise<string | undefined> {
  const account = await carrierAccounts.sealed(tx, tenantId, carrier);
  return account && notSendable(account);
}
