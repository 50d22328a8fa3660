import { randomBytes } from "node:crypto";
import {
  type AuditActor,
  type AuditContent,
  type AuditEntry,
  type AuditNote,
  type AuditOutcome,
  auditContent,
  auditDigest,
} from "#domain/accounts/audit.ts";
import type { ChainLink } from "#domain/values/chain.ts";
import type { Uuid } from "#domain/values/id.ts";
import { waitFor } from "#store/database/chain.ts";
import { changing, changingAndReading, statement, type Tx } from "#store/database/db.ts";
import * as tenants from "./tenants.ts";

// The audit log: entries are added in the transaction of the change that they are about, and never changed or deleted.

/** A request under its Idempotency-Key that runs again has the same id: it has its entry. */
const insertEntry = changingAndReading(
  "insert-audit-entry",
  `with entry as (
     insert into audit_entries (tenant_id, id, at, mode, actor, actor_id, session_id, address, user_agent, request_id, operation,
       object, object_id, organization_id, outcome, content, digest)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
     on conflict do nothing returning id, digest),
   apart as (
     insert into audit_values (tenant_id, entry_id, digest, phone, salt, value)
     select $1, entry.id, it.* from entry cross join unnest($18::text[], $19::text[], $20::bytea[], $21::text[]) as it
     on conflict do nothing)
   ${waitFor("audit", { ref: "entry.id", digest: "entry.digest", from: "entry" })}`,
);

/** Where a change came from, and what by. */
export type AuditSource = Omit<AuditEntry, "object" | "objectId" | "organizationId" | "content" | "at">;

/** Adds an entry. With the transaction that makes the change. `asked` is the body of the request, where there is one. */
export async function add(tx: Tx, source: AuditSource, note: AuditNote, at: Date, asked?: unknown): Promise<void> {
  const { content, values } = auditContent(note, asked, () => randomBytes(16));
  const entry: AuditEntry = {
    ...{ tenantId: source.tenantId, id: source.id, at, mode: source.mode, actor: source.actor },
    ...{ actorId: source.actorId, sessionId: source.sessionId, address: source.address, userAgent: source.userAgent },
    ...{ requestId: source.requestId, operation: source.operation, outcome: source.outcome, content },
    object: note.object?.kind ?? null,
    objectId: note.object?.id ?? null,
    organizationId: note.organizationId ?? null,
  };
  await tx.atCommit(insertEntry, [
    ...[entry.tenantId, entry.id, entry.at, entry.mode, entry.actor, entry.actorId, entry.sessionId, entry.address],
    ...[entry.userAgent, entry.requestId, entry.operation, entry.object, entry.objectId, entry.organizationId],
    ...[entry.outcome, JSON.stringify(content), auditDigest(entry)],
    values.map(({ digest }) => digest),
    values.map(({ phone }) => phone),
    values.map(({ salt }) => salt),
    values.map(({ value }) => value),
  ]);
}

/** What the system does by itself: a campaign is paused since its carrier refuses the credentials. */
export function addOfSystem(
  tx: Tx,
  by: { tenantId: Uuid; mode: "live" | "test" | null; id: Uuid; operation: string },
  note: AuditNote,
  at: Date,
): Promise<void> {
  const nobody = { actorId: null, sessionId: null, address: null, userAgent: null, requestId: null };
  return add(tx, { ...by, ...nobody, actor: "system", outcome: "done" }, note, at);
}

/** The same where the tenant is known by the id of one of its modes. */
export async function addOfSystemInMode(
  tx: Tx,
  tenantId: Uuid,
  by: { id: Uuid; operation: string },
  note: AuditNote,
  at: Date,
): Promise<void> {
  const tenant = await tenants.find(tx, tenantId);
  if (tenant) await addOfSystem(tx, { ...by, tenantId: tenant.account_id, mode: tenant.mode }, note, at);
}

const forgetValues = changing(
  "forget-audit-values",
  "delete from audit_values where tenant_id = $1 and phone = any($2::text[])",
);

/** Takes what is a person's out of the log. The entries stay, and their chain. */
export async function forgetPhonesOf(tx: Tx, accountId: Uuid, phones: readonly string[]): Promise<void> {
  if (phones.length > 0) await tx.run(forgetValues, [accountId, phones]);
}

const COLUMNS = `entry.id, entry.at, entry.mode, entry.actor, entry.actor_id, entry.session_id, entry.address, entry.user_agent,
  entry.request_id, entry.operation, entry.object, entry.object_id, entry.organization_id, entry.outcome, entry.content`;

export type EntryRow = {
  id: Uuid;
  at: Date;
  mode: AuditEntry["mode"];
  actor: AuditActor;
  actor_id: Uuid | null;
  session_id: Uuid | null;
  address: string | null;
  user_agent: string | null;
  request_id: Uuid | null;
  operation: string;
  object: string | null;
  object_id: string | null;
  organization_id: Uuid | null;
  outcome: AuditOutcome;
  content: AuditContent;
};

export const entryOf = (tenantId: Uuid, row: EntryRow): AuditEntry => ({
  ...{ tenantId, id: row.id, at: row.at, mode: row.mode, actor: row.actor, actorId: row.actor_id },
  ...{ sessionId: row.session_id, address: row.address, userAgent: row.user_agent, requestId: row.request_id },
  ...{ operation: row.operation, object: row.object, objectId: row.object_id, organizationId: row.organization_id },
  ...{ outcome: row.outcome, content: row.content },
});

const listEntries = statement(
  "list-audit-entries",
  `select ${COLUMNS}, person.name as person_name, link.seq::float8 as seq,
     (select jsonb_object_agg(digest, value::jsonb) from audit_values
      where tenant_id = $1 and entry_id = entry.id) as personal
   from audit_entries entry
   left join users person on person.tenant_id = $1 and person.id = entry.actor_id
   left join chain_links link on link.tenant_id = $1 and link.kind = 'audit' and link.ref = entry.id
   where entry.tenant_id = $1 and entry.id < $2
     and ($4::text is null or entry.actor = $4) and ($5::uuid is null or entry.actor_id = $5)
     and ($6::text is null or entry.operation = $6) and ($7::text is null or entry.object = $7)
     and ($8::text is null or entry.object_id = $8) and ($9::text is null or entry.outcome = $9)
     and ($10::timestamptz is null or entry.at >= $10) and ($11::timestamptz is null or entry.at < $11)
     and ($13::text is null or entry.mode = $13)
     and ($12::text is null or strpos(lower(concat_ws(' ', entry.operation, entry.object_id, entry.address, entry.content::text)), $12) > 0)
   order by entry.id desc limit $3`,
);

// Asked by itself: on a distributed database keys are not beside the tenant's other rows.
const namesOfKeys = statement(
  "list-names-of-api-keys",
  "select id, name from api_keys where tenant_id = $1 and id = any($2::uuid[])",
);

export type AuditFilter = {
  mode?: "live" | "test" | undefined;
  actor?: AuditActor | undefined;
  actorId?: Uuid | undefined;
  operation?: string | undefined;
  object?: string | undefined;
  objectId?: string | undefined;
  outcome?: AuditOutcome | undefined;
  begin?: Date | undefined;
  end?: Date | undefined;
  text?: string | undefined;
};

export type ListedEntry = AuditEntry & {
  /** Of the user or the key, as they are called now. */
  actorName: string | null;
  /** Its place in the chain; null until it is linked. */
  seq: number | null;
  /** Values of contacts who are not erased, by their digests. */
  personal: Record<string, unknown>;
};

type ListedRow = EntryRow & {
  person_name: string | null;
  seq: number | null;
  personal: Record<string, unknown> | null;
};

/** Newest first, one more than a page. */
export async function list(
  tx: Tx,
  accountId: Uuid,
  { before, limit, ...filter }: AuditFilter & { before: Uuid; limit: number },
): Promise<ListedEntry[]> {
  const { actor = null, actorId = null, operation = null, object = null, objectId = null, outcome = null } = filter;
  const times = [filter.begin ?? null, filter.end ?? null];
  const values = [before, limit + 1, actor, actorId, operation, object, objectId, outcome, ...times];
  const rows = await tx.rows<ListedRow>(listEntries, [
    accountId,
    ...values,
    filter.text?.toLowerCase() ?? null,
    filter.mode ?? null,
  ]);
  const actors = [...new Set(rows.flatMap(({ actor_id: id }) => id ?? []))];
  const keys = actors.length > 0 ? await tx.rows<{ id: Uuid; name: string }>(namesOfKeys, [accountId, actors]) : [];
  const names = new Map(keys.map(({ id, name }) => [id, name]));
  return rows.map((row) => ({
    ...entryOf(accountId, row),
    actorName: row.person_name ?? (row.actor_id === null ? null : (names.get(row.actor_id) ?? null)),
    seq: row.seq,
    personal: row.personal ?? {},
  }));
}

const readLinks = statement(
  "list-chain-links",
  `select link.seq::float8 as seq, link.kind, link.ref, link.digest as link_digest, link.hash, ${COLUMNS}
   from chain_links link
   left join audit_entries entry on entry.tenant_id = $1 and link.kind = 'audit' and entry.id = link.ref
   where link.tenant_id = $1 and link.seq > $2 order by link.seq limit $3`,
);

/** A link with the entry that it stands for; of other kinds, and where it was removed, there is none. */
export type LinkedEntry = ChainLink & { entry: AuditEntry | undefined };

const LINKS_AT_ONCE = 1_000;

/** A tenant's whole chain, in order. */
export async function* chain(tx: Tx, accountId: Uuid): AsyncGenerator<LinkedEntry> {
  type Row = Omit<ChainLink, "digest"> & { link_digest: Buffer } & { [K in keyof EntryRow]: EntryRow[K] | null };
  for (let after = 0; ; ) {
    const rows = await tx.rows<Row>(readLinks, [accountId, after, LINKS_AT_ONCE]);
    for (const row of rows) {
      const { seq, kind, ref, link_digest, hash } = row;
      const entry = row.id === null ? undefined : entryOf(accountId, row as unknown as EntryRow);
      yield { seq, kind, ref, digest: link_digest, hash, entry };
    }
    if (rows.length < LINKS_AT_ONCE) return;
    after = rows.at(-1)!.seq;
  }
}

const unlinkedEntry = statement(
  "find-unlinked-audit-entry",
  `select entry.id from audit_entries entry
   where entry.tenant_id = $1 and entry.at < $2
     and not exists (select from chain_links where tenant_id = $1 and kind = 'audit' and ref = entry.id)
     and not exists (select from chain_waiting where tenant_id = $1 and kind = 'audit' and ref = entry.id)
   order by entry.id limit 1`,
);

/** The oldest entry from before this time that is in no chain and does not wait to be: nobody but the database's owner can have made it so. */
export async function unlinked(tx: Tx, accountId: Uuid, before: Date): Promise<Uuid | undefined> {
  return (await tx.first<{ id: Uuid }>(unlinkedEntry, [accountId, before]))?.id;
}
