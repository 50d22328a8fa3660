import type { RecipientState } from "#domain/messaging/message.ts";
import { type DisconnectionReason, REDIAL_OUTCOMES, type RedialOutcome, redialOutcome } from "./call.ts";
import type { CallReport } from "./report.ts";

/** When a campaign dials a contact again whom it did not reach. */
export type RedialConfig = {
  /** Calls to one contact in all, the first included. */
  max_attempts: number;
  retry_delay_minutes: number;
  retry_on: RedialOutcome[];
};

/** No redial after a voicemail by default: a message was left, or the agent is configured not to leave one. */
export const DEFAULT_REDIAL: RedialConfig = {
  max_attempts: 3,
  retry_delay_minutes: 60,
  retry_on: REDIAL_OUTCOMES.filter((outcome) => outcome !== "voicemail"),
};

/** A request's settings, with the defaults of what it leaves out. */
export const redialConfig = (given: Partial<RedialConfig> = {}): RedialConfig => ({
  max_attempts: given.max_attempts ?? DEFAULT_REDIAL.max_attempts,
  retry_delay_minutes: given.retry_delay_minutes ?? DEFAULT_REDIAL.retry_delay_minutes,
  retry_on: given.retry_on ? [...new Set(given.retry_on)] : DEFAULT_REDIAL.retry_on,
});

/** What a campaign counts calls by. */
export const CALL_OUTCOMES = ["connected", "voicemail", "no_answer", "busy", "declined", "failed"] as const;
export type CallOutcome = (typeof CALL_OUTCOMES)[number];

export function callOutcome(report: Pick<CallReport, "status" | "reason" | "inVoicemail" | "durationMs">): CallOutcome {
  if (report.inVoicemail) return "voicemail";
  if (report.durationMs > 0) return "connected";
  if (report.reason === "user_declined") return "declined";
  return redialOutcome(report) ?? "failed";
}

const MINUTE_MS = 60_000;

/**
 * When the contact is to be dialled again after its `n`th call ended so, or undefined: never. Hours and caps are for the gate to say then.
 * A redial that would come after the campaign's end is none.
 */
export function redialAt(
  config: RedialConfig | undefined,
  report: Pick<CallReport, "status" | "reason" | "inVoicemail">,
  call: { n: number; endedAt: Date; campaignEndsAt: Date | null },
): Date | undefined {
  const outcome = redialOutcome(report);
  if (!config || outcome === undefined || !config.retry_on.includes(outcome) || call.n >= config.max_attempts)
    return undefined;
  const at = new Date(call.endedAt.getTime() + config.retry_delay_minutes * MINUTE_MS);
  return call.campaignEndsAt !== null && at >= call.campaignEndsAt ? undefined : at;
}

/** A call that has ended, as far as it matters for the one that is to follow. */
export type EndedCall = {
  /** Its contact was erased while it went on: there is nobody to call. */
  isErased: boolean;
  /** Its end was requested by the campaign or the tenant, or its contact has opted out. */
  isStopped: boolean;
  /** From before a restore, and lost with it: how the call went is unknown, and it may have gone well. */
  isRestored: boolean;
  /** Which of the contact's calls in a voice campaign it was, from 1; undefined for any other call. */
  n: number | undefined;
  campaign: { isDeleted: boolean; redial: RedialConfig | undefined; endsAt: Date | null };
};

/** The call that is to follow: one that the contact asked for comes before one that the campaign's settings ask for. */
export type NextCall = { purpose: "callback" | "redial"; at: Date };

/** When the contact asked to be called again, if that is allowed. */
export function callbackAt({ requests }: Pick<CallReport, "requests">, isDeleted: boolean): Date | undefined {
  return requests.optOut || !requests.callback || isDeleted ? undefined : new Date(requests.callback.at);
}

/** Which call follows a call that has ended so, if any. */
export function nextCall(
  { isErased, isStopped, isRestored, n, campaign }: EndedCall,
  report: Pick<CallReport, "status" | "reason" | "inVoicemail" | "requests" | "endedAt">,
): NextCall | undefined {
  if (isErased) return undefined;
  const wanted = callbackAt(report, campaign.isDeleted);
  if (wanted) return { purpose: "callback", at: wanted };
  if (n === undefined || campaign.isDeleted || isRestored || isStopped || report.requests.optOut) return undefined;
  const how = { n, endedAt: new Date(report.endedAt), campaignEndsAt: campaign.endsAt };
  const at = redialAt(campaign.redial, report, how);
  return at && { purpose: "redial", at };
}

/** Counts the provider's failures in a row at the end of a lane's calls, in their order. `isReset`: an earlier one among them ended otherwise. */
export function failuresInARow(reasons: readonly DisconnectionReason[]): { inARow: number; isReset: boolean } {
  const failed = reasons.map(isProviderFailure);
  const lastGood = failed.lastIndexOf(false);
  return { inARow: failed.length - 1 - lastGood, isReset: lastGood >= 0 };
}

/**
 * What a call that has ended makes of its recipient. `again`: another call to it is planned. `untalked`: what it came to where it connected and
 * nobody was talked with.
 */
export function recipientAfter(
  outcome: CallOutcome,
  call: { voicemailLeft: boolean; again: boolean; optedOut: boolean; untalked: string | null },
): { state: RecipientState; reason: string | null } {
  if (call.optedOut) return { state: "opted_out", reason: "call" };
  if (outcome === "connected") return { state: "completed", reason: call.untalked };
  // As a text that has left: it is not known yet what comes of it.
  if (call.again) return { state: "sent", reason: outcome };
  if (outcome === "voicemail" && call.voicemailLeft) return { state: "delivered", reason: "voicemail" };
  return { state: "failed", reason: outcome };
}

/** Ends that are the provider's doing and not the contact's: many in a row say that there is no use in dialling now. */
const PROVIDER_FAILURES: ReadonlySet<DisconnectionReason> = new Set<DisconnectionReason>([
  "telephony_provider_permission_denied",
  "telephony_provider_unavailable",
  "sip_routing_error",
  "dial_failed",
  "error_no_audio_received",
]);

const isProviderFailure = (reason: DisconnectionReason): boolean => PROVIDER_FAILURES.has(reason);

/** One failure may be a number's own, five in a row are not. */
const BREAKS_AT = 5;
const FIRST_BREAK_MS = 15_000;
const LONGEST_BREAK_MS = 15 * MINUTE_MS;

/**
 * How long nothing is dialled on a lane whose last `failures` calls failed at the provider's, or 0. Longer with every further failure:
 * after a break a few calls try whether it has healed.
 */
export function breakMs(failures: number): number {
  if (failures < BREAKS_AT) return 0;
  return Math.min(LONGEST_BREAK_MS, FIRST_BREAK_MS * 2 ** Math.min(failures - BREAKS_AT, 16));
}
