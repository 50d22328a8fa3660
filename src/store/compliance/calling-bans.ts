import type { CallingBan } from "#domain/compliance/calling-ban.ts";
import type { Uuid } from "#domain/values/id.ts";
import * as tenants from "#store/accounts/tenants.ts";
import { changing, crossTenant, crossTenantChanging, statement, type Tx } from "#store/database/db.ts";

/** `tenant_id` is null for a ban of the whole service. */
export type StoredBan = CallingBan & { tenant_id: Uuid | null };

const COLUMNS = `id, jurisdiction, channel, begins_at as "from", ends_at as until, reason`;

// A handful of rows: every claim reads them whole.
const bansInForce = statement(
  "calling-bans",
  `select ${COLUMNS} from calling_bans where tenant_id = $1 and (ends_at is null or ends_at > $2)
   union all
   select ${COLUMNS} from service_calling_bans where ends_at is null or ends_at > $2`,
);

/** The bans for a tenant that are not over, its own and the service's. Those that are yet to begin are among them. */
export function notOver(tx: Tx, tenantId: Uuid, now: Date): Promise<CallingBan[]> {
  return tx.rows<CallingBan>(bansInForce, [tenantId, now]);
}

const bansEver = statement(
  "calling-bans-ever",
  `select ${COLUMNS} from calling_bans where tenant_id = $1
   union all
   select ${COLUMNS} from service_calling_bans where $1::uuid is not null`,
);

/** The same, those that are over as well. */
export function all(tx: Tx, tenantId: Uuid): Promise<CallingBan[]> {
  return tx.rows<CallingBan>(bansEver, [tenantId]);
}

const insertTenantBan = changing(
  "insert-calling-ban",
  `insert into calling_bans (tenant_id, id, jurisdiction, channel, begins_at, ends_at, reason, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8)`,
);

const insertServiceBan = crossTenantChanging(
  "insert-service-calling-ban",
  `insert into service_calling_bans (id, jurisdiction, channel, begins_at, ends_at, reason, created_at)
   values ($1, $2, $3, $4, $5, $6, $7)`,
);

/** A tenant's holds in both of its modes. False when there is no such tenant. In a transaction. */
export async function insert(tx: Tx, ban: StoredBan, now: Date): Promise<boolean> {
  const values = [ban.id, ban.jurisdiction, ban.channel, ban.from, ban.until, ban.reason, now];
  if (ban.tenant_id === null) return (await tx.run(insertServiceBan, values)) === 1;
  const tenant = await tenants.find(tx, ban.tenant_id);
  if (tenant?.account_id !== ban.tenant_id) return false;
  for (const id of [ban.tenant_id, tenant.other_id]) await tx.run(insertTenantBan, [id, ...values]);
  return true;
}

const listBans = crossTenant(
  "list-calling-bans",
  `select null::uuid as tenant_id, ${COLUMNS} from service_calling_bans
   union all
   select tenant_id, ${COLUMNS.replace(/^id/, "calling_bans.id")} from calling_bans
   join tenants on tenants.id = calling_bans.tenant_id and tenants.account_id = tenants.id
   order by id`,
);

/** Every ban of the service and of all tenants, over or not, oldest first. */
export function listAll(tx: Tx): Promise<StoredBan[]> {
  return tx.rows<StoredBan>(listBans);
}

const removeBan = crossTenantChanging(
  "remove-calling-ban",
  `with service as (delete from service_calling_bans where id = $1 returning id),
   tenants as (delete from calling_bans where id = $1 returning id)
   select id from service union all select id from tenants`,
);

/** Lifts a ban, whosesoever it is. False when there is none of this id. */
export async function remove(tx: Tx, id: Uuid): Promise<boolean> {
  return (await tx.first(removeBan, [id])) !== undefined;
}
