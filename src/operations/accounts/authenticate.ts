import { hash, timingSafeEqual } from "node:crypto";
import { isInRanges, rangesOf } from "#domain/accounts/address-range.ts";
import { readKey } from "#domain/accounts/api-key.ts";
import { isMistyped } from "#domain/accounts/key-checksum.ts";
import { failure, unauthorized } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { Caller, Context } from "#operations/context.ts";
import type { DigestedKey, UsedKeys } from "#operations/process-state.ts";
import type { FoundKey } from "#store/accounts/api-keys.ts";
import * as apiKeys from "#store/accounts/api-keys.ts";
import { inBatches } from "#store/database/in-batches.ts";

/** `last_used_at` is shown to people: one write a minute is precise enough. */
const TOUCH_EVERY_MS = 60_000;
/** Enough for every key in use; past it what is remembered of them begins anew. */
const MAX_REMEMBERED = 10_000;

/**
 * The caller behind an API key that came from an address. What the key may do is read after the request came, and kept for no other: once a change of it
 * is answered, each request that begins counts with it, on every node. Fails with a 401, which says that a key is revoked or has expired to who has the
 * whole key alone, and with a 403 where the key is right and the address is not one of its own.
 */
export async function authenticate(ctx: Context, text: string, address: string): Promise<Caller> {
  const { digested } = ctx.process;
  // It is made in a fifth of the digest's time.
  const name = hash("sha256", text, "base64");
  const remembered = digested.get(name);
  const read = remembered ?? digestOf(ctx, text);
  if (!read) throw unauthorized("malformed");
  const { digest, lookup } = read;
  const key = await readAtOnce(ctx, lookup);
  // The comparison runs for an unknown id too, so that the response time does not reveal which ids exist.
  const right = timingSafeEqual(digest, key?.digest ?? Buffer.alloc(digest.length)) && key !== undefined;
  const now = ctx.now();
  if (!right) throw unauthorized(isMistyped(text) ? "mistyped" : "unknown");
  if (remembered === undefined) {
    if (digested.size >= MAX_REMEMBERED) digested.clear();
    digested.set(name, read);
  }
  if (key.revoked_at !== null) throw unauthorized("revoked");
  if (key.expires_at !== null && key.expires_at <= now) throw unauthorized("expired");
  if (key.allowed_addresses !== null && !isInRanges(address, rangesOf(key.allowed_addresses))) {
    throw failure("address_refused", `This key may not be used from ${address || "this address"}`);
  }
  if (key.last_used_at === null || now.getTime() - key.last_used_at.getTime() > TOUCH_EVERY_MS)
    noteUse(ctx, key.id, now);
  return {
    tenantId: key.in_mode,
    accountId: key.tenant_id,
    keyId: key.id,
    mode: key.mode,
    scopes: key.scopes,
    organizations: key.organization_ids ?? undefined,
    isArchived: key.is_archived,
    allowedAddresses: key.allowed_addresses,
    newId: ctx.newId,
  };
}

function digestOf(ctx: Context, text: string): DigestedKey | undefined {
  const digest = ctx.digest(text);
  const read = readKey(text, () => digest.toString("hex").slice(0, 26));
  return read && { digest, lookup: read.lookup };
}

/** Notes that a key is used, beside the request. Those that come while some are written go together in the next statement. */
function noteUse(ctx: Context, id: Uuid, now: Date): void {
  const { usedKeys } = ctx.process;
  const { waiting, notedMs } = usedKeys;
  // The row may not have it yet.
  if (now.getTime() - (notedMs.get(id) ?? 0) <= TOUCH_EVERY_MS) return;
  if (notedMs.size >= MAX_REMEMBERED) notedMs.clear();
  notedMs.set(id, now.getTime());
  waiting.add(id);
  if (usedKeys.isWriting) return;
  usedKeys.isWriting = true;
  void writeUses(ctx, usedKeys).finally(() => {
    usedKeys.isWriting = false;
  });
}

async function writeUses(ctx: Context, { waiting }: UsedKeys): Promise<void> {
  while (waiting.size > 0) {
    const ids = [...waiting];
    waiting.clear();
    // What cannot be noted is noted at its next use in a minute.
    await apiKeys.touch(ctx.db, ids, ctx.now()).catch(() => {});
  }
}

/** Requests that wait at the same time share a statement, whatever their keys. */
async function readAtOnce(ctx: Context, lookup: string): Promise<FoundKey | undefined> {
  ctx.process.readKeys ??= inBatches((lookups) => apiKeys.byLookups(ctx.db, lookups));
  return (await ctx.process.readKeys(lookup)).get(lookup);
}
