import type { FastifyReply } from "fastify";
import { rateLimited } from "#domain/values/errors.ts";

/** How often names are looked through for those to forget. */
const SWEEP_EVERY_MS = 60_000;

/** Token buckets by name, in this process: `capacity` at once, and `perSecond` from then on. */
class Buckets {
  private readonly buckets = new Map<string, { tokens: number; at: number }>();
  private readonly capacity: number;
  private readonly perSecond: number;
  /** A name that has been quiet for this long has a full bucket anyway. */
  private readonly fullAfterMs: number;
  private sweptAt = performance.now();

  constructor(capacity: number, perSecond: number) {
    this.capacity = capacity;
    this.perSecond = perSecond;
    this.fullAfterMs = perSecond > 0 ? (1000 * capacity) / perSecond : 0;
  }

  /** What is left in a bucket, after taking `count` where that much is there. */
  take(name: string, count: number): { taken: boolean; left: number } {
    const now = performance.now();
    this.forget(now);
    const bucket = this.buckets.get(name) ?? { tokens: this.capacity, at: now };
    bucket.tokens = Math.min(this.capacity, bucket.tokens + ((now - bucket.at) / 1000) * this.perSecond);
    bucket.at = now;
    this.buckets.set(name, bucket);
    const taken = bucket.tokens >= count;
    if (taken) bucket.tokens -= count;
    return { taken, left: bucket.tokens };
  }

  /** Gives back what was taken for nothing. */
  giveBack(name: string, count: number): void {
    const bucket = this.buckets.get(name);
    if (bucket) bucket.tokens = Math.min(this.capacity, bucket.tokens + count);
  }

  private forget(now: number): void {
    if (now - this.sweptAt < SWEEP_EVERY_MS) return;
    this.sweptAt = now;
    for (const [name, bucket] of this.buckets) if (now - bucket.at > this.fullAfterMs) this.buckets.delete(name);
  }
}

/**
 * The requests of each API key, or each address, in this process: a second's worth as burst; 0 is unlimited. Every answer carries the
 * `RateLimit` and `RateLimit-Policy` fields of the IETF draft (draft-ietf-httpapi-ratelimit-headers-10).
 */
export class RateLimiter {
  private readonly buckets: Buckets;
  private readonly perSecond: number;
  private readonly of: "key" | "address";

  constructor(perSecond: number, of: "key" | "address" = "key") {
    this.perSecond = perSecond;
    this.of = of;
    this.buckets = new Buckets(perSecond, perSecond);
  }

  /** Takes one request off the key's or address's bucket, or fails with 429 and when to come back. */
  take(name: string, reply: FastifyReply): void {
    if (this.perSecond === 0) return;
    const { taken, left } = this.buckets.take(this.of === "address" ? networkOf(name) : name, 1);
    reply.header("ratelimit-policy", `"${this.of}";q=${this.perSecond};w=1`);
    reply.header("ratelimit", `"${this.of}";r=${Math.floor(left)};t=1`);
    if (!taken) throw rateLimited(1, `Too many requests ${this.of === "key" ? "with this key" : "from this address"}`);
  }
}

/** What an address sends that is refused, a minute, in this process; 0 is unlimited. Nothing is taken for what is not refused. */
export class Refusals {
  private readonly buckets: Buckets;
  private readonly perMinute: number;

  constructor(perMinute: number) {
    this.perMinute = perMinute;
    this.buckets = new Buckets(perMinute, perMinute / 60);
  }

  /** Whether the next that is refused would be one too many. */
  areUsedUp(address: string): boolean {
    return this.perMinute > 0 && this.buckets.take(networkOf(address), 0).left < 1;
  }

  /** Counts one that is refused: false, where it is one too many. */
  take(address: string): boolean {
    return this.perMinute === 0 || this.buckets.take(networkOf(address), 1).taken;
  }

  /** One that was counted beforehand is not refused after all. */
  giveBack(address: string): void {
    this.buckets.giveBack(networkOf(address), 1);
  }
}

/** Of IPv6 a caller has a whole /64 to himself. */
export function networkOf(address: string): string {
  if (!address.includes(":") || address.includes(".")) return address;
  const [head, tail] = address.split("::");
  const groups = head!.split(":").filter((group) => group !== "");
  const missing = tail === undefined ? 0 : Math.max(0, 4 - groups.length);
  return [...groups, ...Array.from({ length: missing }, () => "0")].slice(0, 4).join(":");
}
