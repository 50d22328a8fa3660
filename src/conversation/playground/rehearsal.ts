import type { Agent } from "#domain/agents/agent.ts";
import type { LeadFields } from "#domain/contacts/lead.ts";
import type { ModelUsage, Prompt } from "#ports/language-model.ts";

/** A conversation that is made up, as far as it has come. Nobody is texted or called. */
export type Rehearsal<A extends Agent = Agent> = {
  agent: A;
  organization: string;
  objective?: string;
  contact: LeadFields;
  /** E.164. */
  contactPhone: string;
  contactZone: string;
  now: Date;
  /** Oldest first; empty before the agent's first words. */
  history: readonly Line[];
  /** What the contact says now; undefined where the agent has the first word. */
  text: string | undefined;
  /** Whether the agent of a text conversation may arrange calls. */
  canCall: boolean;
  /** Whether to say what the conversation has come to, which asks the model once more. */
  extract: boolean;
};

export type Line = { role: "contact" | "agent" | "human"; text: string };

/** What a turn would do; `type` is the name of the tool, in a text conversation or a call. */
export type RehearsedAction = {
  type: string;
  outcome?: string;
  /** ISO 8601. */
  at?: string;
  /** A phone number. */
  to?: string;
  digits?: string;
  quote?: string;
};

export type RehearsedTurn = {
  /** What the agent says; null is silence. */
  reply: string | null;
  actions: RehearsedAction[];
  /** What was dropped, refused or replaced. */
  notes: string[];
  /** As the model read it; null where it was not asked, or reads none. */
  prompt: Prompt | null;
  usage: ModelUsage;
  latencyMs: number;
  failure: { vendorCode: string; retryable: boolean } | null;
  extraction: RehearsedExtraction | null;
};

export type RehearsedExtraction = {
  fields: Record<string, string | number | boolean>;
  /** By field; `message` is the place of the line in the conversation, the text of this turn included. */
  evidence: Record<string, { message: number; quote: string }>;
  /** Of a text conversation. */
  outcome: string | null;
  objectiveMet: boolean;
  /** Of a call. */
  sentiment: string | null;
  summary: string | null;
  usage: ModelUsage;
  latencyMs: number;
};

/** Lines of a made-up conversation were said a minute apart, the last one now. */
const LINE_MS = 60_000;

/** When each line was said. */
export const timesOf = (count: number, now: Date): Date[] =>
  Array.from({ length: count }, (_, index) => new Date(now.getTime() - (count - 1 - index) * LINE_MS));
