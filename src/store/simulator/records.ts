import type { Uuid } from "#domain/values/id.ts";
import { crossTenant, type Db, type Statement, type Tx } from "#store/database/db.ts";

/** SQL: the rows of a table, texts or calls, that `named` gives by handset and number in sequence. */
export const isRowOf = (table: string, named: string): string =>
  `${table}.tenant_id = $1 and ${table}.handset = ${named}.handset and ${table}.seq = ${named}.seq
     and ${named}.seq between 0 and 9223372036854775807`;

/** SQL, a part of a `with`: what handsets said of being contacted, by text or in calls, and when that was acknowledged. */
export const WORDS = `word as (
     select handset, acknowledged_seq as seq, upper(btrim(text)) as word from simulator_texts
     where tenant_id = $1 and direction = 'from_handset' and acknowledged_seq is not null
       and upper(btrim(text)) in ('STOP', 'STOPALL', 'UNSUBSCRIBE', 'QUIT', 'END', 'CANCEL', 'START', 'UNSTOP')
     union all
     select handset, acknowledged_seq, 'STOP' from simulator_calls where tenant_id = $1 and acknowledged_seq is not null)`;

/**
 * SQL, of a row of `taken`: it came after an opt-out, whichever channel that came by: after a STOP of that handset had been acknowledged, or its
 * words in a call, and before it said START.
 */
export const IS_AFTER_OPT_OUT = `(
       select word.word from word where word.handset = taken.handset and word.seq < taken.seq order by word.seq desc limit 1
     ) not in ('START', 'UNSTOP')`;

/** By ref, the sequence numbers that a statement returns. */
export async function seqsByRef(db: Db, find: Statement, values: readonly unknown[]): Promise<Map<Uuid, string>> {
  const rows = await db.rows<{ ref: Uuid; seq: string }>(find, values);
  return new Map(rows.map((row) => [row.ref, row.seq]));
}

const nextSeqs = crossTenant(
  "simulator-next-seqs",
  "select nextval(pg_get_serial_sequence('simulator_texts', 'seq')) as seq from generate_series(1, $1::int)",
);

/** The next of the numbers that order texts and calls, of all tenants. Asked for by themselves: no update of a distributed database counts on. */
export async function takeSeqs(tx: Tx, n: number): Promise<string[]> {
  return (await tx.rows<{ seq: string }>(nextSeqs, [n])).map((row) => row.seq);
}

/** The tenants that a statement finds to be owed something, each with its own time. */
export async function owingBy(db: Db, find: Statement, now: Date): Promise<{ tenantId: Uuid; tenantNow: Date }[]> {
  const rows = await db.rows<{ id: Uuid; clock_offset_ms: string }>(find, [now]);
  return rows.map((row) => ({
    tenantId: row.id,
    tenantNow: new Date(now.getTime() + Number(row.clock_offset_ms)),
  }));
}

/**
 * Takes what is owed, serves it and strikes off what was served, in one transaction; `after` comes then, in the same one. What is acknowledged thereby
 * gets a number in the order of texts and calls. Answers with how many were served.
 */
export const serveBy = <Owed extends { handset: string; seq: string }, Answer>(
  db: Db,
  { take, strikeOff, isAcknowledged }: { take: Statement; strikeOff: Statement; isAcknowledged: boolean },
  [tenantId, now, limit]: readonly [tenantId: Uuid, now: Date, limit: number],
  serve: (owed: readonly Owed[]) => Promise<{ served: readonly Owed[]; answer: Answer }>,
  after: (tx: Tx, answer: Answer) => Promise<unknown> = async () => {},
): Promise<number> =>
  db.transaction(async (tx) => {
    const owed = await tx.rows<Owed>(take, [tenantId, now, limit]);
    if (owed.length === 0) return 0;
    const { served, answer } = await serve(owed);
    const done = [served.map((text) => text.handset), served.map((text) => text.seq)];
    await tx.run(strikeOff, [tenantId, ...done, ...(isAcknowledged ? [await takeSeqs(tx, served.length)] : [])]);
    await after(tx, answer);
    return served.length;
  });

/** Whom a text or a call is from and whom it goes to, by its direction. */
export const endsOf = (entry: { direction: "to_handset" | "from_handset"; handset: string; number: string }) =>
  entry.direction === "to_handset"
    ? { from: entry.number, to: entry.handset }
    : { from: entry.handset, to: entry.number };
