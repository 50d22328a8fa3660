import type { LanguageModel, ModelUsage } from "#ports/language-model.ts";
import { offlineExtraction } from "./extract.ts";
import { offlineReply } from "./reply.ts";
import { offlineSpeech } from "./speech.ts";

/** Rules cost no tokens. */
const USAGE: ModelUsage = { inputTokens: 0, outputTokens: 0 };

/**
 * The offline agent: the default model, so that everything works without an account. Deterministic rules that ask for
 * the agent's fields one at a time and understand yes, no, later, a time, "call me", stop and "who are you". It never fails, waits or
 * leaves the machine.
 */
export function offlineModel(): LanguageModel {
  return {
    name: "offline",
    capabilities: { local: true, choosable: false },
    async reply(request, signal) {
      signal.throwIfAborted();
      return { ...offlineReply(request), usage: USAGE };
    },
    async extract(request, signal) {
      signal.throwIfAborted();
      return { value: offlineExtraction(request), usage: USAGE };
    },
    async *converse(request, signal) {
      signal.throwIfAborted();
      const { text, toolCalls } = offlineSpeech(request);
      if (text !== "") yield { kind: "text", text };
      for (const call of toolCalls) yield { kind: "tool", call };
      yield { kind: "usage", usage: USAGE };
    },
  } satisfies LanguageModel;
}
