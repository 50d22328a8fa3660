import type { Uuid } from "#domain/values/id.ts";
import * as consents from "#store/compliance/consents.ts";
import * as erasedPhones from "#store/contacts/erased-phones.ts";
import { changing, type Tx } from "#store/database/db.ts";
import * as claims from "./claims.ts";

/** What stands for a phone now, for those who only ask: what a claim would find, an erased person's opt-out with it. */
export async function find(
  tx: Tx,
  tenantId: Uuid,
  phone: string,
  hash: erasedPhones.HashPhone,
): Promise<consents.ConsentState | undefined> {
  const [known, erased] = await Promise.all([
    consents.find(tx, tenantId, phone),
    erasedPhones.optOuts(tx, tenantId, [phone], hash),
  ]);
  const kept = erased.get(phone);
  if (!kept || (known && known.opted_out_at !== null)) return known;
  const nothing = {
    ...{ phone, opt_out_quote: null, keyword_at: null, bases: null, doubted_at: null, doubt_call_id: null },
    deactivated_at: null,
  };
  return { ...nothing, ...known, opted_out_at: kept.opted_out_at, opt_out_source: kept.opt_out_source };
}

const knowPhones = changing(
  "claim-know-phones",
  `insert into consents (tenant_id, phone) select $1, phone from unnest($2::text[]) as phone order by phone
   on conflict (tenant_id, phone) do nothing`,
);

/**
 * The consents of phones that a claim is to decide about, held until its commit. One that has gone with an erasure while
 * the number came into a campaign again is made anew after the commit (somebody else may be making it just now, and want the lane), and
 * busy until the next claim: what is not held cannot keep an opt-out waiting. The opt-out of an erased person whose number has come
 * back counts from here on.
 */
export async function hold(
  tx: Tx,
  tenantId: Uuid,
  phones: readonly string[],
  hash: erasedPhones.HashPhone,
): Promise<Map<string, claims.ClaimConsent>> {
  const held = new Map((await claims.consents(tx, tenantId, phones)).map((consent) => [consent.phone, consent]));
  // What stands in the place of an erased number begins otherwise, and has no consent.
  const gone = phones.filter((phone) => !held.has(phone) && phone.startsWith("+"));
  if (gone.length > 0) await tx.afterwards(knowPhones, [tenantId, gone]);
  const unknown = { opted_out_at: null, doubted_at: null, bases: null, deactivated_at: null, busy: true };
  for (const phone of gone) held.set(phone, { phone, ...unknown });
  const free = [...held.values()].filter((consent) => !consent.busy).map((consent) => consent.phone);
  for (const { phone, opted_out_at } of await erasedPhones.revive(tx, tenantId, free, hash)) {
    held.set(phone, { ...held.get(phone)!, opted_out_at });
  }
  return held;
}
