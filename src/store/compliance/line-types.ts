import type { LineType } from "#domain/phones/line-type.ts";
import type { Uuid } from "#domain/values/id.ts";
import * as erasedPhones from "#store/contacts/erased-phones.ts";
import { changing, statement, type Tx } from "#store/database/db.ts";

/** What a phone's line was found to be. */
export type KnownLine = {
  phone: string;
  line_type: LineType;
  carrier_name: string | null;
  /** The account that was asked. */
  carrier: string;
  looked_up_at: Date;
};

const findLines = statement(
  "find-line-types",
  "select phone, line_type, carrier_name, carrier, looked_up_at from line_types where tenant_id = $1 and phone = any($2::text[])",
);

export function find(tx: Tx, tenantId: Uuid, phones: readonly string[]): Promise<KnownLine[]> {
  return tx.rows<KnownLine>(findLines, [tenantId, phones]);
}

const saveLines = changing(
  "save-line-types",
  `insert into line_types (tenant_id, phone, line_type, carrier_name, carrier, looked_up_at)
   select $1, it.phone, it.line_type, it.carrier_name, it.carrier, it.looked_up_at
   from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[])
     as it (phone, line_type, carrier_name, carrier, looked_up_at) order by it.phone
   on conflict (tenant_id, phone) do update set line_type = excluded.line_type, carrier_name = excluded.carrier_name,
     carrier = excluded.carrier, looked_up_at = excluded.looked_up_at
     where line_types.looked_up_at <= excluded.looked_up_at`,
);

const shareConsents = statement(
  "share-consents-of-lines",
  "select from consents where tenant_id = $1 and phone = any($2::text[]) order by phone for share",
);

/**
 * Keeps what was found; a later look-up of the same phone stays. Nothing of a phone that was erased since `asked.at`, in the tenant's time: whoever
 * erases it locks its consent. To be called in a transaction.
 */
export async function save(
  tx: Tx,
  tenantId: Uuid,
  found: readonly KnownLine[],
  asked: { hash: erasedPhones.HashPhone; at: Date },
): Promise<void> {
  if (found.length === 0) return;
  const phones = found.map(({ phone }) => phone);
  await tx.rows(shareConsents, [tenantId, phones]);
  const erased = await erasedPhones.since(tx, tenantId, phones, asked);
  const them = found.filter(({ phone }) => !erased.has(phone));
  await tx.run(saveLines, [
    tenantId,
    them.map(({ phone }) => phone),
    them.map(({ line_type }) => line_type),
    them.map(({ carrier_name }) => carrier_name),
    them.map(({ carrier }) => carrier),
    them.map(({ looked_up_at }) => looked_up_at),
  ]);
}

const countUnknown = statement(
  "count-line-types-of-campaign",
  `select count(*)::int as recipients, count(line.phone)::int as known,
     count(*) filter (where line.line_type = 'landline')::int as landlines
   from threads thread
   left join line_types line on line.tenant_id = $1 and line.phone = thread.phone and line.looked_up_at > $3
   where thread.tenant_id = $1 and thread.campaign_id = $2 and thread.phone like '+%'`,
);

export type LineCounts = { recipients: number; known: number; landlines: number };

/** How many of a campaign's recipients there are, without who was erased, and of how many the line is known since a time. */
export async function ofCampaign(tx: Tx, tenantId: Uuid, campaignId: Uuid, since: Date): Promise<LineCounts> {
  return (await tx.first<LineCounts>(countUnknown, [tenantId, campaignId, since]))!;
}

const unknownPhones = statement(
  "list-phones-without-line-type",
  `select distinct thread.phone from threads thread
   where thread.tenant_id = $1 and thread.campaign_id = $2 and thread.phone like '+%' and not exists (
     select from line_types line where line.tenant_id = $1 and line.phone = thread.phone and line.looked_up_at > $3)
   order by thread.phone limit $4`,
);

/** Phones of a campaign's recipients whose line is not known since a time. */
export async function unknown(
  tx: Tx,
  tenantId: Uuid,
  campaignId: Uuid,
  wanted: { since: Date; limit: number },
): Promise<string[]> {
  const rows = await tx.rows<{ phone: string }>(unknownPhones, [tenantId, campaignId, wanted.since, wanted.limit]);
  return rows.map(({ phone }) => phone);
}
