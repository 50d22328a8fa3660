import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { jsonSchema, streamText, type ToolSet, tool } from "ai";
import { parse } from "secure-json-parse";
import { type AgentBrief, type LanguageModel, ModelError, type Prompt, type ToolOffer } from "#ports/language-model.ts";
import { type Answer, readAnswer } from "./answer.ts";
import { cappedFetch } from "./capped-fetch.ts";
import { failure, toModelError } from "./failure.ts";
import { readParts } from "./parts.ts";

export type OpenAiCompatibleSettings = {
  /** With its version: `http://127.0.0.1:11434/v1`. */
  baseUrl: string;
  apiKey?: string;
  /** Asked for when an agent names none. */
  model: string;
  /** For a whole answer, from the request to its last token. */
  timeoutMs: number;
};

/** Agents name what model they like. */
const MAX_MODELS = 100;

/** Made once: an abort without a reason makes one with its stack. */
const READ = new Error("The answer has been read");

/** A streamed token costs some 200 bytes of envelope; models that reason write thousands before the answer. */
const MAX_RESPONSE_BYTES = 4 * 1024 * 1024;

/**
 * Any endpoint that speaks OpenAI's chat completions: streamed, with tools, never retried here (the job that asks knows whether an
 * answer is still wanted). Every failure is a ModelError; the caller's own abort is thrown as it is.
 */
export function openAiCompatibleModel(settings: OpenAiCompatibleSettings): LanguageModel {
  const common = {
    name: "parley",
    baseURL: settings.baseUrl,
    ...(settings.apiKey ? { apiKey: settings.apiKey } : {}),
    includeUsage: true,
    fetch: cappedFetch(MAX_RESPONSE_BYTES),
  };
  const plain = modelsOf(createOpenAICompatible(common));
  const json = modelsOf(
    createOpenAICompatible({
      ...common,
      transformRequestBody: (body) => ({ ...body, response_format: { type: "json_object" } }),
    }),
  );
  // Some servers know only json_schema and answer 400: from then on the prompt alone has to ask for JSON.
  let hasJsonMode = true;

  function begin(models: ModelsByName, agent: AgentBrief, prompt: Prompt, tools: ToolSet, abortSignal: AbortSignal) {
    const { stream } = streamText({
      model: models(agent.model ?? settings.model),
      instructions: prompt.system,
      messages: [...prompt.messages],
      tools,
      ...(agent.temperature === undefined ? {} : { temperature: agent.temperature }),
      maxRetries: 0,
      abortSignal,
      // Without it every failure is also printed.
      onError: () => {},
    });
    return stream;
  }

  async function ask(
    models: ModelsByName,
    agent: AgentBrief,
    prompt: Prompt,
    tools: ToolSet,
    signal: AbortSignal,
  ): Promise<Answer> {
    signal.throwIfAborted();
    const done = new AbortController();
    const timeout = AbortSignal.timeout(settings.timeoutMs);
    try {
      return await readAnswer(begin(models, agent, prompt, tools, AbortSignal.any([signal, timeout, done.signal])));
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (timeout.aborted) throw failure("timeout", true);
      throw toModelError(error);
    } finally {
      // Closes the connection of an answer that was not read to its end.
      done.abort(READ);
    }
  }

  return {
    name: `openai-compatible:${settings.model}`,
    capabilities: { local: false, choosable: true },
    reply: ({ agent, prompt, tools }, signal) => ask(plain, agent, prompt, toolSet(tools), signal),
    async extract({ agent, prompt }, signal) {
      const request = (models: ModelsByName) => ask(models, agent, prompt, {}, signal);
      let answer: Answer;
      try {
        answer = await request(hasJsonMode ? json : plain);
      } catch (error) {
        if (!hasJsonMode || !(error instanceof ModelError) || error.vendorCode !== "400") throw error;
        answer = await request(plain);
        hasJsonMode = false;
      }
      return { value: parseObject(answer.text), usage: answer.usage };
    },
    async *converse({ agent, prompt, tools, limits }, signal) {
      signal.throwIfAborted();
      const done = new AbortController();
      try {
        const stream = begin(plain, agent, prompt, toolSet(tools), AbortSignal.any([signal, done.signal]));
        yield* readParts(stream, limits, signal);
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        throw toModelError(error);
      } finally {
        done.abort(READ);
      }
    },
  } satisfies LanguageModel;
}

type Model = ReturnType<ReturnType<typeof createOpenAICompatible>["chatModel"]>;
type ModelsByName = (name: string) => Model;

/** Each is made once: its schemas are put together and compiled with it, which takes longer than an answer of theirs. */
function modelsOf(provider: ReturnType<typeof createOpenAICompatible>): ModelsByName {
  const made = new Map<string, Model>();
  return (name) => {
    const known = made.get(name);
    if (known !== undefined) return known;
    if (made.size >= MAX_MODELS) made.clear();
    const model = provider.chatModel(name);
    made.set(name, model);
    return model;
  };
}

/** Tools without code: a call is only read, and its arguments are checked by src/conversation. */
function toolSet(offers: readonly ToolOffer<string>[]): ToolSet {
  return Object.fromEntries(
    offers.map(({ name, description, parameters }) => [
      name,
      tool({ description, inputSchema: jsonSchema(parameters) }),
    ]),
  );
}

/** The JSON object in a text that may have prose or a code fence around it. */
function parseObject(text: string): unknown {
  const from = text.indexOf("{");
  const to = text.lastIndexOf("}");
  if (from < 0 || to < from) throw failure("invalid_json", true);
  try {
    return parse(text.slice(from, to + 1), undefined, { protoAction: "remove", constructorAction: "remove" });
  } catch {
    throw failure("invalid_json", true);
  }
}
