import type { Channel, OutreachAttempt } from "#domain/compliance/attempt-cap.ts";
import type { CallingBan } from "#domain/compliance/calling-ban.ts";
import { isEnough } from "#domain/compliance/consent.ts";
import type { GatePurpose, GateSubject } from "#domain/compliance/gate.ts";
import type { Profile } from "#domain/compliance/jurisdiction.ts";
import type { Screening } from "#domain/compliance/screening.ts";
import type { WorkingHours } from "#domain/compliance/working-hours.ts";
import type { Place } from "#domain/phones/place.ts";
import { callingPolicy } from "./text-decision.ts";

/** What the database and the settings say of one contact, in the shapes in which they say it. */
export type GateFacts = {
  channel: Channel;
  purpose: GatePurpose;
  profile: Profile;
  place: Place;
  consent: { opted_out_at: Date | null; doubted_at: Date | null } | undefined;
  /** From store/compliance/screening.ts. */
  screening: Screening | undefined;
  doNotCall: boolean;
  campaign:
    | {
        status: string;
        begin_at: Date | null;
        end_at: Date | null;
        settings: Record<string, unknown>;
        config: Record<string, unknown>;
      }
    | undefined;
  /** Of the organization that it would go out for. */
  archivedAt: Date | null;
  thread: { last_inbound_at: Date | null; do_not_message: boolean | null } | undefined;
  attempts: readonly OutreachAttempt[];
  bans: readonly CallingBan[];
};

/** What the gate is asked about a contact: the claim, the preflight and whoever asks beforehand put the same question. */
export function gateSubject(facts: GateFacts): GateSubject {
  const { channel, campaign } = facts;
  return {
    channel,
    purpose: facts.purpose,
    consent: {
      optedOutAt: facts.consent?.opted_out_at ?? null,
      doNotCall: facts.doNotCall,
      doNotMessage: facts.thread?.do_not_message ?? false,
      inDoubt: (facts.consent?.doubted_at ?? null) !== null,
    },
    campaign: campaign ? { status: campaign.status, beginAt: campaign.begin_at, endAt: campaign.end_at } : null,
    isArchived: facts.archivedAt !== null,
    lastInboundAt: facts.thread?.last_inbound_at ?? null,
    place: facts.place,
    policy: callingPolicy(facts.profile, campaign?.settings ?? {}, {
      channel,
      expressConsent: isEnough(facts.screening?.consent, "express"),
    }),
    screening: facts.screening,
    attempts: facts.attempts,
    bans: facts.bans,
    workingHours: (campaign?.config.working_hours as WorkingHours | undefined) ?? null,
  };
}

/** The place and profile a decision was made with, as one short text that is kept with the attempt. See `basisOf`. */
export function basisText(profile: Profile, place: Place, attemptsBefore: number): string {
  return `${profile} ${place.basis} ${place.zones.join("|")} ${place.states.join("|")} ${attemptsBefore}`;
}

export type DecisionBasis = {
  profile: string;
  placeBasis: string;
  zones: string[];
  states: string[];
  /** Outreach to this number in the day before, on every channel. */
  attemptsBefore: number;
};

/** Reads `basisText` back; undefined for attempts from before it was kept. */
export function basisOf(text: string | null): DecisionBasis | undefined {
  const parts = text?.split(" ");
  if (parts?.length !== 5) return undefined;
  const [profile, placeBasis, zones, states, attempts] = parts as [string, string, string, string, string];
  const list = (joined: string) => (joined === "" ? [] : joined.split("|"));
  return { profile, placeBasis, zones: list(zones), states: list(states), attemptsBefore: Number(attempts) };
}
