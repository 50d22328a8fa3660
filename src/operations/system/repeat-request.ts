import { createHash } from "node:crypto";
import { failure } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as idempotency from "#store/system/idempotency.ts";

/** The process of a request that has run this long without an answer has died: the longest bulk takes a tenth of it. */
const ABANDONED_AFTER_MS = 120_000;

export type RunningRequest = idempotency.Run;

type Started = { as: Caller; run: RunningRequest } | { replay: { status: number; body: string } };

/**
 * Begins a POST under its Idempotency-Key: either to be run by the caller, or answered with the first run's answer. 400 for a malformed key, 422 for
 * another body, 409 while the first is still running. A key used in test mode is another key than the same one in live mode: what was tried there is
 * done here.
 *
 * The ids that the run makes are derived from a seed stored with the key. A repeat after a crash therefore makes the same rows, which exist, and not
 * a second set.
 */
export async function startRequest(
  ctx: Context,
  caller: Caller,
  request: { name: string; key: string; bodyHash: Buffer },
): Promise<Started> {
  if (!/^[\x20-\x7e]{1,255}$/.test(request.key)) {
    throw failure("idempotency_key_invalid", "Idempotency-Key must be 1 to 255 printable characters");
  }
  const now = ctx.now();
  const seed = ctx.newId();
  const { name, key, bodyHash } = request;
  const run = { name, key, startedAt: now };
  const mine = await idempotency.begin(ctx.db, caller.tenantId, { name, key, bodyHash, seed, now });
  if (mine) return { as: { ...caller, newId: idsFrom(seed) }, run };
  const kept = await idempotency.find(ctx.db, caller.tenantId, name, key);
  if (!kept) throw failure("request_in_progress", "A request with this Idempotency-Key has just ended; repeat it");
  if (!kept.body_hash.equals(bodyHash)) {
    throw failure("idempotency_key_reused", "This Idempotency-Key came before with another body");
  }
  if (kept.status !== null) return { replay: { status: kept.status, body: kept.body ?? "" } };
  const abandoned = kept.freed_at !== null || now.getTime() - kept.started_at.getTime() > ABANDONED_AFTER_MS;
  if (abandoned && (await idempotency.resume(ctx.db, caller.tenantId, run, kept))) {
    return { as: { ...caller, newId: idsFrom(kept.seed) }, run };
  }
  throw failure("request_in_progress", "A request with this Idempotency-Key is still running");
}

/** Stores a run's answer for repeats; `undefined` lets the next repeat run the request again. Does nothing once another run has taken it over. */
export async function finishRequest(
  ctx: Context,
  { tenantId }: Caller,
  run: RunningRequest,
  answer: { status: number; body: string } | undefined,
): Promise<void> {
  if (answer) await idempotency.finish(ctx.db, tenantId, run, answer);
  else await idempotency.free(ctx.db, tenantId, run, ctx.now());
}

/** UUIDv7s with the time of the seed, derived from all of it: the n-th is always the same. */
export function idsFrom(seed: string): () => Uuid {
  let n = 0;
  return () => {
    const hash = createHash("sha256").update(`${seed}:${n++}`).digest("hex");
    const variant = ((Number.parseInt(hash[3]!, 16) & 3) | 8).toString(16);
    return `${seed.slice(0, 13)}-7${hash.slice(0, 3)}-${variant}${hash.slice(4, 7)}-${hash.slice(7, 19)}`;
  };
}
