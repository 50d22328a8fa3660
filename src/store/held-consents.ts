import type { Uuid } from "#domain/id.ts";
import * as claims from "./claims.ts";
import { statement, type Tx } from "./db.ts";
import * as erasedPhones from "./erased-phones.ts";

const knowPhones = statement(
  "claim-know-phones",
  `insert into consents (tenant_id, phone) select $1, phone from unnest($2::text[]) as phone order by phone
   on conflict (tenant_id, phone) do nothing`,
);

/**
 * The consents of phones that a claim is to decide about, held until its commit. One that has gone with an erasure while
 * the number came into a campaign again is made anew, and busy until the next claim: what is not held cannot keep an
 * opt-out waiting. The opt-out of an erased person whose number has come back counts from here on.
 */
export async function hold(
  tx: Tx,
  tenantId: Uuid,
  phones: readonly string[],
  hash: erasedPhones.HashPhone,
): Promise<Map<string, claims.ClaimConsent>> {
  const held = new Map((await claims.consents(tx, tenantId, phones)).map((it) => [it.phone, it]));
  // What stands in the place of an erased number begins otherwise, and has no consent.
  const gone = phones.filter((phone) => !held.has(phone) && phone.startsWith("+"));
  if (gone.length > 0) await tx.run(knowPhones, [tenantId, gone]);
  for (const phone of gone) held.set(phone, { phone, opted_out_at: null, doubted_at: null, bases: null, busy: true });
  const free = [...held.values()].filter((it) => !it.busy).map((it) => it.phone);
  for (const { phone, opted_out_at } of await erasedPhones.revive(tx, tenantId, free, hash)) {
    held.set(phone, { ...held.get(phone)!, opted_out_at });
  }
  return held;
}
