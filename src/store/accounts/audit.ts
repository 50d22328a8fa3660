import { randomBytes } from "node:crypto";
import { type AuditEntry, type AuditNote, auditContent, auditDigest } from "#domain/accounts/audit.ts";
import type { Uuid } from "#domain/values/id.ts";
import { waitFor } from "#store/database/chain.ts";
import { statement, type Tx } from "#store/database/db.ts";

// The audit log: entries are added in the transaction of the change that they are about, and never changed or deleted.

/** A request under its Idempotency-Key that runs again has the same id: it has its entry. */
const insertEntry = statement(
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

const forgetValues = statement(
  "forget-audit-values",
  "delete from audit_values where tenant_id = $1 and phone = any($2::text[])",
);

/** Takes what is a person's out of the log. The entries stay, and their chain. */
export async function forgetPhonesOf(tx: Tx, accountId: Uuid, phones: readonly string[]): Promise<void> {
  if (phones.length > 0) await tx.run(forgetValues, [accountId, phones]);
}
