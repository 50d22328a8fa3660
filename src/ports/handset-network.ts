import type { MessagePurpose } from "#domain/messaging/message.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { SoundLine } from "./sound-bridge.ts";

/** The simulated phone network as its users see it: handsets that text, and the carrier's own records. */
export interface HandsetNetwork {
  /** A phone texts one of our numbers. Kept before it answers; delivered as a webhook would be. */
  text(tenantId: Uuid, text: { handset: string; to: string; text: string }, now: Date): Promise<{ carrierId: string }>;
  handset(tenantId: Uuid, phone: string): Promise<{ behavior: string | null; messages: HandsetText[] }>;
  /** Phones that have had anything, by their numbers: at most `limit` of those after `after`. */
  handsets(tenantId: Uuid, after: string, limit: number): Promise<ListedHandset[]>;
  /** A phone calls one of our numbers and says this. Kept before it answers; brought to us as a carrier would. */
  call(
    tenantId: Uuid,
    call: { handset: string; to: string; says: readonly string[] },
    now: Date,
  ): Promise<{ carrierId: string }>;
  calls(tenantId: Uuid, phone: string, now: Date): Promise<HandsetCall[]>;
  /** Does something with a call that a person plays. `false`: there is none, or it has gone too far for that. Taken up a moment later. */
  act(tenantId: Uuid, call: { phone: string; carrierId: string }, action: HandsetAction, now: Date): Promise<boolean>;
  /**
   * Takes a call that rings and that a person plays, by a microphone. Undefined: there is none that could be had so. Rejects where its node
   * cannot be reached, or has given it to another.
   */
  takeBySound(tenantId: Uuid, call: { phone: string; carrierId: string }, now: Date): Promise<SoundLine | undefined>;
  script(tenantId: Uuid, phone: string, script: HandsetScript): Promise<void>;
  traffic(tenantId: Uuid, campaign: string | undefined): Promise<Traffic & { calls: CallTraffic }>;
}

export type ListedHandset = {
  phone: string;
  /** The behaviour set for it by its script. */
  behavior: string | null;
  last_text_at: Date | null;
  last_call_at: Date | null;
};

export type HandsetText = {
  direction: "to_handset" | "from_handset";
  from: string;
  to: string;
  text: string;
  media_urls: string[] | null;
  at: Date;
  ref: string | null;
};

/** A call as the phone saw it. `outcome` is that of ports/call-store.ts, or `ongoing`. */
export type HandsetCall = {
  direction: "to_handset" | "from_handset";
  from: string;
  to: string;
  at: Date;
  outcome: string;
  duration_ms: number;
  heard: string[];
  carrier_id: string;
  /** Of a call that a person plays, while it lasts. */
  stage: "ringing" | "talking" | null;
  /** While it lasts: it rings and may be taken by a microphone, or was. */
  microphone: "offered" | "in_use" | null;
  /** What has been said in it so far; empty where nobody plays. */
  said: SaidLine[];
};

export type SaidLine = { by: "agent" | "handset"; text: string };

/** What a person who plays a phone does with a call. Answering, declining and the mailbox are for one that rings, the others for one that was taken. */
export type HandsetAction =
  | { action: "answer" | "decline" | "voicemail" | "hang_up" }
  | { action: "speak"; text: string };

/** What a phone does in place of what its number's script says. `answer_delay_ms` is how long it rings when it is called. */
export type HandsetScript = {
  behavior?: string | undefined;
  says?: readonly string[] | undefined;
  answer_delay_ms?: number | undefined;
  /** What it says first when it takes a call; empty for nothing. */
  greeting?: string | undefined;
  /** Milliseconds after it took a call. */
  hangs_up_after_ms?: number | undefined;
};

export type Traffic = {
  accepted: number;
  distinct: number;
  duplicates: number;
  after_opt_out: number;
  outside_window: number;
};

/** Of calls to handsets. Duplicates: the same dial twice, or a second call of a campaign to a phone during the first. */
export type CallTraffic = Traffic;

/** The simulated carrier's own records, separate from Parley's. */
export interface SimulatorStore {
  /** Commits texts to handsets before it answers; their sequence numbers, in order. */
  accept(tenantId: Uuid, texts: readonly AcceptedText[]): Promise<string[]>;
  /** Commits texts from handsets, each to be delivered to us at its time. */
  fromHandsets(tenantId: Uuid, texts: readonly HandsetOutgoing[]): Promise<string[]>;
  byRefs(tenantId: Uuid, refs: readonly Uuid[]): Promise<Map<Uuid, string>>;
  /** Tenants to whom something is owed by now, and their own times. */
  owing(now: Date): Promise<{ tenantId: Uuid; tenantNow: Date }[]>;
  /**
   * Hands what is owed, oldest first, to `serve`, and strikes off what that has served once it resolves. Two at once never get the
   * same; a crash between leaves it owed. `serve` answers with what handsets say to it too. The number served.
   */
  serveOwed(
    tenantId: Uuid,
    now: Date,
    limit: number,
    serve: (owed: readonly Owed[]) => Promise<{ served: readonly Owed[]; answer: readonly HandsetOutgoing[] }>,
  ): Promise<number>;
  scripts(tenantId: Uuid, phones: readonly string[]): Promise<Map<string, HandsetScript>>;
  /** How many texts each handset has sent to a number. */
  saidCounts(tenantId: Uuid, handsets: readonly string[]): Promise<Map<string, number>>;
  saveScript(tenantId: Uuid, phone: string, script: HandsetScript): Promise<void>;
  read(tenantId: Uuid, handset: string): Promise<HandsetText[]>;
  list(tenantId: Uuid, after: string, limit: number): Promise<ListedHandset[]>;
  traffic(tenantId: Uuid, campaign: string | undefined): Promise<Traffic>;
}

export type AcceptedText = {
  handset: string;
  number: string;
  text: string;
  media?: readonly string[];
  at: Date;
  ref: Uuid;
  campaign: string;
  step: number;
  purpose: MessagePurpose;
  outsideWindow: boolean;
  /** When its receipt is due. */
  receiptAt: Date;
};

export type HandsetOutgoing = { handset: string; number: string; text: string; at: Date };

/** A receipt for a text that a handset got, or a text of a handset that is still to reach us. */
export type Owed = {
  seq: string;
  kind: "receipt" | "inbound";
  handset: string;
  number: string;
  text: string;
  at: Date;
  ref: Uuid | null;
  purpose: MessagePurpose | null;
};
