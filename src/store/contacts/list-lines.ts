import type { Uuid } from "#domain/values/id.ts";
import { changing, crossTenant, statement, type Tx } from "#store/database/db.ts";

// The look-up of the lines of a list's phones, which somebody has asked for.

export type LineLookup = {
  line_lookup: "importing" | "waiting" | "completed" | "failed" | null;
  line_lookup_problem: string | null;
  lines_looked_up: number | null;
};

export type Wanted = { carrierId: Uuid | null; maxAgeDays: number };

const wantLookup = changing(
  "want-lines-of-list",
  `update lists set line_lookup = $3, line_lookup_problem = null, line_lookup_carrier = $4, line_lookup_max_age_days = $5,
     lines_looked_up = coalesce(lines_looked_up, 0), line_lookup_leased_until = null, line_lookup_after = null
   where tenant_id = $1 and id = $2 and line_lookup is distinct from 'waiting' and line_lookup is distinct from 'importing'`,
);

/** Asks for it, now or once the list's import is over. What is under way goes on. */
export async function want(
  tx: Tx,
  tenantId: Uuid,
  listId: Uuid,
  state: "importing" | "waiting",
  { carrierId, maxAgeDays }: Wanted,
): Promise<void> {
  await tx.run(wantLookup, [tenantId, listId, state, carrierId, maxAgeDays]);
}

const imported = changing(
  "begin-lines-of-imported-list",
  "update lists set line_lookup = 'waiting' where tenant_id = $1 and id = $2 and line_lookup = 'importing'",
);

/** The list's import is over: what was read of its file is looked up, if that was asked for. */
export async function importIsOver(tx: Tx, tenantId: Uuid, listId: Uuid): Promise<void> {
  await tx.run(imported, [tenantId, listId]);
}

const listWaiting = crossTenant(
  "list-lists-to-look-up",
  `select list.tenant_id, list.id, tenant.mode from lists list join tenants tenant on tenant.id = list.tenant_id
   where list.line_lookup = 'waiting' and (list.line_lookup_leased_until is null or list.line_lookup_leased_until < $1)
   order by list.id limit 100`,
);

export type Waiting = { tenant_id: Uuid; id: Uuid; mode: "live" | "test" };

/** Lists that no process works on. */
export function waiting(tx: Tx, now: Date): Promise<Waiting[]> {
  return tx.rows<Waiting>(listWaiting, [now]);
}

const leaseList = changing(
  "lease-lines-of-list",
  `update lists set line_lookup_leased_until = $4
   where tenant_id = $1 and id = $2 and line_lookup = 'waiting' and (line_lookup_leased_until is null or line_lookup_leased_until < $3)
   returning organization_id, line_lookup_carrier, line_lookup_max_age_days, line_lookup_after`,
);

export type Leased = {
  organization_id: Uuid;
  line_lookup_carrier: Uuid | null;
  line_lookup_max_age_days: number;
  /** The phone that it has come to; null: none yet. */
  line_lookup_after: string | null;
};

/** Takes a list for this process alone until a time; undefined where another has it, or it is over or gone. */
export function lease(
  tx: Tx,
  tenantId: Uuid,
  listId: Uuid,
  { now, until }: { now: Date; until: Date },
): Promise<Leased | undefined> {
  return tx.first<Leased>(leaseList, [tenantId, listId, now, until]);
}

const noteLookedUp = changing(
  "note-lines-of-list",
  `update lists set lines_looked_up = lines_looked_up + $3, line_lookup_leased_until = $4, line_lookup = $5, line_lookup_problem = $6,
     line_lookup_after = $7
   where tenant_id = $1 and id = $2 and line_lookup = 'waiting'`,
);

/** Notes so many more, and how far it has come; false where the list is gone, or its look-up over. */
export async function note(
  tx: Tx,
  tenantId: Uuid,
  listId: Uuid,
  now: {
    lookedUp: number;
    until: Date | null;
    state: "waiting" | "completed" | "failed";
    problem: string | null;
    after: string | null;
  },
): Promise<boolean> {
  const { lookedUp, until, state, problem, after } = now;
  return (await tx.run(noteLookedUp, [tenantId, listId, lookedUp, until, state, problem, after])) > 0;
}

const OPEN = `not exists (
     select from line_types line where line.tenant_id = $1 and line.phone = contact.phone and line.looked_up_at > $3)`;

const openPhones = statement(
  "list-phones-of-list-without-line-type",
  `select contact.phone from list_members member
   join contacts contact on contact.tenant_id = $1 and contact.id = member.contact_id
   where member.tenant_id = $1 and member.list_id = $2 and contact.phone > $4 and contact.phone like '+%' and ${OPEN}
   order by contact.phone limit $5`,
);

/** Phones of the list after one, in their order, whose line is not known since a time. */
export async function unknown(
  tx: Tx,
  tenantId: Uuid,
  listId: Uuid,
  wanted: { since: Date; after: string; limit: number },
): Promise<string[]> {
  const { since, after, limit } = wanted;
  return (await tx.rows<{ phone: string }>(openPhones, [tenantId, listId, since, after, limit])).map(
    ({ phone }) => phone,
  );
}

const countLines = statement(
  "count-line-types-of-list",
  `select count(*)::int as contacts, count(line.phone)::int as known,
     count(*) filter (where line.line_type = 'landline')::int as landlines
   from list_members member
   join contacts contact on contact.tenant_id = $1 and contact.id = member.contact_id
   left join line_types line on line.tenant_id = $1 and line.phone = contact.phone and line.looked_up_at > $3
   where member.tenant_id = $1 and member.list_id = $2 and contact.phone like '+%'`,
);

export type ListLines = { contacts: number; known: number; landlines: number };

export async function count(tx: Tx, tenantId: Uuid, listId: Uuid, since: Date): Promise<ListLines> {
  return (await tx.first<ListLines>(countLines, [tenantId, listId, since]))!;
}
