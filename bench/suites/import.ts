import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { fileOf, leadsOf } from "#app/capacity/people.ts";
import { anOwner } from "#test/support/accounts/owner.ts";
import { importIs, sendFile } from "#test/support/campaigns/import.ts";
import { createDatabase } from "#test/support/database/database.ts";
import { residentMb, type Service, startService } from "../service.ts";
import { type Bench, timed } from "../suite.ts";

/** Rows a transaction of the baseline: as many as an import writes at once. */
const CHUNK = 5_000;
const LOOK_EVERY_MS = 50;
const IMPORTED_WITHIN_MS = 1_800_000;
/** 64 kB after each pause are some 300 kB a second. */
const SLOW_PAUSE_MS = 200;
const SLOW_READER_MS = 10_000;

/** A million contacts from a file, from the first byte sent to the last row stored, and as a file again. */
export async function run(bench: Bench): Promise<void> {
  const count = bench.small ? 1_000 : 1_000_000;
  const baseline = await raw(count);
  const service = await startService(bench);
  try {
    await service.startWorker();
    const owner = await anOwner(service);
    const idle = residentMb(service.apiPid);
    const importing = watch(service);
    const { seconds, result } = await timed(async () => {
      const { status, body } = await sendFile(service, fileOf(count), owner);
      assert.equal(status, 202, JSON.stringify(body));
      return importIs(service, body.import.import_id, ["completed", "failed"], IMPORTED_WITHIN_MS);
    });
    assert.deepEqual([result.status, result.created, result.failed], ["completed", count, 0]);
    bench.figure({ name: "rows imported", value: count / seconds, unit: "/s", baseline });
    bench.figure({ name: "api at most while importing", value: importing(), unit: "MB", baseline: idle });

    const path = `/v1/contacts/leads/export.csv?organization_id=${owner.organization_id}`;
    const slowly = watch(service);
    await readSlowly(service, path, bench.small ? 100 : SLOW_READER_MS);
    bench.figure({ name: "api at most while one reads slowly", value: slowly(), unit: "MB", baseline: idle });

    const exporting = watch(service);
    const out = await timed(() => linesOf(service, path));
    assert.equal(out.result, count + 1);
    bench.figure({ name: "rows exported", value: count / out.seconds, unit: "/s", baseline: null });
    bench.figure({ name: "api at most while exporting", value: exporting(), unit: "MB", baseline: idle });
  } finally {
    await service.stop();
  }
}

const INSERTS = [
  `insert into contacts (tenant_id, id, organization_id, phone, fields, created_at, updated_at)
   select $1, id, $2, phone, fields::jsonb, now(), now() from unnest($3::uuid[], $4::text[], $5::text[]) as it (id, phone, fields)`,
  "insert into consents (tenant_id, phone) select $1, phone from unnest($2::text[]) as it (phone) on conflict do nothing",
  "insert into import_contacts (tenant_id, import_id, contact_id, at) select $1, $2, id, now() from unnest($3::uuid[]) as it (id)",
  "insert into list_members (tenant_id, list_id, contact_id) select $1, $2, id from unnest($3::uuid[]) as it (id)",
];

/** Rows a second of all that an import makes, by hand-written set SQL on one connection, in another database. */
async function raw(count: number): Promise<number> {
  const { url, drop } = await createDatabase();
  const sql = new pg.Client({ connectionString: url, options: "-c enable_seqscan=off" });
  await sql.connect();
  const [tenant, owner] = [randomUUID(), randomUUID()];
  try {
    await sql.query(
      `insert into tenants (id, name, created_at, mode, account_id, other_id) values ($1, 'Raw', now(), 'test', $1, gen_random_uuid())`,
      [tenant],
    );
    await sql.query("insert into organizations (tenant_id, id, name, created_at) values ($1, $2, 'Raw', now())", [
      tenant,
      owner,
    ]);
    await sql.query(
      "insert into lists (tenant_id, id, organization_id, user_id, name, created_at) values ($1, $2, $2, $2, 'Raw', now())",
      [tenant, owner],
    );
    let seconds = 0;
    for (let from = 0; from < count; from += CHUNK) {
      const values = valuesOf(tenant, owner, Math.min(CHUNK, count - from), from);
      // The values are put together beforehand, so that it is the database's time alone.
      seconds += (await timed(() => insertAll(sql, values))).seconds;
    }
    return count / seconds;
  } finally {
    await sql.end();
    await drop();
  }
}

/** Ids that grow, as ours do: random ones would cost the baseline a page for each row. */
let last = 0;
const growingId = (): string => `01900000-0000-7000-8000-${(++last).toString(16).padStart(12, "0")}`;

function valuesOf(tenant: string, owner: string, count: number, from: number): unknown[][] {
  const leads = leadsOf(count, from).sort((a, b) => (a.phone_number < b.phone_number ? -1 : 1));
  const phones = leads.map((lead) => lead.phone_number);
  const fields = leads.map(({ phone_number: _, ...rest }) => JSON.stringify(rest));
  const ids = leads.map(growingId);
  return [
    [tenant, owner, ids, phones, fields],
    [tenant, phones],
    [tenant, owner, ids],
    [tenant, owner, ids],
  ];
}

async function insertAll(sql: pg.Client, values: unknown[][]): Promise<void> {
  await sql.query("begin");
  for (const [i, text] of INSERTS.entries()) await sql.query({ name: `raw-import-${i}`, text, values: values[i]! });
  await sql.query("commit");
}

/** The lines of an answer, counted as they come. */
async function linesOf(service: Service, path: string): Promise<number> {
  const response = await fetch(service.url + path, { headers: { "x-api-key": service.key } });
  let lines = 0;
  for await (const piece of response.body!) for (const byte of piece) if (byte === 10) lines++;
  return lines;
}

/** Reads an answer piece by piece, with a pause before each, for a while; then its connection is cut. */
async function readSlowly(service: Service, path: string, forMs: number): Promise<void> {
  const response = await fetch(service.url + path, { headers: { "x-api-key": service.key } });
  assert.equal(response.status, 200);
  const end = performance.now() + forMs;
  for await (const _ of response.body!) {
    if (performance.now() > end) break;
    await pause(SLOW_PAUSE_MS);
  }
}

/** Samples the api's memory until the highest value is requested. */
function watch({ apiPid }: Service): () => number {
  // A small run is over before the first look.
  let most = residentMb(apiPid);
  const timer = setInterval(() => {
    most = Math.max(most, residentMb(apiPid));
  }, LOOK_EVERY_MS);
  return () => {
    clearInterval(timer);
    return most;
  };
}
