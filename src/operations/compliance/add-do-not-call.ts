import { setImmediate as turn } from "node:timers/promises";
import { type DoNotCallSource, readPhones } from "#domain/compliance/do-not-call.ts";
import { normalizePhone } from "#domain/phones/phone.ts";
import { failure, invalidField, notFound } from "#domain/values/errors.ts";
import { NO_ID, type Uuid } from "#domain/values/id.ts";
import { piecesOf } from "#domain/values/pieces.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as organizations from "#store/accounts/organizations.ts";
import * as tenants from "#store/accounts/tenants.ts";
import type { DoNotCallEntry } from "#store/compliance/do-not-call.ts";
import * as doNotCall from "#store/compliance/do-not-call.ts";
import * as optOuts from "#store/compliance/opt-outs.ts";
import type { Tx } from "#store/database/db.ts";

/** Reading this many numbers takes some milliseconds; then other requests get their turn. */
const PHONES_A_TURN = 1_000;
const PHONES_A_STATEMENT = 5_000;
/** More would keep their consents, and everything that is due for these phones, locked for too long. */
const MAX_IMPORT = 100_000;

export type DoNotCallScope = { organizationId: Uuid | undefined; reason: string | undefined };

/** Lists a phone; one that is listed stays as it is. 400 for what is no phone number, 404 for an unknown organization. */
export async function addDoNotCall(
  ctx: Context,
  caller: Caller,
  phoneNumber: string,
  scope: DoNotCallScope,
): Promise<DoNotCallEntry> {
  const normal = normalizePhone(phoneNumber);
  if ("problem" in normal) throw invalidField("phone_number", normal.problem);
  await requireOrganization(ctx, caller, scope);
  await journal(ctx, caller, [normal.phone], scope);
  const entry = await ctx.tenantDb.transaction(async (tx) => {
    for (;;) {
      await listPhones(ctx, tx, caller, [normal.phone], { ...scope, source: caller.person ? "person" : "api" });
      const found = await doNotCall.find(tx, caller.tenantId, normal.phone, scope.organizationId ?? NO_ID);
      // One that was listed before may be removed meanwhile; what is listed here cannot be before the commit.
      if (found) return found;
    }
  });
  await optOuts.handedOver(ctx.tenantDb, caller.tenantId, [normal.phone], ctx);
  return entry;
}

export type DoNotCallImport = { count: number; added: number; invalid: { index: number; error: string }[] };

/**
 * Lists many phones in one transaction: all that can be read. `count` are distinct, `added` of them were not listed. 413
 * past MAX_IMPORT.
 */
export async function importDoNotCall(
  ctx: Context,
  caller: Caller,
  phoneNumbers: readonly string[],
  scope: DoNotCallScope,
): Promise<DoNotCallImport> {
  const filled = phoneNumbers.filter((phoneNumber) => phoneNumber.trim() !== "").length;
  if (filled > MAX_IMPORT) {
    throw failure("payload_too_large", `The import has ${filled} numbers; ${MAX_IMPORT} is the most for one call`);
  }
  await requireOrganization(ctx, caller, scope);
  const distinct = new Set<string>();
  const invalid: DoNotCallImport["invalid"] = [];
  for (const [i, piece] of piecesOf(phoneNumbers, PHONES_A_TURN).entries()) {
    const read = readPhones(piece, i * PHONES_A_TURN);
    for (const phone of read.phones) distinct.add(phone);
    invalid.push(...read.invalid);
    await turn();
  }
  const added = await addPhones(ctx, caller, [...distinct], { ...scope, source: "import" });
  return { count: distinct.size, added, invalid };
}

/** Lists phones in E.164, each named once, in one transaction. Returns how many were not listed. */
export async function addPhones(
  ctx: Context,
  caller: Caller,
  phones: string[],
  scope: DoNotCallScope & { source: DoNotCallSource },
): Promise<number> {
  if (phones.length === 0) return 0;
  await journal(ctx, caller, phones, scope);
  const pieces = piecesOf(phones.toSorted(), PHONES_A_STATEMENT);
  const added = await ctx.tenantDb.transaction(async (tx) => {
    let sum = 0;
    for (const piece of pieces) sum += await listPhones(ctx, tx, caller, piece, scope);
    ctx.audit.note({ counts: { numbers: phones.length, added: sum } });
    return sum;
  });
  await optOuts.handedOver(ctx.tenantDb, caller.tenantId, phones, ctx);
  return added;
}

/** Journaled before the commit: a list that was acknowledged also holds after a restore to an earlier day. */
function journal(ctx: Context, caller: Caller, phones: string[], scope: DoNotCallScope): Promise<void> {
  return ctx.journal.append({
    kind: "do_not_call",
    at: ctx.now().toISOString(),
    tenantId: caller.tenantId,
    organizationId: scope.organizationId ?? null,
    phones,
  });
}

/**
 * The one place where phones become listed, in both modes; the reason is stored in the caller's mode only. Once their consents are locked no claim
 * can pass them until the commit. Returns how many are new in the caller's mode.
 */
async function listPhones(
  ctx: Context,
  tx: Tx,
  caller: Caller,
  phones: readonly string[],
  scope: DoNotCallScope & { source: DoNotCallSource },
): Promise<number> {
  const added = await listInMode(ctx, tx, caller.tenantId, phones, { ...scope, userId: caller.person?.userId });
  const other = await tenants.otherMode(tx, caller.tenantId);
  // An organization made by a test key or by the demo data does not exist in live mode.
  if (scope.organizationId === undefined || (await organizations.find(tx, other, scope.organizationId))) {
    await listInMode(ctx, tx, other, phones, { ...scope, reason: undefined, userId: undefined });
  }
  return added;
}

async function listInMode(
  ctx: Context,
  tx: Tx,
  tenantId: Uuid,
  phones: readonly string[],
  scope: DoNotCallScope & { source: DoNotCallSource; userId: Uuid | undefined },
): Promise<number> {
  const now = await tenants.tenantNow(tx, tenantId, ctx.now());
  await optOuts.lock(tx, tenantId, phones);
  // What waits in one organization's campaigns is suppressed as its turn comes; so are starting messages, by the gate.
  if (scope.organizationId === undefined) {
    await optOuts.withdrawAll(tx, tenantId, phones, "do_not_call", {
      at: now,
      newId: ctx.newId,
      kinds: ["drip", "reply", "human"],
    });
  }
  return doNotCall.insert(tx, tenantId, phones, {
    organization_id: scope.organizationId ?? NO_ID,
    reason: scope.reason ?? null,
    created_at: now,
    source: scope.source,
    added_by: scope.userId ?? null,
  });
}

async function requireOrganization(ctx: Context, caller: Caller, { organizationId }: DoNotCallScope): Promise<void> {
  if (organizationId === undefined) return;
  if (!(await organizations.find(ctx.db, caller.tenantId, organizationId))) throw notFound("Organization");
}
