import { APICallError } from "ai";
import { ModelError } from "#ports/language-model.ts";
import { ResponseTooLargeError } from "./capped-fetch.ts";

/** Waiting longer than this for a provider is a new turn, not a repeat. */
const MAX_RETRY_AFTER_MS = 600_000;

/** A provider's error as ours. Its message stays in `cause`: it may quote the prompt, and logs are no place for that. */
export function toModelError(error: unknown): ModelError {
  if (error instanceof ModelError) return error;
  const large = causeOf(error, (cause) => cause instanceof ResponseTooLargeError);
  if (large) return failure("too_large", false, error);
  if (APICallError.isInstance(error) && error.statusCode !== undefined && error.statusCode >= 300) {
    const retryable = [408, 409, 425, 429].includes(error.statusCode) || error.statusCode >= 500;
    return failure(String(error.statusCode), retryable, error, retryAfterMs(error.responseHeaders?.["retry-after"]));
  }
  const network = causeOf(
    error,
    (cause) => typeof cause.code === "string" && /^(?:E[A-Z]+|UND_ERR_\w+)$/.test(cause.code),
  );
  if (network) return failure(String(network.code), true, error);
  if (APICallError.isInstance(error)) return failure("network", true, error);
  return failure("invalid_response", true, error);
}

export function failure(vendorCode: string, retryable: boolean, cause?: unknown, afterMs?: number): ModelError {
  const more = { retryable, vendorCode, cause, ...(afterMs === undefined ? {} : { retryAfterMs: afterMs }) };
  return new ModelError(`The language model failed: ${vendorCode}`, more);
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

/** Retry-After in seconds; a date is not worth reading for a pause of seconds. */
function retryAfterMs(header: string | undefined): number | undefined {
  const seconds = header === undefined || header === "" ? Number.NaN : Number(header);
  return seconds >= 0 ? Math.min(seconds * 1_000, MAX_RETRY_AFTER_MS) : undefined;
}
