import { type Channel, LONGEST_CAP_MS, type OutreachAttempt } from "#domain/compliance/attempt-cap.ts";
import type { GateFacts } from "#domain/sending/gate-facts.ts";
import { NO_ID, type Uuid } from "#domain/values/id.ts";
import * as callingBans from "#store/compliance/calling-bans.ts";
import type { ConsentState } from "#store/compliance/consents.ts";
import * as screening from "#store/compliance/screening.ts";
import { statement, type Tx } from "#store/database/db.ts";

// What the gate asks of the database about phones, the same for the claims of texts and calls, the preflight and whoever asks beforehand.

const listedPhones = statement(
  "claim-do-not-call",
  "select phone, organization_id from do_not_call where tenant_id = $1 and phone = any($2::text[])",
);

/** More outreach to one phone within a day than this is not counted: every cap is far below it, on each channel. */
const MOST_COUNTED = 20;

const outreachOfPhones = statement(
  "claim-outreach",
  `select attempt.phone, attempt.at, attempt.channel from unnest($2::text[]) as candidate (phone)
   cross join lateral (
     select phone, at, channel from attempts
     where tenant_id = $1 and phone = candidate.phone and at > $3 and outreach
       -- Hidden, so that no index on the state is taken for the one on the phone.
       and coalesce(state in ('in_flight', 'uncertain', 'accepted', 'held') or may_have_left, false)
     order by at desc limit ${MOST_COUNTED}) as attempt`,
);

/**
 * The tenant's outreach to phones, since a time: what attempt caps count. What the carrier refused or never got does not count; what
 * may have reached the contact does, though it was given up and sent again.
 */
export function outreach(
  tx: Tx,
  tenantId: Uuid,
  phones: readonly string[],
  since: Date,
): Promise<(OutreachAttempt & { phone: string })[]> {
  return tx.rows(outreachOfPhones, [tenantId, phones, since]);
}

/** What the gate asks of a phone's consent. */
export type PhoneConsent = Pick<ConsentState, "phone" | "opted_out_at" | "doubted_at" | "bases" | "deactivated_at">;

export type Known = {
  /** Of a phone of a contact of the organization: without one an entry of any organization's do-not-call list counts. */
  of(
    phone: string,
    organizationId: Uuid | undefined,
  ): Pick<GateFacts, "consent" | "screening" | "doNotCall" | "attempts" | "bans">;
  /** Counts an attempt that was decided just now: another to the same phone may be in the same batch. */
  count(phone: string, attempt: OutreachAttempt): void;
};

/** What is known of phones whose consents are these. Costs the same statements for one phone as for all of a batch. */
export async function about(
  tx: Tx,
  tenantId: Uuid,
  phones: readonly string[],
  wanted: { consents: ReadonlyMap<string, PhoneConsent>; now: Date; channel: Channel; checksReassigned: boolean },
): Promise<Known> {
  const { consents, now } = wanted;
  const held = phones.map((phone) => ({
    phone,
    bases: consents.get(phone)?.bases ?? null,
    deactivatedAt: consents.get(phone)?.deactivated_at ?? null,
  }));
  const [screened, bans, listed, attempts] = await Promise.all([
    screening.screen(tx, tenantId, held, wanted),
    callingBans.notOver(tx, tenantId, now),
    tx.rows<{ phone: string; organization_id: Uuid }>(listedPhones, [tenantId, phones]),
    outreach(tx, tenantId, phones, new Date(now.getTime() - LONGEST_CAP_MS)),
  ]);
  const listings = Map.groupBy(listed, ({ phone }) => phone);
  const attemptsOf = new Map<string, readonly OutreachAttempt[]>(Map.groupBy(attempts, ({ phone }) => phone));
  const concerns = (entry: Uuid, organizationId: Uuid | undefined) =>
    organizationId === undefined || entry === NO_ID || entry === organizationId;
  const before = (phone: string) => attemptsOf.get(phone) ?? [];
  return {
    of: (phone, organizationId) => ({
      consent: consents.get(phone),
      screening: screened.get(phone),
      doNotCall: (listings.get(phone) ?? []).some((entry) => concerns(entry.organization_id, organizationId)),
      attempts: before(phone),
      bans,
    }),
    count: (phone, attempt) => void attemptsOf.set(phone, [...before(phone), attempt]),
  };
}
