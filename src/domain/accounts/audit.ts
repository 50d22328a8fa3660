import { createHash } from "node:crypto";
import { canonicalJson } from "#domain/values/canonical.ts";
import { type IdKind, publicId, type Uuid } from "#domain/values/id.ts";
import { isSecret, LEFT_OUT } from "./audit-secrets.ts";

/** Who did it. `unknown` is somebody who was refused before we knew, `command` whoever runs the command line on the server. */
export const AUDIT_ACTORS = ["person", "key", "command", "system", "unknown"] as const;
export type AuditActor = (typeof AUDIT_ACTORS)[number];

/** `refused` is an attempt that changed nothing: a wrong password. */
export const AUDIT_OUTCOMES = ["done", "refused"] as const;
export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number];

/** What a change says of itself. Names and values as whoever calls the API knows them. */
export type AuditNote = {
  /** What was changed: its kind and its public id; null where a phone number is in it, which is among the values. */
  object?: { kind: string; id: string | null } | undefined;
  organizationId?: Uuid | null | undefined;
  /** Of the object. Where there are both, what is the same in both is left out. */
  before?: object | null | undefined;
  after?: object | null | undefined;
  /** How many of what were changed. */
  counts?: Readonly<Record<string, number>> | undefined;
  reason?: string | undefined;
  /** The phone of the contact whose values these are: kept apart, and erased with the contact. */
  phone?: string | undefined;
};

/** An entry of the log. */
export type AuditEntry = {
  /** The tenant's public id. */
  tenantId: Uuid;
  id: Uuid;
  at: Date;
  /** Null where it is both modes', or not known. */
  mode: "live" | "test" | null;
  actor: AuditActor;
  actorId: Uuid | null;
  sessionId: Uuid | null;
  address: string | null;
  userAgent: string | null;
  requestId: Uuid | null;
  /** Of the API's description, or what the system did. */
  operation: string;
  object: string | null;
  objectId: string | null;
  organizationId: Uuid | null;
  outcome: AuditOutcome;
  content: AuditContent;
};

/** As it is stored: secrets are left out, and what is a contact's is `{ "personal": digest }`. */
export type AuditContent = { before?: Json; after?: Json; asked?: Json; counts?: Json; reason?: Json };
type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** A value of a contact, beside its entry: `digest` is of salt and value. */
export type AuditValue = { digest: string; phone: string; salt: Buffer; value: string };

/** Longer texts are kept by their start and digest, longer lists by how many there are. */
const MAX_TEXT = 4_000;
const KEPT_TEXT = 500;
const MAX_ITEMS = 50;
/** Deeper is nothing of ours. */
const MAX_DEPTH = 8;

/** What an entry's digest is of: the same for the same entry, whoever reads it back. */
export const auditDigest = (entry: AuditEntry): Buffer =>
  createHash("sha256")
    .update(canonicalJson({ ...entry, at: entry.at.toISOString() }))
    .digest();

export const valueDigest = (salt: Buffer, value: string): string =>
  createHash("sha256").update(salt).update(value).digest("hex");

/**
 * What is stored of a note, and the values of contacts that stand beside it. `asked` is the request's body, used where the note has neither a before
 * nor an after. `phone` makes all of it a contact's; phone numbers are their owners' in any case. `salt` makes 16 random bytes.
 */
export function auditContent(
  note: AuditNote,
  asked: unknown,
  salt: () => Buffer,
): { content: AuditContent; values: AuditValue[] } {
  const values: AuditValue[] = [];
  const keep = (value: unknown): Json => kept(value, { phone: note.phone, salt, values }, 0);
  const [before, after] = changedParts(note.before, note.after);
  const own = note.before !== undefined || note.after !== undefined;
  return {
    content: {
      ...(before === undefined ? {} : { before: keep(before) }),
      ...(after === undefined ? {} : { after: keep(after) }),
      ...(own || asked === undefined || asked === null ? {} : { asked: keep(asked) }),
      ...(note.counts ? { counts: { ...note.counts } } : {}),
      ...(note.reason === undefined ? {} : { reason: keep(note.reason) }),
    },
    values,
  };
}

type Keeping = { phone: string | undefined; salt: () => Buffer; values: AuditValue[] };

const PHONE = /^\+[1-9][0-9]{6,14}$/;

function kept(value: unknown, keeping: Keeping, depth: number): Json {
  if (value === null || value === undefined) return null;
  if (typeof value === "boolean") return value;
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) {
    if (value.length > MAX_ITEMS || depth === MAX_DEPTH) return { items: value.length };
    return value.map((each) => kept(each, keeping, depth + 1));
  }
  if (typeof value === "object") {
    if (depth === MAX_DEPTH || ArrayBuffer.isView(value)) return LEFT_OUT;
    return Object.fromEntries(
      Object.entries(value)
        .filter(([, each]) => each !== undefined)
        .map(([name, each]) => [
          name,
          isSecret(name, each) ? LEFT_OUT : kept(publicIds(name, each), keeping, depth + 1),
        ]),
    );
  }
  if (typeof value !== "string" && typeof value !== "number") return LEFT_OUT;
  const whole = typeof value === "string" && value.length > MAX_TEXT ? shortened(value) : value;
  const phone = keeping.phone ?? (typeof value === "string" && PHONE.test(value) ? value : undefined);
  return phone === undefined ? whole : byReference(whole, phone, keeping);
}

/** Fields of rows that name other things by their uuids. */
const ID_FIELDS: Readonly<Record<string, IdKind>> = {
  agent_id: "agent",
  list_id: "list",
  organization_id: "organization",
  organization_ids: "organization",
  user_id: "user",
};
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function publicIds(name: string, value: unknown): unknown {
  const kind = ID_FIELDS[name];
  if (kind === undefined) return value;
  const one = (each: unknown) => (typeof each === "string" && UUID.test(each) ? publicId(kind, each) : each);
  return Array.isArray(value) ? value.map(one) : one(value);
}

const shortened = (text: string) => ({
  starts: text.slice(0, KEPT_TEXT).toWellFormed(),
  characters: text.length,
  sha256: createHash("sha256").update(text).digest("hex"),
});

function byReference(value: Json, phone: string, { salt, values }: Keeping): Json {
  const own = { salt: salt(), value: JSON.stringify(value) };
  const digest = valueDigest(own.salt, own.value);
  values.push({ ...own, phone, digest });
  return { personal: digest };
}

/** Without the fields of both that are the same in both. */
function changedParts(before: AuditNote["before"], after: AuditNote["after"]) {
  if (!before || !after) return [before, after] as const;
  const same = new Set(
    Object.keys(before).filter(
      (name) => canonicalJson(plain(before, name)) === canonicalJson(plain(after, name)) && name in after,
    ),
  );
  const rest = (of: object) => Object.fromEntries(Object.entries(of).filter(([name]) => !same.has(name)));
  return [rest(before), rest(after)] as const;
}

const plain = (of: object, name: string): unknown => ({ of: (of as Record<string, unknown>)[name] });
