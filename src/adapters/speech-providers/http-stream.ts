import { failure, responseFailure, toSpeechError } from "./failure.ts";
import { patienceOf, type SpeechLimits } from "./patience.ts";

/** Ten minutes of sound at 24 kHz: no sentence is that long, a stream without an end is. */
const MAX_BYTES = 28_800_000;

export type StreamRequest = {
  vendor: string;
  url: string;
  headers: Record<string, string>;
  body: unknown;
  limits: SpeechLimits;
  /** What the answer's content type must be: an error page is no sound. */
  contentType: RegExp;
};

/**
 * Posts JSON and yields the answer's bytes as they come. Rejects with SpeechError: the status, `timeout` before the first byte, `stalled`
 * between two, `invalid_response`, `empty`, `too_large`, or the network's code. At the signal it ends at once; however it
 * ends, the connection is freed. Redirects fail: a key is sent to the address that was configured and to no other.
 */
export async function* postForStream(request: StreamRequest, signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
  const { vendor, limits } = request;
  const patience = patienceOf(signal);
  try {
    patience.within(limits.firstMs, "timeout");
    const response = await fetch(request.url, {
      method: "POST",
      headers: { "content-type": "application/json", ...request.headers },
      body: JSON.stringify(request.body),
      redirect: "error",
      signal: patience.signal,
    });
    if (!response.ok) throw await responseFailure(vendor, response);
    if (!request.contentType.test(response.headers.get("content-type") ?? "")) {
      throw failure(vendor, "invalid_response", true);
    }
    let bytes = 0;
    const reader = response.body?.getReader();
    for (;;) {
      const { value, done } = (await reader?.read()) ?? { done: true };
      patience.rest();
      if (done || value === undefined) break;
      bytes += value.byteLength;
      if (bytes > MAX_BYTES) throw failure(vendor, "too_large", false);
      yield value;
      patience.within(limits.gapMs, "stalled");
    }
    if (bytes === 0) throw failure(vendor, "empty", true);
  } catch (error) {
    if (signal.aborted) return;
    throw patience.expired ? failure(vendor, patience.expired, true) : toSpeechError(vendor, error);
  } finally {
    patience.end();
  }
}

/** Raw sound by any of its usual names. */
export const SOUND = /^(?:audio\/|application\/octet-stream)/i;
