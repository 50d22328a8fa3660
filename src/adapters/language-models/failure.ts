import { APICallError } from "ai";
import { retryAfterMs } from "#adapters/vendor-http/retry-after.ts";
import { ModelError } from "#ports/language-model.ts";
import { ResponseTooLargeError } from "./capped-fetch.ts";

/**
 * A provider's error as ours. Only its codes are kept: its message and the SDK's error hold the prompt, the answer and
 * sometimes the key, and whatever is kept here ends in a log.
 */
export function toModelError(error: unknown): ModelError {
  if (error instanceof ModelError) return error;
  if (causeOf(error, (cause) => cause instanceof ResponseTooLargeError)) return failure("too_large", false);
  if (APICallError.isInstance(error) && error.statusCode !== undefined && error.statusCode >= 300) {
    const retryable = [408, 409, 425, 429].includes(error.statusCode) || error.statusCode >= 500;
    return failure(String(error.statusCode), retryable, {
      detail: providerCode(error.data),
      retryAfterMs: retryAfterMs(error.responseHeaders ?? {}),
    });
  }
  const network = causeOf(error, ({ code }) => typeof code === "string" && /^(?:E[A-Z]+|UND_ERR_\w+)$/.test(code));
  if (network) return failure(String(network.code), true);
  return failure(APICallError.isInstance(error) ? "network" : "invalid_response", true);
}

export function failure(
  vendorCode: string,
  retryable: boolean,
  more: { detail?: string | undefined; retryAfterMs?: number | undefined } = {},
): ModelError {
  const detail = more.detail ? ` (${more.detail})` : "";
  const wait = more.retryAfterMs === undefined ? {} : { retryAfterMs: more.retryAfterMs };
  return new ModelError(`The language model failed: ${vendorCode}${detail}`, { retryable, vendorCode, ...wait });
}

/** OpenAI's `error.code` or `error.type`, such as `model_not_found`: a word, or nothing. */
function providerCode(data: unknown): string | undefined {
  const { error } = (data ?? {}) as { error?: { code?: unknown; type?: unknown } };
  const code = error?.code ?? error?.type;
  return typeof code === "string" && /^[a-z][a-z0-9_.-]{0,63}$/i.test(code) ? code : undefined;
}

type Cause = { code?: unknown; cause?: unknown };

/** The first in a chain of causes that is wanted. Chains are short; a circular one must end too. */
function causeOf(error: unknown, wanted: (cause: Cause) => boolean): Cause | undefined {
  let cause = error;
  for (let depth = 0; depth < 10 && typeof cause === "object" && cause !== null; depth++) {
    if (wanted(cause as Cause)) return cause as Cause;
    cause = (cause as Cause).cause;
  }
  return undefined;
}
