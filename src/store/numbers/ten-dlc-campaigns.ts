import type { TenDlcCampaign } from "#domain/numbers/ten-dlc-campaign.ts";
import type { Uuid } from "#domain/values/id.ts";
import { changing, statement, type Tx } from "#store/database/db.ts";
import { awaitVerdicts } from "./verdicts.ts";

const COLUMNS = "id, brand_id, fields, status, reasons, class, per_minute, per_day, created_at, updated_at";

const insertCampaign = changing(
  "insert-ten-dlc-campaign",
  `insert into ten_dlc_campaigns (tenant_id, id, brand_id, fields, status, reasons, class, per_minute, per_day, tokens_at, created_at, updated_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10, $10) on conflict (tenant_id, id) do nothing`,
);

/** Safe to repeat with the same id. Its bucket is empty: it fills from now on. */
export async function insert(tx: Tx, tenantId: Uuid, campaign: TenDlcCampaign): Promise<void> {
  await tx.run(insertCampaign, [
    tenantId,
    campaign.id,
    campaign.brand_id,
    JSON.stringify(campaign.fields),
    campaign.status,
    campaign.reasons,
    campaign.class,
    campaign.per_minute,
    campaign.per_day,
    campaign.created_at,
  ]);
}

const findCampaign = statement(
  "find-ten-dlc-campaign",
  `select ${COLUMNS} from ten_dlc_campaigns where tenant_id = $1 and id = $2`,
);

export function find(tx: Tx, tenantId: Uuid, id: string): Promise<TenDlcCampaign | undefined> {
  return tx.first<TenDlcCampaign>(findCampaign, [tenantId, id]);
}

const listCampaigns = statement(
  "list-ten-dlc-campaigns",
  `select ${COLUMNS} from ten_dlc_campaigns
   where tenant_id = $1 and ($2::timestamptz is null or (created_at, id) < ($2, $3)) and ($5::text is null or brand_id = $5)
   order by created_at desc, id desc limit $4`,
);

/** Newest first, older than `before`, one more than a page. */
export function list(
  tx: Tx,
  tenantId: Uuid,
  page: { before: { at: Date; id: string } | undefined; limit: number; brandId: string | undefined },
): Promise<TenDlcCampaign[]> {
  const { before, limit, brandId } = page;
  return tx.rows(listCampaigns, [tenantId, before?.at ?? null, before?.id ?? null, limit + 1, brandId ?? null]);
}

export const { pending, asked, changed } = awaitVerdicts<TenDlcCampaign>("ten_dlc_campaigns", {
  columns: COLUMNS,
  ofCarrier: "brand_id in (select brand.id from brands brand where brand.tenant_id = $1 and brand.carrier = $2)",
});

const decideCampaign = changing(
  "decide-ten-dlc-campaign",
  `update ten_dlc_campaigns set status = $3, reasons = $4, class = $5, per_minute = $6, per_day = $7, updated_at = $8
   where tenant_id = $1 and id = $2 and status = 'PENDING' returning ${COLUMNS}`,
);

/** The registry's verdict on a campaign that waits for it; undefined when it has one. */
export function decide(
  tx: Tx,
  tenantId: Uuid,
  id: string,
  campaign: Pick<TenDlcCampaign, "status" | "reasons" | "class" | "per_minute" | "per_day"> & { at: Date },
): Promise<TenDlcCampaign | undefined> {
  return tx.first(decideCampaign, [
    tenantId,
    id,
    campaign.status,
    campaign.reasons,
    campaign.class,
    campaign.per_minute,
    campaign.per_day,
    campaign.at,
  ]);
}

const assignNumbers = changing(
  "assign-ten-dlc-numbers",
  `insert into ten_dlc_numbers (tenant_id, phone, ten_dlc_campaign_id, brand_id, created_at)
   select $1, phone, $3, $4, $5 from unnest($2::text[]) as phone order by phone
   on conflict (tenant_id, phone) do update
     set ten_dlc_campaign_id = excluded.ten_dlc_campaign_id, brand_id = excluded.brand_id, created_at = excluded.created_at`,
);

/** Puts numbers under a campaign, also those that were under another: from the next claim on they spend this one's budget. */
export async function assign(
  tx: Tx,
  tenantId: Uuid,
  phones: readonly string[],
  campaign: { id: string; brand_id: string; now: Date },
): Promise<void> {
  await tx.run(assignNumbers, [tenantId, phones, campaign.id, campaign.brand_id, campaign.now]);
}

const numbersOf = statement(
  "list-ten-dlc-numbers",
  `select number.phone, number.ten_dlc_campaign_id from unnest($2::text[], $3::text[]) as it (id, brand_id)
   join ten_dlc_numbers number on number.tenant_id = $1 and number.brand_id = it.brand_id and number.ten_dlc_campaign_id = it.id
   order by number.phone`,
);

/** The numbers of campaigns, by campaign. */
export async function numbers(
  tx: Tx,
  tenantId: Uuid,
  them: readonly { id: string; brand_id: string }[],
): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>(them.map((campaign) => [campaign.id, []]));
  const values = [tenantId, them.map((campaign) => campaign.id), them.map((campaign) => campaign.brand_id)];
  const rows = await tx.rows<{ phone: string; ten_dlc_campaign_id: string }>(numbersOf, values);
  for (const row of rows) found.get(row.ten_dlc_campaign_id)!.push(row.phone);
  return found;
}
