/** What a number of 555-01XX does by itself, by its last two digits, in words. */
export type Script = { digits: string; title: string; about: string };

export const SCRIPTS: readonly { group: string; scripts: readonly Script[] }[] = [
  {
    group: "Texts",
    scripts: [
      {
        digits: "00",
        title: "Answers, curious",
        about: "Asks who it is, then says its budget. 04, 08, 12 and 16 do the same.",
      },
      { digits: "01", title: "Answers, willing", about: "Says yes and gives an e-mail address." },
      { digits: "02", title: "Answers, hesitant", about: "Says maybe, and where it lives." },
      { digits: "03", title: "Answers, not interested", about: "Says no thanks." },
      { digits: "20", title: "Cannot be reached", about: "The text is not delivered (30003); calls do not connect." },
      { digits: "21", title: "Filtered", about: "The carrier drops the text as spam (30007)." },
      { digits: "22", title: "Landline", about: "It cannot take texts (30006)." },
      { digits: "23", title: "Says STOP", about: "Opts out of all texts with its first answer." },
      { digits: "24", title: "Says HELP", about: "Gets the help text, once." },
      { digits: "25", title: "Answers slowly", about: "Ten minutes later: skip time to see it." },
      { digits: "26", title: "Wants a call", about: "Asks to be called tomorrow at two." },
    ],
  },
  {
    group: "Calls",
    scripts: [
      { digits: "30", title: "Answers", about: "Says hello and holds a short conversation." },
      { digits: "31", title: "Voicemail", about: "A greeting and a beep after 20 seconds of ringing." },
      { digits: "32", title: "Nobody answers", about: "Rings until the agent gives up." },
      { digits: "33", title: "Busy", about: "The line is busy." },
      { digits: "34", title: "Declines", about: "Turns the call away after three seconds." },
      { digits: "35", title: "Hangs up", about: "Eight seconds after it answered." },
      { digits: "36", title: "Angry", about: "Complains, then asks to be taken off the list." },
      { digits: "37", title: "Phone menu", about: "A company's machine: press 1 for sales." },
      { digits: "38", title: "Call screening", about: "A machine asks who is calling, then a person comes." },
      { digits: "39", title: "Full mailbox", about: "A mailbox that takes no message." },
    ],
  },
  {
    group: "Network faults",
    scripts: [
      { digits: "40", title: "Carrier is over its rate", about: "Refuses at first, and takes it when asked again." },
      {
        digits: "41",
        title: "Webhooks twice, out of order",
        about: "Receipts and texts reach us twice and in disorder.",
      },
      {
        digits: "42",
        title: "The carrier's answer gets lost",
        about: "It took the text or call, and its answer was lost.",
      },
    ],
  },
];

const ALL = SCRIPTS.flatMap(({ scripts }) => scripts);

/** The script of a number, by its last two digits; undefined when it has none. */
export function scriptOf(phone: string): Script | undefined {
  const [, digits] = /^\+1\d{3}55501(\d\d)$/.exec(phone) ?? [];
  if (digits === undefined) return undefined;
  // 04 to 19 repeat what 00 to 03 do.
  const same = Number(digits) < 20 ? `0${Number(digits) % 4}` : digits;
  return ALL.find((script) => script.digits === same);
}

/** What a phone can be made to do in place of its number's script, by the API's names. */
export const BEHAVIORS = [
  {
    group: "Texts",
    items: [
      { value: "deliver", label: "Takes every text" },
      { value: "unreachable", label: "Cannot be reached, by text or call" },
      { value: "filtered", label: "Texts are filtered as spam" },
      { value: "landline", label: "A landline: takes no texts" },
    ],
  },
  {
    group: "Calls",
    items: [
      { value: "manual", label: "You decide: answer, decline, speak" },
      { value: "answer", label: "Answers and talks" },
      { value: "silent", label: "Answers and says nothing" },
      { value: "decline", label: "Declines" },
      { value: "busy", label: "Busy" },
      { value: "no_answer", label: "Lets it ring" },
      { value: "voicemail", label: "Voicemail with a beep" },
      { value: "full_mailbox", label: "Full mailbox" },
      { value: "ivr", label: "Phone menu" },
      { value: "call_screening", label: "Call screening" },
      { value: "hang_up", label: "Hangs up in mid-call" },
      { value: "interrupt", label: "Speaks into the agent's words" },
      { value: "call_back", label: "Asks to be called back" },
      { value: "opt_out", label: "Asks to be taken off the list" },
      { value: "angry", label: "Angry" },
      { value: "invalid_number", label: "No such number" },
      { value: "unwanted", label: "Marked the caller as unwanted" },
      { value: "spam_blocked", label: "Blocked as spam by its carrier" },
    ],
  },
  {
    group: "Network faults",
    items: [
      { value: "rate_limited", label: "Carrier is over its rate" },
      { value: "congestion", label: "No line is free" },
      { value: "duplicates", label: "Webhooks twice, out of order" },
      { value: "lost_reply", label: "The carrier's answer gets lost" },
      { value: "account_suspended", label: "The carrier has suspended the account" },
    ],
  },
] as const;

export type BehaviorName = (typeof BEHAVIORS)[number]["items"][number]["value"];

/** A behaviour in words, also one that is newer than this console. */
export function behaviorWord(name: string): string {
  const items: readonly { value: string; label: string }[] = BEHAVIORS.flatMap(({ items }) => [...items]);
  return items.find(({ value }) => value === name)?.label ?? name.replaceAll("_", " ");
}

/** E.164 of what somebody typed; undefined when it can be none. Ten digits are North American. */
export function e164(typed: string): string | undefined {
  const digits = typed.replace(/[^\d+]/g, "");
  if (/^\+\d{8,15}$/.test(digits)) return digits;
  if (/^1\d{10}$/.test(digits)) return `+${digits}`;
  return /^\d{10}$/.test(digits) ? `+1${digits}` : undefined;
}
