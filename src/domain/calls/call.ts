/** Why a call is placed. `call` and `redial` are outreach, `callback` and `transfer` were asked for, `single` is an operator's. */
export type CallPurpose = "call" | "redial" | "callback" | "transfer" | "single";

/** Registered: about to be dialled, or ringing. The last three are final. */
export type CallStatus = "registered" | "ongoing" | "ended" | "not_connected" | "error";

/** Who, or what, took the call. */
export const ANSWERERS = ["human", "voicemail", "full_mailbox", "ivr", "call_screening", "unknown"] as const;
export type Answerer = (typeof ANSWERERS)[number];

export const SENTIMENTS = ["Positive", "Negative", "Neutral", "Unknown"] as const;
export type Sentiment = (typeof SENTIMENTS)[number];

/** How a call came to its end; names as the field knows them from Retell's API (its SDK 5.60, `disconnection_reason`). */
export const DISCONNECTION_REASONS = [
  "user_hangup",
  "agent_hangup",
  "call_transfer",
  "voicemail_reached",
  "ivr_reached",
  "inactivity",
  "max_duration_reached",
  "dial_busy",
  "dial_failed",
  "dial_no_answer",
  "invalid_destination",
  "telephony_provider_permission_denied",
  "telephony_provider_unavailable",
  "sip_routing_error",
  "marked_as_spam",
  "user_declined",
  "manual_stopped",
  "error_llm_websocket_runtime",
  "error_no_audio_received",
  "error_asr",
  "error_unknown",
] as const;
export type DisconnectionReason = (typeof DISCONNECTION_REASONS)[number];

/** Of calls without a word: they came to a phone, or were refused in our number's name. By these, and those with words, it is said how a number is answered. */
export const CAME_REASONS = [
  "dial_no_answer",
  "dial_busy",
  "user_declined",
  "marked_as_spam",
] as const satisfies DisconnectionReason[];

/** Outcomes after which a campaign may dial again (`redial_config.retry_on`). */
export const REDIAL_OUTCOMES = ["no_answer", "busy", "failed", "voicemail"] as const;
export type RedialOutcome = (typeof REDIAL_OUTCOMES)[number];

/** The classes by which call lists are filtered. Every call is in exactly one. */
export function callClass(call: { durationMs: number; inVoicemail: boolean }): "connected" | "voicemail" | "failed" {
  if (call.inVoicemail) return "voicemail";
  return call.durationMs > 0 ? "connected" : "failed";
}

/** What a campaign's redial policy calls this end; undefined for one that is never dialled again: a person was reached. */
export function redialOutcome(call: {
  status: CallStatus;
  reason: DisconnectionReason;
  inVoicemail: boolean;
}): RedialOutcome | undefined {
  if (call.inVoicemail) return "voicemail";
  switch (call.reason) {
    case "dial_no_answer":
      return "no_answer";
    case "dial_busy":
      return "busy";
    case "dial_failed":
    case "telephony_provider_unavailable":
    case "sip_routing_error":
      return "failed";
    default:
      return call.status === "error" ? "failed" : undefined;
  }
}
