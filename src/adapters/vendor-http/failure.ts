/**
 * A request that has no answer. Of errors only codes are kept: a message may quote the address, and with it the account. `code` is the
 * network's (ECONNREFUSED), or `timeout`, `connect_timeout`, `aborted`, `too_large`, `held_up`, `left_alone`, `429`.
 */
export class VendorFailure extends Error {
  readonly code: string;
  /** Whether a byte of the request may have reached the vendor. False: it certainly has not got it, or has refused it unread. */
  readonly wasSent: boolean;
  readonly retryAfterMs: number;

  constructor(code: string, { wasSent, retryAfterMs = 0 }: { wasSent: boolean; retryAfterMs?: number }) {
    super(`The carrier did not answer: ${code}`);
    this.name = "VendorFailure";
    this.code = code;
    this.wasSent = wasSent;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The network's code of an error, such as ECONNRESET or CERT_HAS_EXPIRED; of several addresses that were tried, the first one's. */
export function networkCode(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === "string" && /^[A-Z][A-Z0-9_]{2,63}$/.test(code) ? code : "network";
}
