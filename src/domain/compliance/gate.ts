import { isOutreach, type MessagePurpose } from "#domain/messaging/message.ts";
import type { Place } from "#domain/phones/place.ts";
import { cappedBy, type OutreachAttempt } from "./attempt-cap.ts";
import { bannedBy, type CallingBan } from "./calling-ban.ts";
import type { CallingPolicy, CallingWindows } from "./calling-window.ts";
import type { Profile } from "./jurisdiction.ts";
import { type Screening, screen } from "./screening.ts";
import { agentIsOffUntil, type WorkingHours } from "./working-hours.ts";

/** What the contact asked to be called for, at a time of theirs, is no reply of this minute and no outreach either. */
export type GatePurpose = MessagePurpose | "callback";

/** All that decides whether a contact may be reached now. A call has the purposes of texts: its first attempt is a start. */
export type GateSubject = {
  channel: "sms" | "voice";
  purpose: GatePurpose;
  consent: {
    optedOutAt: Date | null;
    /** On the tenant's or organization's do-not-call list. */
    doNotCall: boolean;
    /** Asked, in so many words, not to be texted. */
    doNotMessage: boolean;
    /** It is being judged whether the contact's latest text is an opt-out; or one was said in a call, and is to be written. */
    inDoubt?: boolean;
  };
  /** Null outside campaigns, as for a text from a stranger. */
  campaign: { status: string; beginAt: Date | null; endAt: Date | null } | null;
  /** The organization that it would go out for. */
  isArchived: boolean;
  /** When the contact last wrote in this conversation; null if never. */
  lastInboundAt: Date | null;
  place: Pick<Place, "zones" | "states">;
  policy: CallingPolicy & { profile: Profile };
  /** The tenant's outreach to this number, as far back as LONGEST_CAP_MS at least. */
  attempts: readonly OutreachAttempt[];
  /** The operator's bans that are not over: the tenant's and the whole service's. */
  bans: readonly CallingBan[];
  /** Those of the campaign's agent; null: it answers at any hour. */
  workingHours: WorkingHours | null;
  /** What lists and consent records say; absent where nobody has looked, which screens nothing. */
  screening?: Screening | undefined;
};

/**
 * `allowed`: until then, if nothing changes; null when no end is known. `held`: ask again at `askAgainAt`, where it is
 * given, else at `until`, or, when that is null, once the campaign is resumed. `blocked`: never by this intent.
 * `rule` is stored with the message or call and stays the same for ever; `reason` is one sentence for a person.
 */
export type Decision =
  | { outcome: "allowed"; until: Date | null }
  | { outcome: "held"; until: Date | null; rule: string; askAgainAt?: Date }
  | { outcome: "blocked"; rule: string; reason: string };

const ALLOWED: Decision = Object.freeze({ outcome: "allowed", until: null });
const OPTED_OUT = blocked("opted_out", "The contact has opted out.");
const DO_NOT_CALL = blocked("do_not_call", "The number is on the do-not-call list.");
const DO_NOT_MESSAGE = blocked("do_not_message", "The contact asked not to be texted.");
const CAMPAIGN_DELETED = blocked("campaign_deleted", "The campaign was deleted.");
const CAMPAIGN_ENDED = blocked("campaign_ended", "The campaign ended before this contact's turn came.");
const NEVER_OPEN = blocked("never_open", "No hour of any day is allowed for this contact.");
const ORGANIZATION_ARCHIVED = "organization_archived";
const CAMPAIGN_PAUSED: Decision = Object.freeze({ outcome: "held", until: null, rule: "campaign_paused" });

/**
 * May this contact be reached for this purpose at this moment? The one gate that everything outgoing passes, asked again
 * in the transaction that hands it over. Pure; never throws.
 *
 * | purpose      | opted out | do not call | do not message | deleted | paused | begin, end | archived | bans, hours, caps | agent's hours |
 * |--------------|-----------|-------------|----------------|---------|--------|------------|----------|-------------------|---------------|
 * | start, drip  | blocks    | blocks      | blocks texts   | blocks  | holds  | hold,block | holds    | hold              |               |
 * | callback     | blocks    | blocks      |                | blocks  | holds  |            | blocks   | hold, but no caps |               |
 * | reply        | blocks    | blocks      | blocks texts   | blocks  | holds  |            | blocks   |                   | hold          |
 * | late reply   | blocks    | blocks      | blocks texts   | blocks  | holds  |            | blocks   | hold, but no caps | hold          |
 * | human        | blocks    | blocks      | blocks texts   | blocks  |        |            | blocks   | hold, if the contact never wrote | |
 * | late human   | blocks    | blocks      | blocks texts   | blocks  |        |            | blocks   | hold, but no caps |               |
 * | confirmation |           |             |                |         |        |            |          |                   |               |
 * | help         |           | blocks      |                |         |        |            |          |                   |               |
 *
 * Begin and end are about outreach: a conversation that is going on may outlive its campaign's last day. An answer that leaves when the
 * contact's last word is older than GOES_ON_MS is late: what would excuse its hour is over. Of bans, hours
 * and caps the first that forbids is named; a wish of the contact's comes before them all.
 */
export function mayContact(subject: GateSubject, now: Date, callingWindows: CallingWindows): Decision {
  const { purpose } = subject;
  // The one confirmation of an opt-out: it has to leave within minutes, whatever else holds.
  if (purpose === "confirmation") return ALLOWED;
  return (
    refusal(subject) ??
    doubtAnswer(subject, now) ??
    campaignAnswer(subject, now) ??
    archiveAnswer(subject) ??
    screeningAnswer(subject, now) ??
    timeAnswer(subject, now, callingWindows)
  );
}

/** While a text may be an opt-out nothing leaves but what a keyword asks for. */
function doubtAnswer({ purpose, consent }: GateSubject, now: Date): Decision | undefined {
  if (consent.inDoubt !== true || purpose === "help") return undefined;
  const askAgainAt = new Date(now.getTime() + DOUBT_RECHECK_MS);
  return { outcome: "held", until: null, rule: "opt_out_in_doubt", askAgainAt };
}

function screeningAnswer({ purpose, lastInboundAt, screening }: GateSubject, now: Date): Decision | undefined {
  return screening && isUnasked(purpose, lastInboundAt) ? screen(screening, now) : undefined;
}

/** What the contact, or the tenant for them, has forbidden. */
function refusal({ purpose, channel, consent }: GateSubject): Decision | undefined {
  if (consent.optedOutAt !== null && purpose !== "help") return OPTED_OUT;
  if (consent.doNotCall) return DO_NOT_CALL;
  if (consent.doNotMessage && channel === "sms" && purpose !== "help") return DO_NOT_MESSAGE;
  return undefined;
}

function campaignAnswer({ purpose, campaign }: GateSubject, now: Date): Decision | undefined {
  if (campaign === null || purpose === "help") return undefined;
  if (campaign.status === "deleted") return CAMPAIGN_DELETED;
  // A person who writes by hand into a paused campaign means it.
  if (campaign.status === "paused" && purpose !== "human") return CAMPAIGN_PAUSED;
  if (!isBegun(purpose)) return undefined;
  if (campaign.endAt !== null && now >= campaign.endAt) return CAMPAIGN_ENDED;
  if (campaign.beginAt !== null && now < campaign.beginAt) {
    return { outcome: "held", until: campaign.beginAt, rule: "campaign_not_begun" };
  }
  return undefined;
}

/**
 * An archived organization's campaigns are paused, so that their outreach waits until they are resumed. What else is left, an answer or a call that
 * was asked for, would come too late by then.
 */
function archiveAnswer({ purpose, isArchived }: GateSubject): Decision | undefined {
  if (!isArchived || purpose === "help") return undefined;
  if (isBegun(purpose)) return { outcome: "held", until: null, rule: ORGANIZATION_ARCHIVED };
  return blocked(ORGANIZATION_ARCHIVED, "The organization is archived.");
}

/**
 * How long after the contact's last word a conversation goes on. Who has just written is awake and looks at the phone; who wrote yesterday
 * need not be. A call that goes on with it rings, so that it is the next word for a quarter of an hour only.
 */
export const GOES_ON_MS = Object.freeze({ sms: 86_400_000, voice: 900_000 });

/**
 * Whether the contact has not asked for it, so that it is screened and counts as an attempt: the rest are answers, be they late, and
 * the two that a keyword asks for.
 */
export function isUnasked(purpose: GatePurpose, lastInboundAt: Date | null): boolean {
  return isBegun(purpose) || (purpose === "human" && lastInboundAt === null);
}

const isBegun = (purpose: GatePurpose): boolean => purpose !== "callback" && isOutreach(purpose);

/** When the next word of a conversation that goes on is no longer free of hours and bans; null: it never was. */
function lateFrom({ purpose, channel, lastInboundAt }: GateSubject): Date | null {
  if ((purpose !== "reply" && purpose !== "human") || lastInboundAt === null) return null;
  return new Date(lastInboundAt.getTime() + GOES_ON_MS[channel] + 1);
}

function timeAnswer(subject: GateSubject, now: Date, callingWindows: CallingWindows): Decision {
  if (subject.purpose === "help") return ALLOWED;
  const lateAt = lateFrom(subject);
  if (lateAt === null || !(now < lateAt)) return hoursAnswer(subject, now, callingWindows);
  const off = agentAnswer(subject, now, callingWindows);
  if (off) return off;
  const then = hoursAnswer(subject, lateAt, callingWindows);
  return { outcome: "allowed", until: then.outcome === "allowed" ? then.until : lateAt };
}

function hoursAnswer(subject: GateSubject, now: Date, callingWindows: CallingWindows): Decision {
  const { purpose, lastInboundAt, place, policy, campaign } = subject;
  const where = { states: place.states, profile: policy.profile, channel: subject.channel };
  const ban = bannedBy(subject.bans, where, now);
  if (ban.banned) return { outcome: "held", until: ban.until, rule: ban.rule, askAgainAt: ban.askAgainAt };
  const hours = callingWindows(now, place, policy);
  if (!hours.open && hours.opensAt === null) return NEVER_OPEN;
  if (!hours.open) return { outcome: "held", until: hours.opensAt, rule: hours.rule };
  const cap = isUnasked(purpose, lastInboundAt) ? cappedBy(subject.attempts, where, now) : undefined;
  if (cap) return { outcome: "held", until: cap.until, rule: cap.rule };
  const off = agentAnswer(subject, now, callingWindows);
  if (off) return off;
  const endAt = isBegun(purpose) ? (campaign?.endAt ?? null) : null;
  return { outcome: "allowed", until: earliest(earliest(hours.until, ban.until), endAt) };
}

/** An agent that is off duty answers when it is back. */
function agentAnswer(subject: GateSubject, now: Date, callingWindows: CallingWindows): Decision | undefined {
  if (subject.purpose !== "reply") return undefined;
  const until = agentIsOffUntil(subject.workingHours, subject.place, now, callingWindows);
  return until ? { outcome: "held", until, rule: AGENT_WORKING_HOURS } : undefined;
}

/** Longer than a language model takes to judge; the judgement wakes what waits for it. */
const DOUBT_RECHECK_MS = 15_000;
const AGENT_WORKING_HOURS = "agent_working_hours";

function earliest(a: Date, b: Date | null): Date;
function earliest(a: Date | null, b: Date | null): Date | null;
function earliest(a: Date | null, b: Date | null): Date | null {
  return a === null || (b !== null && b < a) ? b : a;
}

function blocked(rule: string, reason: string): Decision {
  return Object.freeze({ outcome: "blocked", rule, reason });
}
