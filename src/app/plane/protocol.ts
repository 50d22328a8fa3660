import type { Codec } from "#adapters/sip-messages/formats.ts";
import type { LocalMedia, RemoteMedia } from "#adapters/sip-messages/offer-answer.ts";
import type { DisconnectionReason } from "#domain/calls/call.ts";
import type { CallPlan } from "#domain/calls/plan.ts";
import type { CallEvent, CallReport, CallUsage } from "#domain/calls/report.ts";
import type { NetworkDrops } from "#domain/system/network-drop.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { Lateness } from "#media/scheduler.ts";
import type { ScriptedContact } from "#ports/scripted-contact.ts";
import type { Pace } from "./call-limit.ts";

// Messages between a media node and its children. Plain JSON; `call` is the call's id throughout.

/** Where a call's sound comes from and goes to. */
export type LegPlan =
  /** A socket of the child's: the signalling gives the other side's address. */
  | { kind: "rtp"; srtp: boolean; codecs: readonly Codec[] }
  /** A simulated handset that speaks and listens. */
  | { kind: "handset"; contact: ScriptedContact }
  /** The opener delivers the audio and takes it. */
  | { kind: "web" };

/** The argument of a child that is to measure how many calls it carries before it is ready. */
export const MEASURE = "measure";

export type ToChild =
  /** Gets a call's leg ready; answered by `opened`. */
  | { do: "open"; call: Uuid; plan: CallPlan; leg: LegPlan }
  /** The call has been answered. */
  | { do: "begin"; call: Uuid; answeredAt: string; remote?: RemoteMedia }
  /** The other side's media has moved. */
  | { do: "move"; call: Uuid; remote: RemoteMedia }
  /** Audio of the other side, for a `web` leg: mu-law in base64. */
  | { do: "receive-audio"; call: Uuid; sound: string }
  | { do: "digit"; call: Uuid; digit: string }
  | { do: "inject"; call: Uuid; text: string }
  /** The call is to end, or has ended; also one that has not begun. */
  | { do: "end"; call: Uuid; reason: DisconnectionReason }
  /** Requests the child's state. Answered by `state`, whose counters then start again. */
  | { do: "report" }
  /** The answer to an `event` or a `transfer`. */
  | { do: "answer"; call: Uuid; id: number; ok: boolean };

export type FromChild =
  /** `carries`: how many calls it can hold, where it was started with MEASURE. */
  | { say: "ready"; carries?: number }
  /** Every other second while it has calls. */
  | { say: "pace"; pace: Pace }
  | { say: "opened"; call: Uuid; local?: LocalMedia; error?: string }
  | { say: "event"; call: Uuid; id: number; event: CallEvent }
  /** The agent's audio, for a `web` leg: a frame of mu-law in base64. */
  | { say: "sound"; call: Uuid; sound: string }
  /** Keys to be pressed by the signalling. */
  | { say: "press"; call: Uuid; digits: string }
  /** What of it has not been played yet is to be dropped. */
  | { say: "clear"; call: Uuid }
  | { say: "transfer"; call: Uuid; id: number; to: string }
  | { say: "ended"; call: Uuid; result: SoundResult }
  | { say: "state"; state: ChildState }
  /** What the child has dropped since its last report. */
  | { say: "drops"; drops: NetworkDrops };

/** What a child has done since the last request for it. */
export type ChildState = {
  calls: number;
  /** How late its calls' frames were, by the scheduler's histogram. */
  lateness: Lateness;
  cpuMs: number;
  rssBytes: number;
};

/** How a call with sound went: what a report says about the time from the answer to the hang-up. */
export type SoundResult = Pick<
  CallReport,
  | "reason"
  | "durationMs"
  | "inVoicemail"
  | "voicemailLeft"
  | "utterances"
  | "latencies"
  | "requests"
  | "answerer"
  | "speechToText"
> & { usage: CallUsage; recording?: OpenRecording };

/** A recording that is whole, in the folder for those that are not stored yet. */
export type OpenRecording = { file: string; bytes: number; durationMs: number };

export const NOTHING_SAID: SoundResult = {
  reason: "error_unknown",
  durationMs: 0,
  inVoicemail: false,
  voicemailLeft: false,
  utterances: [],
  latencies: [],
  requests: {},
  usage: { voiceCharacters: 0, speechToTextMs: 0, inputTokens: 0, outputTokens: 0 },
};
