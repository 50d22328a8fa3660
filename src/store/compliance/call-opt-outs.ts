import type { Uuid } from "#domain/values/id.ts";
import * as callErasures from "#store/calls/erasures.ts";
import * as erasedPhones from "#store/contacts/erased-phones.ts";
import { anyOf, changing, statement, type Tx } from "#store/database/db.ts";
import * as optOuts from "./opt-outs.ts";

/** An opt-out as it was said in a call, in the tenant's time. */
export type SaidInCall = { callId: Uuid; phone: string; quote: string | null; at: Date };

type Parts = { hashPhone: erasedPhones.HashPhone; newId: () => Uuid };

/**
 * Opts the contact of a call out, on every channel. The call itself goes on to its goodbye; any other to this phone is asked to end. Of a
 * contact who was erased meanwhile nothing is written but the wish, beside the number's hash; a number that somebody else has too is opted
 * out without the words. Safe to repeat.
 */
export async function write(tx: Tx, tenantId: Uuid, optOut: SaidInCall, { hashPhone, ...parts }: Parts): Promise<void> {
  const said = await unlessErased(tx, tenantId, optOut, { hashPhone, ...parts });
  if (!said) return;
  const { callId, phone, quote, at } = said;
  await optOuts.optOut(tx, tenantId, phone, {
    source: "call",
    at,
    quote,
    exceptCall: callId,
    hash: hashPhone,
    ...parts,
  });
}

/** What is still to be done for a phone: nothing where only its hash is stored, which this opts out. Locks its consent. */
async function unlessErased(
  tx: Tx,
  tenantId: Uuid,
  said: SaidInCall,
  { hashPhone: hash, ...parts }: Parts,
): Promise<SaidInCall | undefined> {
  const { callId, phone, at } = said;
  if (!(await callErasures.isErased(tx, tenantId, callId, phone))) return said;
  const isKept = await erasedPhones.optOut(tx, tenantId, phone, { hash, source: "call", at });
  if (!isKept) return { ...said, quote: null };
  await optOuts.optOutInOtherMode(tx, tenantId, [phone], { at, hash, ...parts });
  return undefined;
}

const setDoubt = changing(
  "set-doubt-of-call",
  `update consents set doubted_at = $3, doubt_call_id = $4, doubt_quote = $5, doubt_carrier = null, doubt_carrier_id = null
   where tenant_id = $1 and phone = $2 and doubt_call_id is null
     and not coalesce(opted_out_at is not null and opt_out_source = 'call', false)`,
);

/**
 * Holds everything for the phone of an opt-out that could not be written, until it is. A doubt like those of texts in opt-outs.ts, but one that needs
 * no judging. False where nothing is left to be written. Comes before any other lock.
 */
export async function doubt(tx: Tx, tenantId: Uuid, optOut: SaidInCall, parts: Parts): Promise<boolean> {
  const said = await unlessErased(tx, tenantId, optOut, parts);
  if (!said) return false;
  await optOuts.lock(tx, tenantId, [said.phone]);
  return (await tx.run(setDoubt, [tenantId, said.phone, said.at, said.callId, said.quote])) > 0;
}

const findDoubt = statement(
  "find-doubt-of-call",
  `select doubt_call_id as "callId", phone, doubt_quote as quote, doubted_at as at from consents
   where tenant_id = $1 and phone = $2 and doubted_at is not null and doubt_call_id is not null`,
);

/** The opt-out for which a phone is in doubt, if it was said in a call. */
export function findDoubted(tx: Tx, tenantId: Uuid, phone: string): Promise<SaidInCall | undefined> {
  return tx.first<SaidInCall>(findDoubt, [tenantId, phone]);
}

const unwrittenOptOuts = statement(
  "list-unwritten-opt-outs",
  `select it.call_id as "callId", it.phone, null as quote, it.at
   from unnest($2::uuid[], $3::text[], $4::timestamptz[]) as it (call_id, phone, at)
   join calls call on call.tenant_id = $1 and call.id = it.call_id
   left join consents consent on consent.tenant_id = $1 and consent.phone = it.phone
   where ${anyOf("it.call_id")} and consent.doubt_call_id is null
     and not coalesce(consent.opted_out_at is not null and consent.opt_out_source = 'call' and consent.keyword_at >= it.at, false)
     and not exists (
       select from consent_records later where later.tenant_id = $1 and later.phone = it.phone and later.event = 'resubscribed'
         and later.source <> 'keyword' and later.at >= it.at)
   order by it.phone, it.at`,
);

/**
 * Those of these opt-outs that the database does not have, though it has their calls: neither written, nor a doubt, nor ended by a later
 * consent that says so. A START is none: it undoes no opt-out that was said in a call.
 */
export function unwritten(tx: Tx, tenantId: Uuid, them: readonly SaidInCall[]): Promise<SaidInCall[]> {
  const values = [them.map(({ callId }) => callId), them.map(({ phone }) => phone), them.map(({ at }) => at)];
  return tx.rows<SaidInCall>(unwrittenOptOuts, [tenantId, ...values]);
}
