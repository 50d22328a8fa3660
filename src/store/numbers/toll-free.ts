import type { TollFreeFields, TollFreeStatus, TollFreeVerification } from "#domain/numbers/toll-free.ts";
import type { Uuid } from "#domain/values/id.ts";
import { changing, statement, type Tx } from "#store/database/db.ts";
import { awaitVerdicts } from "./verdicts.ts";

const COLUMNS = "id, phone, carrier, fields, status, reasons, editable_until, is_editable, created_at, updated_at";

/** Notes in a statement the verdicts on what has `changed`. */
const NOTED = `
   insert into events (tenant_id, kind, at, data)
   select $1, case status when 'VERIFIED' then 'toll_free.verified' else 'toll_free.rejected' end, updated_at,
     jsonb_build_object('phone_number', phone) ||
       case status when 'VERIFIED' then '{}'::jsonb else jsonb_build_object('reasons', to_jsonb(reasons)) end
   from changed where status <> 'PENDING'
   on conflict do nothing`;

const insertVerification = changing(
  "insert-toll-free-verification",
  `with changed as (
     insert into toll_free_verifications (tenant_id, id, phone, carrier, fields, status, reasons, editable_until, is_editable, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10) on conflict do nothing returning id, phone, status, reasons, updated_at),
   noted as (${NOTED})
   select id from changed`,
);

/** False where the number has one, or the request is known. */
export async function insert(tx: Tx, tenantId: Uuid, one: TollFreeVerification): Promise<boolean> {
  const fields = JSON.stringify(one.fields);
  const values = [one.status, one.reasons, one.editable_until, one.is_editable, one.created_at];
  const made = await tx.first(insertVerification, [tenantId, one.id, one.phone, one.carrier, fields, ...values]);
  return made !== undefined;
}

const findVerification = statement(
  "find-toll-free-verification",
  `select ${COLUMNS} from toll_free_verifications where tenant_id = $1 and phone = $2`,
);

/** The verification of a number. */
export function find(tx: Tx, tenantId: Uuid, phone: string): Promise<TollFreeVerification | undefined> {
  return tx.first<TollFreeVerification>(findVerification, [tenantId, phone]);
}

const ofPhones = statement(
  "list-toll-free-verifications-of-numbers",
  "select phone, status from toll_free_verifications where tenant_id = $1 and phone = any($2::text[])",
);

export async function statesOf(
  tx: Tx,
  tenantId: Uuid,
  phones: readonly string[],
): Promise<Map<string, TollFreeStatus>> {
  const rows = await tx.rows<{ phone: string; status: TollFreeStatus }>(ofPhones, [tenantId, phones]);
  return new Map(rows.map(({ phone, status }) => [phone, status]));
}

const listVerifications = statement(
  "list-toll-free-verifications",
  `select ${COLUMNS} from toll_free_verifications
   where tenant_id = $1 and ($2::timestamptz is null or (created_at, id) < ($2, $3))
   order by created_at desc, id desc limit $4`,
);

/** Newest first, older than `before`, one more than a page. */
export function list(
  tx: Tx,
  tenantId: Uuid,
  page: { before: { at: Date; id: string } | undefined; limit: number },
): Promise<TollFreeVerification[]> {
  return tx.rows(listVerifications, [tenantId, page.before?.at ?? null, page.before?.id ?? null, page.limit + 1]);
}

export const { pending, asked, changed } = awaitVerdicts<TollFreeVerification>("toll_free_verifications", {
  columns: COLUMNS,
  ofCarrier: "carrier = $2",
});

const changeVerification = changing(
  "change-toll-free-verification",
  `with changed as (
     update toll_free_verifications set id = $3, fields = $4, status = $5, reasons = $6, editable_until = $7, is_editable = $8,
       carrier = $9, updated_at = $10
     where tenant_id = $1 and phone = $2 and id = $11 and status = $12 and updated_at = $13
     returning ${COLUMNS}),
   noted as (${NOTED})
   select ${COLUMNS} from changed`,
);

type Moved = Pick<
  TollFreeVerification,
  "id" | "carrier" | "status" | "reasons" | "editable_until" | "is_editable" | "updated_at"
> & { fields: TollFreeFields };

/** Moves one on from what it was read as. Undefined when it has moved meanwhile: a verdict on an earlier request never lands on a later one. */
export function change(
  tx: Tx,
  tenantId: Uuid,
  from: TollFreeVerification,
  to: Moved,
): Promise<TollFreeVerification | undefined> {
  const facts = [to.status, to.reasons, to.editable_until, to.is_editable, to.carrier, to.updated_at];
  const before = [from.id, from.status, from.updated_at];
  const values = [to.id, JSON.stringify(to.fields), ...facts, ...before];
  return tx.first<TollFreeVerification>(changeVerification, [tenantId, from.phone, ...values]);
}
