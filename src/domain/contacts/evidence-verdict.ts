import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { type AuditEntry, auditDigest, valueDigest } from "#domain/accounts/audit.ts";
import { emptyChain, linked } from "#domain/values/chain.ts";
import type { Uuid } from "#domain/values/id.ts";
import {
  type ConsentFacts,
  type ConsentPerson,
  consentDigest,
  type Erasure,
  erasureDigest,
  personDigest,
} from "./consent-digest.ts";
import {
  fingerprintOf,
  LINE_SUMS,
  LISTS,
  type PackedFile,
  type PackedLink,
  PUBLIC_KEY,
  readSums,
  SIGNATURE,
  SUMS,
  sha256Hex,
} from "./evidence-pack.ts";

/** What is wrong, in a sentence that begins with the file. */
export type PackFault = { file: string; entry: number | undefined; what: string };

export type PackVerdict = {
  fingerprint: string | undefined;
  files: number;
  links: number;
  /** Consents, erasures and entries of the audit log that no link stands for: they rest on the signature alone. */
  unchained: number;
  fault: PackFault | undefined;
};

const fault = (file: string, what: string, entry?: number): PackFault => ({ file, entry, what });

/** Checks a whole archive. `expected` is the fingerprint of the key that it has to be signed with; undefined: whichever it brings. */
export function verifyPack(files: ReadonlyMap<string, PackedFile>, expected: string | undefined): PackVerdict {
  let fingerprint: string | undefined;
  const verdict = (found: PackFault | undefined, links = 0, unchained = 0): PackVerdict => ({
    ...{ fingerprint, files: files.size, links, unchained },
    fault: found,
  });
  const missing = [SUMS, SIGNATURE, PUBLIC_KEY].find((name) => !files.get(name)?.bytes);
  if (missing !== undefined) return verdict(fault(missing, "it is missing"));
  const key = readKey(files.get(PUBLIC_KEY)!.bytes!);
  if (!key) return verdict(fault(PUBLIC_KEY, "it is no Ed25519 key"));
  fingerprint = fingerprintOf(key);
  if (expected !== undefined && expected !== fingerprint)
    return verdict(fault(PUBLIC_KEY, `it was signed with the key ${fingerprint}, and not with ${expected}`));
  const sums = files.get(SUMS)!.bytes!;
  if (!verify(null, sums, key, files.get(SIGNATURE)!.bytes!))
    return verdict(
      fault(SUMS, `its signature is not of the key ${fingerprint}: it, the signature or the key was changed`),
    );
  const listed = readSums(sums.toString());
  if (!listed) return verdict(fault(SUMS, "a line is no digest and name"));
  const changed = wrongFile(files, listed);
  const { wrong, unchained } = changed ? { wrong: changed, unchained: 0 } : checkLinks(files);
  return verdict(wrong, linesOf(files, LISTS.chain).length, unchained);
}

function readKey(pem: Buffer): KeyObject | undefined {
  try {
    const key = createPublicKey(pem);
    return key.asymmetricKeyType === "ed25519" ? key : undefined;
  } catch {
    return undefined;
  }
}

function wrongFile(files: ReadonlyMap<string, PackedFile>, listed: [string, string][]): PackFault | undefined {
  const known = new Map(listed);
  // First the one that names the wrong line of the others.
  const names = [...known.keys()].sort((a, b) => Number(b === LINE_SUMS) - Number(a === LINE_SUMS));
  for (const name of names) {
    const file = files.get(name);
    if (!file) return fault(name, "it is missing");
    if (file.sha256 === known.get(name)) continue;
    return (
      (name.endsWith(".ndjson") ? wrongLine(files, name) : undefined) ??
      fault(name, "its bytes are not those that were signed: it was changed")
    );
  }
  const more = [...files.keys()].find((name) => !known.has(name) && name !== SUMS && name !== SIGNATURE);
  return more === undefined ? undefined : fault(more, "it is in no list of digests: it was added");
}

function linesOf(files: ReadonlyMap<string, PackedFile>, name: string): string[] {
  const text = files.get(name)?.bytes?.toString() ?? "";
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

/** Which line of a list is not as it was signed. */
function wrongLine(files: ReadonlyMap<string, PackedFile>, name: string): PackFault | undefined {
  const sums = readSums(files.get(LINE_SUMS)?.bytes?.toString() ?? "") ?? [];
  const expected = sums.flatMap(([line, digest]) => (line.slice(0, line.lastIndexOf(":")) === name ? [digest] : []));
  const actual = linesOf(files, name).map((line) => sha256Hex(`${line}\n`));
  const at = expected.findIndex((digest, n) => actual[n] !== digest);
  if (at < 0) {
    if (actual.length <= expected.length) return undefined;
    return fault(name, `entry ${expected.length + 1} was added`, expected.length + 1);
  }
  const entry = at + 1;
  const other = expected.indexOf(actual[at] ?? "", at + 1);
  if (other > at && actual[other] === expected[at])
    return fault(name, `entries ${entry} and ${other + 1} have changed places`, entry);
  if (at >= actual.length || (other === at + 1 && actual.length < expected.length))
    return fault(name, `entry ${entry} is missing`, entry);
  if (actual.length > expected.length && actual[at + 1] === expected[at])
    return fault(name, `entry ${entry} was added`, entry);
  return fault(name, `entry ${entry} was changed`, entry);
}

/** A consent as a pack has it. */
type PackedConsent = Omit<ConsentFacts, "at" | "recorded_at"> &
  ConsentPerson & { tenant: Uuid; at: string; recorded_at: string; salt: string | null };

type PackedErased = Omit<ConsentFacts, "at" | "recorded_at"> & { at: string; recorded_at: string; personal: string };
type PackedErasure = Omit<Erasure, "at"> & { tenant: Uuid; at: string; gone: PackedErased[] };
type PackedEntry = {
  entry: Omit<AuditEntry, "at"> & { at: string };
  personal: { digest: string; salt: string; value: string }[];
};

/** Recomputes every link, and the digest of every record that one stands for, and counts those without one. */
function checkLinks(files: ReadonlyMap<string, PackedFile>): { wrong: PackFault | undefined; unchained: number } {
  const loose = { count: 0 };
  return { wrong: wrongLink(files, loose), unchained: loose.count };
}

function wrongLink(files: ReadonlyMap<string, PackedFile>, loose: { count: number }): PackFault | undefined {
  const digests = new Map<string, string>();
  let last: PackedLink | undefined;
  for (const [n, line] of linesOf(files, LISTS.chain).entries()) {
    const link = JSON.parse(line) as PackedLink;
    const { chain, seq, kind, ref, digest, before, hash } = link;
    const start = { seq: seq - 1, hash: Buffer.from(before, "hex") };
    const made = linked(start, { kind, ref, digest: Buffer.from(digest, "hex") }).hash.toString("hex");
    if (made !== hash)
      return fault(LISTS.chain, `entry ${n + 1}, link ${seq}, does not have the hash of what it says`, n + 1);
    const isFirst = seq === 1;
    const isNext = last?.chain === chain && last.seq === seq - 1;
    if ((isFirst && before !== emptyChain(chain).hash.toString("hex")) || (isNext && before !== last!.hash))
      return fault(LISTS.chain, `entry ${n + 1}, link ${seq}, does not follow the one before it`, n + 1);
    digests.set(`${kind} ${ref}`, digest);
    last = link;
  }
  const compare = (file: string, n: number, kind: string, ref: string, made: Buffer): PackFault | undefined => {
    const known = digests.get(`${kind} ${ref}`);
    if (known === undefined) loose.count++;
    if (known === undefined || known === made.toString("hex")) return undefined;
    return fault(file, `entry ${n + 1}, ${kind} ${ref}, is not what its link of the chain says`, n + 1);
  };
  for (const [n, line] of linesOf(files, LISTS.consents).entries()) {
    const { tenant, salt, ...record } = JSON.parse(line) as PackedConsent;
    if (salt === null) {
      loose.count++;
      continue;
    }
    const made = consentDigest(tenant, withTimes(record), personDigest(Buffer.from(salt, "hex"), record));
    const wrong = compare(LISTS.consents, n, "consent", record.id, made);
    if (wrong) return wrong;
  }
  for (const [n, line] of linesOf(files, LISTS.erasures).entries()) {
    const { tenant, gone, ...erasure } = JSON.parse(line) as PackedErasure;
    const consents = gone.map(({ id }) => id).sort();
    const made = erasureDigest(tenant, { ...erasure, at: new Date(erasure.at), consents });
    const wrong = compare(LISTS.erasures, n, "erasure", erasure.id, made);
    if (wrong) return wrong;
    for (const consent of gone) {
      const digest = consentDigest(tenant, withTimes(consent), Buffer.from(consent.personal, "hex"));
      const other = compare(LISTS.erasures, n, "consent", consent.id, digest);
      if (other) return other;
    }
  }
  for (const [n, line] of linesOf(files, LISTS.audit).entries()) {
    const { entry, personal } = JSON.parse(line) as PackedEntry;
    const wrong = compare(LISTS.audit, n, "audit", entry.id, auditDigest({ ...entry, at: new Date(entry.at) }));
    if (wrong) return wrong;
    if (personal.some(({ digest, salt, value }) => valueDigest(Buffer.from(salt, "hex"), value) !== digest))
      return fault(LISTS.audit, `entry ${n + 1} has a value that is not the one of its digest`, n + 1);
  }
  return undefined;
}

const withTimes = <T extends { at: string; recorded_at: string }>(record: T) => ({
  ...record,
  at: new Date(record.at),
  recorded_at: new Date(record.recorded_at),
});
