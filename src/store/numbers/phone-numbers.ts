import type { PhoneNumber } from "#domain/numbers/phone-number.ts";
import type { NumberOwner } from "#domain/numbers/sender-warning.ts";
import type { Uuid } from "#domain/values/id.ts";
import { changing, changingAndReading, crossTenant, statement, type Tx } from "#store/database/db.ts";
import { tenantTime } from "#store/system/events.ts";

type Capabilities = Pick<PhoneNumber, "sms" | "mms" | "voice">;

const COLUMNS = `id, phone, organization_id, user_id, carrier, area_code, agent_id, created_at, bought_at,
  (select account.name from carrier_accounts account
   where account.tenant_id = $1 and account.carrier = phone_numbers.carrier) as account_name,
  coalesce(sms, carrier = 'simulator') as sms, coalesce(mms, false) as mms, coalesce(voice, true) as voice`;

/** The end of a statement that has `changed` numbers at a real time. */
const noted = (change: string, at: string): string => `
   insert into events (tenant_id, kind, at, organization_id, data)
   select $1, 'phone_number.changed', ${tenantTime(at)}, organization_id,
     jsonb_build_object('phone_number', phone, 'change', '${change}', 'agent_id', agent_id)
   from changed
   on conflict do nothing`;

const orderNumber = changing(
  "order-phone-number",
  `insert into phone_numbers (tenant_id, id, phone, organization_id, user_id, carrier, area_code, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (tenant_id, phone) do nothing`,
);

/** Notes that a number is about to be bought; false when the tenant has it, or is buying it. */
export async function order(
  tx: Tx,
  tenantId: Uuid,
  phoneNumber: Omit<PhoneNumber, "account_name" | "agent_id" | "bought_at" | keyof Capabilities>,
): Promise<boolean> {
  const values = [
    phoneNumber.id,
    phoneNumber.phone,
    phoneNumber.organization_id,
    phoneNumber.user_id,
    phoneNumber.carrier,
    phoneNumber.area_code,
    phoneNumber.created_at,
  ];
  return (await tx.run(orderNumber, [tenantId, ...values])) === 1;
}

const markBought = changingAndReading(
  "mark-phone-number-bought",
  `with changed as (
     update phone_numbers set bought_at = $3, organization_id = $4, user_id = $5, sms = $6, mms = $7, voice = $8,
       unanswered_at = case when $9::boolean then $3::timestamptz end
     where tenant_id = $1 and phone = $2 and bought_at is null returning phone, organization_id, agent_id)
   ${noted("bought", "$3")}`,
);

const importNumbers = changing(
  "import-phone-numbers",
  `with changed as (
     insert into phone_numbers (tenant_id, id, phone, organization_id, carrier, area_code, created_at, bought_at, sms, mms, voice)
     select $1, it.id, it.phone, $3, $2, it.area_code, $4, $4, it.sms, it.mms, it.voice
     from unnest($5::uuid[], $6::text[], $7::text[], $8::boolean[], $9::boolean[], $10::boolean[])
       as it (id, phone, area_code, sms, mms, voice)
     on conflict (tenant_id, phone) do update set sms = excluded.sms, mms = excluded.mms, voice = excluded.voice,
       bought_at = coalesce(phone_numbers.bought_at, excluded.bought_at),
       unanswered_at = case when phone_numbers.bought_at is null then excluded.bought_at else phone_numbers.unanswered_at end
       where phone_numbers.carrier = excluded.carrier
     returning id, phone, organization_id, agent_id),
   noted as (
     insert into events (tenant_id, kind, at, organization_id, data)
     select $1, 'phone_number.changed', ${tenantTime("$4")}, organization_id,
       jsonb_build_object('phone_number', phone, 'change', 'imported', 'agent_id', agent_id)
     from changed where id = any($5::uuid[])
     on conflict do nothing)
   select phone from changed`,
);

export type ImportedNumber = Pick<PhoneNumber, "id" | "phone" | "area_code" | "sms" | "mms" | "voice">;

/**
 * Takes over the numbers of a carrier's account, and what they can do now. Returns those that are the account's: a number that the tenant has with
 * another carrier stays there. Safe to repeat.
 */
export async function take(
  tx: Tx,
  tenantId: Uuid,
  of: { carrier: string; organizationId: Uuid | null; at: Date },
  them: readonly ImportedNumber[],
): Promise<Set<string>> {
  const rows = await tx.rows<{ phone: string }>(importNumbers, [
    tenantId,
    of.carrier,
    of.organizationId,
    of.at,
    them.map((number) => number.id),
    them.map((number) => number.phone),
    them.map((number) => number.area_code),
    them.map((number) => number.sms),
    them.map((number) => number.mms),
    them.map((number) => number.voice),
  ]);
  return new Set(rows.map((row) => row.phone));
}

const dropOtherNumbers = changingAndReading(
  "drop-other-carrier-numbers",
  `with changed as (
     delete from phone_numbers
     where tenant_id = $1 and carrier = $2 and phone <> all($3::text[]) and bought_at < $5
     returning phone, organization_id, null::uuid as agent_id)
   ${noted("released", "$4")}`,
);

/** Numbers of a carrier's account that it had no more when its numbers were read: those that were bought since then stay, and orders. */
export async function dropOthers(
  tx: Tx,
  tenantId: Uuid,
  of: { carrier: string; kept: readonly string[]; readAt: Date; at: Date },
): Promise<void> {
  await tx.run(dropOtherNumbers, [tenantId, of.carrier, of.kept, of.at, of.readAt]);
}

type Owner = Pick<PhoneNumber, "organization_id" | "user_id">;

/**
 * Notes that an order was filled, what the number can do where that is said, and whose it is: he who took up the order may be another than who began
 * it. Where no request is answered with it, the next one for its area code is.
 */
export async function bought(
  tx: Tx,
  tenantId: Uuid,
  phone: string,
  owner: Owner & { at: Date; can: Capabilities | undefined; isAnswer: boolean },
): Promise<void> {
  const { at, can, organization_id, user_id, isAnswer } = owner;
  const abilities = [can?.sms ?? null, can?.mms ?? null, can?.voice ?? null];
  await tx.run(markBought, [tenantId, phone, at, organization_id, user_id, ...abilities, !isAnswer]);
}

const pendingOrders = crossTenant(
  "list-pending-number-orders",
  `select tenant_id, id, phone, organization_id, user_id, carrier, area_code, created_at, coalesce(tried_at, created_at) as tried_at
   from phone_numbers
   where bought_at is null and created_at < $1 and (tried_at is null or tried_at < $1) and (asked_at is null or asked_at < $1)
     and (tenant_id, id) > ($2::uuid, $3::uuid)
   order by tenant_id, id limit $4`,
);

/** An order as it was begun. */
export type NumberOrder = Parameters<typeof order>[2];

/** Orders of all tenants that were last tried, and last asked about, before a time; after the given one. */
export function pending(
  tx: Tx,
  before: Date,
  after: { tenantId: Uuid; id: Uuid },
  limit: number,
): Promise<(NumberOrder & { tenant_id: Uuid; tried_at: Date })[]> {
  return tx.rows(pendingOrders, [before, after.tenantId, after.id, limit]);
}

const noteOrder = changing(
  "note-number-order",
  `update phone_numbers set asked_at = coalesce($3, asked_at), tried_at = coalesce($4, tried_at),
     unanswered_at = case when $4::timestamptz is null then coalesce($5, unanswered_at) end
   where tenant_id = $1 and phone = $2 and (bought_at is null or $5::timestamptz is not null)`,
);

/**
 * What happens to an order now: the carrier is being `asked` what became of it, is being asked to sell (`tried`), or who has ordered it does not know
 * yet whether it was bought (`unanswered`).
 */
export async function note(
  tx: Tx,
  tenantId: Uuid,
  phone: string,
  what: "asked" | "tried" | "unanswered",
  at: Date,
): Promise<void> {
  const times = (["asked", "tried", "unanswered"] as const).map((one) => (one === what ? at : null));
  await tx.run(noteOrder, [tenantId, phone, ...times]);
}

const noteAnswered = changing(
  "note-number-answered",
  "update phone_numbers set unanswered_at = null where tenant_id = $1 and phone = $2 and unanswered_at is not null",
);

/** A request is answered with the number: no other is. */
export async function answered(tx: Tx, tenantId: Uuid, phone: string): Promise<void> {
  await tx.run(noteAnswered, [tenantId, phone]);
}

const takeUnanswered = changing(
  "take-unanswered-number",
  `update phone_numbers set unanswered_at = null, tried_at = $7
   where tenant_id = $1 and id = (
     select it.id from phone_numbers it
     where it.tenant_id = $1 and it.carrier = $2 and it.area_code = $3 and it.organization_id is not distinct from $4::uuid
       and it.user_id is not distinct from $5::uuid and it.unanswered_at > $6
     order by it.id limit 1 for update skip locked)
   returning ${COLUMNS}`,
);

/** A number or an order of an owner's whose request had no answer since a time: for one request, which is a repeated one. */
export function takeUp(
  tx: Tx,
  tenantId: Uuid,
  wanted: Owner & { carrier: string; areaCode: string; since: Date; at: Date },
): Promise<PhoneNumber | undefined> {
  const { carrier, areaCode, organization_id, user_id, since, at } = wanted;
  return tx.first<PhoneNumber>(takeUnanswered, [
    ...[tenantId, carrier, areaCode],
    ...[organization_id, user_id, since, at],
  ]);
}

const dropOrder = changing(
  "drop-phone-number-order",
  "delete from phone_numbers where tenant_id = $1 and phone = $2 and bought_at is null",
);

/** For a number that the carrier has not got. */
export async function drop(tx: Tx, tenantId: Uuid, phone: string): Promise<void> {
  await tx.run(dropOrder, [tenantId, phone]);
}

const findOrder = statement(
  "find-phone-number-order",
  `select ${COLUMNS} from phone_numbers
   where tenant_id = $1 and (id = $2 or (bought_at is null and area_code = $3 and coalesce(tried_at, created_at) < $4))
   order by (id = $2) desc, id limit 1`,
);

/** What this very request has begun before, else an order for the area code that its process has left behind. */
export function begun(
  tx: Tx,
  tenantId: Uuid,
  order: { id: Uuid; areaCode: string; abandonedBefore: Date },
): Promise<PhoneNumber | undefined> {
  return tx.first<PhoneNumber>(findOrder, [tenantId, order.id, order.areaCode, order.abandonedBefore]);
}

const findOrdered = statement(
  "find-ordered-phone-number",
  `select ${COLUMNS} from phone_numbers where tenant_id = $1 and phone = $2`,
);

/** A number that the tenant has or is buying. */
export function ordered(tx: Tx, tenantId: Uuid, phone: string): Promise<PhoneNumber | undefined> {
  return tx.first<PhoneNumber>(findOrdered, [tenantId, phone]);
}

const findNumber = statement(
  "find-phone-number",
  `select ${COLUMNS} from phone_numbers where tenant_id = $1 and phone = $2 and bought_at is not null`,
);

/** A number that the tenant has. */
export function find(tx: Tx, tenantId: Uuid, phone: string): Promise<PhoneNumber | undefined> {
  return tx.first<PhoneNumber>(findNumber, [tenantId, phone]);
}

const numberOwners = statement(
  "find-owners-of-phones",
  `select it.phone, number.phone is not null as owned, number.organization_id, registered.phone is not null as registered
   from unnest($2::text[]) as it (phone)
   left join phone_numbers number on number.tenant_id = $1 and number.phone = it.phone and number.bought_at is not null
   left join ten_dlc_numbers registered on registered.tenant_id = $1 and registered.phone = it.phone`,
);

/** Whose each of these numbers is, and whether it is under a 10DLC campaign. */
export async function ownersOf(tx: Tx, tenantId: Uuid, phones: readonly string[]): Promise<Map<string, NumberOwner>> {
  type Row = { phone: string; owned: boolean; organization_id: Uuid | null; registered: boolean };
  const rows = await tx.rows<Row>(numberOwners, [tenantId, phones]);
  return new Map(
    rows.map(({ phone, owned, organization_id, registered }) => [
      phone,
      { organizationId: owned ? organization_id : undefined, isRegistered: registered },
    ]),
  );
}

const ownedNumbers = statement(
  "list-owned-phones",
  "select phone from phone_numbers where tenant_id = $1 and ($2::text is null or area_code = $2)",
);

/** All the numbers that the tenant has or is buying, of an area code or of all: a tenant has some dozens. */
export async function owned(tx: Tx, tenantId: Uuid, areaCode: string | undefined): Promise<Set<string>> {
  const rows = await tx.rows<{ phone: string }>(ownedNumbers, [tenantId, areaCode ?? null]);
  return new Set(rows.map((row) => row.phone));
}

const listNumbers = statement(
  "list-phone-numbers",
  `select ${COLUMNS} from phone_numbers
   where tenant_id = $1 and (organization_id = $2 or organization_id is null) and id < $3 and bought_at is not null
   order by id desc limit $4`,
);

/** The numbers that an organization may call from, newest first, one more than a page. */
export function list(
  tx: Tx,
  tenantId: Uuid,
  organizationId: Uuid,
  page: { before: Uuid; limit: number },
): Promise<PhoneNumber[]> {
  return tx.rows<PhoneNumber>(listNumbers, [tenantId, organizationId, page.before, page.limit + 1]);
}

const linkAgent = changing(
  "link-phone-number",
  `with changed as (
     update phone_numbers set agent_id = $3 where tenant_id = $1 and phone = $2 and bought_at is not null returning ${COLUMNS}),
   noted as (${noted("linked", "$4")})
   select * from changed`,
);

const unlinkAgent = changingAndReading(
  "unlink-phone-numbers",
  `with changed as (
     update phone_numbers set agent_id = null where tenant_id = $1 and agent_id = $2 and bought_at is not null
     returning phone, organization_id, agent_id)
   ${noted("linked", "$3")}`,
);

/** For an agent that is deleted: nobody answers its numbers any more. */
export async function unlink(tx: Tx, tenantId: Uuid, agentId: Uuid, realNow: Date): Promise<void> {
  await tx.run(unlinkAgent, [tenantId, agentId, realNow]);
}

/** Undefined when the number has been given back meanwhile. */
export function link(
  tx: Tx,
  tenantId: Uuid,
  phone: string,
  agentId: Uuid,
  realNow: Date,
): Promise<PhoneNumber | undefined> {
  return tx.first<PhoneNumber>(linkAgent, [tenantId, phone, agentId, realNow]);
}

const usedNumber = statement(
  "phone-number-in-use",
  `select campaign.campaign_id from campaigns campaign
   left join dial_lanes lane on lane.tenant_id = $1 and lane.id = campaign.id
   where campaign.tenant_id = $1 and campaign.status in ('processing', 'active', 'paused', 'scheduled', 'running')
     and ($2 = any(lane.numbers) or campaign.settings ->> 'outbound_number' = $2 or campaign.sender = $2)
   limit 1`,
);

/** A campaign that is not over and calls or texts from the number, by the caller's own id. */
export async function usedBy(tx: Tx, tenantId: Uuid, phone: string): Promise<string | undefined> {
  return (await tx.first<{ campaign_id: string }>(usedNumber, [tenantId, phone]))?.campaign_id;
}

const removeNumber = changingAndReading(
  "remove-phone-number",
  `with changed as (
     delete from phone_numbers where tenant_id = $1 and phone = $2 returning phone, organization_id, null::uuid as agent_id)
   ${noted("released", "$3")}`,
);

/** Safe to repeat. Calls that were made from it keep it. */
export async function remove(tx: Tx, tenantId: Uuid, phone: string, realNow: Date): Promise<void> {
  await tx.run(removeNumber, [tenantId, phone, realNow]);
}
