import type { SendOutcome } from "#ports/sms-carrier.ts";

/**
 * What an error means for what is sent next.
 * - retry_later: nothing is wrong with the text; the same one may go later.
 * - stop_number: this phone takes no texts.
 * - stop_today: a network's limit of the day is used up.
 * - stop_sender: nothing leaves from this number until somebody puts it in order at Telnyx.
 * - opt_out: the contact has texted STOP to this messaging profile.
 * - our_fault: the request or its text is wrong.
 * - credentials, account: Telnyx does not take the key, or serves the account no more.
 * - refused: it was refused, and that is all that is known.
 */
export type ErrorClass =
  | "retry_later"
  | "stop_number"
  | "stop_today"
  | "stop_sender"
  | "opt_out"
  | "our_fault"
  | "credentials"
  | "account"
  | "refused";

export type KnownError = { words: string; class: ErrorClass };

const as = (kind: ErrorClass, rows: Record<string, string>): [string, KnownError][] =>
  Object.entries(rows).map(([code, words]) => [code, { words, class: kind }]);

/**
 * Telnyx's codes, as its public pages on API errors and messaging errors have them; the words are ours. Those from 40001 on come with a receipt, too. A
 * code that is not here is "refused by the carrier": the list grows without notice.
 */
export const ERRORS: ReadonlyMap<string, KnownError> = new Map([
  ...as("retry_later", {
    10011: "Telnyx has had too many requests from this account",
    40002: "taken for spam, for the time being",
    40006: "the recipient's network cannot be reached",
    40011: "more texts than the recipient's network takes at a time",
    40018: "AT&T's limit of the 10DLC campaign is used up for this minute",
    40318: "Telnyx's queue for this sender is full",
  }),
  ...as("stop_number", {
    10002: "the number is not one that exists",
    40001: "a landline, or a number that no texts reach",
    40012: "the recipient's network does not know the number",
    40301: "the number does not take this kind of message",
    40310: "the number is not one that can be texted",
    40319: "the number does not take this kind of message",
  }),
  ...as("stop_today", {
    40016: "T-Mobile's limit of the brand is used up for today",
    40333: "the messaging profile's spend limit of the day is used up",
  }),
  ...as("stop_sender", {
    10001: "the sending number is not active",
    40003: "the sending number is blocked as a source of spam",
    40010: "the sending number is not registered for 10DLC",
    40013: "the recipient's network does not take the sending number",
    40017: "AT&T blocks the 10DLC campaign as spam",
    40100: "the sending number is not enabled for messaging",
    40150: "the toll-free sending number is not in the registry of toll-free numbers",
    40151: "the sending number's messaging is still with another provider",
    40305: "the sending number is not on the messaging profile",
    40306: "the alphanumeric sender is not set up",
    40308: "the sending number cannot send media",
    40312: "the messaging profile is disabled",
    40315: "Telnyx holds the sending number for unhealthy: too few of its texts arrive",
    40320: "the sending number is not usable yet: its order is not completed",
    40321: "the messaging profile has no number that could send",
    40329: "the toll-free sending number is not verified",
  }),
  ...as("opt_out", {
    40300: "the contact has texted STOP",
  }),
  ...as("our_fault", {
    10003: "an address in the request is not valid",
    10004: "a parameter of the request is missing",
    10005: "what the request names does not exist",
    10006: "an id in the request is not valid",
    10014: "Telnyx does not read this kind of body",
    10015: "the request is not well-formed",
    10016: "a number in the request is not in E.164",
    10017: "what the request refers to does not exist",
    40009: "the recipient's network does not take the text's content",
    40302: "the text is too long",
    40304: "the text's parts do not go together",
    40309: "the messaging profile does not allow the recipient's country",
    40316: "the text is empty",
    40317: "the media cannot be sent: too large or too many",
    40328: "the text has more parts than Telnyx recommends",
  }),
  ...as("credentials", {
    10009: "Telnyx does not take the API key",
    10010: "the API key may not do this",
    20001: "the API key is missing",
    20002: "the API key is not valid",
    20005: "the API key was revoked",
    20006: "the access token has expired",
    40311: "the messaging profile's secret is wrong",
    40313: "the messaging profile's secret is missing",
  }),
  ...as("account", {
    20012: "the account is not active, most likely for want of funds",
    20013: "the account is blocked",
    20014: "the account is not verified",
    20015: "the account does not have this feature",
    20016: "the account is not verified at level 1",
    20017: "the account is not verified at level 2",
    20100: "the account has no funds left",
    40314: "messaging is disabled for the account",
  }),
  ...as("refused", {
    40004: "the recipient's network refused it without a reason",
    40005: "it expired on the way",
    40007: "it went in a circle between networks",
    40008: "the recipient's network did not take it",
    40014: "it expired in Telnyx's queue",
    40015: "Telnyx's own filter took it for spam",
    40322: "Telnyx blocks its content",
  }),
]);

const UNKNOWN: KnownError = { words: "refused by the carrier", class: "refused" };

/** What is known about a code; of an unknown one that it is refused. */
export const errorOf = (code: string): KnownError => ERRORS.get(code) ?? UNKNOWN;

/** One of an answer's `errors`, or of a receipt's. */
export type TelnyxError = { code: string; title?: string; detail?: string };

const MAX_ERRORS = 20;
const CODE = /^[\w.-]{1,40}$/;

/** The errors of an answer or a receipt, whatever it is. */
export function errorsOf(body: unknown): TelnyxError[] {
  const { errors } = (typeof body === "object" && body !== null ? body : {}) as { errors?: unknown };
  if (!Array.isArray(errors)) return [];
  return errors.slice(0, MAX_ERRORS).flatMap((error: { code?: unknown; title?: unknown; detail?: unknown } | null) => {
    const code = String(error?.code ?? "");
    if (!CODE.test(code)) return [];
    const word = (text: unknown) => (typeof text === "string" ? text.slice(0, 500) : undefined);
    return [{ code, title: word(error?.title), detail: word(error?.detail) }];
  });
}

/** STOP has code 40300; there are other refusals with that code, about the sender, which must not count as the contact's word. */
const STOP_WORDS = /\b(?:stop|opt(?:ed)?[- ]?out|block rule)\b/i;

/** Whether it was refused since the contact has texted STOP. A bare 40300 is that. */
export function isOptOut({ code, title, detail }: TelnyxError): boolean {
  if (errorOf(code).class !== "opt_out") return false;
  const said = `${title ?? ""} ${detail ?? ""}`.trim();
  return said === "" || STOP_WORDS.test(said);
}

/** Nothing is known about when a queue or a network has room again. */
const RETRY_LATER_MS = 5_000;
/** Until a network's day is over nothing gets through; it is tried each hour, since its day is not ours. */
const RETRY_TODAY_MS = 3_600_000;

/** The outcome of a text that Telnyx has refused outright, with a 4xx: it is certainly not sent. */
export function refusal(status: number, errors: readonly TelnyxError[], retryAfterMs: number | undefined): SendOutcome {
  const error = errors[0] ?? { code: String(status) };
  const { code } = error;
  if (isOptOut(error)) return { outcome: "rejected", code, optedOut: true };
  switch (ERRORS.has(code) ? errorOf(code).class : classOfStatus(status)) {
    case "retry_later":
      return { outcome: "not_sent", code, retryAfterMs: retryAfterMs ?? RETRY_LATER_MS };
    case "stop_today":
      return { outcome: "not_sent", code, retryAfterMs: RETRY_TODAY_MS };
    case "credentials":
      return { outcome: "barred", because: "carrier_key_refused", code };
    case "account":
      return { outcome: "barred", because: "carrier_account_suspended", code };
    case "opt_out":
    case "stop_sender":
      return { outcome: "barred", because: "carrier_sender_refused", code };
    default:
      return { outcome: "rejected", code };
  }
}

/** An answer without a code that is known is read by its status. */
function classOfStatus(status: number): ErrorClass {
  if (status === 401) return "credentials";
  if (status === 402) return "account";
  if (status === 429) return "retry_later";
  return "refused";
}
