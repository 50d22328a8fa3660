import { mayBeAnsweredLater } from "#domain/agents/answer-retry.ts";
import { type AgentBrief, type LanguageModel, ModelError } from "#ports/language-model.ts";
import { LEFT_ALONE } from "./breaker-model.ts";

/**
 * Asks the first model, and the second where the first fails by something that is no fault of the request. An agent's own `model` is one of the
 * first's. When both fail, the sooner of their times to come back counts. In a call the turn itself requests the second (`again`), after it
 * has played a filler phrase; only a first model with an open circuit breaker is skipped at once.
 */
export function modelWithFallback(first: LanguageModel, second: LanguageModel): LanguageModel {
  async function either<T>(ask: (model: LanguageModel) => Promise<T>, signal: AbortSignal): Promise<T> {
    try {
      return await ask(first);
    } catch (error) {
      if (signal.aborted || !isOutage(error)) throw error;
      try {
        return await ask(second);
      } catch (later) {
        throw later instanceof ModelError ? both(error, later) : later;
      }
    }
  }
  const of = <R extends { agent: AgentBrief }>(model: LanguageModel, request: R): R =>
    model === first ? request : { ...request, agent: withoutModel(request.agent) };

  return {
    name: `${first.name}, then ${second.name}`,
    capabilities: first.capabilities,
    reply: (request, signal) => either((model) => model.reply(of(model, request), signal), signal),
    extract: (request, signal) => either((model) => model.extract(of(model, request), signal), signal),
    async *converse(request, signal) {
      if (!request.again) {
        try {
          return yield* first.converse(request, signal);
        } catch (error) {
          if (!(error instanceof ModelError) || error.vendorCode !== LEFT_ALONE) throw error;
        }
      }
      yield* second.converse(of(second, request), signal);
    },
  } satisfies LanguageModel;
}

const isOutage = (error: unknown): error is ModelError => error instanceof ModelError && mayBeAnsweredLater(error);

function withoutModel({ model: _, ...agent }: AgentBrief): AgentBrief {
  return agent;
}

/** A failure of both: retryable when either is, and after the shorter wait. */
function both(first: ModelError, second: ModelError): ModelError {
  const reported = second.retryable || !first.retryable ? second : first;
  const wait = Math.min(first.retryAfterMs ?? 0, second.retryAfterMs ?? 0);
  return new ModelError(`Both language models failed: ${first.vendorCode}, ${second.vendorCode}`, {
    retryable: reported.retryable,
    vendorCode: reported.vendorCode,
    ...(wait > 0 ? { retryAfterMs: wait } : {}),
  });
}
