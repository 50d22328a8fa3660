import { basesOf, withBasis } from "#domain/compliance/consent.ts";
import { consentOfLead } from "#domain/compliance/lead-consent.ts";
import type { LeadFields } from "#domain/contacts/lead.ts";
import type { Uuid } from "#domain/values/id.ts";
import { piecesOf } from "#domain/values/pieces.ts";
import type { Tx } from "#store/database/db.ts";
import * as consents from "./consents.ts";
import * as optOuts from "./opt-outs.ts";

const CONSENTS_A_STATEMENT = 2_500;

/**
 * Records the consents that contacts bring along, before any other write: consents are locked first. Those from before a phone's latest opt-out or
 * START are stored and have no effect. Contacts without a consent cost nothing.
 */
export async function bring(
  tx: Tx,
  tenantId: Uuid,
  leads: readonly { phone: string; fields: LeadFields }[],
  parts: { now: Date; newId: () => Uuid },
): Promise<void> {
  const given = leads.flatMap(({ phone, fields }) => {
    const consent = fields.consent_basis === undefined ? undefined : consentOfLead(fields, parts.now);
    return consent ? [{ phone, ...consent }] : [];
  });
  const sorted = given.toSorted((a, b) => (a.phone < b.phone ? -1 : 1));
  for (const piece of piecesOf(sorted, CONSENTS_A_STATEMENT)) {
    const phones = piece.map(({ phone }) => phone);
    const known = new Map((await optOuts.lock(tx, tenantId, phones)).map((state) => [state.phone, state]));
    const records = piece.map((one) => ({
      ...one,
      id: parts.newId(),
      event: "granted" as const,
      channel: "any" as const,
      quote: null,
    }));
    await consents.insert(tx, tenantId, records, parts.now);
    const standing = records.flatMap(({ phone, basis, channel, at }) => {
      const { keyword_at, bases } = known.get(phone)!;
      if (keyword_at !== null && at <= keyword_at) return [];
      return [{ phone, bases: withBasis(basesOf(bases), { basis, channel, at }) }];
    });
    const free = standing.filter(({ phone }) => known.get(phone)!.opted_out_at === null);
    await consents.saveBases(tx, tenantId, free);
  }
}
