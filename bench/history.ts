import type pg from "pg";
import type { Target } from "./leads.ts";

/** A campaign that is over: so many contacts, each with a conversation of five texts of ours and five answers. */
export const CONVERSATIONS = 50_000;
export const TEXTS_OF_EACH = 10;

const id = (kind: number, n: string): string =>
  `('01900000-000${kind}-7000-8000-' || lpad(to_hex(${n}), 12, '0'))::uuid`;
const phone = (n: string): string => `'+1' || (4152000000 + ${n})`;
/** The n-th conversation of the campaign, and of all: $2 is the campaign's own number. */
const CONVERSATION = "($2::bigint * $3 + i)";
const TEXT = `(${CONVERSATION} * ${TEXTS_OF_EACH} + k)`;

// As the engine leaves them: what is over has no due time, and a text of ours its attempt.
const INSERTS = [
  `insert into campaigns
   select (jsonb_populate_record(it, jsonb_build_object('id', ${id(1, "$2::bigint")}, 'campaign_id', 'cmp_history_' || $2::bigint, 'status', 'completed',
     'total', $3::int, 'created_at', $4::timestamptz, 'begin_at', $4::timestamptz, 'completed_at', $4::timestamptz))).*
   from campaigns it where it.tenant_id = $1 and it.id = $5`,
  `insert into campaign_counts (tenant_id, campaign_id, change_id, state, n)
   select $1, ${id(1, "$2::bigint")}, ${id(1, "$2::bigint")}, 'delivered', $3::int where $4::timestamptz is not null and $5::uuid is not null`,
  `insert into consents (tenant_id, phone)
   select $1, ${phone(CONVERSATION)} from generate_series(0, $3::bigint - 1) i where $4::timestamptz is not null and $5::uuid is not null`,
  `insert into contacts (tenant_id, id, organization_id, phone, fields, created_at, updated_at)
   select $1, ${id(2, CONVERSATION)}, it.organization_id, ${phone(CONVERSATION)},
     jsonb_build_object('first_name', 'Name' || i, 'last_name', 'Family' || i % 1000, 'city', 'Springfield'), $4, $4
   from generate_series(0, $3::bigint - 1) i join campaigns it on it.tenant_id = $1 and it.id = $5`,
  `insert into threads (tenant_id, campaign_id, id, contact_id, lane_id, phone, state, next_step, first_sent_at, last_inbound_at, last_inbound_step,
     answered_step, updated_at)
   select $1, ${id(1, "$2::bigint")}, ${id(3, CONVERSATION)}, ${id(2, CONVERSATION)}, it.lane_id, ${phone(CONVERSATION)}, 'delivered', 1010, $4, $4, 1008, 1008, $4
   from generate_series(0, $3::bigint - 1) i join campaigns it on it.tenant_id = $1 and it.id = $5`,
  `insert into messages (tenant_id, campaign_id, id, thread_id, lane_id, phone, direction, kind, step, state, text, segments, carrier_id, created_at, sent_at,
     updated_at)
   select $1, ${id(1, "$2::bigint")}, ${id(4, TEXT)}, ${id(3, CONVERSATION)}, it.lane_id, ${phone(CONVERSATION)},
     case when k % 2 = 0 then 'outbound' else 'inbound' end, case when k = 0 then 'start' when k % 2 = 0 then 'reply' else 'inbound' end,
     case when k = 0 then 0 else 1000 + k end, case when k % 2 = 0 then 'delivered' else 'received' end,
     'Thank you, that helps. Would Tuesday at ten suit you, or is another day better?', 1, 'sim_' || ${TEXT}, $4, $4, $4
   from generate_series(0, $3::bigint - 1) i cross join generate_series(0, ${TEXTS_OF_EACH - 1}) k join campaigns it on it.tenant_id = $1 and it.id = $5`,
  `insert into attempts (tenant_id, ref, campaign_id, message_id, phone, state, node_id, carrier, sender, carrier_id, at, settled_at, check_at, outreach)
   select $1, ${id(5, TEXT)}, ${id(1, "$2::bigint")}, ${id(4, TEXT)}, ${phone(CONVERSATION)}, 'accepted', $1, it.carrier, it.sender, 'sim_' || ${TEXT}, $4, $4, $4, k = 0
   from generate_series(0, $3::bigint - 1) i cross join generate_series(0, ${TEXTS_OF_EACH - 1}, 2) k join campaigns it on it.tenant_id = $1 and it.id = $5`,
  `insert into activity_counts (tenant_id, hour, organization_id, campaign_id, agent_id, number, area_code, measure, n)
   select $1, date_trunc('hour', $4::timestamptz) - h * interval '1 hour', it.organization_id, ${id(1, "$2::bigint")}, it.agent_id, it.sender,
     (200 + area)::text, measure, $3::int / 400
   from generate_series(0, 7) h cross join generate_series(0, 49) area cross join unnest(array['sent', 'delivered', 'received', 'replied']) measure
     join campaigns it on it.tenant_id = $1 and it.id = $5`,
];

/** The first campaigns lie within the weeks that figures are asked about, whatever lies behind them; all others before those. */
const RECENT = 2;
const BEHIND_DAYS = 40;

/** How many days before now the n-th campaign was: the first is the youngest, and all are a day apart. */
export const daysAgo = (n: number): number => n + 1 + (n < RECENT ? 0 : BEHIND_DAYS);

/** The tables that grow by message. */
export const TABLES = ["messages", "attempts", "threads", "contacts", "consents"] as const;

/**
 * Writes campaigns `from` to `to` (excluded) of a tenant's past. By a superuser, without the checks of foreign keys, which hold by construction.
 */
export async function writeHistory(
  sql: pg.Client,
  { tenantId, id: like }: Target,
  { from, to, conversations, now }: { from: number; to: number; conversations: number; now: Date },
): Promise<void> {
  await sql.query("set session_replication_role = replica");
  for (let n = from; n < to; n++) {
    const at = new Date(now.getTime() - daysAgo(n) * 86_400_000);
    for (const text of INSERTS) await sql.query(text, [tenantId, n, conversations, at, like]);
  }
  await sql.query("set session_replication_role = origin");
}

/** Bytes of each table and of its indexes. */
export async function sizes(sql: pg.Client): Promise<Map<string, { table: number; indexes: number }>> {
  const { rows } = await sql.query(
    "select name, pg_table_size(name::regclass)::float8 as of_table, pg_indexes_size(name::regclass)::float8 as of_indexes from unnest($1::text[]) name",
    [TABLES],
  );
  return new Map(rows.map((row) => [row.name, { table: row.of_table, indexes: row.of_indexes }]));
}
