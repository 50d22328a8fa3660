import type { Uuid } from "#domain/values/id.ts";

export type Lead = { phone: string; fields: object };
/** A lead as it enters a campaign: the ids of what may be made for it, and its fields as JSON. */
type Entering<Ids> = Ids & { contactId: Uuid; threadId: Uuid; phone: string; fields: string };

/** Rows a statement: large enough that its fixed cost does not matter, small enough that others get their turn. */
export const LEADS_A_STATEMENT = 2_500;

/**
 * Adds any number of leads, in statements of some thousands; the next is built while PostgreSQL works on the one before. Phones are sorted over the
 * whole, so that two imports cannot deadlock. Answers with how many were added.
 *
 * @param more ids for what a lead has besides its contact and its thread
 */
export async function insertInBatches<Ids extends object>(
  leads: readonly Lead[],
  newId: () => Uuid,
  more: () => Ids,
  insert: (batch: readonly Entering<Ids>[]) => Promise<number>,
): Promise<number> {
  // Ids first, in the caller's order: that is the order in which they are contacted.
  const ordered = leads.map((lead) => ({ lead, ids: { contactId: newId(), threadId: newId(), ...more() } }));
  ordered.sort((a, b) => (a.lead.phone < b.lead.phone ? -1 : 1));
  let added = 0;
  let running: Promise<number> = Promise.resolve(0);
  for (let from = 0; from < ordered.length; from += LEADS_A_STATEMENT) {
    const batch = ordered.slice(from, from + LEADS_A_STATEMENT).map(({ lead, ids }) => ({
      ...ids,
      phone: lead.phone,
      fields: JSON.stringify(lead.fields),
    }));
    added += await running;
    running = insert(batch);
    // Awaited a turn later; a failure before that must not count as an unhandled rejection.
    running.catch(() => {});
  }
  return added + (await running);
}

/**
 * Consents and contacts of the rows of `lead`: $1 is the tenant, $3 the organization, $9 now. Consents come first, as everywhere: what is not read
 * of a `with` is done last, and two would wait for each other crosswise.
 */
const CONTACTS = `known as (
     insert into consents (tenant_id, phone) select $1, phone from lead on conflict (tenant_id, phone) do nothing
     returning 1),
   contact as (
     insert into contacts (tenant_id, id, organization_id, phone, fields, created_at, updated_at)
     select $1, contact_id, $3, phone, fields::jsonb, $9, $9 from lead where (select count(*) from known) >= 0
     on conflict (tenant_id, organization_id, phone)
     do update set fields = contacts.fields || excluded.fields, updated_at = excluded.updated_at
     returning id, phone)`;

/** What each lead of either kind gets, as parts of a `with`: also a thread in the campaign $2, unless it has one there. */
export const threadsOf = (lane: "$2" | "$4"): string => `${CONTACTS},
   thread as (
     insert into threads (tenant_id, campaign_id, id, contact_id, lane_id, phone, updated_at)
     select $1, $2, lead.thread_id, contact.id, ${lane}, lead.phone, $9 from lead join contact on contact.phone = lead.phone
     on conflict (tenant_id, campaign_id, phone) do nothing
     returning id, phone, contact_id)`;
