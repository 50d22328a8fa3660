import { randomUUID } from "node:crypto";
import type pg from "pg";
import { leadsOf } from "#app/capacity/people.ts";
import { aCampaign, aNoon, SENDER } from "#test/support/campaigns/campaign.ts";
import type { Service } from "./service.ts";

const STARTING_MESSAGE = "Hi {{first_name}}, this is Ava. Do you have a minute?";

export type Target = { tenantId: string; organizationId: string; campaignId: string; id: string; laneId: string };

/** The tenant's clock at noon, and a campaign of one lead that begins in an hour. */
export async function futureCampaign(
  service: Service,
  agent: Record<string, unknown> = {},
): Promise<Target & { beginAt: Date }> {
  const noon = await aNoon(service);
  const beginAt = new Date(noon.getTime() + 3_600_000);
  const { campaignId } = await aCampaign(service, {
    contacts: [{ phone_number: "+12124439999", first_name: "First" }],
    agent: { starting_message: STARTING_MESSAGE, ...agent },
    campaign: { campaign_begin_time: beginAt.toISOString(), svc_sms_number: SENDER },
  });
  const { rows } = await service.sql.query(
    "select tenant_id, organization_id, id, lane_id from campaigns where campaign_id = $1",
    [campaignId],
  );
  const { tenant_id: tenantId, organization_id: organizationId, id, lane_id: laneId } = rows[0];
  return { tenantId, organizationId, campaignId, id, laneId, beginAt };
}

/** Large enough that a statement's fixed cost is nothing: more rows are no faster. */
const CHUNK = 2_500;

const INSERTS = [
  "insert into consents (tenant_id, phone) select $1, phone from unnest($2::text[]) as it (phone) on conflict do nothing",
  `insert into contacts (tenant_id, id, organization_id, phone, fields, created_at, updated_at)
   select $1, id, $2, phone, fields::jsonb, now(), now() from unnest($3::uuid[], $4::text[], $5::text[]) as it (id, phone, fields)`,
  `insert into threads (tenant_id, campaign_id, id, contact_id, lane_id, phone, updated_at)
   select $1, $2, id, contact_id, $3, phone, now() from unnest($4::uuid[], $5::uuid[], $6::text[]) as it (id, contact_id, phone)`,
  `insert into messages (tenant_id, campaign_id, id, thread_id, lane_id, phone, direction, kind, step, state, due_at, created_at, updated_at)
   select $1, $2, id, thread_id, $3, phone, 'outbound', 'start', 0, 'scheduled', $7, now(), now()
   from unnest($4::uuid[], $5::uuid[], $6::text[]) as it (id, thread_id, phone)`,
];

/** Ids that grow, as ours do: random ones would cost the baseline a page for each row. */
let last = 0;
const growingId = (): string => `01900000-0000-7000-8000-${(++last).toString(16).padStart(12, "0")}`;

/** Values for INSERTS, a chunk of leads each: put together beforehand, so that the baseline is the database's time alone. */
export function rawRows(target: Target, count: number, from: number, dueAt: Date): unknown[][][] {
  const { tenantId, organizationId, id, laneId } = target;
  return Array.from({ length: Math.ceil(count / CHUNK) }, (_, i) => {
    const leads = leadsOf(Math.min(CHUNK, count - i * CHUNK), from + i * CHUNK);
    const phones = leads.map((lead) => lead.phone_number);
    const [contacts, threads, messages] = [0, 1, 2].map(() => leads.map(growingId));
    const fields = leads.map(({ phone_number: _, ...rest }) => JSON.stringify(rest));
    return [
      [tenantId, phones],
      [tenantId, organizationId, contacts, phones, fields],
      [tenantId, id, laneId, threads, contacts, phones],
      [tenantId, id, laneId, messages, threads, phones, dueAt],
    ];
  });
}

/** All that a lead makes, by hand-written set SQL on one connection in one transaction. */
export async function insertRaw(sql: pg.Client, rows: unknown[][][]): Promise<void> {
  await sql.query("begin");
  for (const chunk of rows) {
    for (const [i, text] of INSERTS.entries()) await sql.query({ name: `raw-${i}`, text, values: chunk[i]! });
  }
  await sql.query("commit");
}

/** Claims what is due and settles it as accepted, in batches of 500, with nothing decided and nothing sent. */
export async function claimAndSettleRaw(sql: pg.Client, { tenantId, laneId }: Target, until: Date): Promise<number> {
  const nodeId = randomUUID();
  for (let settled = 0; ; ) {
    await sql.query("begin");
    const { rows } = await sql.query({
      name: "raw-due",
      text: `select campaign_id, id, phone from messages where tenant_id = $1 and lane_id = $2 and due_at <= $3
             order by due_at, id limit 500 for update skip locked`,
      values: [tenantId, laneId, until],
    });
    const ids = rows.map((row) => row.id);
    const campaigns = rows.map((row) => row.campaign_id);
    const refs = rows.map(growingId);
    await sql.query({
      name: "raw-claim",
      text: `with it as (select * from unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::text[]) as it (campaign_id, id, ref, phone)),
             sending as (
               update messages message set state = 'sending', due_at = null, text = 'Hi Name, this is Ava. Do you have a minute?',
                 segments = 1, updated_at = now()
               from it where message.tenant_id = $1 and message.campaign_id = it.campaign_id and message.id = it.id)
             insert into attempts (tenant_id, ref, campaign_id, message_id, phone, state, node_id, carrier, sender, at, check_at)
             select $1, ref, campaign_id, id, phone, 'in_flight', $6, 'raw', '+12125550100', now(), now() from it`,
      values: [tenantId, campaigns, ids, refs, rows.map((row) => row.phone), nodeId],
    });
    await sql.query("commit");
    if (rows.length === 0) return settled;
    await sql.query("begin");
    await sql.query({
      name: "raw-settle-attempts",
      text: `update attempts attempt set state = 'accepted', settled_at = now(), carrier_id = 'sim_1'
             from unnest($2::uuid[]) as it (ref) where attempt.tenant_id = $1 and attempt.ref = it.ref`,
      values: [tenantId, refs],
    });
    await sql.query({
      name: "raw-settle-messages",
      text: `update messages message set state = 'accepted', carrier_id = 'sim_1', sent_at = now(), updated_at = now()
             from unnest($2::uuid[], $3::uuid[]) as it (campaign_id, id)
             where message.tenant_id = $1 and message.campaign_id = it.campaign_id and message.id = it.id`,
      values: [tenantId, campaigns, ids],
    });
    await sql.query("commit");
    settled += rows.length;
  }
}
