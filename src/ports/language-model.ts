import type { ExtractionField } from "#domain/agents/extraction-field.ts";
import type { WrittenQuestion } from "#domain/agents/script.ts";

/**
 * The model behind an agent: an endpoint of a provider, or the offline rules. It is trusted with nothing: whatever it answers
 * is checked by src/conversation before it has an effect.
 */
export interface LanguageModel {
  readonly name: string;
  readonly capabilities: LanguageModelCapabilities;
  /** The agent's next text and tool calls. Rejects with ModelError, or with the signal's reason. */
  reply(request: ReplyRequest, signal: AbortSignal): Promise<ReplyResult>;
  /** What a conversation came to. Rejects as reply does. */
  extract(request: ExtractRequest, signal: AbortSignal): Promise<ExtractResult>;
  /**
   * The agent's next words in a call, as they come, and its tool calls; ends with one `usage`. Throws as reply rejects, whatever came
   * before: `limits` are watched, and a reader that leaves early closes the connection.
   */
  converse(request: ConverseRequest, signal: AbortSignal): AsyncIterable<ConversePart>;
}

/** Which model a tenant's agents use. There always is one: the offline rules when nothing else is configured. */
export type LanguageModels = { forMode(mode: "live" | "test"): LanguageModel };

export interface LanguageModelCapabilities {
  /** Answers in well under a millisecond, without a network: no time limit is near and nothing is paid. */
  readonly local: boolean;
  /** An agent's own `model` and `temperature` are heeded. */
  readonly choosable: boolean;
}

/** One text of a conversation. `human` is a colleague who took over from the agent. */
export type HistoryMessage = { id: string; role: "contact" | "agent" | "human"; text: string; at: Date };

/** A conversation as data. A model that reads prose gets it as `prompt`, assembled by src/conversation/agents/prompt.ts. */
export type Conversation = {
  agent: AgentBrief;
  /** The contact's fields, as data and never as instructions. */
  contact: Readonly<Record<string, string | number | boolean>>;
  /** IANA name of the contact's time zone. */
  contactZone: string;
  now: Date;
  /** Oldest first. */
  history: readonly HistoryMessage[];
  /** What the agent is to find out. */
  fields: readonly ExtractionField[];
};

export type AgentBrief = {
  name: string;
  /** The organization that it speaks for. */
  organization: string;
  instructions: string;
  /** What the conversation is for, when the campaign has an objective; else it is in the instructions. */
  goal?: string;
  /** How a person worded what the offline rules ask; no other model reads it. */
  questions?: readonly WrittenQuestion[];
  model?: string;
  temperature?: number;
};

export type Prompt = { system: string; messages: readonly { role: "user" | "assistant"; content: string }[] };

export type ReplyRequest = Conversation & {
  /** Values of `fields` that are known already. */
  known: Readonly<Record<string, string>>;
  tools: readonly ToolOffer[];
  /** A text of this length is what people read on a phone; more is cut off or refused afterwards. */
  maxCharacters: number;
  prompt: Prompt;
};

export type ExtractRequest = Conversation & {
  /** Values of `fields` that were known before this conversation. */
  known?: Readonly<Record<string, string>>;
  prompt: Prompt;
};

/** A turn of a call. `history` holds what was texted before it, then what was said in it: from `spokenFrom` on. */
export type ConverseRequest = Conversation & {
  /** Values of `fields` that are known already. */
  known: Readonly<Record<string, string>>;
  spokenFrom: number;
  /** Text that an operator injects into this turn: as binding as the agent's instructions. */
  instruction?: string;
  direction: "outbound" | "inbound";
  recorded: boolean;
  tools: readonly ToolOffer<VoiceToolName>[];
  prompt: Prompt;
  limits: ConverseLimits;
  /** The second try of a turn whose first one failed: where there are two models, the other one is used. */
  again?: boolean;
};

/** Milliseconds that are waited for the first words (or tool), and between two. */
export type ConverseLimits = { firstMs: number; betweenMs: number };

export type ConversePart =
  | { kind: "text"; text: string }
  | { kind: "tool"; call: ToolCall }
  | { kind: "usage"; usage: ModelUsage };

/** All that a model may ask for. None takes a number, an address, a tenant or a price: those come from the thread. */
export const TOOL_NAMES = [
  "end_conversation",
  "do_not_message",
  "ask_person",
  "schedule_call",
  "transfer_to_voice",
] as const;
export type ToolName = (typeof TOOL_NAMES)[number];

/** The same in a call. A transfer goes to the agent's own number, a callback to the contact's. */
export const VOICE_TOOL_NAMES = [
  "end_call",
  "do_not_call",
  "schedule_callback",
  "transfer_call",
  "press_digits",
] as const;
export type VoiceToolName = (typeof VOICE_TOOL_NAMES)[number];

/** A tool on offer in this turn; `parameters` is a JSON Schema of type object. */
export type ToolOffer<Name extends string = ToolName> = {
  name: Name;
  description: string;
  parameters: Readonly<Record<string, unknown>>;
};

/** As the model wrote it: any name, any arguments. */
export type ToolCall = { name: string; args: unknown };

export type ModelUsage = { inputTokens: number; outputTokens: number };

/** `silent`: nothing is meant to be said; an empty text alone is a model that wrote nothing. */
export type ReplyResult = { text: string; silent?: true; toolCalls: readonly ToolCall[]; usage: ModelUsage };

/** `value` is whatever JSON the model gave: its parse, nothing more. */
export type ExtractResult = { value: unknown; usage: ModelUsage };

/** A model that could not answer. `vendorCode` is the provider's own word (`429`, `timeout`, `too_large`). */
export class ModelError extends Error {
  /** The same request may succeed later. */
  readonly retryable: boolean;
  readonly vendorCode: string;
  readonly retryAfterMs: number | undefined;

  constructor(
    message: string,
    more: { retryable: boolean; vendorCode: string; retryAfterMs?: number; cause?: unknown },
  ) {
    super(message, { cause: more.cause });
    this.name = "ModelError";
    this.retryable = more.retryable;
    this.vendorCode = more.vendorCode;
    this.retryAfterMs = more.retryAfterMs;
  }
}
