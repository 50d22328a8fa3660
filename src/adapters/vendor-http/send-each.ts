import type { OutgoingText, SendOutcome, SmsBatch } from "#ports/sms-carrier.ts";
import { VendorFailure } from "./failure.ts";

/** A failure that says nothing of when to try again, before a byte left: the vendor may be back by then. */
const AGAIN_MS = 1_000;

/**
 * Sends a batch by one request each, as many at a time as the client has room for. `post` gets what it must ask right before the request's first
 * byte. Once one is barred, those that wait are not tried: they would be refused as well. Never rejects.
 */
export function sendEach(
  batch: SmsBatch,
  post: (text: OutgoingText, mayLeave: () => boolean) => Promise<SendOutcome>,
): Promise<SendOutcome[]> {
  let bar: SendOutcome | undefined;
  return Promise.all(
    batch.texts.map(async (text) => {
      const mayLeave = () => bar === undefined && batch.mayLeave(text);
      const outcome = await post(text, mayLeave).catch(failureOutcome);
      if (outcome.outcome === "barred") bar = outcome;
      return bar && outcome.outcome === "not_sent" && outcome.code === "held_up" ? bar : outcome;
    }),
  );
}

/** A failed request as the outcome of its text. What is no VendorFailure is a fault of ours, after which nothing is certain. */
export function failureOutcome(error: unknown): SendOutcome {
  if (!(error instanceof VendorFailure)) return { outcome: "uncertain", code: "adapter_failed" };
  const { code, wasSent, retryAfterMs } = error;
  if (wasSent) return { outcome: "uncertain", code };
  return { outcome: "not_sent", code, retryAfterMs: code === "held_up" ? 0 : retryAfterMs || AGAIN_MS };
}
