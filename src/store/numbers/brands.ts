import type { Brand, BrandStatus } from "#domain/numbers/brand.ts";
import type { Uuid } from "#domain/values/id.ts";
import { changing, changingAndReading, statement, type Tx } from "#store/database/db.ts";
import { awaitVerdicts } from "./verdicts.ts";

const COLUMNS = "id, fields, status, reasons, score, carrier, created_at, updated_at";

/** Notes in a statement what brands have `changed`. */
const NOTED = `
   insert into events (tenant_id, kind, at, data)
   select $1, 'brand.updated', updated_at, jsonb_build_object('brand_id', id, 'status', status) from changed
   on conflict do nothing`;

const insertBrand = changingAndReading(
  "insert-brand",
  `with changed as (
     insert into brands (tenant_id, id, fields, status, reasons, score, created_at, updated_at, carrier)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict (tenant_id, id) do nothing returning id, status, updated_at)
   ${NOTED}`,
);

/** Safe to repeat with the same id. */
export async function insert(tx: Tx, tenantId: Uuid, brand: Brand): Promise<void> {
  const fields = JSON.stringify(brand.fields);
  await tx.run(insertBrand, [
    tenantId,
    brand.id,
    fields,
    brand.status,
    brand.reasons,
    brand.score,
    brand.created_at,
    brand.updated_at,
    brand.carrier,
  ]);
}

const findBrand = statement("find-brand", `select ${COLUMNS} from brands where tenant_id = $1 and id = $2`);

export function find(tx: Tx, tenantId: Uuid, id: string): Promise<Brand | undefined> {
  return tx.first<Brand>(findBrand, [tenantId, id]);
}

const listBrands = statement(
  "list-brands",
  `select ${COLUMNS} from brands
   where tenant_id = $1 and ($2::timestamptz is null or (created_at, id) < ($2, $3))
   order by created_at desc, id desc limit $4`,
);

/** Newest first, older than `before`, one more than a page. */
export function list(
  tx: Tx,
  tenantId: Uuid,
  page: { before: { at: Date; id: string } | undefined; limit: number },
): Promise<Brand[]> {
  return tx.rows<Brand>(listBrands, [tenantId, page.before?.at ?? null, page.before?.id ?? null, page.limit + 1]);
}

const brandFacts = statement(
  "brand-facts",
  "select id, score, carrier from brands where tenant_id = $1 and id = any($2::text[])",
);

/** What a brand's campaigns depend on. */
export type BrandFacts = Pick<Brand, "score" | "carrier">;

export async function ofIds(tx: Tx, tenantId: Uuid, ids: readonly string[]): Promise<Map<string, BrandFacts>> {
  const rows = await tx.rows<BrandFacts & { id: string }>(brandFacts, [tenantId, ids]);
  return new Map(rows.map((row) => [row.id, row]));
}

export const { pending, asked, changed } = awaitVerdicts<Brand>("brands", {
  columns: COLUMNS,
  ofCarrier: "carrier = $2",
});

const changeBrand = changing(
  "change-brand",
  `with changed as (
     update brands set fields = $3, status = $4, reasons = $5, updated_at = $6, score = $9
     where tenant_id = $1 and id = $2 and status = $7 and updated_at = $8
     returning ${COLUMNS}),
   noted as (${NOTED})
   select ${COLUMNS} from changed`,
);

/**
 * Moves a brand on from what it was read as. Undefined when it has moved meanwhile: the verdict on an earlier
 * submission never lands on a later one.
 */
export function change(
  tx: Tx,
  tenantId: Uuid,
  from: Brand,
  to: {
    fields: Record<string, string>;
    status: BrandStatus;
    reasons: readonly string[];
    score: number | null;
    at: Date;
  },
): Promise<Brand | undefined> {
  return tx.first<Brand>(changeBrand, [
    tenantId,
    from.id,
    JSON.stringify(to.fields),
    to.status,
    to.reasons,
    to.at,
    from.status,
    from.updated_at,
    to.score,
  ]);
}

const usesOfDay = statement(
  "list-brand-uses-of-day",
  `select ten_dlc_campaign_id as id, sum(outreach + conversation)::int as segments from brand_day_uses
   where tenant_id = $1 and brand_id = $2 and day = $3::date group by ten_dlc_campaign_id order by ten_dlc_campaign_id`,
);

/** Segments of a brand on a Pacific day, by 10DLC campaign. */
export function usesOn(tx: Tx, tenantId: Uuid, id: string, day: string): Promise<{ id: string; segments: number }[]> {
  return tx.rows(usesOfDay, [tenantId, id, day]);
}
