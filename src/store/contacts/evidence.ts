import { NO_ID, type Uuid } from "#domain/values/id.ts";
import { anyOf, statement, type Tx } from "#store/database/db.ts";

// All that is kept of a person's numbers, for evidence packs: page by page, since nobody knows how much it is.

const ROWS_AT_ONCE = 500;

const findPerson = statement(
  "find-person-of-evidence",
  `select id, organization_id, phone, former_phones, created_at, updated_at from contacts where tenant_id = $1 and id = $2`,
);

export type Person = {
  id: Uuid;
  organization_id: Uuid;
  /** No number once it is erased. */
  phone: string;
  former_phones: string[] | null;
  created_at: Date;
  updated_at: Date;
};

/** A contact, also one that was erased. */
export const person = (tx: Tx, tenantId: Uuid, id: Uuid): Promise<Person | undefined> =>
  tx.first<Person>(findPerson, [tenantId, id]);

export type Row = Record<string, unknown>;

const listConsents = statement(
  "list-consents-of-evidence",
  `select id, phone, event, basis, channel, source, proof, quote, at, recorded_at, encode(salt, 'hex') as salt from consent_records
   where tenant_id = $1 and phone = any($2::text[]) and id > $3 order by id limit ${ROWS_AT_ONCE}`,
);

const listTexts = statement(
  "list-texts-of-evidence",
  `with text as (
     select message.* from threads thread
     join messages message on message.tenant_id = $1 and message.campaign_id = thread.campaign_id and message.thread_id = thread.id
     where thread.tenant_id = $1 and thread.phone = any($2::text[])
     union all
     select * from messages where tenant_id = $1 and phone = any($2::text[]) and thread_id is null),
   page as (select * from text where id > $3 order by id limit ${ROWS_AT_ONCE})
   select page.id, page.phone, page.direction, page.kind, page.step, page.state, page.rule, page.reason, page.text, page.media_urls,
     page.segments, page.due_at, page.created_at, page.sent_at, page.updated_at, page.carrier_id,
     campaign.campaign_id, campaign.name as campaign_name,
     (select coalesce(jsonb_agg(jsonb_build_object('ref', ref, 'state', state, 'carrier', carrier, 'sender', sender,
        'carrier_id', carrier_id, 'error_code', error_code, 'based_on', based_on, 'at', at, 'settled_at', settled_at) order by at, ref), '[]')
      from attempts where tenant_id = $1 and phone = any($2::text[]) and message_id = page.id) as attempts
   from page left join campaigns campaign on campaign.tenant_id = $1 and campaign.id = page.campaign_id
   order by page.id`,
);

const listCalls = statement(
  "list-calls-of-evidence",
  `select call.id, call.phone, call.number, call.direction, call.purpose, call.status, call.reason, call.answerer, call.in_voicemail,
     call.duration_ms, call.dialed_at, call.answered_at, call.end_at, call.carrier, call.carrier_id, call.carrier_code, call.agent_version,
     campaign.campaign_id, campaign.name as campaign_name, detail.transcript, detail.summary, detail.codec, detail.encrypted,
     detail.recording, detail.recording_ms
   from (select * from calls where tenant_id = $1 and phone = any($2::text[]) and id > $3 order by id limit ${ROWS_AT_ONCE}) as call
   left join call_details detail on detail.tenant_id = $1 and detail.call_id = call.id
   left join campaigns campaign on campaign.tenant_id = $1 and campaign.id = call.campaign_id
   order by call.id`,
);

const LISTED = { consents: listConsents, texts: listTexts, calls: listCalls } as const;

/** Pages of what there is of these numbers, oldest first. */
export async function* pages(
  tx: Tx,
  tenantId: Uuid,
  what: keyof typeof LISTED,
  phones: readonly string[],
): AsyncGenerator<Row[]> {
  for (let after: unknown = NO_ID; ; ) {
    const rows = await tx.rows<Row>(LISTED[what], [tenantId, phones, after]);
    if (rows.length > 0) yield rows;
    if (rows.length < ROWS_AT_ONCE) return;
    after = rows.at(-1)!.id;
  }
}

const listLists = statement(
  "list-lists-of-evidence",
  `select list.id, list.name, list.created_at from lists list
   join list_members member on member.tenant_id = $1 and member.list_id = list.id and member.contact_id = $3
   where list.tenant_id = $1 and list.organization_id = $2 order by list.id`,
);

/** The lists that a contact is on now. */
export const lists = (tx: Tx, tenantId: Uuid, { id, organization_id }: Person): Promise<Row[]> =>
  tx.rows<Row>(listLists, [tenantId, organization_id, id]);

const listScreening = statement(
  "list-screening-of-evidence",
  `select 'do_not_call' as what, phone, jsonb_build_object('organization_id', organization_id, 'reason', reason, 'source', source,
     'at', created_at) as found
   from do_not_call where tenant_id = $1 and phone = any($2::text[])
   union all
   select 'reassigned_number', phone, jsonb_build_object('consent_at', consent_at, 'asked_at', wanted_at, 'answer', answer, 'at', answered_at)
   from number_checks where tenant_id = $1 and phone = any($2::text[])
   union all
   select 'line_type', phone, jsonb_build_object('line_type', line_type, 'carrier_name', carrier_name, 'asked', carrier, 'at', looked_up_at)
   from line_types where tenant_id = $1 and phone = any($2::text[])
   union all
   select 'consent', phone, jsonb_build_object('opted_out_at', opted_out_at, 'opt_out_source', opt_out_source, 'opt_out_quote',
     opt_out_quote, 'keyword_at', keyword_at, 'bases', bases, 'doubted_at', doubted_at, 'deactivated_at', deactivated_at)
   from consents where tenant_id = $1 and phone = any($2::text[])`,
);

/** What lists and look-ups say of these numbers, and what counts of their consent now. */
export const screening = (tx: Tx, tenantId: Uuid, phones: readonly string[]): Promise<Row[]> =>
  tx.rows<Row>(listScreening, [tenantId, phones]);

const listErasures = statement(
  "list-erasures-of-evidence",
  `select erasure.id, erasure.contact_id, erasure.at,
     (select coalesce(jsonb_agg(jsonb_build_object('id', id, 'event', event, 'basis', basis, 'channel', channel,
        'at', to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'recorded_at', to_char(recorded_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'personal', encode(personal, 'hex')) order by id), '[]')
      from chain_erased_consents where tenant_id = $1 and erasure_id = erasure.id) as gone
   from chain_erasures erasure where tenant_id = $1 and contact_id = $2 order by id`,
);

export type ErasureRow = { id: Uuid; contact_id: Uuid; at: Date; gone: { id: Uuid }[] };

export const erasures = (tx: Tx, tenantId: Uuid, contactId: Uuid): Promise<ErasureRow[]> =>
  tx.rows<ErasureRow>(listErasures, [tenantId, contactId]);

const listAudit = statement(
  "list-audit-of-evidence",
  `select entry.id, entry.at, entry.mode, entry.actor, entry.actor_id, entry.session_id, entry.address, entry.user_agent, entry.request_id,
     entry.operation, entry.object, entry.object_id, entry.organization_id, entry.outcome, entry.content,
     (select coalesce(jsonb_agg(jsonb_build_object('digest', digest, 'salt', encode(salt, 'hex'), 'value', value) order by digest), '[]')
      from audit_values where tenant_id = $1 and entry_id = entry.id and phone = any($2::text[])) as personal
   from audit_entries entry
   where entry.tenant_id = $1 and entry.id > $5 and (entry.mode is null or entry.mode = $4)
     and (entry.object_id = $3 or entry.id in (select entry_id from audit_values where tenant_id = $1 and phone = any($2::text[])))
   order by entry.id limit ${ROWS_AT_ONCE}`,
);

/** Entries of the audit log about a contact: by its public id, or with values of its numbers, which come with their salts. */
export async function* audit(
  tx: Tx,
  accountId: Uuid,
  about: { phones: readonly string[]; contactId: string; mode: "live" | "test" },
): AsyncGenerator<Row[]> {
  for (let after: unknown = NO_ID; ; ) {
    const rows = await tx.rows<Row>(listAudit, [accountId, about.phones, about.contactId, about.mode, after]);
    if (rows.length > 0) yield rows;
    if (rows.length < ROWS_AT_ONCE) return;
    after = rows.at(-1)!.id;
  }
}

const listLinks = statement(
  "list-links-of-evidence",
  `select link.seq::float8 as seq, link.kind, link.ref, link.digest, link.hash,
     (select hash from chain_links where tenant_id = $1 and seq = link.seq - 1) as before
   from chain_links link where link.tenant_id = $1 and link.kind = $2 and link.ref = any($3::uuid[]) and ${anyOf("link.ref")}
   order by link.seq`,
);

export type EvidenceLink = {
  seq: number;
  kind: string;
  ref: Uuid;
  digest: Buffer;
  hash: Buffer;
  before: Buffer | null;
};

/** The links of records, with the hash before each. What still waits has none. */
export const links = (tx: Tx, chainId: Uuid, kind: string, refs: readonly Uuid[]): Promise<EvidenceLink[]> =>
  tx.rows<EvidenceLink>(listLinks, [chainId, kind, refs]);
