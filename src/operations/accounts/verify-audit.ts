import { type AuditVerdict, firstLine, lastLine, lineOf, verifyAudit } from "#domain/accounts/audit-file.ts";
import type { ChainHead } from "#domain/values/chain.ts";
import { emptyChain } from "#domain/values/chain.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import type { ReadJournals } from "#ports/journal.ts";
import * as audit from "#store/accounts/audit.ts";

/** An entry is linked within a second; one that is not after this long never will be. */
const LINKED_WITHIN_MS = 60_000;

/** Verifies a tenant's audit log in the database, against the heads that the journals have of it. */
export async function verifyAuditLog(
  ctx: Context,
  accountId: Uuid,
  recorded: readonly ChainHead[],
): Promise<AuditVerdict> {
  const verdict = await verifyAudit(accountId, audit.chain(ctx.db, accountId), recorded);
  if (verdict.fault) return verdict;
  const lost = await audit.unlinked(ctx.db, accountId, new Date(ctx.now().getTime() - LINKED_WITHIN_MS));
  return lost === undefined
    ? verdict
    : { ...verdict, fault: { seq: verdict.links + 1, what: `the entry ${lost} is in no chain` } };
}

/** The heads of a tenant's chain that journals have. */
export async function recordedHeads(read: ReadJournals, accountId: Uuid): Promise<ChainHead[]> {
  const heads: ChainHead[] = [];
  for await (const entry of read({ since: undefined, unreadable: () => {} }))
    if (entry.kind === "chain_head" && entry.tenantId === accountId)
      heads.push({ seq: entry.seq, hash: Buffer.from(entry.hash, "hex") });
  return heads;
}

/** A tenant's whole audit log as lines of text. */
export async function* exportAuditLog(ctx: Context, accountId: Uuid): AsyncGenerator<string> {
  yield firstLine(accountId, ctx.now());
  let head = emptyChain(accountId);
  for await (const link of audit.chain(ctx.db, accountId)) {
    head = link;
    yield lineOf(link);
  }
  yield lastLine(head);
}
