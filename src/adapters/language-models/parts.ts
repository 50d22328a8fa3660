import type { TextStreamPart, ToolSet } from "ai";
import type { ConverseLimits, ConversePart } from "#ports/language-model.ts";
import { failure, toModelError } from "./failure.ts";

/** Two thousand words are a speech of thirteen minutes: a model that says more to one sentence of a contact does not end. */
const MAX_TEXT_LENGTH = 12_000;
/** Five tools are on offer. */
const MAX_TOOL_CALLS = 20;

/**
 * An answer off a stream, piece by piece as it comes. Throws ModelError as readAnswer rejects, and `timeout` when nothing that could be spoken
 * or done came within the limits: thinking aloud is neither. Time that the reader takes between two pieces does not count. The abort
 * of `signal` is noticed at once, whatever the provider does.
 */
export async function* readParts(
  stream: AsyncIterable<TextStreamPart<ToolSet>>,
  limits: ConverseLimits,
  signal: AbortSignal,
): AsyncGenerator<ConversePart> {
  const parts = stream[Symbol.asyncIterator]();
  const speech = withoutThoughts();
  let leftMs = limits.firstMs;
  let length = 0;
  let toolCalls = 0;
  while (true) {
    const since = performance.now();
    const { value: part, done } = await within(parts.next(), leftMs, signal);
    if (done) throw failure("closed_early", true);
    leftMs -= performance.now() - since;
    switch (part.type) {
      case "text-delta": {
        length += part.text.length;
        if (length > MAX_TEXT_LENGTH) throw failure("too_large", false);
        const text = speech(part.text);
        if (text === "") break;
        leftMs = limits.betweenMs;
        yield { kind: "text", text };
        break;
      }
      case "tool-input-delta":
        leftMs = limits.betweenMs;
        break;
      case "tool-call":
        leftMs = limits.betweenMs;
        if (toolCalls++ < MAX_TOOL_CALLS) yield { kind: "tool", call: { name: part.toolName, args: part.input } };
        break;
      case "error":
        throw toModelError(part.error);
      case "abort":
        throw failure("aborted", true);
      case "finish": {
        const { finishReason: reason, totalUsage } = part;
        if (reason === "length" || reason === "content-filter" || reason === "error") {
          throw failure(reason.replace("-", "_"), false);
        }
        const rest = speech("", true);
        if (rest !== "") yield { kind: "text", text: rest };
        const { inputTokens = 0, outputTokens = 0 } = totalUsage;
        yield { kind: "usage", usage: { inputTokens, outputTokens } };
        return;
      }
    }
  }
}

/** What comes of a promise, for as long: rejects with `timeout` then, and with the signal's reason. */
async function within<T>(promise: Promise<T>, ms: number, signal: AbortSignal): Promise<T> {
  // Whatever becomes of it after the limit, nobody waits for it.
  promise.catch(() => {});
  let timer: NodeJS.Timeout | undefined;
  let onAbort = () => {};
  const ended = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(failure("timeout", true)), Math.max(0, ms));
    onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    return await Promise.race([promise, ended]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}

const OPENING = "<think";
const THOUGHT_ENDS = /<\/think(?:ing)?>\s*/i;
/** As much of a thought's end as may have come already. */
const LONGEST_END = "</thinking>".length;

/**
 * Keeps back what a model thinks aloud at the beginning of its text (`<think>...</think>`): the function takes each delta and gives what may be
 * spoken of it. `last` gives what was kept back in doubt.
 */
function withoutThoughts(): (delta: string, last?: boolean) => string {
  let state: "beginning" | "thinking" | "speaking" = "beginning";
  let kept = "";
  return (delta, last = false) => {
    if (state === "speaking") return delta;
    kept += delta;
    if (state === "beginning") {
      const start = kept.trimStart().slice(0, OPENING.length).toLowerCase();
      if (start === OPENING) state = "thinking";
      else if (last || !OPENING.startsWith(start)) {
        state = "speaking";
        return kept;
      } else return "";
    }
    const end = THOUGHT_ENDS.exec(kept);
    if (end === null) {
      kept = kept.slice(-LONGEST_END);
      return "";
    }
    state = "speaking";
    return kept.slice(end.index + end[0].length);
  };
}
