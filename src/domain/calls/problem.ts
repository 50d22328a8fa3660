import type { DisconnectionReason } from "./call.ts";

/** Ends of calls that somebody here or at the provider has to see to; that nobody answers is no problem of ours. */
export const CALL_PROBLEMS = [
  "dial_failed",
  "invalid_destination",
  "telephony_provider_permission_denied",
  "telephony_provider_unavailable",
  "sip_routing_error",
  "marked_as_spam",
  "error_llm_websocket_runtime",
  "error_no_audio_received",
  "error_asr",
  "error_unknown",
] as const satisfies readonly DisconnectionReason[];
