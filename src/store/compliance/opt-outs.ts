import { isUndoneByStart } from "#domain/compliance/consent.ts";
import type { MessagePurpose } from "#domain/messaging/message.ts";
import { firstIdOf, timeOfId, type Uuid } from "#domain/values/id.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as stopCalls from "#store/calls/stop-calls.ts";
import * as erasedPhones from "#store/contacts/erased-phones.ts";
import { changing, changingAndReading, crossTenant, statement, type Tx } from "#store/database/db.ts";
import * as attempts from "#store/messaging/attempts.ts";
import { type Log, untilNone } from "#store/messaging/in-flight.ts";
import * as messages from "#store/messaging/messages.ts";
import * as threads from "#store/messaging/threads.ts";
import * as events from "#store/system/events.ts";
import * as consents from "./consents.ts";

const lockConsents = changing(
  "lock-consents",
  `insert into consents (tenant_id, phone) select $1, phone from unnest($2::text[]) as phone order by phone
   on conflict (tenant_id, phone) do update set phone = excluded.phone
   returning ${consents.CONSENT_COLUMNS}`,
);

/** Locks the consents of phones, in order, making those that are missing. No claim can pass them until the commit. */
export function lock(tx: Tx, tenantId: Uuid, phones: readonly string[]): Promise<consents.ConsentState[]> {
  return tx.rows<consents.ConsentState>(lockConsents, [tenantId, [...phones].sort()]);
}

// The first word is the one that is kept, unless a later one is harder to undo. What was said in a call and waits to be written is such.
const setOptOut = changing(
  "set-opt-out",
  `update consents set opted_out_at = coalesce(opted_out_at, $3),
     opt_out_source = case when phone = any($6::text[]) then $4 else coalesce(opt_out_source, $4) end,
     opt_out_quote = case when phone = any($6::text[]) then $5 else coalesce(opt_out_quote, $5) end,
     keyword_at = greatest(keyword_at, $3), bases = null,
     doubted_at = case when doubt_call_id is not null and $4 <> 'call' then doubted_at end,
     doubt_call_id = case when $4 <> 'call' then doubt_call_id end, doubt_quote = case when $4 <> 'call' then doubt_quote end
   where tenant_id = $1 and phone = any($2::text[])`,
);

const clearOptOut = changingAndReading(
  "clear-opt-out",
  `with old as (select phone from consents where tenant_id = $1 and phone = $2 and opted_out_at is not null),
   noted as (
     insert into events (tenant_id, kind, at, phone) select $1, 'contact.opted_in', $3, phone from old
     on conflict do nothing)
   update consents set opted_out_at = null, opt_out_source = null, opt_out_quote = null, keyword_at = $3, doubted_at = null,
     doubt_call_id = null, doubt_quote = null
   where tenant_id = $1 and phone = $2`,
);

export type OptOut = {
  /**
   * "keyword", "free_text", "agent", "carrier", "call"; "operator" where somebody here recorded it; "journal" for one of these that was replayed into
   * a restored database; "other_mode" for one that was said in the tenant's other mode.
   */
  source: string;
  /** The contact's own words, where there are any. */
  quote: string | null;
  at: Date;
  newId: () => Uuid;
  hash: erasedPhones.HashPhone;
  /** The call in which it was said: it goes on to its goodbye. */
  exceptCall?: Uuid;
};

/**
 * Opts a phone out, for the whole tenant, in both of its modes: withdraws everything that is to follow, and moves its recipients. Once the
 * transaction commits no text is claimed for this phone, except the confirmation that the caller adds; what was claimed before has left once
 * `handedOver` resolves, which is to be awaited after the commit. True when the phone was not opted out before.
 */
export async function optOut(tx: Tx, tenantId: Uuid, phone: string, optOut: OptOut): Promise<boolean> {
  return (await optOutAll(tx, tenantId, [phone], optOut)).length > 0;
}

/** The same for many phones, each named once, who opt out at one time. Answers with those that were not opted out before. */
export async function optOutAll(tx: Tx, tenantId: Uuid, phones: readonly string[], optOut: OptOut): Promise<string[]> {
  const { fresh, harder } = await optOutHere(tx, tenantId, phones, optOut);
  await optOutInOtherMode(tx, tenantId, [...fresh, ...harder], optOut);
  return fresh;
}

const addConsents = changing(
  "add-consents",
  `insert into consents (tenant_id, phone) select $1, phone from unnest($2::text[]) as phone order by phone
   on conflict (tenant_id, phone) do nothing returning phone`,
);
const removeConsents = changing(
  "remove-consents",
  "delete from consents where tenant_id = $1 and phone = any($2::text[])",
);

/**
 * Opts phones out in the tenant's other mode: without the words, which are this mode's own, and where that mode does not know a phone
 * as a hash that counts once it comes.
 */
export async function optOutInOtherMode(
  tx: Tx,
  tenantId: Uuid,
  phones: readonly string[],
  { at, newId, hash }: Pick<OptOut, "at" | "newId" | "hash">,
): Promise<void> {
  if (phones.length === 0) return;
  const other = await tenants.otherMode(tx, tenantId);
  const source = "other_mode";
  // Added, so that nobody can add one before the commit and miss the hash; taken away again, so that the number stays unknown.
  const unknown = (await tx.rows<{ phone: string }>(addConsents, [other, phones])).map((row) => row.phone);
  const known = phones.filter((phone) => !unknown.includes(phone));
  if (known.length > 0) await optOutHere(tx, other, known, { at, newId, hash, source, quote: null });
  if (unknown.length === 0) return;
  await erasedPhones.keepOptOuts(tx, other, unknown, { hash, at, source });
  await tx.run(removeConsents, [other, unknown]);
}

/** Those who are opted out now, and those whose earlier opt-out a START would have undone and this one does not let it. */
async function optOutHere(
  tx: Tx,
  tenantId: Uuid,
  phones: readonly string[],
  optOut: OptOut,
): Promise<{ fresh: string[]; harder: string[] }> {
  const known = await lock(tx, tenantId, phones);
  const fresh = known.flatMap(({ phone, opted_out_at }) => (opted_out_at === null ? [phone] : []));
  const isHarder = ({ opted_out_at, opt_out_source }: consents.ConsentState) =>
    opted_out_at !== null && isUndoneByStart(opt_out_source) && !isUndoneByStart(optOut.source);
  const harder = known.filter(isHarder).map(({ phone }) => phone);
  await tx.run(setOptOut, [tenantId, phones, optOut.at, optOut.source, optOut.quote, harder]);
  const revocations = [...fresh, ...harder].map((phone) => revocation(phone, optOut));
  await consents.insert(tx, tenantId, revocations, optOut.at);
  await events.addForPhones(tx, tenantId, "contact.opted_out", fresh, { source: optOut.source }, optOut.at);
  const theirs = await withdrawAll(tx, tenantId, phones, "opted_out", optOut);
  const moves = theirs.map(({ campaign_id, id }) => ({
    campaignId: campaign_id,
    threadId: id,
    state: "opted_out" as const,
    reason: optOut.source,
  }));
  await threads.move(tx, tenantId, moves, optOut.newId(), optOut.at);
  return { fresh, harder };
}

const revocation = (phone: string, optOut: OptOut) => ({
  id: optOut.newId(),
  phone,
  event: "revoked" as const,
  basis: null,
  channel: "any",
  source: optOut.source,
  proof: null,
  quote: optOut.quote,
  at: optOut.at,
});

const clearDoNotMessage = changing(
  "clear-do-not-message",
  `with held as (
     select campaign_id, id from threads where tenant_id = $1 and phone = $2 and do_not_message order by id for no key update)
   update threads thread set do_not_message = false, updated_at = $3 from held
   where thread.tenant_id = $1 and thread.campaign_id = held.campaign_id and thread.id = held.id`,
);

/**
 * Undoes an opt-out that a later START, or a later consent that says so, asks to undo, and lets its conversations go on: the phone's
 * consent is locked. The caller keeps the record.
 */
export async function optIn(tx: Tx, tenantId: Uuid, phone: string, at: Date): Promise<void> {
  await tx.run(clearOptOut, [tenantId, phone, at]);
  await tx.run(clearDoNotMessage, [tenantId, phone, at]);
}

const setDoubt = changing(
  "set-consent-doubt",
  `update consents set doubted_at = $3, doubt_carrier = $4, doubt_carrier_id = $5
   where tenant_id = $1 and phone = $2 and doubt_call_id is null`,
);

/** The text that a doubt is about, as its carrier names it. */
export type DoubtedText = { carrier: string; carrierId: string; sentAt: Date };

/** Holds everything for a phone whose consent is locked, until its text has been judged. */
export async function doubt(tx: Tx, tenantId: Uuid, phone: string, text: DoubtedText): Promise<void> {
  await tx.run(setDoubt, [tenantId, phone, text.sentAt, text.carrier, text.carrierId]);
}

/** Ends the doubt: the text was no opt-out. */
export async function endDoubt(tx: Tx, tenantId: Uuid, phone: string): Promise<void> {
  await tx.run(setDoubt, [tenantId, phone, null, null, null]);
}

const findDoubt = statement(
  "find-consent-doubt",
  `select inbound.carrier, inbound.carrier_id, inbound.recipient, inbound.text, inbound.sent_at, inbound.received_at
   from consents consent
   join inbound_texts inbound on inbound.tenant_id = $1 and inbound.carrier = consent.doubt_carrier
     and inbound.carrier_id = consent.doubt_carrier_id
   where consent.tenant_id = $1 and consent.phone = $2 and consent.doubted_at is not null`,
);

export type Doubt = {
  carrier: string;
  carrier_id: string;
  recipient: string;
  text: string;
  sent_at: Date;
  received_at: Date;
};

/** The text that a phone's doubt is about, or undefined when there is no doubt (any more). */
export function findDoubted(tx: Tx, tenantId: Uuid, phone: string): Promise<Doubt | undefined> {
  return tx.first<Doubt>(findDoubt, [tenantId, phone]);
}

const listDoubts = crossTenant(
  "list-consent-doubts",
  `select consent.tenant_id, consent.phone from tenants
   join consents consent on consent.tenant_id = tenants.id and consent.doubted_at is not null
   where ($1::uuid is null or tenants.id = $1) limit 1000`,
);

/** Phones in doubt, of every tenant or one. */
export function doubted(tx: Tx, tenantId: Uuid | null): Promise<{ tenant_id: Uuid; phone: string }[]> {
  return tx.rows(listDoubts, [tenantId]);
}

/** Withdraws what waits, and stops the calls that go on, for phones whose consents are locked; answers with their threads. */
export async function withdrawAll(
  tx: Tx,
  tenantId: Uuid,
  phones: readonly string[],
  reason: string,
  stop: { at: Date; newId: () => Uuid; kinds?: readonly MessagePurpose[]; exceptCall?: Uuid },
): Promise<{ campaign_id: Uuid; id: Uuid }[]> {
  await stopCalls.request(tx, tenantId, phones, stop.at, stop.exceptCall);
  // As starting messages: where only some kinds are withdrawn, calls are suppressed as their turn comes.
  if (!stop.kinds) await stopCalls.withdraw(tx, tenantId, phones, { reason, changeId: stop.newId(), now: stop.at });
  const theirs = await threads.idsOfPhones(tx, tenantId, phones);
  const kinds = stop.kinds ? { kinds: stop.kinds } : {};
  await messages.withdraw(tx, tenantId, theirs, { reason, changeId: stop.newId(), now: stop.at, ...kinds });
  await messages.withdrawForStrangers(tx, tenantId, phones, reason, stop.at);
  return theirs;
}

/**
 * An attempt older than this cannot be handed over any more: its id is made as it is claimed, in a transaction of a few statements, and what is claimed
 * leaves within IN_FLIGHT_MS. It may be in doubt for a day, and who says STOP again and again meanwhile need not wait for it each time.
 */
const MAY_LEAVE_MS = 60_000;

/**
 * Waits until nothing is on its way to these phones any more, in both of the tenant's modes, but no longer than it may still be handed over. To be
 * awaited outside any transaction, once an opt-out or another bar is committed: no new attempt can begin then, and what ends the open ones needs the
 * locks that a transaction would hold.
 */
export async function handedOver(
  db: Tx,
  tenantId: Uuid,
  phones: readonly string[],
  { log, newId }: { log: Log; newId(): Uuid },
): Promise<void> {
  const since = firstIdOf(new Date(timeOfId(newId()).getTime() - MAY_LEAVE_MS));
  const other = await tenants.otherMode(db, tenantId);
  const open = async () =>
    (await attempts.openFor(db, tenantId, phones, since)) + (await attempts.openFor(db, other, phones, since));
  const left = await untilNone(open);
  if (left > 0) log.warn({ tenantId, attempts: left }, "what was on its way before an opt-out may still arrive");
}
