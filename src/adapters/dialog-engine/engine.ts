import type { LanguageModel, ModelUsage } from "#ports/language-model.ts";
import { extractionOf } from "./extract.ts";
import { replyTo } from "./reply.ts";
import { speechFor } from "./speech.ts";

/** Rules cost no tokens. */
const USAGE: ModelUsage = { inputTokens: 0, outputTokens: 0 };

/**
 * The agent that needs no model: the default, so that everything works without an account, and what answers where a model is away.
 * Deterministic rules for texts and calls. It never fails, waits or leaves the machine.
 */
export function dialogEngine(): LanguageModel {
  return {
    name: "offline",
    capabilities: { local: true, choosable: false },
    async reply(request, signal) {
      signal.throwIfAborted();
      return { ...replyTo(request), usage: USAGE };
    },
    async extract(request, signal) {
      signal.throwIfAborted();
      return { value: extractionOf(request), usage: USAGE };
    },
    async *converse(request, signal) {
      signal.throwIfAborted();
      const { text, toolCalls } = speechFor(request);
      if (text !== "") yield { kind: "text", text };
      for (const call of toolCalls) yield { kind: "tool", call };
      yield { kind: "usage", usage: USAGE };
    },
  } satisfies LanguageModel;
}
