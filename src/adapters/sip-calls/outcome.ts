import type { DisconnectionReason } from "#domain/calls/call.ts";

/** What a refusal of an INVITE means to a campaign. Each row names where the status is defined. */
const OUTCOMES: Readonly<Record<number, DisconnectionReason>> = {
  // Busy: RFC 3261, 21.4.24 and 21.6.1.
  486: "dial_busy",
  600: "dial_busy",
  // Nobody took it: RFC 3261, 21.4.9, 21.4.18, 21.4.25.
  408: "dial_no_answer",
  480: "dial_no_answer",
  487: "dial_no_answer",
  // Somebody did not want it: RFC 3261, 21.6.2, RFC 5079 (anonymity).
  603: "user_declined",
  433: "user_declined",
  // Taken for spam: RFC 8197 (unwanted), RFC 8688 (rejected by an engine).
  607: "marked_as_spam",
  608: "marked_as_spam",
  // No such number: RFC 3261, 21.4.5, 21.4.11, 21.4.22, 21.4.23, 21.6.3.
  404: "invalid_destination",
  410: "invalid_destination",
  484: "invalid_destination",
  485: "invalid_destination",
  604: "invalid_destination",
  // The trunk does not let us: RFC 3261, 21.4.2 to 21.4.4, 21.4.8; RFC 8224, 6.2.2 (our identity is missing or wrong).
  401: "telephony_provider_permission_denied",
  402: "telephony_provider_permission_denied",
  403: "telephony_provider_permission_denied",
  407: "telephony_provider_permission_denied",
  428: "telephony_provider_permission_denied",
  436: "telephony_provider_permission_denied",
  437: "telephony_provider_permission_denied",
  438: "telephony_provider_permission_denied",
  // Understood, and not to be had so: RFC 3261, 21.4.26 and 21.6.4, 21.4.20, 21.4.21.
  482: "sip_routing_error",
  483: "sip_routing_error",
  488: "sip_routing_error",
  606: "sip_routing_error",
};

/** The rest by class: a redirection is not followed, a 4xx is about our request, a 5xx about the carrier, a 6xx about the callee. */
const CLASSES: Readonly<Record<number, DisconnectionReason>> = {
  3: "sip_routing_error",
  4: "sip_routing_error",
  5: "telephony_provider_unavailable",
  6: "dial_failed",
};

/**
 * What a 603 says besides where no callee has declined: a carrier's analytics have blocked the call (ATIS-1000099 and the FCC's rules on blocking,
 * 47 CFR 64.1200(k)(9)): the phrase "Network Blocked", and a Reason header with a text that begins with "v=analytics".
 */
const BLOCKED = ["network blocked", "v=analytics"];

/** The end of a call that was refused with this status, and these words. */
export function disconnectionOf(status: number, text = ""): DisconnectionReason {
  const said = text.toLowerCase();
  if (status === 603 && BLOCKED.some((word) => said.includes(word))) return "marked_as_spam";
  return OUTCOMES[status] ?? CLASSES[Math.floor(status / 100)] ?? "dial_failed";
}

/** RFC 3261, 21, and the later ones that we send. */
const REASONS: Readonly<Record<number, string>> = {
  100: "Trying",
  180: "Ringing",
  183: "Session Progress",
  200: "OK",
  202: "Accepted",
  400: "Bad Request",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  406: "Not Acceptable",
  408: "Request Timeout",
  415: "Unsupported Media Type",
  416: "Unsupported URI Scheme",
  420: "Bad Extension",
  422: "Session Interval Too Small",
  480: "Temporarily Unavailable",
  481: "Call/Transaction Does Not Exist",
  482: "Loop Detected",
  486: "Busy Here",
  487: "Request Terminated",
  488: "Not Acceptable Here",
  489: "Bad Event",
  491: "Request Pending",
  500: "Server Internal Error",
  501: "Not Implemented",
  503: "Service Unavailable",
  504: "Server Time-out",
  600: "Busy Everywhere",
  603: "Decline",
  606: "Not Acceptable",
};

export const reasonOf = (status: number): string => REASONS[status] ?? "Refused";
