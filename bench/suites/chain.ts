import assert from "node:assert/strict";
import type pg from "pg";
import { leadsOf, phoneOf } from "#app/capacity/people.ts";
import { uuidSource } from "#app/process/ids.ts";
import { piecesOf } from "#domain/values/pieces.ts";
import { auditTrail } from "#store/accounts/audit-trail.ts";
import * as users from "#store/accounts/users.ts";
import * as consents from "#store/compliance/consents.ts";
import * as chain from "#store/database/chain.ts";
import { type Db, openDb } from "#store/database/db.ts";
import { anOwner } from "#test/support/accounts/owner.ts";
import { type Service, startService } from "../service.ts";
import { type Bench, timed } from "../suite.ts";

/** As many as a list's consents are written in at once. */
const CHUNK = 2_500;

/** So many come first, unmeasured: in a service that has been running, plans are made and code is compiled. */
const WARM_UP = 200;

/** What the audit log and the hash chain cost: each is held against the same rows with neither. */
export async function run(bench: Bench): Promise<void> {
  const service = await startService(bench);
  const db = openDb({ url: service.databaseUrl, poolSize: 1, applicationName: "bench" });
  try {
    const owner = await anOwner(service);
    const { rows } = await service.sql.query("select id, account_id from tenants where mode = 'test'");
    const { id: tenantId, account_id: accountId } = rows[0];
    await ofAList(bench, service, { ...owner, tenantId });
    await ofConsents(bench, { db, sql: service.sql, tenantId });
    await ofChanges(bench, { db, sql: service.sql, accountId });
  } finally {
    await db.close();
    await service.stop();
  }
}

const WITH_CONSENT = {
  consent_basis: "express_written",
  consent_source: "web_form",
  consent_proof: "form 7, version 3",
  consent_at: "2026-01-02T03:04:05.678Z",
};

/** A list of contacts with a consent each by one POST, which waits to be chained; the same rows by set SQL, unchained. */
async function ofAList(
  bench: Bench,
  service: Service,
  { tenantId, ...owner }: { tenantId: string; organization_id: string; user_id: string },
): Promise<void> {
  const count = bench.small ? 300 : 10_000;
  const contacts = leadsOf(count).map((lead) => ({ ...lead, ...WITH_CONSENT }));
  const body = JSON.stringify({ list_name: "With consent", ...owner, contacts });
  const others = leadsOf(WARM_UP, 3_000_000).map((lead) => ({ ...lead, ...WITH_CONSENT }));
  await service.post("/v1/contacts/lists", { list_name: "Warm", ...owner, contacts: others });
  const ours = await timed(() => service.post("/v1/contacts/lists", body));
  assert.equal(ours.result.body.count, count, JSON.stringify(ours.result.body).slice(0, 500));
  const stored = await service.sql.query("select count(*)::int as n from consent_records where digest is not null");
  assert.equal(stored.rows[0].n, count + WARM_UP);

  const { rows } = await service.sql.query("select organization_id, user_id, id from lists limit 1");
  const pieces = piecesOf(leadsOf(count, count), CHUNK).map((leads) => {
    const ids = leads.map(growingId);
    const phones = leads.map((lead) => lead.phone_number);
    const fields = leads.map(({ phone_number: _, ...rest }) => JSON.stringify({ ...rest, ...WITH_CONSENT }));
    return [
      [CONSENTS, [tenantId, phones]],
      [CONTACTS, [tenantId, rows[0].organization_id, ids, phones, fields]],
      [MEMBERS, [tenantId, rows[0].id, ids]],
      [RECORDS, recordsOf(tenantId, phones)],
      [BASES, [tenantId, phones, phones.map(() => '[{"basis":"express_written"}]')]],
    ] as const;
  });
  const theirs = await timed(async () => {
    await service.sql.query("begin");
    for (const statements of pieces)
      for (const [text, values] of statements)
        await service.sql.query({ name: text.slice(0, 40), text, values: [...values] });
    await service.sql.query("commit");
  });
  bench.figure({
    name: "a list with consents",
    value: count / ours.seconds,
    unit: "/s",
    baseline: count / theirs.seconds,
  });
}

const CONSENTS =
  "insert into consents (tenant_id, phone) select $1, phone from unnest($2::text[]) as it (phone) on conflict do nothing";
const CONTACTS = `insert into contacts (tenant_id, id, organization_id, phone, fields, created_at, updated_at)
  select $1, id, $2, phone, fields::jsonb, now(), now() from unnest($3::uuid[], $4::text[], $5::text[]) as it (id, phone, fields)`;
const MEMBERS =
  "insert into list_members (tenant_id, list_id, contact_id) select $1, $2, id from unnest($3::uuid[]) as it (id)";
const RECORDS = `insert into consent_records (tenant_id, phone, id, event, basis, channel, source, proof, quote, at, recorded_at)
  select $1, phone, id, 'granted', 'express_written', 'any', 'web_form', 'form 7, version 3', null, $4, $4
  from unnest($2::text[], $3::uuid[]) as it (phone, id)
  where not exists (
    select from consent_records known
    where known.tenant_id = $1 and known.phone = it.phone and known.event = 'granted' and known.at = $4
      and known.basis is not distinct from 'express_written' and known.channel = 'any' and known.source = 'web_form'
      and known.proof is not distinct from 'form 7, version 3')`;
const BASES = `update consents consent set bases = given.bases::jsonb from unnest($2::text[], $3::text[]) as given (phone, bases)
  where consent.tenant_id = $1 and consent.phone = given.phone`;

/** Ids that grow, as ours do. */
let last = 0;
const growingId = (): string => `01900000-0000-7000-8000-${(++last).toString(16).padStart(12, "0")}`;

const AT = new Date("2026-01-02T03:04:05.678Z");
const recordsOf = (tenantId: string, phones: readonly string[]) => [tenantId, phones, phones.map(growingId), AT];

/** The history of consents alone: recorded with digests and a place in the queue for the chain, then linked; the same statement with neither. */
async function ofConsents(
  bench: Bench,
  { db, sql, tenantId }: { db: Db; sql: pg.Client; tenantId: string },
): Promise<void> {
  const count = (bench.small ? 300 : 10_000) + WARM_UP;
  while (await db.transaction((tx) => chain.link(tx, tenantId, new Date())));
  const phonesFrom = (from: number) => Array.from({ length: count }, (_, n) => phoneOf(from + n)).sort();
  const [chained, plain] = [phonesFrom(1_000_000), phonesFrom(2_000_000)];
  for (const phones of [chained, plain]) await sql.query(CONSENTS, [tenantId, phones]);
  const records = chained.map((phone) => ({
    ...({ id: growingId(), phone, event: "granted", basis: "express_written", channel: "any" } as const),
    ...{ source: "web_form", proof: "form 7, version 3", quote: null, at: AT },
  }));
  const record = (them: typeof records) =>
    db.transaction(async (tx) => {
      for (const piece of piecesOf(them, CHUNK)) await consents.insert(tx, tenantId, piece, AT);
    });
  await record(records.splice(0, WARM_UP));
  while (await db.transaction((tx) => chain.link(tx, tenantId, new Date())));
  const recorded = await timed(() => record(records));
  const linked = await timed(async () => {
    while (await db.transaction((tx) => chain.link(tx, tenantId, new Date())));
  });
  await sql.query({ name: "raw-records", text: RECORDS, values: recordsOf(tenantId, plain.splice(0, WARM_UP)) });
  const values = piecesOf(plain, CHUNK).map((phones) => recordsOf(tenantId, phones));
  const raw = await timed(async () => {
    await sql.query("begin");
    for (const each of values) await sql.query({ name: "raw-records", text: RECORDS, values: each });
    await sql.query("commit");
  });
  const { rows } = await sql.query(
    "select (select count(*) from consent_records)::int as records, (select count(*) from chain_waiting)::int as waiting",
  );
  assert.ok(rows[0].records >= 2 * count && rows[0].waiting === 0, JSON.stringify(rows));
  const baseline = plain.length / raw.seconds;
  bench.figure({ name: "consents recorded", value: records.length / recorded.seconds, unit: "/s", baseline });
  const both = recorded.seconds + linked.seconds;
  bench.figure({ name: "consents recorded and linked", value: records.length / both, unit: "/s", baseline });
}

/** Changes of one row each, a transaction a change, with their entries in the audit log; the same changes without. */
async function ofChanges(
  bench: Bench,
  { db, sql, accountId }: { db: Db; sql: pg.Client; accountId: string },
): Promise<void> {
  const count = bench.small ? 50 : 2_000;
  const { rows } = await sql.query("select tenant_id, id from users limit 1");
  const [userId, newId, now] = [rows[0].id as string, uuidSource(), () => new Date()];
  const change = (on: Db, n: number) =>
    on.transaction((tx) =>
      users.change(tx, [rows[0].tenant_id], {
        id: userId,
        name: `Ann ${n}`,
        permission: "viewer",
        organization_ids: [],
      }),
    );
  const audited = (n: number) => {
    const trail = auditTrail(
      {
        ...{ tenantId: accountId, id: newId(), mode: "test", actor: "key", actorId: newId(), sessionId: null },
        ...{ address: "127.0.0.1", userAgent: "bench", requestId: newId(), operation: "updateUser" },
        ...{ note: { object: { kind: "user", id: userId } }, asked: undefined },
      },
      { now, log: { error: (data, message) => assert.fail(`${message} ${JSON.stringify(data)}`) } },
    );
    trail.note({ before: { name: `Ann ${n - 1}` }, after: { name: `Ann ${n}` } });
    return change(trail.over(db), n);
  };
  const each = (work: (n: number) => Promise<unknown>) =>
    timed(async () => {
      for (let n = 0; n < count; n++) await work(n);
    });
  await each((n) => change(db, n));
  const plain = await each((n) => change(db, n));
  const ours = await each(audited);
  const entries = await sql.query("select count(*)::int as n from audit_entries where operation = 'updateUser'");
  assert.equal(entries.rows[0].n, count);
  bench.figure({
    name: "changes with their entries",
    value: count / ours.seconds,
    unit: "/s",
    baseline: count / plain.seconds,
  });
}
