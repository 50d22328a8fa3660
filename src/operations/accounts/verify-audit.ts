import {
  type AuditLine,
  type AuditVerdict,
  entryFault,
  firstLine,
  lastLine,
  lineOf,
  readFirstLine,
  readLine,
  restoreIn,
} from "#domain/accounts/audit-file.ts";
import { type ChainFault, emptyChain, followChain, type RecordedHead, type Restore } from "#domain/values/chain.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import type { ReadJournals } from "#ports/journal.ts";
import * as audit from "#store/accounts/audit.ts";
import { type ComparedRecords, compareRecords } from "#store/compliance/compare-records.ts";

/** An entry is linked within a second; one that is not after this long never will be. */
const LINKED_WITHIN_MS = 60_000;

/** Verifies one mode's chain in the database, with the audit log, the consents and the erasures that it has, against the heads that the journals have of it. */
export async function verifyAuditLog(
  ctx: Context,
  accountId: Uuid,
  recorded: readonly RecordedHead[],
  known: readonly Restore[] = [],
): Promise<AuditVerdict> {
  const records = await compareRecords(ctx.db, accountId);
  const verdict = await verifyAudit(accountId, audit.chain(ctx.db, accountId), recorded, records, known);
  if (verdict.fault) return verdict;
  const lost = await audit.unlinked(ctx.db, accountId, new Date(ctx.now().getTime() - LINKED_WITHIN_MS));
  const what = lost === undefined ? records.lost : `the entry ${lost} is in no chain`;
  return what === undefined ? verdict : { ...verdict, fault: { seq: verdict.links + 1, what } };
}

/** The heads of all chains that journals have, by tenant and mode. */
export async function headsOfAll(read: ReadJournals): Promise<Map<Uuid, RecordedHead[]>> {
  const heads = new Map<Uuid, RecordedHead[]>();
  for await (const entry of read({ since: undefined, unreadable: () => {} })) {
    if (entry.kind !== "chain_head") continue;
    const of = heads.get(entry.tenantId) ?? [];
    of.push({ seq: entry.seq, hash: Buffer.from(entry.hash, "hex"), at: new Date(entry.at) });
    heads.set(entry.tenantId, of);
  }
  return heads;
}

/** The heads of a tenant's chain that journals have. */
export const recordedHeads = async (read: ReadJournals, accountId: Uuid): Promise<RecordedHead[]> =>
  (await headsOfAll(read)).get(accountId) ?? [];

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

/** Verifies a chain, the entries in it, and the `records` that other links stand for, where they are at hand, up to the first fault. */
export async function verifyAudit(
  tenantId: Uuid,
  lines: AsyncIterable<AuditLine>,
  recorded: readonly RecordedHead[],
  records?: ComparedRecords,
  known: readonly Restore[] = [],
): Promise<AuditVerdict> {
  const restores: Restore[] = [...known];
  const otherRestores: Restore[] = [];
  const chain = followChain(
    tenantId,
    () => recorded,
    () => restores,
  );
  const counts = { entries: 0, consents: 0 };
  const verdict = (fault: ChainFault | undefined) => {
    const head = chain.head();
    return { links: head.seq, ...counts, head, restores, otherRestores, fault };
  };
  for await (const line of lines) {
    const fault = chain.next(line) ?? entryFault(line) ?? records?.faultOf(line);
    if (fault) return verdict(fault);
    if (line.entry) counts.entries++;
    if (line.kind === "consent") counts.consents++;
    const { own, other } = restoreIn(line);
    if (own) restores.push(own);
    if (other) otherRestores.push(other);
  }
  // A file's own head is known once it is read to its end.
  return verdict(chain.end());
}

/** Reads an exported log, line by line; the head of its last line joins `recorded` once `lines` has been read. */
export async function readAuditFile(
  texts: AsyncIterable<string>,
): Promise<{ tenantId: Uuid; lines: AsyncIterable<AuditLine>; recorded: RecordedHead[] }> {
  const reader = texts[Symbol.asyncIterator]();
  const first = await reader.next();
  const tenantId = readFirstLine(first.done ? "" : first.value);
  const recorded: RecordedHead[] = [];
  async function* lines(): AsyncGenerator<AuditLine> {
    for (let n = 2; ; n++) {
      const { value, done } = await reader.next();
      if (done) throw new Error("The file has no last line: it was cut off");
      const line = readLine(value, n);
      if (!("head" in line)) yield line;
      else {
        recorded.push(line.head);
        return;
      }
    }
  }
  return { tenantId, lines: lines(), recorded };
}
