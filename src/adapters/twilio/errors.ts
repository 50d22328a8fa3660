/**
 * What follows from a code of Twilio's: `retry_later`, the same text may go later; `stop_number`, this phone takes no texts; `stop_today`, the
 * sender's daily limit is reached; `stop_sender`, nothing of the sender goes before somebody has put it in order; `opt_out`, the contact's word;
 * `unreachable`, this text did not reach the phone, another may; `our_fault`, the request was wrong; `account`, see `BARS`.
 */
export type TwilioErrorClass =
  | "retry_later"
  | "stop_number"
  | "stop_today"
  | "stop_sender"
  | "opt_out"
  | "unreachable"
  | "our_fault"
  | "account";

type Row = { words: string; class: TwilioErrorClass };

const row = (words: string, of: TwilioErrorClass): Row => ({ words, class: of });

/** Twilio's dictionary of errors, as far as texts meet it (www.twilio.com/docs/api/errors). */
export const TWILIO_ERRORS: Readonly<Record<string, Row>> = {
  "20003": row("The account SID, auth token or API key is wrong or was revoked", "account"),
  "20005": row("The account is not active", "account"),
  "20404": row("There is no such account", "account"),
  "20429": row("Too many requests at a time", "retry_later"),
  "21211": row("The phone number is not valid", "stop_number"),
  "21408": row("The account may not text this region", "stop_number"),
  "21602": row("The text is empty", "our_fault"),
  "21603": row("No sender was named", "our_fault"),
  "21604": row("No recipient was named", "our_fault"),
  "21606": row("The sender is not one of the account's numbers that may text", "stop_sender"),
  "21608": row("A trial account may only text numbers that it has verified", "stop_number"),
  "21610": row("The contact has opted out at the carrier", "opt_out"),
  "21611": row("The sender's queue is full", "retry_later"),
  "21612": row("There is no way from this sender to this phone", "stop_number"),
  "21614": row("The phone is not a mobile", "stop_number"),
  "21617": row("The text has more than 1600 characters", "our_fault"),
  "21659": row("The sender is not one of Twilio's numbers or short codes", "stop_sender"),
  "21660": row("The sender belongs to another account", "stop_sender"),
  "21703": row("The messaging service has no sender", "stop_sender"),
  "30001": row("Too many texts are waiting", "retry_later"),
  "30002": row("The account is suspended", "account"),
  "30003": row("The phone cannot be reached now", "unreachable"),
  "30004": row("The phone or its carrier blocks the sender", "unreachable"),
  "30005": row("The phone number is unknown or no longer in use", "stop_number"),
  "30006": row("The phone is a landline, or its carrier cannot be reached", "stop_number"),
  "30007": row("The carrier filtered the text", "unreachable"),
  "30008": row("The text was lost for an unknown reason", "retry_later"),
  "30017": row("The carrier's network is congested", "retry_later"),
  "30022": row("The 10DLC campaign's rate is exceeded", "retry_later"),
  "30023": row("The 10DLC brand's daily limit is reached", "stop_today"),
  "30024": row("The sender is not provisioned for the carrier yet", "stop_sender"),
  "30025": row("Half of the day's T-Mobile limit is used", "unreachable"),
  "30026": row("Seven tenths of the day's T-Mobile limit are used", "unreachable"),
  "30027": row("The day's T-Mobile limit is reached", "stop_today"),
  "30032": row("The toll-free number is not verified", "stop_sender"),
  "30033": row("The 10DLC campaign is suspended", "stop_sender"),
  "30034": row("The number is not registered for 10DLC", "stop_sender"),
  "30035": row("The number is still being set up for 10DLC", "retry_later"),
  "63038": row("The account's daily limit of texts is reached", "stop_today"),
};

/** The account as a whole is served no more, by code. */
export const BARS: Readonly<Record<string, "carrier_account_suspended" | "carrier_key_refused">> = {
  "20003": "carrier_key_refused",
  "20404": "carrier_key_refused",
  "20005": "carrier_account_suspended",
  "30002": "carrier_account_suspended",
};

const known = (code: string): Row | undefined => (Object.hasOwn(TWILIO_ERRORS, code) ? TWILIO_ERRORS[code] : undefined);

export const classOf = (code: string): TwilioErrorClass | undefined => known(code)?.class;

/** One sentence's worth of words; of a code that is not in the table, the code. */
export const wordsOf = (code: string): string => known(code)?.words ?? `Refused by the carrier (${code})`;
