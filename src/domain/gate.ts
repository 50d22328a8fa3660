import type { CallingPolicy, CallingWindows } from "./calling-window.ts";
import type { MessagePurpose } from "./message.ts";
import type { Place } from "./place.ts";

/** All that decides whether a contact may be reached now. A call has the purposes of texts: its first attempt is a start. */
export type GateSubject = {
  channel: "sms" | "voice";
  purpose: MessagePurpose;
  consent: {
    optedOutAt: Date | null;
    /** On the tenant's or organization's do-not-call list. */
    doNotCall: boolean;
    /** Asked, in so many words, not to be texted. */
    doNotMessage: boolean;
  };
  /** Null outside campaigns, as for a text from a stranger. */
  campaign: { status: string; beginAt: Date | null; endAt: Date | null } | null;
  /** When the contact last wrote or called in this conversation; null if never. */
  lastInboundAt: Date | null;
  place: Pick<Place, "zones" | "states">;
  policy: CallingPolicy;
};

/**
 * `held`: ask again at `until`, or, when that is null, once the campaign is resumed. `blocked`: never by this intent.
 * `rule` is stored with the message or call and stays the same for ever; `reason` is one sentence for a person.
 */
export type Decision =
  | { outcome: "allowed" }
  | { outcome: "held"; until: Date | null; rule: string }
  | { outcome: "blocked"; rule: string; reason: string };

const ALLOWED: Decision = Object.freeze({ outcome: "allowed" });
const OPTED_OUT = blocked("opted_out", "The contact has opted out.");
const DO_NOT_CALL = blocked("do_not_call", "The number is on the do-not-call list.");
const DO_NOT_MESSAGE = blocked("do_not_message", "The contact asked not to be texted.");
const CAMPAIGN_DELETED = blocked("campaign_deleted", "The campaign was deleted.");
const CAMPAIGN_ENDED = blocked("campaign_ended", "The campaign ended before this contact's turn came.");
const NEVER_OPEN = blocked("never_open", "No hour of any day is allowed for this contact.");
const CAMPAIGN_PAUSED: Decision = Object.freeze({ outcome: "held", until: null, rule: "campaign_paused" });

/**
 * May this contact be reached for this purpose at this moment? The one gate that everything outgoing passes, asked again
 * in the transaction that hands it over. Pure; never throws.
 *
 * | purpose      | opted out | do not call | do not message | deleted | paused | begin, end | hours             |
 * |--------------|-----------|-------------|----------------|---------|--------|------------|-------------------|
 * | start, drip  | blocks    | blocks      | blocks texts   | blocks  | holds  | hold,block | hold              |
 * | reply        | blocks    | blocks      | blocks texts   | blocks  | holds  |            |                   |
 * | human        | blocks    | blocks      | blocks texts   | blocks  |        |            | hold, if the contact never wrote |
 * | confirmation |           |             |                |         |        |            |                   |
 * | help         |           | blocks      |                |         |        |            |                   |
 *
 * Begin and end are about outreach: a conversation that is going on may outlive its campaign's last day.
 */
export function mayContact(subject: GateSubject, now: Date, callingWindows: CallingWindows): Decision {
  const { purpose } = subject;
  // The one confirmation of an opt-out: it has to leave within minutes, whatever else holds.
  if (purpose === "confirmation") return ALLOWED;
  return refusal(subject) ?? campaignAnswer(subject, now) ?? hoursAnswer(subject, now, callingWindows);
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
  if (!isOutreach(purpose)) return undefined;
  if (campaign.endAt !== null && now >= campaign.endAt) return CAMPAIGN_ENDED;
  if (campaign.beginAt !== null && now < campaign.beginAt) {
    return { outcome: "held", until: campaign.beginAt, rule: "campaign_not_begun" };
  }
  return undefined;
}

function hoursAnswer(subject: GateSubject, now: Date, callingWindows: CallingWindows): Decision {
  const { purpose, lastInboundAt, place, policy } = subject;
  const isAnswer = purpose === "reply" || purpose === "help" || (purpose === "human" && lastInboundAt !== null);
  if (isAnswer) return ALLOWED;
  const hours = callingWindows(now, place, policy);
  if (hours.open) return ALLOWED;
  return hours.opensAt === null ? NEVER_OPEN : { outcome: "held", until: hours.opensAt, rule: hours.rule };
}

const isOutreach = (purpose: MessagePurpose): boolean => purpose === "start" || purpose === "drip";

function blocked(rule: string, reason: string): Decision {
  return Object.freeze({ outcome: "blocked", rule, reason });
}
