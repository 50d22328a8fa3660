import type { Answerer } from "#domain/calls/call.ts";
import type { CallPlan } from "#domain/calls/plan.ts";
import type { CallReport } from "#domain/calls/report.ts";
import type { CallObserver } from "./call-line.ts";
import type { SoundLine } from "./sound-bridge.ts";

/** The answering side of a simulated call: it follows its script. Ringing, busy and declining come before. */
export type ScriptedContact = {
  answerer: Exclude<Answerer, "unknown">;
  /** What it says first: "Hello?", a mailbox's greeting, a menu. Absent: it waits for the agent. */
  greeting?: string;
  /** Its lines, one after each time that the agent has spoken; after the last it is silent. */
  says: readonly string[];
  /** How long it waits before a line, milliseconds; 700 by default. */
  answersAfterMs?: number;
  /** Lines are spoken into the agent's words, this long after these began, and the agent stops. */
  interruptsAfterMs?: number;
  /** It hangs up this long after the answer, whoever is speaking. */
  hangsUpAtMs?: number;
  /**
   * Set when a person plays it: returns what they say now, undefined for nothing, null to hang up. Such a call is held in words, in real
   * time, unless there is a `line`.
   */
  played?: () => Promise<string | null | undefined>;
  /** The microphone of whoever plays it: the call is held with sound, and `played` only hangs up. */
  line?: SoundLine;
  /** It hangs up once it has said all its lines and the last was answered. */
  hangsUpWhenDone?: boolean;
};

export type TextCall = {
  plan: CallPlan;
  contact: ScriptedContact;
  /** In the tenant's own time. */
  answeredAt: Date;
  /** Aborted to end the call as soon as can be; the reason is what the report then has. */
  stop: AbortSignal;
  stopReason(): "manual_stopped" | "agent_hangup" | "error_unknown";
  /** Text that an operator gave the agent to take in, each once. */
  takeInjected(): string | undefined;
  /**
   * Resolves when the call has come to this many milliseconds since the answer. A call that is to be over at once resolves at once: it
   * then costs no real time at all.
   */
  reach(atMs: number): Promise<void>;
};

/** How a call in text went, from the answer on: the rest of a report (ringing, carrier, recording) is the line's. */
export type ConductedCall = Pick<
  CallReport,
  | "status"
  | "reason"
  | "durationMs"
  | "answerer"
  | "inVoicemail"
  | "voicemailLeft"
  | "utterances"
  | "latencies"
  | "requests"
  | "usage"
  | "speechToText"
>;

/**
 * Holds a call between an agent and a scripted contact, in words only (src/conversation/calls/text-call.ts) or with sound (src/app/plane). Passes to `on` the events
 * `answered_by`, `utterance` and `opt_out` in order (an opt-out is waited for before it is confirmed). Never rejects.
 */
export type Conductor = (call: TextCall, on: CallObserver) => Promise<ConductedCall>;
