import type { TextStreamPart, ToolSet } from "ai";
import type { ModelUsage, ToolCall } from "#ports/language-model.ts";
import { failure, toModelError } from "./failure.ts";

/** Ten segments are 1,530 characters, an extraction of fifty fields 20,000: a model that writes more does not end. */
const MAX_TEXT_LENGTH = 64_000;
/** Four tools are on offer. */
const MAX_TOOL_CALLS = 20;

export type Answer = { text: string; toolCalls: ToolCall[]; usage: ModelUsage };

/** Models that think aloud in the text itself. */
const THOUGHT = /^\s*<think(?:ing)?>[\s\S]*?<\/think(?:ing)?>/i;

/**
 * Reads a whole answer off a stream. Rejects with ModelError when the provider reports an error, ends early, is cut off by length,
 * refuses, or writes without end. An `abort` part is for the caller to explain.
 */
export async function readAnswer(stream: AsyncIterable<TextStreamPart<ToolSet>>): Promise<Answer> {
  let text = "";
  const toolCalls: ToolCall[] = [];
  for await (const part of stream) {
    switch (part.type) {
      case "text-delta":
        text += part.text;
        if (text.length > MAX_TEXT_LENGTH) throw failure("too_large", false);
        break;
      case "tool-call":
        if (toolCalls.length < MAX_TOOL_CALLS) toolCalls.push({ name: part.toolName, args: part.input });
        break;
      case "error":
        throw toModelError(part.error);
      case "abort":
        throw failure("aborted", true);
      case "finish": {
        if (part.finishReason === "length" || part.finishReason === "content-filter" || part.finishReason === "error") {
          throw failure(part.finishReason.replace("-", "_"), false);
        }
        const { inputTokens = 0, outputTokens = 0 } = part.totalUsage;
        return { text: text.replace(THOUGHT, ""), toolCalls, usage: { inputTokens, outputTokens } };
      }
    }
  }
  throw failure("closed_early", true);
}
