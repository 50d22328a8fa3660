import type { Uuid } from "#domain/values/id.ts";
import { changing, statement, type Tx } from "#store/database/db.ts";

// What claims have placed from each number: today, and as its line's rate goes.

export type NumberUse = {
  number: string;
  /** On the day that was asked for. */
  placed: number;
  tokens: number | null;
  tokens_at: Date | null;
};

const COLUMNS = "number, case when day = $3::date then placed else 0 end as placed, tokens, tokens_at";

const readUses = statement(
  "read-number-uses",
  `select ${COLUMNS} from number_uses where tenant_id = $1 and number = any($2::text[])`,
);

const makeUses = changing(
  "make-number-uses",
  `insert into number_uses (tenant_id, number, day, placed)
   select $1, number, $3::date, 0 from unnest($2::text[]) as number
   where not exists (select from number_uses known where known.tenant_id = $1 and known.number = number)
   order by number on conflict do nothing`,
);

const lockUses = statement(
  "lock-number-uses",
  `select ${COLUMNS} from number_uses where tenant_id = $1 and number = any($2::text[]) order by number for update`,
);

/** Of these numbers by a UTC day. `isLimited`: locked, so that claims of several campaigns keep to a number's rate together. */
export async function read(
  tx: Tx,
  tenantId: Uuid,
  numbers: readonly string[],
  { day, isLimited }: { day: string; isLimited: boolean },
): Promise<Map<string, NumberUse>> {
  const values = [tenantId, numbers, day];
  if (isLimited) await tx.run(makeUses, values);
  const rows = await tx.rows<NumberUse>(isLimited ? lockUses : readUses, values);
  return new Map(rows.map((use) => [use.number, use]));
}

const openCalls = statement(
  "count-open-calls-of-numbers",
  `select number, count(*)::int as n from calls
   where tenant_id = $1 and number = any($2::text[]) and direction = 'outbound' and status in ('registered', 'ongoing') group by number`,
);

/** How many calls from each of these numbers are going on. */
export async function openOf(tx: Tx, tenantId: Uuid, numbers: readonly string[]): Promise<Map<string, number>> {
  const rows = await tx.rows<{ number: string; n: number }>(openCalls, [tenantId, numbers]);
  return new Map(rows.map((row) => [row.number, row.n]));
}

const addUses = changing(
  "add-number-uses",
  `insert into number_uses (tenant_id, number, day, placed, tokens, tokens_at)
   select $1, number, $2::date, placed, tokens, case when tokens is not null then $3::timestamptz end
   from unnest($4::text[], $5::int[], $6::real[]) as it (number, placed, tokens) order by number
   on conflict (tenant_id, number) do update set
     placed = case when number_uses.day = excluded.day then number_uses.placed + excluded.placed else excluded.placed end,
     day = excluded.day, tokens = coalesce(excluded.tokens, number_uses.tokens),
     tokens_at = coalesce(excluded.tokens_at, number_uses.tokens_at)`,
);

export type Placed = {
  number: string;
  placed: number;
  /** What its rate leaves by now, after these; null where its line has none. */
  tokens: number | null;
};

/** Adds what a claim places, with its commit; `now` is real time. */
export async function add(
  tx: Tx,
  tenantId: Uuid,
  { day, now }: { day: string; now: Date },
  them: readonly Placed[],
): Promise<void> {
  if (them.length === 0) return;
  const columns = [them.map((use) => use.number), them.map((use) => use.placed), them.map((use) => use.tokens)];
  await tx.atCommit(addUses, [tenantId, day, now, ...columns]);
}
