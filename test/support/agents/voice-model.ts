import type { ConversePart, ConverseRequest, LanguageModel } from "#ports/language-model.ts";

/** What a scripted model does with one turn: text comes word by word, a number is a wait in milliseconds. */
export type VoiceTurn = readonly (string | number | { tool: string; args?: unknown } | { fails: Error })[];

/** A model that plays the given turns whatever the request, the last one again and again; it records its requests. */
export function voiceModel(
  ...turns: readonly VoiceTurn[]
): LanguageModel & { asked: ConverseRequest[]; aborted: number } {
  const left = [...turns];
  const model = {
    name: "scripted",
    capabilities: { local: false, choosable: true },
    asked: [] as ConverseRequest[],
    aborted: 0,
    reply: () => Promise.reject(new Error("no text is asked for")),
    extract: () => Promise.reject(new Error("no extraction is asked for")),
    async *converse(request: ConverseRequest, signal: AbortSignal): AsyncGenerator<ConversePart> {
      model.asked.push(request);
      signal.addEventListener("abort", () => model.aborted++, { once: true });
      for (const step of (left.length > 1 ? left.shift() : left[0]) ?? []) {
        if (typeof step === "number") await pause(step, signal);
        else if (typeof step === "string") {
          for (const text of step.match(/\S+\s*/g) ?? []) yield { kind: "text", text };
        } else if ("fails" in step) throw step.fails;
        else yield { kind: "tool", call: { name: step.tool, args: step.args ?? {} } };
      }
      yield { kind: "usage", usage: { inputTokens: 10, outputTokens: 5 } };
    },
  };
  return model;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      "abort",
      () => {
        clearTimeout(timer);
        reject(signal.reason);
      },
      { once: true },
    );
  });
}
