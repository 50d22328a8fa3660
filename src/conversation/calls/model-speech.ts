import { asModelError } from "#conversation/agents/time-limit.ts";
import type { GateRules, OutputReason } from "#domain/messaging/output-gate.ts";
import {
  type ConverseRequest,
  type LanguageModel,
  ModelError,
  type ModelUsage,
  type ToolCall,
} from "#ports/language-model.ts";
import { sentenceSplitter } from "./sentences.ts";
import { checkSpoken } from "./speech.ts";

/** What comes of a model's stream: sentences that may be spoken, tools it calls, and what it took. */
export type SpeechPart =
  | { kind: "sentence"; text: string }
  | { kind: "tool"; call: ToolCall }
  /** A sentence was refused: nothing of what follows it is trusted. Always the last. */
  | { kind: "refused"; reason: OutputReason }
  /** Nothing has come for as long as people wait: something should be said meanwhile. At most once, before all others. */
  | { kind: "slow" };

export type SpeechOptions = {
  rules: GateRules;
  slowAfterMs: number;
  onUsage(usage: ModelUsage): void;
};

/** A turn on the telephone has two sentences; a model that goes on after twelve has forgotten where it is. */
const MAX_SENTENCES = 12;

/** Made once: an abort without a reason makes one with a stack, which costs more than all the rules of an offline turn. */
const LEFT = new Error("Nobody listens any more");

/**
 * Asks a model for one turn of a call and gives sentence after sentence as each is whole, through the gate. Throws ModelError as the model
 * does, and `empty` when it ended with nothing to say and nothing to do. Returns at the signal. What it leaves unread is aborted.
 */
export async function* modelSpeech(
  model: LanguageModel,
  request: ConverseRequest,
  options: SpeechOptions,
  signal: AbortSignal,
): AsyncGenerator<SpeechPart> {
  const done = new AbortController();
  const parts = model.converse(request, AbortSignal.any([signal, done.signal]))[Symbol.asyncIterator]();
  // A model may be deaf to its signal.
  const aborted = new Promise<undefined>((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener("abort", () => resolve(undefined), { once: true, signal: done.signal });
  });
  const splitter = sentenceSplitter();
  let before = "";
  let sentences = 0;
  let tools = 0;

  /** What may be spoken of these; false after one that may not. */
  const checked = function* (raws: readonly string[]): Generator<SpeechPart, boolean> {
    for (const raw of raws) {
      const verdict = checkSpoken(raw, before, options.rules);
      if (!verdict.ok) {
        yield { kind: "refused", reason: verdict.reason };
        return false;
      }
      if (verdict.text === "") continue;
      before = `${before} ${raw}`;
      sentences++;
      yield { kind: "sentence", text: verdict.text };
      if (sentences >= MAX_SENTENCES) return false;
    }
    return true;
  };

  try {
    let waiting = parts.next();
    waiting.catch(() => {});
    if (await isSlow(waiting, options.slowAfterMs, aborted)) yield { kind: "slow" };
    while (!signal.aborted) {
      const next = await Promise.race([waiting, aborted]);
      if (next === undefined) return;
      const { value: part, done: ended } = next;
      if (ended) break;
      if (part.kind === "text") {
        if (!(yield* checked(splitter.push(part.text)))) return;
      } else if (part.kind === "tool") {
        tools++;
        // What was written before a tool is said before it works.
        if (!(yield* checked(splitter.end()))) return;
        yield { kind: "tool", call: part.call };
      } else options.onUsage(part.usage);
      if (signal.aborted) return;
      waiting = parts.next();
      waiting.catch(() => {});
    }
    if (signal.aborted || !(yield* checked(splitter.end()))) return;
    if (sentences === 0 && tools === 0) {
      throw new ModelError("The model had nothing to say", { retryable: true, vendorCode: "empty" });
    }
  } catch (error) {
    if (signal.aborted) return;
    throw asModelError(error, signal);
  } finally {
    done.abort(LEFT);
    parts.return?.().catch(() => {});
  }
}

/** Whether a promise takes longer than this. Its own failure is for whoever awaits it next. */
async function isSlow(promise: Promise<unknown>, ms: number, aborted: Promise<undefined>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(true), ms);
  });
  const there = promise.then(
    () => false,
    () => false,
  );
  try {
    return (await Promise.race([there, late, aborted])) ?? false;
  } finally {
    clearTimeout(timer);
  }
}
