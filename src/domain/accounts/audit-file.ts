import type { ChainFault, ChainHead, ChainLink } from "#domain/values/chain.ts";
import { followChain } from "#domain/values/chain.ts";
import type { Uuid } from "#domain/values/id.ts";
import { type AuditEntry, auditDigest } from "./audit.ts";

// An exported log: a line of JSON for each link of the chain, in order, between a first line that names the tenant and a last one with the head.

export type AuditLine = ChainLink & { entry: AuditEntry | undefined };

const NAME = "parley audit log";

export const firstLine = (tenantId: Uuid, at: Date): string =>
  JSON.stringify({ file: NAME, tenant_id: tenantId, at: at.toISOString() });

export function lineOf({ seq, kind, ref, digest, hash, entry }: AuditLine): string {
  return JSON.stringify({ seq, kind, ref, digest: digest.toString("hex"), hash: hash.toString("hex"), entry });
}

export const lastLine = ({ seq, hash }: ChainHead): string => JSON.stringify({ head: seq, hash: hash.toString("hex") });

/** What verifying a log came to. */
export type AuditVerdict = { links: number; entries: number; head: ChainHead; fault: ChainFault | undefined };

/** Verifies a chain and the entries in it, up to the first fault. */
export async function verifyAudit(
  tenantId: Uuid,
  lines: AsyncIterable<AuditLine>,
  recorded: readonly ChainHead[],
): Promise<AuditVerdict> {
  const chain = followChain(tenantId, () => recorded);
  let entries = 0;
  const verdict = (fault: ChainFault | undefined) => ({ links: chain.head().seq, entries, head: chain.head(), fault });
  for await (const line of lines) {
    const fault = chain.next(line) ?? entryFault(line);
    if (fault) return verdict(fault);
    if (line.entry) entries++;
  }
  // A file's own head is known once it is read to its end.
  return verdict(chain.end());
}

function entryFault({ seq, kind, ref, digest, entry }: AuditLine): ChainFault | undefined {
  if (kind !== "audit") return undefined;
  if (!entry) return { seq, what: `its entry ${ref} is missing` };
  if (entry.id !== ref || !auditDigest(entry).equals(digest)) return { seq, what: `its entry ${ref} was changed` };
  return undefined;
}

type Parsed = { tenantId: Uuid; lines: AsyncIterable<AuditLine>; recorded: ChainHead[] };

/** Reads an exported log. Fails with a sentence where a line is none; the head of its last line joins `recorded` once `lines` has been read. */
export async function readAuditFile(texts: AsyncIterable<string>): Promise<Parsed> {
  const reader = texts[Symbol.asyncIterator]();
  const first = parsed((await reader.next()).value, 1);
  if (first.file !== NAME || typeof first.tenant_id !== "string") throw new Error("This is no exported audit log");
  const recorded: ChainHead[] = [];
  async function* lines(): AsyncGenerator<AuditLine> {
    for (let n = 2; ; n++) {
      const { value, done } = await reader.next();
      if (done) throw new Error("The file has no last line: it was cut off");
      const line = parsed(value, n);
      if (typeof line.head === "number") {
        recorded.push({ seq: line.head, hash: Buffer.from(String(line.hash), "hex") });
        return;
      }
      yield linkOf(line, n);
    }
  }
  return { tenantId: first.tenant_id, lines: lines(), recorded };
}

function parsed(text: unknown, n: number): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(String(text));
    if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  } catch {}
  throw new Error(`Line ${n} is not JSON`);
}

function linkOf(line: Record<string, unknown>, n: number): AuditLine {
  const { seq, kind, ref, digest, hash, entry } = line;
  if (typeof seq !== "number" || typeof kind !== "string" || typeof ref !== "string")
    throw new Error(`Line ${n} is no link of a chain`);
  return {
    ...{ seq, kind, ref },
    digest: Buffer.from(String(digest), "hex"),
    hash: Buffer.from(String(hash), "hex"),
    entry: entry ? { ...(entry as AuditEntry), at: new Date((entry as { at: string }).at) } : undefined,
  };
}
