import { disconnectionOf } from "#adapters/sip-calls/outcome.ts";
import type { DisconnectionReason } from "#domain/calls/call.ts";

/** Statuses after which nothing more happens in a call (CallStatus). */
const FINAL = ["completed", "busy", "failed", "no-answer", "canceled"] as const;
export type FinalStatus = (typeof FINAL)[number];

export const isFinal = (status: string): status is FinalStatus => (FINAL as readonly string[]).includes(status);

/** Why a call that nobody answered ended. `sip` is the status that the callee's network gave, where Twilio says it. */
export function unansweredReason(status: FinalStatus, sip: number | undefined): DisconnectionReason {
  switch (status) {
    case "busy":
      // A refusal by hand, or as spam, comes as busy too.
      return sip === undefined ? "dial_busy" : declinedOr(sip, "dial_busy");
    case "no-answer":
      return "dial_no_answer";
    case "canceled":
      return "dial_no_answer";
    default:
      return sip === undefined || sip < 300 ? "dial_failed" : disconnectionOf(sip);
  }
}

const declinedOr = (sip: number, otherwise: DisconnectionReason): DisconnectionReason =>
  sip >= 600 ? disconnectionOf(sip) : otherwise;

type Refusal = { words: string; reason: DisconnectionReason };
const refusal = (words: string, reason: DisconnectionReason): Refusal => ({ words, reason });

/** Twilio's dictionary of errors, as far as the placing of a call meets it (www.twilio.com/docs/api/errors). */
export const CALL_ERRORS: Readonly<Record<string, Refusal>> = {
  "13224": refusal("The phone number is not valid", "invalid_destination"),
  "13225": refusal("Twilio places no calls to this number", "telephony_provider_permission_denied"),
  "13227": refusal("The account may not call this region", "telephony_provider_permission_denied"),
  "21203": refusal("The account may not call abroad", "telephony_provider_permission_denied"),
  "21210": refusal("The caller's number is not verified", "telephony_provider_permission_denied"),
  "21211": refusal("The phone number is not valid", "invalid_destination"),
  "21212": refusal("The caller's number is not valid", "telephony_provider_permission_denied"),
  "21214": refusal("The phone number cannot be reached", "invalid_destination"),
  "21215": refusal("The account may not call this region", "telephony_provider_permission_denied"),
  "21216": refusal("The account may not call this number", "telephony_provider_permission_denied"),
  "21217": refusal("The phone number is not valid", "invalid_destination"),
  "21219": refusal(
    "A trial account may only call numbers that it has verified",
    "telephony_provider_permission_denied",
  ),
};

/** Too many calls or requests at a time: the same call may be placed later. */
const LATER: ReadonlySet<string> = new Set(["10004", "20429"]);

export const mayBeLater = (code: string): boolean => LATER.has(code);

export const refusalOf = (code: string): Refusal =>
  Object.hasOwn(CALL_ERRORS, code) ? CALL_ERRORS[code]! : refusal(`Refused by the carrier (${code})`, "dial_failed");
