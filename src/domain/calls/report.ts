import type { Answerer, CallStatus, DisconnectionReason } from "./call.ts";

/** What happens while a call goes on, as it happens. Times are ISO 8601 in the tenant's own time. */
export type CallEvent =
  | { kind: "ringing"; at: string }
  | { kind: "answered"; at: string }
  /** The recording starts here: an answered call must have a recording of its length. */
  | { kind: "recorded"; at: string }
  | { kind: "answered_by"; answerer: Answerer; at: string }
  | { kind: "utterance"; utterance: Utterance }
  /** Has to be committed before the agent confirms it: no text and no call after it. */
  | { kind: "opt_out"; quote: string; at: string };

/** The result of a call, reported once when it has ended. Plain JSON. */
export type CallReport = {
  status: Extract<CallStatus, "ended" | "not_connected" | "error">;
  reason: DisconnectionReason;
  /** The carrier's own word: a SIP status ("486"), an error. */
  carrierCode?: string;
  /** What the carrier said besides: the status's phrase, a Reason header. */
  carrierText?: string;
  dialedAt: string;
  /** Absent when nobody and nothing answered. */
  answeredAt?: string;
  endedAt: string;
  /** Milliseconds from answer to hang-up; 0 when it was not answered. */
  durationMs: number;
  answerer?: Answerer;
  inVoicemail: boolean;
  voicemailLeft: boolean;
  /** In the order in which they began. */
  utterances: readonly Utterance[];
  latencies: readonly TurnLatency[];
  /** The name of the speech-to-text that transcribed the contact; absent of a call in words. */
  speechToText?: string;
  /** What carried its sound; absent of a simulated call. */
  carried?: CarriedSound;
  recording?: Recording;
  requests: ContactRequests;
  usage: CallUsage;
};

/** `codec` by the name that settings have for it, the last one where it changed. `encrypted`: all of the time, as far as we can see. */
export type CarriedSound = { codec: string; encrypted: boolean };

/** What one side said without a break. Milliseconds since the answer. */
export type Utterance = {
  role: "agent" | "contact";
  text: string;
  startMs: number;
  endMs: number;
  words: readonly SpokenWord[];
  /** The agent was cut off: `text` and `words` are what was played. */
  interrupted?: boolean;
};

export type SpokenWord = { word: string; startMs: number; endMs: number };

/** What one answer of the agent's took, milliseconds each; absent where a stage was not passed. */
export type TurnLatency = {
  /** Since the answer: when the contact had stopped speaking. */
  atMs: number;
  /** From the end of speech until the turn was taken for ended. */
  endpointingMs?: number;
  /** From there until the words were there, ... */
  speechToTextMs?: number;
  /** until the model's first token, ... */
  modelMs?: number;
  /** until the voice's first audio. */
  voiceMs?: number;
  /** From the end of speech to the first audio frame that left. */
  totalMs: number;
};

/** A stereo WAV, contact left and agent right, from the answer to the hang-up. `name` is its place in the object store. */
export type Recording = { name: string; bytes: number; durationMs: number };

/** What the contact asked for in the call. */
export type ContactRequests = {
  optOut?: { quote: string };
  /** To be called again: ISO 8601, in the tenant's own time. */
  callback?: { at: string; quote: string };
  /** A callback that the agent promises in the words that are being spoken; settled when they end. */
  promised?: { at: string; quote: string };
  /** The number that the call was put through to. */
  transferredTo?: string;
};

export type CallUsage = {
  /** Characters that were sent to text-to-speech. */
  voiceCharacters: number;
  /** Milliseconds of the contact's audio that were sent to speech-to-text. */
  speechToTextMs: number;
  inputTokens: number;
  outputTokens: number;
};

/** What both sides said, a line each, as people read it: `Agent: ...` and `User: ...`, the words of Retell's transcripts. */
export function transcriptOf(utterances: readonly Utterance[]): string {
  return utterances.map(({ role, text }) => `${role === "agent" ? "Agent" : "User"}: ${text}\n`).join("");
}

/** Whether the contact said anything, by such a transcript. */
export const hasUserLine = (transcript: string): boolean => /^User: /m.test(transcript);
