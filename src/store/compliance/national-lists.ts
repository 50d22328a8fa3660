import type { Uuid } from "#domain/values/id.ts";
import { changing, changingAndReading, statement, type Tx } from "#store/database/db.ts";

/** A number of the North American plan: the only ones that a national list can hold. */
const NUMBER = /^\+1\d{10}$/;
export const isCovered = (phone: string): boolean => NUMBER.test(phone);

// Phone by phone, by the whole key (the limits keep it so): joined as sets, all of a nation's numbers were read for a batch.
const lookUp = statement(
  "look-up-national-lists",
  `select phone, area.listed_on::timestamp at time zone 'UTC' as listed_on,
     coalesce(get_bit(numbers.bits, substr(phone, 9, 4)::int) = 1, false) as listed
   from unnest($2::text[]) as phone
   cross join lateral (
     select import_id, listed_on from national_areas where tenant_id = $1 and area_code = substr(phone, 3, 3)::smallint
     limit 1) as area
   left join lateral (
     select bits from national_numbers
     where tenant_id = $1 and import_id = area.import_id and prefix = substr(phone, 3, 6)::int
     limit 1) as numbers on true`,
);

/** Whether each phone is on the list of its area code, and that list's date. Phones of area codes without one are left out. */
export async function look(
  tx: Tx,
  tenantId: Uuid,
  phones: readonly string[],
): Promise<{ phone: string; listed: boolean; listed_on: Date }[]> {
  const numbers = phones.filter(isCovered);
  return numbers.length === 0 ? [] : tx.rows(lookUp, [tenantId, numbers]);
}

const insertImport = changing(
  "insert-national-import",
  `insert into national_imports (tenant_id, id, kind, listed_on, file, started_at) values ($1, $2, $3, $4, $5, $6)`,
);

export async function begin(
  tx: Tx,
  tenantId: Uuid,
  list: { id: Uuid; kind: "full" | "change"; listedOn: string; file: string; at: Date },
): Promise<void> {
  await tx.run(insertImport, [tenantId, list.id, list.kind, list.listedOn, list.file, list.at]);
}

const finishImport = changing(
  "finish-national-import",
  "update national_imports set added = $3, deleted = $4, finished_at = $5 where tenant_id = $1 and id = $2",
);

export async function finish(
  tx: Tx,
  tenantId: Uuid,
  id: Uuid,
  counts: { added: number; deleted: number; at: Date },
): Promise<void> {
  await tx.run(finishImport, [tenantId, id, counts.added, counts.deleted, counts.at]);
}

export type NationalArea = { area_code: number; import_id: Uuid; listed_on: string };

const listAreas = statement(
  "list-national-areas",
  `select area_code, import_id, listed_on::text from national_areas where tenant_id = $1 order by area_code`,
);

/** The covered area codes; `listed_on` is a day, YYYY-MM-DD. */
export function areas(tx: Tx, tenantId: Uuid): Promise<NationalArea[]> {
  return tx.rows<NationalArea>(listAreas, [tenantId]);
}

const coverAreas = changingAndReading(
  "cover-national-areas",
  `with ruled as (
     insert into screening_rules (tenant_id, has_national_list) values ($1, true)
     on conflict (tenant_id) do update set has_national_list = true)
   insert into national_areas (tenant_id, area_code, import_id, listed_on)
   select $1, area_code, $3, $4 from unnest($2::smallint[]) as area_code order by area_code
   on conflict (tenant_id, area_code) do update set import_id = excluded.import_id, listed_on = excluded.listed_on
   where national_areas.listed_on <= excluded.listed_on`,
);

/** From now on these area codes are looked up in this import; one that has a newer list keeps it. The number that changed. */
export function cover(
  tx: Tx,
  tenantId: Uuid,
  areaCodes: readonly number[],
  importId: Uuid,
  listedOn: string,
): Promise<number> {
  return tx.run(coverAreas, [tenantId, areaCodes, importId, listedOn]);
}

const renewAreas = changing(
  "renew-national-areas",
  `update national_areas area set listed_on = $4 from unnest($2::smallint[], $3::uuid[]) as changed (area_code, import_id)
   where area.tenant_id = $1 and area.area_code = changed.area_code and area.import_id = changed.import_id and area.listed_on <= $4`,
);

/** The lists of these area codes are as of this day now, where they are still these and no newer. The number that changed. */
export function renew(
  tx: Tx,
  tenantId: Uuid,
  lists: readonly Pick<NationalArea, "area_code" | "import_id">[],
  listedOn: string,
): Promise<number> {
  return tx.run(renewAreas, [
    tenantId,
    lists.map((list) => list.area_code),
    lists.map((list) => list.import_id),
    listedOn,
  ]);
}

/** Ten thousand numbers: bit n%8 of byte n/8 is number n of the prefix (area code and exchange). */
export type Piece = { import_id: Uuid; prefix: number; bits: Buffer };

const makePieces = changing(
  "make-national-numbers",
  `insert into national_numbers (tenant_id, import_id, prefix, bits)
   select $1, import_id, prefix, $4 from unnest($2::uuid[], $3::int[]) as piece (import_id, prefix) order by import_id, prefix
   on conflict do nothing`,
);

/** Makes those that are not there yet, empty, so that they can be locked: two who both bring a new prefix take turns then. */
export async function make(
  tx: Tx,
  tenantId: Uuid,
  them: readonly Pick<Piece, "import_id" | "prefix">[],
  empty: Buffer,
): Promise<void> {
  await tx.run(makePieces, [tenantId, them.map((piece) => piece.import_id), them.map((piece) => piece.prefix), empty]);
}

const lockPieces = statement(
  "lock-national-numbers",
  `select numbers.import_id, numbers.prefix, numbers.bits
   from unnest($2::uuid[], $3::int[]) as piece (import_id, prefix)
   join national_numbers numbers on numbers.tenant_id = $1 and numbers.import_id = piece.import_id
     and numbers.prefix = piece.prefix
   order by numbers.import_id, numbers.prefix for update of numbers`,
);

export function lock(tx: Tx, tenantId: Uuid, them: readonly Pick<Piece, "import_id" | "prefix">[]): Promise<Piece[]> {
  return tx.rows<Piece>(lockPieces, [
    tenantId,
    them.map((piece) => piece.import_id),
    them.map((piece) => piece.prefix),
  ]);
}

const savePieces = changing(
  "save-national-numbers",
  `insert into national_numbers (tenant_id, import_id, prefix, bits)
   select $1, import_id, prefix, bits from unnest($2::uuid[], $3::int[], $4::bytea[]) as piece (import_id, prefix, bits)
   on conflict (tenant_id, import_id, prefix) do update set bits = excluded.bits`,
);

export async function save(tx: Tx, tenantId: Uuid, them: readonly Piece[]): Promise<void> {
  const values = [
    them.map((piece) => piece.import_id),
    them.map((piece) => piece.prefix),
    them.map((piece) => piece.bits),
  ];
  await tx.run(savePieces, [tenantId, ...values]);
}

const dropNumbers = changing(
  "drop-national-numbers",
  `delete from national_numbers where tenant_id = $1 and import_id = $2
     and not exists (select from national_areas where tenant_id = $1 and import_id = $2)`,
);

/** Deletes the numbers of an import that failed, unless area codes are looked up in it. */
export async function drop(tx: Tx, tenantId: Uuid, importId: Uuid): Promise<void> {
  await tx.run(dropNumbers, [tenantId, importId]);
}

const forgetNumbers = changingAndReading(
  "forget-national-numbers",
  `with unused as (
     select import_id from (select distinct import_id from national_numbers where tenant_id = $1) as stored
     where not exists (select from national_areas where tenant_id = $1 and import_id = stored.import_id)
       and exists (select from national_imports where tenant_id = $1 and id = stored.import_id
         and (finished_at is not null or started_at < $2)))
   delete from national_numbers numbers using unused
   where numbers.tenant_id = $1 and numbers.import_id = unused.import_id`,
);

const forgetAreaNumbers = changing(
  "forget-national-area-numbers",
  `delete from national_numbers numbers using national_areas area
   where numbers.tenant_id = $1 and area.tenant_id = $1 and area.area_code = any($2::smallint[])
     and numbers.prefix between area.area_code * 1000 and area.area_code * 1000 + 999
     and numbers.import_id <> area.import_id and numbers.import_id = any($3::uuid[])`,
);

/**
 * Deletes numbers that no area code is looked up in any more: those of `replaced` in these area codes, and all of imports that
 * are not used or were broken off before `brokenOffBefore`.
 */
export async function forget(
  tx: Tx,
  tenantId: Uuid,
  leftovers: { areaCodes: readonly number[]; replaced: readonly Uuid[]; brokenOffBefore: Date },
): Promise<void> {
  await tx.run(forgetAreaNumbers, [tenantId, leftovers.areaCodes, leftovers.replaced]);
  await tx.run(forgetNumbers, [tenantId, leftovers.brokenOffBefore]);
}
