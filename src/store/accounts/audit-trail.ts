import type { AuditNote, AuditOutcome } from "#domain/accounts/audit.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { Db, Statement, Tx } from "#store/database/db.ts";
import * as audit from "./audit.ts";

/**
 * What a request leaves in the audit log. Its entry is written by the first transaction of the request that changes anything, with it: an operation
 * cannot forget it, only say more of it.
 */
export type AuditTrail = {
  /** Says what is changed; what is said later counts, and other counts are added. To be called before the end of the transaction that changes it, and repeatable as it is. */
  note(note: AuditNote): void;
  /** Says whose change it is, where only the operation finds that out: a sign-in. */
  by(who: AuditedBy): void;
  /** Says whose log has the entry too: a change that is two tenants'. */
  alsoIn(tenantId: Uuid): void;
  /**
   * Has the entry written by itself, of an attempt that is refused and changes nothing. Nobody waits for it: how long an answer takes must not say
   * whether somebody has an account.
   */
  refused(db: Db, reason: string): void;
};

export type AuditedBy = Partial<Pick<audit.AuditSource, "tenantId" | "mode" | "actor" | "actorId" | "sessionId">>;

/** What the edge knows of a request. */
export type AuditedRequest = Omit<audit.AuditSource, "tenantId" | "outcome"> & {
  /** Undefined: the operation finds out. */
  tenantId: Uuid | undefined;
  note: AuditNote;
  /** The body, where it is small. */
  asked: unknown;
};

/** Of what is no request: reads, and the service's own work. */
export const NO_TRAIL: AuditTrail = { note: () => {}, by: () => {}, alsoIn: () => {}, refused: () => {} };

/** Of one request; `over` gives the database that its entry is written through. */
export function auditTrail(
  request: AuditedRequest,
  { now, log }: { now(): Date; log: { error(data: Record<string, unknown>, message: string): void } },
): AuditTrail & { over(db: Db): Db } {
  let said: AuditNote = request.note;
  let who: AuditedBy = {};
  const others = new Set<Uuid>();
  let isWritten = false;

  async function write(tx: Tx, outcome: AuditOutcome): Promise<void> {
    const { note, asked, ...known } = request;
    const { tenantId, ...source } = { ...known, ...who };
    if (tenantId === undefined) return;
    for (const each of new Set([tenantId, ...others]))
      await audit.add(tx, { ...source, tenantId: each, outcome }, said, now(), asked);
  }

  const inTransaction =
    (db: Db): Db["transaction"] =>
    async (work) => {
      let wrote = false;
      const result = await db.transaction(async (tx) => {
        wrote = false;
        const result = await work(
          watched(tx, () => {
            wrote = true;
          }),
        );
        if (wrote && !isWritten) await write(tx, "done");
        return result;
      });
      isWritten ||= wrote;
      return result;
    };

  return {
    note(note) {
      const counts = (said.counts || note.counts) && { ...said.counts, ...note.counts };
      said = { ...said, ...note, counts };
    },
    by(them) {
      who = { ...who, ...them };
    },
    alsoIn(tenantId) {
      others.add(tenantId);
    },
    refused(db, reason) {
      if (isWritten) return;
      isWritten = true;
      said = { ...said, reason };
      db.transaction((tx) => write(tx, "refused")).catch((err: unknown) =>
        log.error({ err, operation: request.operation }, "a refusal is not in the audit log"),
      );
    },
    over(db) {
      const transaction = inTransaction(db);
      const alone = <T>(statement: Statement, run: (on: Tx) => Promise<T>) =>
        writes(statement) ? transaction(run) : run(db);
      return {
        rows: (query, values) => alone(query, (on) => on.rows(query, values)),
        first: (query, values) => alone(query, (on) => on.first(query, values)),
        run: (query, values) => alone(query, (on) => on.run(query, values)),
        atCommit: (query, values) => alone(query, (on) => on.atCommit(query, values)),
        afterwards: (query, values) => db.afterwards(query, values),
        transaction,
        limitedTo: (organizations) => db.limitedTo(organizations),
        close: () => db.close(),
      };
    },
  };
}

/** The same transaction; `wrote` is called once it has changed a row, as far as its statements say. */
function watched(tx: Tx, wrote: () => void): Tx {
  return {
    async rows<T>(query: Statement, values?: readonly unknown[]) {
      const rows = await tx.rows<T>(query, values);
      if (writes(query) && (rows.length > 0 || query.changes === "more")) wrote();
      return rows;
    },
    async first<T>(query: Statement, values?: readonly unknown[]) {
      const row = await tx.first<T>(query, values);
      if (writes(query) && (row !== undefined || query.changes === "more")) wrote();
      return row;
    },
    async run(query, values) {
      const count = await tx.run(query, values);
      if (count > 0 && writes(query)) wrote();
      return count;
    },
    atCommit: (query, values) => {
      if (writes(query)) wrote();
      return tx.atCommit(query, values);
    },
    afterwards: (query, values) => tx.afterwards(query, values),
  };
}

/** Whether it may change rows that the change of a request is made of: where it may, the entry belongs into its transaction. */
const writes = ({ changes }: Statement): boolean => changes === "returned" || changes === "more";
