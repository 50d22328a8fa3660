import type { FastifyReply } from "fastify";
import { rateLimited } from "#domain/errors.ts";

/** Keys that have been quiet for this long have a full bucket anyway, and are forgotten. */
const FORGET_AFTER_MS = 60_000;

/**
 * A token bucket for each API key, in this process: a second's worth of requests as burst; 0 is unlimited. Every answer carries the
 * `RateLimit` and `RateLimit-Policy` fields of the IETF draft.
 */
export class RateLimiter {
  private readonly buckets = new Map<string, { tokens: number; at: number }>();
  private readonly perSecond: number;
  private readonly policy: string;
  private sweptAt = performance.now();

  constructor(perSecond: number) {
    this.perSecond = perSecond;
    this.policy = `"key";q=${perSecond};w=1`;
  }

  /** Takes one request off the key's bucket, or fails with 429 and when to come back. */
  take(keyId: string, reply: FastifyReply): void {
    if (this.perSecond === 0) return;
    const now = performance.now();
    this.forget(now);
    const bucket = this.buckets.get(keyId) ?? { tokens: this.perSecond, at: now };
    bucket.tokens = Math.min(this.perSecond, bucket.tokens + ((now - bucket.at) / 1000) * this.perSecond);
    bucket.at = now;
    this.buckets.set(keyId, bucket);
    const allowed = bucket.tokens >= 1;
    if (allowed) bucket.tokens -= 1;
    reply.header("ratelimit-policy", this.policy);
    reply.header("ratelimit", `"key";r=${Math.floor(bucket.tokens)};t=1`);
    if (!allowed) throw rateLimited(1);
  }

  private forget(now: number): void {
    if (now - this.sweptAt < FORGET_AFTER_MS) return;
    this.sweptAt = now;
    for (const [key, bucket] of this.buckets) if (now - bucket.at > FORGET_AFTER_MS) this.buckets.delete(key);
  }
}
