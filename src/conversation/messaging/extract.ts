import { extractionHistory, extractionPrompt, messageAlias, NO_PROMPT } from "#conversation/agents/prompt.ts";
import { asModelError, DEFAULT_TIME_LIMIT_MS, withTimeLimit } from "#conversation/agents/time-limit.ts";
import type { SmsAgent } from "#domain/agents/agent.ts";
import { checkExtraction, type ExtractionFacts, type SmsExtraction } from "#domain/agents/extraction.ts";
import type { Conversation, HistoryMessage, LanguageModel, ModelUsage } from "#ports/language-model.ts";

export type ExtractInput = Pick<Conversation, "contact" | "contactZone" | "now" | "history"> & {
  agent: SmsAgent;
  organization: string;
  goal?: string;
  /** What the service knows happened; no text of the conversation can change it. */
  facts: ExtractionFacts;
};

export type ExtractOutcome = {
  /** Null when the model could not answer: an earlier extraction then stands. */
  extraction: SmsExtraction | null;
  notes: string[];
  usage: ModelUsage;
  latencyMs: number;
  failure?: { vendorCode: string; retryable: boolean; retryAfterMs?: number };
};

/** The label of a conversation in which the contact has said nothing. */
const NO_REPLY_OUTCOME = "no_reply";

/**
 * What a conversation came to: the agent's fields with evidence, outcome, objective. Stores nothing and drives nothing. The
 * model's answer is checked word for word (domain/agents/extraction.ts); without a text of the contact the model is not asked.
 * Rejects only with the caller's own abort reason.
 */
export async function extractFields(
  model: LanguageModel,
  input: ExtractInput,
  options: { signal: AbortSignal; timeLimitMs?: number },
): Promise<ExtractOutcome> {
  const started = performance.now();
  const { agent, facts, now } = input;
  const fields = agent.extraction_fields;
  const history = extractionHistory(input.history);
  const spent = () => performance.now() - started;

  if (!history.some((message) => message.role === "contact")) {
    const { extraction } = checkExtraction({ lead_outcome: NO_REPLY_OUTCOME }, fields, [], facts);
    return { extraction, notes: [], usage: { inputTokens: 0, outputTokens: 0 }, latencyMs: spent() };
  }
  const conversation = {
    agent: {
      name: agent.agent_name,
      organization: input.organization,
      instructions: agent.prompt,
      ...(agent.questions ? { questions: agent.questions } : {}),
      ...(input.goal ? { goal: input.goal } : {}),
      ...(agent.model ? { model: agent.model } : {}),
      // The same conversation gives the same record. Some models refuse any temperature: only where the agent sets one.
      ...(agent.temperature === undefined ? {} : { temperature: 0 }),
    },
    contact: input.contact,
    contactZone: input.contactZone,
    now,
    history,
    fields,
  };
  try {
    const request = { ...conversation, prompt: model.capabilities.local ? NO_PROMPT : extractionPrompt(conversation) };
    const run = (signal: AbortSignal) => model.extract(request, signal);
    const result = await withTimeLimit(run, options.signal, options.timeLimitMs ?? DEFAULT_TIME_LIMIT_MS);
    const value = withRealIds(result?.value, history);
    const { extraction, notes } = checkExtraction(value, fields, history, facts);
    return { extraction, notes, usage: result?.usage ?? { inputTokens: 0, outputTokens: 0 }, latencyMs: spent() };
  } catch (error) {
    const { vendorCode, retryable, retryAfterMs } = asModelError(error, options.signal);
    const failure = { vendorCode, retryable, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
    const usage = { inputTokens: 0, outputTokens: 0 };
    return { extraction: null, notes: [`model failed: ${vendorCode}`], usage, latencyMs: spent(), failure };
  }
}

/** Evidence names messages as the prompt did (`m1`); turns them into the messages' own ids. */
function withRealIds(value: unknown, history: readonly HistoryMessage[]): unknown {
  if (typeof value !== "object" || value === null || !("evidence" in value)) return value;
  const { evidence } = value;
  if (typeof evidence !== "object" || evidence === null) return value;
  const ids = new Map(history.map((message, index) => [messageAlias(index), message.id]));
  const own = new Set(history.map((message) => message.id));
  const renamed = Object.entries(evidence as Record<string, unknown>).map(([field, proof]) => {
    if (typeof proof !== "object" || proof === null || !("message_id" in proof)) return [field, proof];
    const named = String(proof.message_id);
    const id = own.has(named) ? named : ids.get(named);
    return [field, id === undefined ? proof : { ...proof, message_id: id }];
  });
  return { ...value, evidence: Object.fromEntries(renamed) };
}
