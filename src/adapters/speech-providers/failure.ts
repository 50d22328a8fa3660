import { SpeechError } from "#ports/speech-to-text.ts";

/** Errors are short; a page of HTML is not worth reading to its end. */
const MAX_ERROR_BYTES = 16_384;
/** Statuses that may be another one later. 401, 402 and 403 need a person. */
const RETRYABLE = new Set([408, 409, 425, 429]);

/** Only codes are kept of what a provider says: its messages quote the text, and sometimes the key. */
export const failure = (vendor: string, vendorCode: string, retryable: boolean, detail?: string): SpeechError =>
  new SpeechError(`${vendor} failed: ${vendorCode}${detail ? ` (${detail})` : ""}`, { retryable, vendorCode });

export function statusFailure(vendor: string, status: number, detail?: string): SpeechError {
  return failure(vendor, String(status), RETRYABLE.has(status) || status >= 500, detail);
}

/** An error response as SpeechError, with the provider's own word for it when it has one. Reads at most a little of the body. */
export async function responseFailure(vendor: string, response: Response): Promise<SpeechError> {
  let text = "";
  const decoder = new TextDecoder();
  try {
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk as Uint8Array, { stream: true });
      if (text.length > MAX_ERROR_BYTES) break;
    }
  } catch {
    // The status says enough.
  }
  return statusFailure(vendor, response.status, errorWord(text));
}

/** Anything thrown, as SpeechError. Of the network's errors only the code is kept. */
export function toSpeechError(vendor: string, error: unknown): SpeechError {
  if (error instanceof SpeechError) return error;
  let cause = error;
  for (let depth = 0; depth < 10 && typeof cause === "object" && cause !== null; depth++) {
    const { code } = cause as { code?: unknown };
    if (typeof code === "string" && /^[A-Z][A-Z0-9_]{2,63}$/.test(code)) return failure(vendor, code, true);
    cause = (cause as { cause?: unknown }).cause;
  }
  return failure(vendor, "network", true);
}

/** A word such as `rate_limit_exceeded` at one of the places where the providers have it. */
function errorWord(text: string): string | undefined {
  const body = parsed(text);
  const { error, detail } = body;
  const places = [
    fields(error).code,
    fields(error).type,
    fields(detail).status,
    body.err_code,
    body.error_code,
    body.code,
  ];
  return places.find((word): word is string => typeof word === "string" && /^[a-z][a-z0-9_.-]{0,63}$/i.test(word));
}

/** The fields of a JSON text that is an object; none of anything else. */
export function parsed(text: string): Record<string, unknown> {
  try {
    return fields(JSON.parse(text));
  } catch {
    return {};
  }
}

/** A value's fields when it is an object; none otherwise. */
export const fields = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
