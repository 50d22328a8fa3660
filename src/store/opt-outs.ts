import { setTimeout as pause } from "node:timers/promises";
import type { Uuid } from "#domain/id.ts";
import type { MessagePurpose } from "#domain/message.ts";
import * as attempts from "./attempts.ts";
import { statement, type Tx } from "./db.ts";
import * as messages from "./messages.ts";
import * as threads from "./threads.ts";

/** A text handed to the carrier before the opt-out has this long to be settled; then the opt-out commits anyway. */
const WAIT_FOR_ATTEMPTS_MS = 6_000;
const LOOK_AGAIN_MS = 20;

const lockConsents = statement(
  "lock-consents",
  `insert into consents (tenant_id, phone) select $1, phone from unnest($2::text[]) as phone order by phone
   on conflict (tenant_id, phone) do update set phone = excluded.phone
   returning phone, opted_out_at, keyword_at`,
);

export type Consent = { phone: string; opted_out_at: Date | null; keyword_at: Date | null };

/** Locks the consents of phones, in order, making those that are missing. No claim can pass them until the commit. */
export function lock(tx: Tx, tenantId: Uuid, phones: readonly string[]): Promise<Consent[]> {
  return tx.rows<Consent>(lockConsents, [tenantId, [...phones].sort()]);
}

const setOptOut = statement(
  "set-opt-out",
  `update consents set opted_out_at = coalesce(opted_out_at, $3), opt_out_source = coalesce(opt_out_source, $4),
     opt_out_quote = coalesce(opt_out_quote, $5), keyword_at = greatest(keyword_at, $3)
   where tenant_id = $1 and phone = $2`,
);

const clearOptOut = statement(
  "clear-opt-out",
  `update consents set opted_out_at = null, opt_out_source = null, opt_out_quote = null, keyword_at = $3
   where tenant_id = $1 and phone = $2`,
);

export type OptOut = {
  /** "keyword", "free_text", "agent", "carrier", "operator". */
  source: string;
  /** The contact's own words, where there are any. */
  quote: string | null;
  at: Date;
  newId: () => Uuid;
  /** The caller has waited for `settled` before it locked a thread; waiting again would stop what is to be settled. */
  isSettled?: true;
};

/**
 * Opts a phone out, for the whole tenant: waits until nothing is on its way to it any more, withdraws everything that
 * is to follow, and moves its recipients. Once the transaction commits no text leaves for this phone, except the
 * confirmation that the caller adds. True when the phone was not opted out before.
 */
export async function optOut(tx: Tx, tenantId: Uuid, phone: string, it: OptOut): Promise<boolean> {
  const [consent] = await lock(tx, tenantId, [phone]);
  // Before any thread or message is locked: settling needs them.
  if (!it.isSettled) await settled(tx, tenantId, [phone]);
  await tx.run(setOptOut, [tenantId, phone, it.at, it.source, it.quote]);
  const theirs = await withdrawAll(tx, tenantId, [phone], "opted_out", it);
  const moves = theirs.map(({ campaign_id, id }) => ({
    campaignId: campaign_id,
    threadId: id,
    state: "opted_out" as const,
    reason: it.source,
  }));
  await threads.move(tx, tenantId, moves, it.newId(), it.at);
  return consent!.opted_out_at === null;
}

/** Undoes an opt-out that a later START asks to undo. */
export async function optIn(tx: Tx, tenantId: Uuid, phone: string, at: Date): Promise<void> {
  await tx.run(clearOptOut, [tenantId, phone, at]);
}

/** Withdraws what waits for phones whose consents are locked; answers with their threads. */
export async function withdrawAll(
  tx: Tx,
  tenantId: Uuid,
  phones: readonly string[],
  reason: string,
  it: { at: Date; newId: () => Uuid; kinds?: readonly MessagePurpose[] },
): Promise<{ campaign_id: Uuid; id: Uuid }[]> {
  const theirs = await threads.idsOfPhones(tx, tenantId, phones);
  const kinds = it.kinds ? { kinds: it.kinds } : {};
  await messages.withdraw(tx, tenantId, theirs, { reason, changeId: it.newId(), now: it.at, ...kinds });
  await messages.withdrawForStrangers(tx, tenantId, phones, reason, it.at);
  return theirs;
}

/** Waits until no attempt at these phones is open. Their consents are locked, so no new one can begin. */
export async function settled(tx: Tx, tenantId: Uuid, phones: readonly string[]): Promise<void> {
  const until = performance.now() + WAIT_FOR_ATTEMPTS_MS;
  while ((await attempts.openFor(tx, tenantId, phones)) > 0 && performance.now() < until) await pause(LOOK_AGAIN_MS);
}
