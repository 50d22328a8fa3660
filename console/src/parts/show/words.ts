/** A state in plain words, and what it is to the eye: `go` is under way, `good` and `bad` are over, `wait` will go on by itself. */
export type Word = { label: string; tone: Tone };
export type Tone = "plain" | "wait" | "go" | "good" | "bad";

const word = (label: string, tone: Tone): Word => ({ label, tone });

const MESSAGE = {
  scheduled: word("Waiting", "plain"),
  held: word("Held", "wait"),
  sending: word("Sending", "go"),
  sent: word("Sent", "go"),
  delivered: word("Delivered", "good"),
  opted_out: word("Opted out", "bad"),
  failed: word("Failed", "bad"),
  skipped: word("Skipped", "plain"),
  expired: word("Expired", "plain"),
  unknown: word("Not known", "wait"),
};

/** Where a contact stands, in words that no count of texts or of all who came that far has: those are others' numbers. */
const RECIPIENT = {
  ...MESSAGE,
  delivered: word("No reply yet", "go"),
  replied: word("In progress", "good"),
  completed: word("Completed", "good"),
  /** Leads of the request that are no recipients. */
  invalid: word("Not taken", "bad"),
};

/** What each kind of thing can be in, by the words of the API. */
const STATES = {
  campaign: {
    processing: word("Preparing", "go"),
    scheduled: word("Scheduled", "plain"),
    active: word("Running", "go"),
    running: word("Running", "go"),
    paused: word("Paused", "wait"),
    awaiting_replies: word("Sent, awaiting replies", "go"),
    completed: word("Completed", "good"),
    deleted: word("Deleted", "plain"),
  },
  recipient: RECIPIENT,
  /** A recipient of a voice campaign. */
  callee: {
    ...RECIPIENT,
    sending: word("Being called", "go"),
    sent: word("Call again", "wait"),
    delivered: word("Voicemail left", "good"),
    completed: word("Answered", "good"),
    failed: word("Not reached", "bad"),
  },
  message: {
    ...MESSAGE,
    accepted: word("Taken by the carrier", "go"),
    undelivered: word("Not delivered", "bad"),
    suppressed: word("Not sent", "bad"),
    received: word("Received", "good"),
  },
  call: {
    registered: word("Ringing", "go"),
    ongoing: word("In progress", "go"),
    ended: word("Ended", "good"),
    not_connected: word("Not connected", "bad"),
    error: word("Error", "bad"),
  },
  /** What came of a call, by `call_result`; of a recipient's last call, and of those that are tried again, too. */
  result: {
    talked: word("Talked with", "good"),
    /** Of a call that was talked in. */
    goal_met: word("Talked with, goal met", "good"),
    nothing_said: word("Nothing said", "plain"),
    connected: word("Answered", "good"),
    voicemail: word("Voicemail", "plain"),
    full_mailbox: word("Full mailbox", "plain"),
    ivr: word("Phone menu", "plain"),
    call_screening: word("Call screening", "plain"),
    no_answer: word("No answer", "bad"),
    busy: word("Busy", "bad"),
    declined: word("Declined", "bad"),
    failed: word("Not connected", "bad"),
  },
  import: {
    waiting: word("Waiting", "plain"),
    running: word("Importing", "go"),
    completed: word("Completed", "good"),
    failed: word("Failed", "bad"),
    undoing: word("Being undone", "wait"),
    undone: word("Undone", "plain"),
  },
  registration: {
    PENDING: word("In review", "wait"),
    ACTIVE: word("Approved", "good"),
    REJECTED: word("Rejected", "bad"),
  },
  sentiment: {
    Positive: word("Positive", "good"),
    Neutral: word("Neutral", "plain"),
    Negative: word("Negative", "bad"),
    Unknown: word("Not known", "plain"),
  },
} satisfies Record<string, Record<string, Word>>;

export type Thing = keyof typeof STATES;

/** A state that is newer than this console is shown as it is written. */
export function wordOf(thing: Thing, state: string): Word {
  return (STATES[thing] as Record<string, Word>)[state] ?? word(spelled(state), "plain");
}

const REASONS: Readonly<Record<string, string>> = {
  // Why a campaign waits.
  paused: "It is paused",
  not_begun: "Its begin has not come yet",
  calling_hours: "Waiting for local calling hours",
  sending_stopped: "All sending is stopped",
  spend_limit: "The spend limit of the day is reached",
  brand_daily_budget: "The brand has sent what it may send today",
  campaign_daily_budget: "The 10DLC campaign has sent what it may send today",
  fair_share: "Other campaigns of the same sender have their share first",
  numbers_resting: "All its numbers rest: it goes on once one of them may call again",
  provider_failing: "The carrier is failing or refuses more for now: it is tried again shortly",
  abandonment: "Too many answered calls found no agent free: dialling slows down, as the law has it",
  // What a carrier says of a text that did not arrive.
  "30001": "The carrier's queue was full",
  "30002": "The carrier suspended the account",
  "30003": "The phone could not be reached: it is off, out of range or no longer in use",
  "30004": "The contact or the contact's carrier blocks this sender",
  "30005": "There is no such phone",
  "30006": "A landline, or a phone that takes no texts",
  "30007": "The carrier filtered the text as spam",
  "30008": "The carrier does not say why",
  "30034": "The sender is not registered for 10DLC",
  "21610": "The contact has opted out with the carrier",
  keyword: "The contact opted out by STOP or its like",
  free_text: "The contact opted out in words of their own",
  // Why a text or a call was held or never went out.
  opted_out: "The contact has opted out",
  do_not_call: "The number is on the do-not-call list",
  do_not_message: "The contact asked not to be texted",
  campaign_paused: "The campaign is paused",
  carrier_account_suspended: "The carrier has suspended the account. Resume once that is settled",
  carrier_key_refused: "The carrier does not take our key. Resume once it has a new one",
  carrier_removed: "The carrier account of its number was removed",
  organization_archived: "The organization is archived. Resume once it is restored",
  carrier_sender_refused: "The carrier does not send from this number. Resume once that is settled",
  campaign_not_begun: "The campaign has not begun",
  campaign_ended: "The campaign ended before the contact's turn came",
  campaign_deleted: "The campaign was deleted",
  us_hours: "Outside the hours that federal law allows, where the contact is",
  strict_hours: "Outside the hours of the strict profile, where the contact is",
  strict_attempts: "The contact was tried as often as the strict profile allows",
  never_open: "No hour of any day is allowed for this contact",
  opt_out_in_doubt: "What the contact said last may be an opt-out: it is being judged",
  agent_working_hours: "The agent does not work at this hour",
  national_do_not_call: "The number is on the national do-not-call list",
  national_list_old: "The national do-not-call list is more than 31 days old",
  national_list_missing: "The national do-not-call list has not been loaded",
  reassigned_number: "The number has a new owner since consent was given",
  deactivated_number: "The number was given up, and there is no consent since",
  landline: "The number is a landline, which takes no texts",
  reassigned_unchecked: "It is being asked whether the number has a new owner",
  consent_missing: "There is no record of consent",
  ai_voice_consent: "There is no record of a consent to calls that an AI voice needs",
  call_in_progress: "A call with the contact goes on",
  taken_over: "A person has taken over",
  confirmation_too_late: "The confirmation would have come too late",
  starting_message_not_sent: "The first text did not go out",
  starting_message_failed: "The first text was not delivered",
  no_word_from_carrier: "The carrier never said what became of it",
  another_call_was_asked_for: "The contact asked for another time",
  hours: "Outside the hours of the agent's calling window",
  held: "Held until it can be sent",
  // Why a lead of a request is no recipient.
  invalid_number: "Not a phone number that can be reached",
  own_number: "The campaign's own number",
  duplicate: "The same number comes twice: the first was taken",
  // What the output gate stopped.
  too_long: "The agent's text was too long",
  raw_braces: "The agent's text had an unfilled {{variable}}",
  prompt_leak: "The agent's text gave away its instructions",
  link_not_allowed: "The agent's text had a link that is not allowed",
  foreign_contact_data: "The agent's text had an address or number that is not ours",
  claims_human: "The agent's text claimed to be a person",
  // How a call ended.
  user_hangup: "The contact hung up",
  agent_hangup: "The agent said goodbye and hung up",
  call_transfer: "The call was transferred",
  voicemail_reached: "Voicemail answered",
  voicemail: "Voicemail answered",
  ivr_reached: "A phone menu answered",
  ivr: "A phone menu answered",
  call_screening: "A service that screens calls answered",
  full_mailbox: "A mailbox answered, and was full",
  nothing_said: "The contact answered and said nothing",
  inactivity: "Nobody said anything for too long",
  max_duration_reached: "The call reached its longest duration",
  dial_busy: "The line was busy",
  busy: "The line was busy",
  dial_failed: "The call could not be placed",
  dial_no_answer: "Nobody answered",
  no_answer: "Nobody answered",
  invalid_destination: "There is no such number",
  telephony_provider_permission_denied: "The telephone provider does not allow this call",
  telephony_provider_unavailable: "The telephone provider could not be reached",
  sip_routing_error: "The telephone provider could not route the call",
  marked_as_spam: "The call was blocked as spam",
  user_declined: "The contact declined the call",
  declined: "The contact declined the call",
  manual_stopped: "Somebody here stopped the call",
  error_llm_websocket_runtime: "The language model failed during the call",
  error_no_audio_received: "No sound came from the other side",
  error_asr: "Speech recognition failed during the call",
  error_unknown: "Something went wrong during the call",
  failed: "The call could not be put through",
  connected: "Somebody answered",
  call: "On the phone",
};

/** What a phone's line is. */
export const LINE_TYPES = {
  mobile: "Mobile",
  landline: "Landline",
  voip: "Internet phone",
  fixed_voip: "Internet phone at a fixed place",
  toll_free: "Toll-free number",
  other: "Another kind of line",
  unknown: "Kind of line not known",
} as const;

/** Why something waits, was not sent or ended, as a sentence without its full stop. */
export function reasonOf(code: string): string {
  return REASONS[code] ?? spelled(code);
}

/** What is known of a contact, or was found out, as a person would write it. */
export function valueWords(value: unknown): string {
  if (value === null || value === undefined || value === "") return "–";
  if (value === true || value === "true") return "Yes";
  if (value === false || value === "false") return "No";
  if (typeof value === "object") return JSON.stringify(value);
  const text = String(value);
  return CONSENT_BASES.has(text) ? spelled(text) : text;
}

/** Codes of the API that a contact's own fields have as their values. */
const CONSENT_BASES: ReadonlySet<string> = new Set([
  "express_written",
  "express",
  "existing_business_relationship",
  "inquiry",
  "none",
]);

/** `error_unknown` as "Error unknown". */
export function spelled(code: string): string {
  const text = code.replaceAll("_", " ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Signs before the words that were searched for: a row has room for some forty. */
const BEFORE = 12;

/** A text from where it has the words that were searched for, so that a line that is cut off at its end shows them. */
export function excerptOf(text: string, words: string): string {
  const at = text.toLowerCase().indexOf(words.trim().toLowerCase());
  if (at <= BEFORE) return text;
  const from = text.lastIndexOf(" ", at - BEFORE) + 1;
  return from === 0 ? text : `… ${text.slice(from)}`;
}
