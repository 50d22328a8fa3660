import type { NumberSum } from "#domain/numbers/health.ts";
import type { Uuid } from "#domain/values/id.ts";
import { changing, changingAndReading, statement, type Tx } from "#store/database/db.ts";

// Numbers that rest, and the figures by which they are judged. Times are the tenant's.

const DAY_MS = 86_400_000;

const sumDays = statement(
  "sum-days-of-numbers",
  `select days.number, days.campaign_id, sum(placed)::int as placed, sum(answered)::int as answered,
     sum(complaints)::int as complaints, sum(unwanted)::int as unwanted
   from number_days days
   left join number_rests rest on rest.tenant_id = $1 and rest.number = days.number
   where days.tenant_id = $1 and days.day >= $2::date and ($3::boolean or days.day >= coalesce(rest.judged_from, $2::date))
   group by days.number, days.campaign_id order by days.number, days.campaign_id`,
);

/**
 * Of all the tenant's numbers since a day: a tenant has some dozens. `whole`: also what is held against a number no more, since it has rested for it.
 */
export function sums(tx: Tx, tenantId: Uuid, since: Date, whole: boolean): Promise<NumberSum[]> {
  return tx.rows<NumberSum>(sumDays, [tenantId, since, whole]);
}

const trimDays = changing("trim-days-of-numbers", "delete from number_days where tenant_id = $1 and day < $2::date");

/** Forgets the days before one. */
export async function forgetBefore(tx: Tx, tenantId: Uuid, since: Date): Promise<void> {
  await tx.run(trimDays, [tenantId, since]);
}

const placedDays = statement(
  "sum-calls-of-refused-numbers",
  `select number, max(placed)::int as placed
   from (
     select number, day, sum(placed) as placed from number_days
     where tenant_id = $1 and number = any($2::text[]) and day >= $3::date group by number, day) as days
   group by number`,
);

/** The calls from these numbers of today or yesterday, whichever had more: about those of 24 hours. */
export async function placedAbout(
  tx: Tx,
  tenantId: Uuid,
  numbers: readonly string[],
  now: Date,
): Promise<Map<string, number>> {
  if (numbers.length === 0) return new Map();
  const since = dayOf(new Date(now.getTime() - DAY_MS));
  const rows = await tx.rows<{ number: string; placed: number }>(placedDays, [tenantId, numbers, since]);
  return new Map(rows.map((row) => [row.number, row.placed]));
}

export type Rest = {
  number: string;
  rested_at: Date | null;
  resting_until: Date | null;
  /** Of domain/numbers/health.ts, or `asked` for. */
  reason: string | null;
  rests: number;
  /** ISO 8601. */
  refusals: string[];
};

const COLUMNS = "number, rested_at, resting_until, reason, rests, refusals";

const readRests = statement(
  "read-number-rests",
  `select ${COLUMNS} from number_rests where tenant_id = $1 and number = any($2::text[])`,
);

/** Those of the numbers that rest or have rested. */
export async function read(tx: Tx, tenantId: Uuid, numbers: readonly string[]): Promise<Map<string, Rest>> {
  return byNumber(await tx.rows<Rest>(readRests, [tenantId, numbers]));
}

const lockRests = statement(
  "lock-number-rests",
  `select ${COLUMNS} from number_rests where tenant_id = $1 and number = any($2::text[]) order by number for update`,
);

const addRests = changing(
  "add-number-rests",
  `insert into number_rests (tenant_id, number)
   select $1, number from unnest($2::text[]) as it (number) order by number on conflict do nothing`,
);

/** Holds the numbers' rows until the transaction ends; a number that has none gets one, since what is not there cannot be locked. */
export async function lock(tx: Tx, tenantId: Uuid, numbers: readonly string[]): Promise<Map<string, Rest>> {
  await tx.run(addRests, [tenantId, numbers]);
  return byNumber(await tx.rows<Rest>(lockRests, [tenantId, numbers]));
}

const byNumber = (rows: readonly Rest[]) => new Map(rows.map((rest) => [rest.number, rest]));

const resting = statement(
  "list-resting-numbers",
  "select number, resting_until from number_rests where tenant_id = $1 and number = any($2::text[]) and resting_until > $3",
);

/** Those of the numbers that rest now, and until when. */
export async function restingOf(
  tx: Tx,
  tenantId: Uuid,
  numbers: readonly string[],
  now: Date,
): Promise<Map<string, Date>> {
  const rows = await tx.rows<{ number: string; resting_until: Date }>(resting, [tenantId, numbers, now]);
  return new Map(rows.map((row) => [row.number, row.resting_until]));
}

const saveRefusals = changing(
  "save-refusals-of-numbers",
  `insert into number_rests (tenant_id, number, refusals)
   select $1, number, refusals::jsonb from unnest($2::text[], $3::text[]) as it (number, refusals) order by number
   on conflict (tenant_id, number) do update set refusals = excluded.refusals`,
);

/** Keeps when calls from these numbers were refused as spam. */
export async function keepRefusals(tx: Tx, tenantId: Uuid, them: ReadonlyMap<string, readonly Date[]>): Promise<void> {
  if (them.size === 0) return;
  const times = [...them.values()].map((each) => JSON.stringify(each));
  await tx.run(saveRefusals, [tenantId, [...them.keys()], times]);
}

const ofNumber = (column: string): string =>
  `(select ${column} from phone_numbers where tenant_id = $1 and phone = changed.number)`;

/** The end of a statement that has `changed` the rests of numbers, at $2. With an outer join here a server of Citus 13.2 ends. */
const noted = (change: string): string => `
   insert into events (tenant_id, kind, at, organization_id, data)
   select $1, 'phone_number.changed', $2, ${ofNumber("organization_id")},
     jsonb_build_object('phone_number', changed.number, 'change', '${change}', 'agent_id', ${ofNumber("agent_id")},
       'resting_until', changed.until, 'reason', changed.reason)
   from changed
   on conflict do nothing`;

const beginRests = changingAndReading(
  "begin-number-rests",
  `with changed as (
     insert into number_rests (tenant_id, number, rested_at, resting_until, reason, rests, judged_from)
     select $1, number, $2, until, reason, rests, judged_from
     from unnest($3::text[], $4::timestamptz[], $5::text[], $6::int[], $7::date[]) as it (number, until, reason, rests, judged_from)
     order by number
     on conflict (tenant_id, number) do update set rested_at = excluded.rested_at, resting_until = excluded.resting_until,
       reason = excluded.reason, rests = excluded.rests, judged_from = excluded.judged_from, refusals = '[]'
     returning number, resting_until as until, reason)
   ${noted("rested")}`,
);

export type NewRest = { number: string; until: Date; reason: string; rests: number };

/** Begins rests, or changes those that go on. What was before the end is not held against a number any more. */
export async function begin(tx: Tx, tenantId: Uuid, them: readonly NewRest[], now: Date): Promise<void> {
  if (them.length === 0) return;
  await tx.run(beginRests, [
    tenantId,
    now,
    them.map(({ number }) => number),
    them.map(({ until }) => until),
    them.map(({ reason }) => reason),
    them.map(({ rests }) => rests),
    them.map(({ until }) => dayOf(until)),
  ]);
}

const endRest = changingAndReading(
  "end-number-rest",
  `with changed as (
     update number_rests set resting_until = $2, refusals = '[]', judged_from = $4::date
     where tenant_id = $1 and number = $3 and resting_until > $2
     returning number, null::timestamptz as until, null::text as reason)
   ${noted("rest_ended")}`,
);

/** Ends a rest before its time; the calls of today are not held against the number either. Nothing where it does not rest. */
export async function end(tx: Tx, tenantId: Uuid, number: string, now: Date): Promise<void> {
  await tx.run(endRest, [tenantId, now, number, dayOf(new Date(now.getTime() + DAY_MS))]);
}

/** A UTC day, as a date is bound. */
const dayOf = (at: Date): string => at.toISOString().slice(0, 10);
