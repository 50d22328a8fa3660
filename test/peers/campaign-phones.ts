import { joined, speakGreeting } from "#test/support/calls/greetings.ts";
import { type Tone, tonesOf } from "#test/support/calls/tone-generator.ts";
import type { Owner } from "#test/support/processes/processes.ts";
import { type Baresip, type BaresipEvent, baresip } from "./baresip.ts";
import type { Familiar } from "./known-sentences.ts";

/** What becomes of one call to a phone. */
type Taking =
  /** Rings, for so long; says what it has to say. Hangs up by itself after so long, or never. */
  { kind: "takes"; ringsMs?: number; hangsUpAfterMs?: number } | { kind: "refuses" } | { kind: "rings" };

export type CampaignPhone = {
  /** In words, for the table. */
  does: string;
  /** Its calls one after the other; the last again and again. None: it is not there. */
  calls: readonly Taking[];
  /** Sentences and tones with pauses in milliseconds between, from the answer on. */
  says?: readonly (string | number | Tone)[];
  voice?: number;
  expects: Expected;
};

/** By the campaign's own words. Calls by their disconnection reasons. */
export type Expected = {
  outcome: string;
  state: string;
  reason: string | null;
  calls: readonly string[];
  answeredBy?: string | null;
  voicemailLeft?: boolean;
};

const TAKES: readonly Taking[] = [{ kind: "takes" }];
const BEEP: Tone = { hz: [1_000], ms: 500 };
const NO = "No thank you. Goodbye.";
const talked = (...calls: string[]): Expected => ({
  outcome: "connected",
  state: "completed",
  reason: null,
  calls,
  answeredBy: "human",
});
const failed = (outcome: string, ...calls: string[]): Expected => ({
  outcome,
  state: "failed",
  reason: outcome,
  calls,
});

/** Twenty phones, and what a campaign with one redial is to say of each. */
export const CAMPAIGN_PHONES: readonly CampaignPhone[] = [
  { does: "says no", calls: TAKES, says: ["Hello?", 6_500, NO], expects: talked("agent_hangup") },
  {
    does: "says yes, answers, says goodbye",
    calls: TAKES,
    says: ["Hello?", 6_000, "Yes, go ahead.", 5_000, "About 200,000 dollars.", 6_000, "Okay, bye."],
    voice: 1,
    expects: talked("agent_hangup"),
  },
  {
    does: "gives its name",
    calls: TAKES,
    says: ["Hi, this is Dana speaking.", 6_500, "No thanks, not interested. Bye."],
    voice: 3,
    expects: talked("agent_hangup"),
  },
  {
    does: "opts out",
    calls: TAKES,
    says: ["Yeah?", 6_500, "Please take me off your list."],
    voice: 1,
    expects: { ...talked("agent_hangup"), state: "opted_out", reason: "call" },
  },
  {
    does: "talks into the greeting",
    calls: TAKES,
    says: ["Hello?", 1_800, "Hold on, who is this please?", 6_000, NO],
    voice: 2,
    expects: talked("agent_hangup"),
  },
  {
    does: "rings for 3 s, says no",
    calls: [{ kind: "takes", ringsMs: 3_000 }],
    says: ["Good morning, Miller and Sons.", 6_500, NO],
    expects: talked("agent_hangup"),
  },
  { does: "is silent", calls: TAKES, expects: { ...talked("inactivity"), reason: "nothing_said" } },
  {
    does: "hangs up in mid-call",
    calls: [{ kind: "takes", hangsUpAfterMs: 4_000 }],
    says: ["Hello?"],
    voice: 2,
    expects: talked("user_hangup"),
  },
  {
    does: "hangs up at once",
    calls: [{ kind: "takes", hangsUpAfterMs: 300 }],
    expects: { ...talked("user_hangup"), reason: "nothing_said", answeredBy: null },
  },
  {
    does: "voicemail with a beep",
    calls: TAKES,
    says: ["You have reached the voice mailbox of Peter Brown. Please leave a message after the tone.", 300, BEEP],
    voice: 1,
    expects: {
      outcome: "voicemail",
      state: "delivered",
      reason: "voicemail",
      calls: ["voicemail_reached"],
      answeredBy: "voicemail",
      voicemailLeft: true,
    },
  },
  {
    does: "voicemail without a beep",
    calls: TAKES,
    says: ["Hi, you've reached Laura. I can't come to the phone right now. Please leave me a message."],
    expects: {
      outcome: "voicemail",
      state: "delivered",
      reason: "voicemail",
      calls: ["voicemail_reached"],
      answeredBy: "voicemail",
      voicemailLeft: true,
    },
  },
  {
    does: "full mailbox",
    calls: TAKES,
    says: ["The mailbox is full and cannot accept any messages at this time. Goodbye."],
    expects: { ...failed("voicemail", "voicemail_reached"), answeredBy: "full_mailbox" },
  },
  {
    does: "menu",
    calls: TAKES,
    says: ["Thank you for calling Acme. For sales, press one. For support, press two."],
    voice: 3,
    expects: { ...talked("ivr_reached"), reason: "ivr", answeredBy: "ivr" },
  },
  {
    does: "call screening, then hangs up",
    calls: [{ kind: "takes", hangsUpAfterMs: 14_000 }],
    says: ["This call is being screened. Please say your name."],
    voice: 1,
    expects: { ...talked("user_hangup"), reason: "call_screening", answeredBy: "call_screening" },
  },
  { does: "busy", calls: [{ kind: "refuses" }], expects: failed("busy", "dial_busy", "dial_busy") },
  {
    does: "busy, then says no",
    calls: [{ kind: "refuses" }, { kind: "takes" }],
    says: ["Hello, who is this?", 6_500, NO],
    expects: talked("dial_busy", "agent_hangup"),
  },
  { does: "declines", calls: [{ kind: "refuses" }], expects: failed("declined", "user_declined") },
  {
    does: "never answers",
    calls: [{ kind: "rings" }],
    expects: failed("no_answer", "dial_no_answer", "dial_no_answer"),
  },
  { does: "is away (480)", calls: [], expects: failed("no_answer", "dial_no_answer", "dial_no_answer") },
  { does: "never registered (404)", calls: [], expects: failed("failed", "invalid_destination") },
];

/** The number of each. */
export const numberOf = (phone: CampaignPhone): string =>
  `+1212444${String(CAMPAIGN_PHONES.indexOf(phone) + 1).padStart(4, "0")}`;

/** What it plays when it has said all: it does not hang up, and is not heard. */
const SILENCE_MS = 60_000;

/** A phone's sound: silence first, for what is said while an answer is still on its way is lost. */
export function soundOf({ says = [], voice = 0 }: CampaignPhone): Familiar {
  const pieces: Int16Array[] = [new Int16Array(400 * 8)];
  const words: { word: string; endMs: number }[] = [];
  const atMs = () => pieces.reduce((sum, { length }) => sum + length, 0) / 8;
  for (const part of says) {
    const before = atMs();
    if (typeof part === "number") pieces.push(new Int16Array(part * 8));
    else if (typeof part !== "string") pieces.push(tonesOf([part]));
    else {
      const spoken = speakGreeting([part], voice, 0);
      pieces.push(spoken.samples);
      for (const { word, endMs } of spoken.words) words.push({ word, endMs: before + endMs });
    }
  }
  return { samples: joined(pieces), words };
}

/** Starts one that registers, where there is a registrar and it is one that does, and does in each call what it is to do. */
export async function startPhone(
  owner: Owner,
  phone: CampaignPhone,
  sound: Int16Array,
  registrar?: { port: number; password: string },
  /** Further parameters of its account. */
  account = "",
): Promise<Baresip> {
  const calls: string[] = [];
  const after = (ms: number, then: () => void) => {
    const timer = setTimeout(then, ms);
    owner.after(() => clearTimeout(timer));
  };
  const on = ({ type, id }: BaresipEvent, { command }: Pick<Baresip, "command">) => {
    if (type === "CALL_INCOMING") calls.push(id!);
    const taking = phone.calls[Math.min(calls.length, phone.calls.length) - 1];
    if (taking === undefined) return;
    if (type === "CALL_INCOMING") {
      if (taking.kind === "refuses") command("hangup");
      else if (taking.kind === "takes") after(taking.ringsMs ?? 0, () => command("accept"));
    } else if (type === "CALL_ESTABLISHED" && taking.kind === "takes" && taking.hangsUpAfterMs !== undefined) {
      after(taking.hangsUpAfterMs, () => command("hangup"));
    }
  };
  return baresip(owner, {
    source: joined([sound, new Int16Array(SILENCE_MS * 8)]),
    name: numberOf(phone),
    ...{ answers: false, account },
    jitter: "5-50",
    on,
    ...(registrar && phone.calls.length > 0 ? { registrar } : {}),
  });
}
