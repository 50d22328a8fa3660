import type { ChainFault, ChainHead, ChainLink, Restore } from "#domain/values/chain.ts";
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
export type AuditVerdict = {
  links: number;
  entries: number;
  consents: number;
  head: ChainHead;
  /** Restores of which this chain says what they have lost of it. */
  restores: readonly Restore[];
  /** Of which it says what they have lost of the chain of the tenant's other mode. */
  otherRestores: readonly Restore[];
  fault: ChainFault | undefined;
};

/** What an entry says of links that a restore has lost, where it is of one: of its own chain, and of the other mode's. */
export function restoreIn({ entry }: AuditLine): { own: Restore | undefined; other: Restore | undefined } {
  const after = entry?.actor === "command" ? entry.content.after : undefined;
  const lostIn = (name: string): Restore | undefined => {
    const lost = typeof after === "object" && after !== null && !Array.isArray(after) ? after[name] : undefined;
    if (typeof lost !== "object" || lost === null || Array.isArray(lost)) return undefined;
    const { from, to, hash } = lost;
    if (typeof from !== "number" || typeof to !== "number" || typeof hash !== "string") return undefined;
    return { from, to, hash, at: entry!.at };
  };
  return { own: lostIn("lost_links"), other: lostIn("lost_links_of_other_mode") };
}

/** What is wrong with the entry of a link, where anything is. */
export function entryFault({ seq, kind, ref, digest, entry }: AuditLine): ChainFault | undefined {
  if (kind !== "audit") return undefined;
  if (!entry) return { seq, what: `its entry ${ref} is missing` };
  if (entry.id !== ref || !auditDigest(entry).equals(digest)) return { seq, what: `its entry ${ref} was changed` };
  return undefined;
}

/** The tenant of an exported log, by its first line. */
export function readFirstLine(text: string): Uuid {
  const { file, tenant_id } = parsed(text, 1);
  if (file !== NAME || typeof tenant_id !== "string") throw new Error("This is no exported audit log");
  return tenant_id;
}

/** The n-th line of an exported log: a link, or at its end the head. Fails with a sentence where it is neither. */
export function readLine(text: string, n: number): AuditLine | { head: ChainHead } {
  const line = parsed(text, n);
  if (typeof line.head !== "number") return linkOf(line, n);
  return { head: { seq: line.head, hash: Buffer.from(String(line.hash), "hex") } };
}

function parsed(text: string, n: number): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
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
