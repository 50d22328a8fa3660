import { timingSafeEqual } from "node:crypto";
import { isInRanges, rangesOf } from "#domain/accounts/address-range.ts";
import { readKey } from "#domain/accounts/api-key.ts";
import { isMistyped } from "#domain/accounts/key-checksum.ts";
import { failure, unauthorized } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { Caller, Context } from "#operations/context.ts";
import type { RememberedKey, UsedKeys } from "#operations/process-state.ts";
import type { FoundKey } from "#store/accounts/api-keys.ts";
import * as apiKeys from "#store/accounts/api-keys.ts";
import * as organizations from "#store/accounts/organizations.ts";

/** A revoked key must stop working on every node within a second: no answer is cached for longer than half of one. */
const REMEMBER_MS = 500;
/** Enough for every key in use; beyond it the cache is emptied. */
const MAX_REMEMBERED = 10_000;
/** `last_used_at` is shown to people: one write a minute is precise enough. */
const TOUCH_EVERY_MS = 60_000;

/**
 * The caller behind an API key that came from an address. Fails with a 401, which says that a key is revoked or has expired to who has the
 * whole key alone, and with a 403 where the key is right and the address is not one of its own.
 */
export async function authenticate(ctx: Context, text: string, address: string): Promise<Caller> {
  const read = readKey(text, (key) => ctx.digest(key).toString("hex").slice(0, 26));
  if (!read) throw unauthorized("malformed");
  const key = await recall(ctx, read.lookup);
  const digest = ctx.digest(text);
  // The comparison runs for an unknown id too, so that the response time does not reveal which ids exist.
  const right = timingSafeEqual(digest, key?.digest ?? Buffer.alloc(digest.length)) && key !== undefined;
  const now = ctx.now();
  if (!right) throw unauthorized(isMistyped(text) ? "mistyped" : "unknown");
  if (key.revoked_at !== null) throw unauthorized("revoked");
  if (key.expires_at !== null && key.expires_at <= now) throw unauthorized("expired");
  if (key.ranges !== undefined && !isInRanges(address, key.ranges)) {
    throw failure("address_refused", `This key may not be used from ${address || "this address"}`);
  }
  if (key.last_used_at === null || now.getTime() - key.last_used_at.getTime() > TOUCH_EVERY_MS) {
    key.last_used_at = now;
    noteUse(ctx, key.id);
  }
  return {
    tenantId: key.in_mode,
    accountId: key.tenant_id,
    keyId: key.id,
    mode: key.mode,
    scopes: key.scopes,
    organizations: key.organization_ids ?? undefined,
    isArchived: key.isArchived,
    allowedAddresses: key.allowed_addresses,
    newId: ctx.newId,
  };
}

/** Notes that a key is used, beside the request. Those that come while some are written go together in the next statement. */
function noteUse(ctx: Context, id: Uuid): void {
  const { usedKeys } = ctx.process;
  usedKeys.waiting.add(id);
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

async function recall(ctx: Context, lookup: string): Promise<RememberedKey["key"]> {
  const { keys } = ctx.process;
  const known = keys.get(lookup);
  if (known && known.until > performance.now()) return known.key;
  const until = performance.now() + REMEMBER_MS;
  const found = await apiKeys.byLookup(ctx.db, lookup);
  const ranges = found?.allowed_addresses ? rangesOf(found.allowed_addresses) : undefined;
  const key = found && Object.assign(found, { isArchived: await isArchived(ctx, found), ranges });
  if (keys.size >= MAX_REMEMBERED) keys.clear();
  keys.set(lookup, { key, until });
  return key;
}

const isArchived = async (ctx: Context, { in_mode, organization_ids }: FoundKey): Promise<boolean> =>
  organization_ids !== null && organizations.areArchived(ctx.db, in_mode, organization_ids);
