import type { CallPlan } from "#domain/calls/plan.ts";
import { isTestRange } from "#domain/phones/phone.ts";
import type { HandsetScript } from "#ports/handset-network.ts";
import type { ScriptedContact } from "#ports/scripted-contact.ts";

/** What a phone, and the network before it, does with a call. */
export type CallBehavior = {
  /** The network takes no call to it: ever, or for now. */
  refuses?: "invalid_number" | "congestion";
  /** The network takes the call and its answer gets lost. */
  losesReply?: boolean;
  /** How nobody takes it. */
  turnsAway?: "busy" | "decline" | "no_answer" | "unreachable" | "unwanted" | "spam_blocked";
  /** A person decides what becomes of it, while it rings and after. */
  isPlayed?: boolean;
  /** How long it rings before that, or before it is taken. */
  ringMs: number;
  /** Who takes it. */
  contact: ScriptedContact;
};

type Part = Partial<CallBehavior>;

/** People take a telephone out of a pocket; a mailbox comes after three or four rings (6 s each, the North American cadence). */
const PICKS_UP_MS = { least: 2_000, span: 6_000 };
const MAILBOX_AFTER_MS = 20_000;
const DECLINES_AFTER_MS = 3_000;
/** As long as mailboxes commonly record. */
const MACHINE_LISTENS_MS = 120_000;

const PEOPLE: readonly (readonly string[])[] = [
  [
    "Yes, this is me.",
    "Yes, I'm interested. My budget is around 350k.",
    "Mornings work best for me.",
    "My email is sam@example.com.",
    "Okay, thanks, bye.",
  ],
  ["Sure, what is it about?", "Maybe. I live in 85004.", "Three bedrooms would be nice.", "Thank you, bye."],
  ["Who is this?", "Yes, go ahead.", "I would say about 500,000 dollars.", "Afternoons, please.", "Thanks, bye."],
  ["Yes?", "No thanks, I'm not interested.", "Bye."],
];

const person = (says: readonly string[], more: Partial<ScriptedContact> = {}) => ({
  contact: { answerer: "human" as const, greeting: "Hello?", says, hangsUpWhenDone: true, ...more },
});

const machine = (answerer: ScriptedContact["answerer"], greeting: string, says: readonly string[] = []) => ({
  contact: { answerer, greeting, says, hangsUpWhenDone: says.length > 0, hangsUpAtMs: MACHINE_LISTENS_MS },
});

/** Behaviours that concern calls, by name. A name that is not here leaves calls to the number's own script. */
export const CALL_BEHAVIORS: Readonly<Record<string, Part>> = {
  answer: {},
  manual: { isPlayed: true, contact: { answerer: "human", says: [] } },
  silent: { contact: { answerer: "human", says: [] } },
  decline: { turnsAway: "decline", ringMs: DECLINES_AFTER_MS },
  busy: { turnsAway: "busy", ringMs: 0 },
  no_answer: { turnsAway: "no_answer" },
  unreachable: { turnsAway: "unreachable", ringMs: 0 },
  unwanted: { turnsAway: "unwanted", ringMs: 0 },
  spam_blocked: { turnsAway: "spam_blocked", ringMs: 0 },
  voicemail: {
    ringMs: MAILBOX_AFTER_MS,
    ...machine(
      "voicemail",
      "Hi, you've reached my voicemail. I can't come to the phone right now. Please leave a message after the tone.",
    ),
  },
  full_mailbox: {
    ringMs: MAILBOX_AFTER_MS,
    ...machine("full_mailbox", "The mailbox is full and cannot accept any messages at this time. Goodbye."),
  },
  ivr: {
    ringMs: 1_000,
    ...machine(
      "ivr",
      "Thank you for calling Example Company. For sales, press 1. For support, press 2. To hear these options again, press 9.",
      ["Sorry, I did not get that. For sales, press 1. For support, press 2."],
    ),
  },
  call_screening: {
    ringMs: 1_000,
    ...machine(
      "call_screening",
      "Hi. The person you're calling is using a screening service. Please say your name and why you're calling.",
      ["Thanks. Please stay on the line.", "Hello, speaking.", "Yes, I have a minute.", "Okay, bye."],
    ),
  },
  hang_up: person(["Yes, but"], { hangsUpAtMs: 8_000 }),
  interrupt: person(["Wait, who is this?", "Okay, I see.", "Thanks, bye."], { interruptsAfterMs: 1_000 }),
  call_back: person(["I'm busy right now. Can you call me back tomorrow at 2pm?", "Okay, bye."]),
  opt_out: person(["Please take me off your list.", "Bye."]),
  angry: person([
    "Why do you keep calling me? This is ridiculous.",
    "I am really annoyed by this.",
    "Stop calling me. Take me off your list.",
  ]),
  invalid_number: { refuses: "invalid_number" },
  congestion: { refuses: "congestion" },
  rate_limited: { refuses: "congestion" },
  lost_reply: { losesReply: true },
};

/** By the last two digits of a 555-01XX number; every other number answers and holds a plain conversation. */
const SCRIPTED: Readonly<Record<number, string>> = {
  20: "unreachable",
  30: "answer",
  31: "voicemail",
  32: "no_answer",
  33: "busy",
  34: "decline",
  35: "hang_up",
  36: "angry",
  37: "ivr",
  38: "call_screening",
  39: "full_mailbox",
  40: "congestion",
  42: "lost_reply",
  43: "unwanted",
  44: "spam_blocked",
};

/** What this phone does with this call: its number's script, overridden by what was set here. The same for the same reference. */
export function callBehaviorOf({ contactPhone, ref }: CallPlan, script: HandsetScript | undefined): CallBehavior {
  const digits = Number(contactPhone.slice(-2));
  const chance = chanceOf(ref);
  const named = script?.behavior === undefined ? undefined : CALL_BEHAVIORS[script.behavior];
  const part = named ?? CALL_BEHAVIORS[(isTestRange(contactPhone) && SCRIPTED[digits]) || "answer"]!;
  const behavior: CallBehavior = {
    ringMs: PICKS_UP_MS.least + (chance % PICKS_UP_MS.span),
    // Numbers next to each other hold different conversations; a number holds the same one each time.
    ...person(PEOPLE[digits % PEOPLE.length]!),
    ...part,
  };
  return script ? withWords(behavior, script) : behavior;
}

/** Congestion passes: a reference's last digits are as good as chance, and give the same result when the run is repeated. */
export const isCongested = ({ refuses }: CallBehavior, ref: string): boolean =>
  refuses === "congestion" && chanceOf(ref) % 2 === 0;

function withWords(behavior: CallBehavior, script: HandsetScript): CallBehavior {
  const contact = { ...behavior.contact };
  if (script.says) contact.says = script.says;
  if (script.hangs_up_after_ms !== undefined) contact.hangsUpAtMs = script.hangs_up_after_ms;
  if (script.greeting === "") delete contact.greeting;
  else if (script.greeting !== undefined) contact.greeting = script.greeting;
  return { ...behavior, contact, ringMs: script.answer_delay_ms ?? behavior.ringMs };
}

/** Of a reference's last digits, which are chance. */
const chanceOf = (ref: string): number => Number.parseInt(ref.slice(-6), 16);
