import type { Channel } from "#domain/compliance/attempt-cap.ts";
import type { CallingPolicy } from "#domain/compliance/calling-window.ts";
import type { Decision } from "#domain/compliance/gate.ts";
import type { Profile } from "#domain/compliance/jurisdiction.ts";
import type { LeadFields } from "#domain/contacts/lead.ts";
import { followUpOf } from "#domain/messaging/drip-step.ts";
import type { MessagePurpose, RecipientState } from "#domain/messaging/message.ts";
import { countSegments, MAX_SEGMENTS } from "#domain/messaging/segments.ts";
import type { Renderer } from "#domain/messaging/template.ts";

/** A text that is due, with what decides whether and how it leaves. */
export type DueText = {
  kind: MessagePurpose;
  step: number;
  /** Written already (replies, people's texts); a starting message or a drip is rendered here. */
  text: string | null;
  phone: string;
  /** When it was written, or planned. */
  createdAt: Date;
  fields: LeadFields | null;
  firstSentAt: Date | null;
  recipientState: RecipientState | null;
};

/** A campaign's templates, compiled: the starting message and the drips in the order of their days. */
export type Templates = { starting: Renderer; drips: readonly { day: number; render: Renderer }[] };

export type TextDecision =
  | { go: true; text: string; segments: number }
  | { go: false; state: "held"; dueAt: Date | "infinity"; rule: string; reason: string }
  | { go: false; state: "suppressed" | "expired"; dueAt: null; rule: string; reason: string };

const DAY_MS = 86_400_000;
/** 47 CFR 64.1200(a)(12): an opt-out may be confirmed within five minutes. A later text is one too many. */
const CONFIRM_WITHIN_MS = 300_000;
/** A drip whose starting message still waits looks again after this long. */
const DRIP_RECHECK_MS = 3_600_000;

/**
 * Decides one due text: what the gate says, then whether its drip day has come, then whether it can be worded. The
 * gate comes first, so that an opt-out is the reason that is kept even where the wording would have failed too.
 */
export function decideText(
  text: DueText,
  gate: Decision,
  templates: Templates | undefined,
  endAt: Date | null,
  now: Date,
): TextDecision {
  if (gate.outcome === "blocked") {
    const state = gate.rule === "campaign_ended" ? "expired" : "suppressed";
    return { go: false, state, dueAt: null, rule: gate.rule, reason: gate.reason };
  }
  if (text.kind === "confirmation" && now.getTime() - text.createdAt.getTime() > CONFIRM_WITHIN_MS) {
    const reason = "The confirmation would have come more than five minutes late.";
    return { go: false, state: "expired", dueAt: null, rule: "confirmation_too_late", reason };
  }
  const drip = text.kind === "drip" ? templates?.drips[followUpOf(text.step)] : undefined;
  const early = drip && dripHold(text, drip.day, now);
  if (early) return early;
  if (gate.outcome === "held") return hold(gate.askAgainAt ?? gate.until, endAt, gate.rule);
  if (text.kind === "start" && templates) return word(templates.starting, text);
  if (text.kind === "drip") return drip ? word(drip.render, text) : suppress("no_such_drip");
  return text.text ? checked(text.text) : suppress("empty");
}

/** By a carrier account that was removed nothing leaves: what would go, or wait, is over. What was refused anyway keeps its reason. */
export const withoutCarrier = (decided: TextDecision): TextDecision =>
  !decided.go && decided.dueAt === null
    ? decided
    : suppress("carrier_removed", "The carrier account that its number was on was removed.");

/** Until when a text that may leave now may reach its contact; null when no end is known. */
export function validUntil(text: Pick<DueText, "kind" | "createdAt">, gate: Decision): Date | null {
  if (text.kind === "confirmation") return new Date(text.createdAt.getTime() + CONFIRM_WITHIN_MS);
  return gate.outcome === "allowed" ? gate.until : null;
}

/** Day N counts from when the starting message left. One that never left has no drips. */
function dripHold(text: DueText, day: number, now: Date): TextDecision | undefined {
  if (text.firstSentAt === null) {
    const waits = text.recipientState === "scheduled" || text.recipientState === "held";
    if (!waits) return suppress("starting_message_not_sent");
    return hold(new Date(now.getTime() + DRIP_RECHECK_MS), null, "after_starting_message");
  }
  const dueAt = new Date(text.firstSentAt.getTime() + day * DAY_MS);
  return dueAt > now ? hold(dueAt, null, "drip_day") : undefined;
}

/** Nothing is held past the campaign's end: then it expires. */
function hold(until: Date | null, endAt: Date | null, rule: string): TextDecision {
  const dueAt = until === null ? "infinity" : endAt !== null && endAt < until ? endAt : until;
  return { go: false, state: "held", dueAt, rule, reason: rule };
}

const suppress = (rule: string, reason = rule): TextDecision => ({
  go: false,
  state: "suppressed",
  dueAt: null,
  rule,
  reason,
});

function word(render: Renderer, text: DueText): TextDecision {
  const rendered = render({ ...text.fields, phone_number: text.phone });
  if (rendered.problem === "missing_variable")
    return suppress("missing_variable", `missing_variable: ${rendered.name}`);
  if (rendered.problem === "empty") return suppress("empty_message");
  return checked(rendered.text);
}

function checked(text: string): TextDecision {
  const { segments } = countSegments(text);
  return segments > MAX_SEGMENTS
    ? suppress("too_long", `too_long: ${segments} segments`)
    : { go: true, text, segments };
}

/** What the campaign says about hours and the contact's consent lifts; the operator's profile says the rest. */
export function callingPolicy(
  profile: Profile,
  settings: Record<string, unknown>,
  more: { channel?: Channel; expressConsent?: boolean } = {},
): CallingPolicy & { profile: Profile } {
  const window = settings.calling_window as CallingPolicy["window"] | undefined;
  const expressConsent = more.expressConsent === true ? { expressConsent: true } : {};
  return { profile, channel: more.channel ?? "sms", ...(window ? { window } : {}), ...expressConsent };
}
