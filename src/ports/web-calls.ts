import type { CallPlan } from "#domain/calls/plan.ts";
import type { CallReport, Utterance } from "#domain/calls/report.ts";

/** What became of such a call: of a report what is known without a carrier. */
export type WebCallResult = Pick<
  CallReport,
  | "reason"
  | "durationMs"
  | "inVoicemail"
  | "voicemailLeft"
  | "utterances"
  | "latencies"
  | "requests"
  | "answerer"
  | "usage"
>;

export type WebCallEvents = {
  /** 20 ms of what the agent says, G.711 mu-law at 8 kHz, at the time it is to be played. */
  sound(frame: Uint8Array): void;
  utterance(utterance: Utterance): void;
};

export type WebCall = {
  /** What the other side says: whole frames of 160 bytes, as they are spoken. */
  receiveAudio(sound: Uint8Array): void;
  digit(digit: string): void;
  hangUp(): void;
  /** Resolves once. */
  readonly ended: Promise<WebCallResult>;
};

/** Calls whose other side is a page's microphone: no carrier, no number, nothing in the database. */
export type WebCalls = {
  /** How many there may be at a time; 0 without speech-to-text. */
  readonly atOnce: number;
  /** Begins one. Rejects when no process can hold it. */
  open(plan: CallPlan, on: WebCallEvents): Promise<WebCall>;
  close(): Promise<void>;
};
