import type { DoNotCallSource } from "#domain/compliance/do-not-call.ts";
import { NO_ID, type Uuid } from "#domain/values/id.ts";
import { changing, statement, type Tx } from "#store/database/db.ts";
import { tenantTime } from "#store/system/events.ts";

/** `organization_id` is NO_ID where the entry holds for the whole tenant. */
export type DoNotCallEntry = {
  phone: string;
  organization_id: Uuid;
  reason: string | null;
  created_at: Date;
  /** How it came here; null for what is older than this is kept. */
  source: DoNotCallSource | null;
  /** The user, where a person added it who is still there. */
  added_by: Uuid | null;
  added_by_name: string | null;
};

const ENTRY = `select entry.phone, entry.organization_id, entry.reason, entry.created_at, entry.source, person.id as added_by,
     person.name as added_by_name
   from do_not_call entry
   left join users person on person.tenant_id = $1 and person.id = entry.added_by
   where entry.tenant_id = $1`;

/** Notes in a statement, where $3 is the organization, how many entries have `changed`, if any have. */
const noted = (change: string, at: string): string => `
     insert into events (tenant_id, kind, at, organization_id, phone, data)
     select $1, 'do_not_call.changed', ${at}, nullif($3::uuid, '${NO_ID}'), case when count(distinct phone) = 1 then min(phone) end,
       jsonb_build_object('change', '${change}', 'entries', count(*)::int)
     from changed having count(*) > 0
     on conflict do nothing`;

const insertEntries = changing(
  "insert-do-not-call",
  `with changed as (
     insert into do_not_call (tenant_id, phone, organization_id, reason, created_at, source, added_by)
     select $1, phone, $3, $4, $5, $6, $7 from unnest($2::text[]) as phone
     on conflict (tenant_id, phone, organization_id) do nothing returning phone),
   noted as (${noted("added", "$5")})
   select from changed`,
);

/** Lists phones whose consents are locked; those that are listed stay as they are. The number that is new. */
export function insert(
  tx: Tx,
  tenantId: Uuid,
  phones: readonly string[],
  entry: Omit<DoNotCallEntry, "phone" | "added_by_name">,
): Promise<number> {
  const { organization_id, reason, created_at, source, added_by } = entry;
  return tx.run(insertEntries, [tenantId, phones, organization_id, reason, created_at, source, added_by]);
}

const findEntry = statement("find-do-not-call", `${ENTRY} and entry.phone = $2 and entry.organization_id = $3`);

export function find(tx: Tx, tenantId: Uuid, phone: string, organizationId: Uuid): Promise<DoNotCallEntry | undefined> {
  return tx.first<DoNotCallEntry>(findEntry, [tenantId, phone, organizationId]);
}

const removeEntries = changing(
  "remove-do-not-call",
  `with changed as (
     delete from do_not_call
     where tenant_id = $1 and phone = any($2::text[]) and ($3::uuid is null or organization_id = $3) returning phone),
   noted as (${noted("removed", tenantTime("$4"))})
   select phone from changed`,
);

/** Takes phones off, for one organization or, without one, altogether. The phone of each entry that went. */
export async function remove(
  tx: Tx,
  tenantId: Uuid,
  phones: readonly string[],
  organizationId: Uuid | undefined,
  realNow: Date,
): Promise<string[]> {
  const values = [tenantId, phones, organizationId ?? null, realNow];
  return (await tx.rows<{ phone: string }>(removeEntries, values)).map((row) => row.phone);
}

const listedForAll = statement(
  "list-do-not-call-for-all",
  `select phone from do_not_call where tenant_id = $1 and phone = any($2::text[]) and organization_id = '${NO_ID}'`,
);

/** Which of these phones are listed for every organization. */
export async function ofAllOrganizations(tx: Tx, tenantId: Uuid, phones: readonly string[]): Promise<Set<string>> {
  return new Set((await tx.rows<{ phone: string }>(listedForAll, [tenantId, phones])).map((row) => row.phone));
}

const listedPhone = statement(
  "is-on-do-not-call",
  `select exists (
     select from do_not_call where tenant_id = $1 and phone = $2 and ($3::uuid is null or organization_id in ($3, '${NO_ID}'))) as there`,
);

/** Whether a phone is listed for this organization; without one, for any. */
export async function isListed(tx: Tx, tenantId: Uuid, phone: string, organizationId: Uuid | null): Promise<boolean> {
  return (await tx.first<{ there: boolean }>(listedPhone, [tenantId, phone, organizationId]))!.there;
}

const listEntries = statement(
  "list-do-not-call",
  `${ENTRY} and (entry.phone, entry.organization_id) > ($2, $3::uuid)
     and ($4::text is null or entry.phone = $4) and ($5::uuid is null or entry.organization_id = $5)
     and ($7::boolean or entry.organization_id <> '${NO_ID}' or entry.phone = $4)
   order by entry.phone, entry.organization_id limit $6`,
);

/** In the order of phones, after the given one, one more than a page. */
export function list(
  tx: Tx,
  tenantId: Uuid,
  page: {
    after: { phone: string; organizationId: Uuid };
    phone: string | undefined;
    organizationId: Uuid | undefined;
    /** With the entries of the whole tenant, and not only the one of the phone that is asked for. */
    ofAll: boolean;
    limit: number;
  },
): Promise<DoNotCallEntry[]> {
  const { after, phone, organizationId, ofAll } = page;
  const wanted = [phone ?? null, organizationId ?? null, page.limit + 1, ofAll];
  const values = [tenantId, after.phone, after.organizationId, ...wanted];
  return tx.rows<DoNotCallEntry>(listEntries, values);
}
