import { mayBeAnsweredLater } from "#domain/agents/answer-retry.ts";
import { type Breaker, circuitBreaker } from "#domain/system/circuit-breaker.ts";
import { type LanguageModel, ModelError } from "#ports/language-model.ts";

/** More in a row than chance has: of requests of which a third fails, one in seven thousand begins such a row. */
const FAILURES = 8;
/** Short, since an answer that waits is somebody who waits. */
const REST_MS = 10_000;

/** A model that is bad at JSON answers all the same. */
const UNSKILLED = "invalid_json";

/** The code of a request that was not made because the provider has been failing. */
export const LEFT_ALONE = "left_alone";

/**
 * A model that is left alone for a while once it has failed at several requests in a row: those that come then fail at once, as retryable, and
 * hold nobody up. What a provider refuses for its content is an answer of one that is well.
 */
export function modelWithBreaker(
  model: LanguageModel,
  breaker: Breaker = circuitBreaker({ failures: FAILURES, restMs: REST_MS, now: () => performance.now() }),
): LanguageModel {
  function enter(): void {
    if (breaker.allows()) return;
    throw new ModelError("The language model has been failing and is left alone", {
      retryable: true,
      vendorCode: LEFT_ALONE,
      retryAfterMs: breaker.restMs(),
    });
  }

  /** An abort of the caller's says nothing about the provider. */
  function note(error: unknown): void {
    if (!(error instanceof ModelError)) return;
    if (mayBeAnsweredLater(error) && error.vendorCode !== UNSKILLED) breaker.failed();
    else breaker.succeeded();
  }

  async function once<T>(ask: () => Promise<T>): Promise<T> {
    enter();
    try {
      const answer = await ask();
      breaker.succeeded();
      return answer;
    } catch (error) {
      note(error);
      throw error;
    }
  }

  return {
    ...model,
    reply: (request, signal) => once(() => model.reply(request, signal)),
    extract: (request, signal) => once(() => model.extract(request, signal)),
    async *converse(request, signal) {
      enter();
      try {
        let begun = false;
        for await (const part of model.converse(request, signal)) {
          if (!begun) breaker.succeeded();
          begun = true;
          yield part;
        }
      } catch (error) {
        note(error);
        throw error;
      }
    },
  } satisfies LanguageModel;
}
