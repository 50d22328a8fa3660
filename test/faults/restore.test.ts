import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { readJournal } from "#adapters/journal/files.ts";
import { startApi } from "#app/api.ts";
import { backUp, restore } from "#app/backup.ts";
import { JOURNAL, wire } from "#app/context.ts";
import { readMark, writeMark } from "#app/mark.ts";
import { startWorker } from "#app/worker.ts";
import { liftFence } from "#operations/lift-fence.ts";
import { fenceReason } from "#operations/raise-fence.ts";
import { aCampaign, aNoon, SENDER } from "../support/campaign.ts";
import { emptyDatabase } from "../support/database.ts";
import { client, startParley, until } from "../support/parley.ts";
import { openClient } from "../support/worker-process.ts";

const CONTACTS = 400;
const STOPPED = 20;
/** Slow enough for a backup in the middle of the campaign. */
const RATE = "100";

/** What is to stop, the last first, before the test's databases are dropped. */
function stopsOf(t: TestContext): (() => Promise<unknown>)[] {
  const stops: (() => Promise<unknown>)[] = [];
  t.after(async () => {
    for (const stop of stops.reverse()) await stop();
  });
  return stops;
}

test("F40: a database put back to an earlier hour sends nothing until sends and STOPs since then are accounted for, and nothing twice then", async (t) => {
  const stops = stopsOf(t);
  const before = await startParley(t, { PARLEY_SIMULATOR_RATE: RATE });
  const { config } = before;
  await aNoon(before);
  const phones = Array.from({ length: CONTACTS }, (_, i) => `+1212${4_000_000 + i * 7}`);
  const { campaignId } = await aCampaign(before, {
    contacts: phones.map((phone_number) => ({ phone_number })),
    agent: { drip_schedule: [{ day: 1, message: "Still there?" }] },
  });
  const sent = async () =>
    (await before.get(`/v1/simulator/traffic?campaign_id=${campaignId}`)).body.accepted as number;
  await until("some texts are out", async () => (await sent()) >= CONTACTS / 4);
  const file = join(config.dataDir, "backup.gz");
  const atBackup = await sent();
  await backUp(config, before.databaseUrl, file, new Date());

  // What the backup does not know of: more texts, STOPs, a do-not-call number.
  const later = async () => (await sent()) === CONTACTS;
  await until("every text is out", later);
  for (const phone of phones.slice(-STOPPED)) {
    await before.post(`/v1/simulator/handsets/${encodeURIComponent(phone)}/messages`, { to: SENDER, text: "STOP" });
  }
  await before.post("/v1/dnc/add", { phone_number: phones[0] });
  const old = await openClient(t, before.databaseUrl);
  await until("every STOP is in", async () => {
    const { rows } = await old.query("select count(*)::int as n from consents where opted_out_at is not null");
    return rows[0].n === STOPPED;
  });
  await until("each is confirmed", async () => (await sent()) === CONTACTS + STOPPED);
  await before.stopAll();

  const url = await emptyDatabase(t);
  await restore(config, url, file, new Date());
  // The carrier's book is not ours: it remembers.
  const sql = await openClient(t, url);
  for (const table of ["simulator_texts", "simulator_calls", "simulator_handsets"]) {
    await sql.query(`truncate ${table}`);
    const { rows } = await old.query(`select to_jsonb(it) as row from ${table} it`);
    await sql.query(
      `insert into ${table} overriding system value select (jsonb_populate_recordset(null::${table}, $1::jsonb)).*`,
      [JSON.stringify(rows.map((it) => it.row))],
    );
  }
  const api = await startApi(config, url);
  stops.push(() => api.stop());
  const worker = await startWorker(config, url);
  stops.push(() => worker.stop());
  const after = client(api.url, config.bootstrapApiKey!);
  const traffic = async () => (await after.get(`/v1/simulator/traffic?campaign_id=${campaignId}`)).body;
  const { ctx, close } = wire({ ...config, databasePool: 1 }, url, "test");
  stops.push(close);
  assert.match((await fenceReason(ctx))!, /restored from a backup/);
  const open = await sql.query("select count(*)::int as n from messages where state = 'scheduled' and kind = 'start'");
  assert.ok(open.rows[0].n > 0, "the backup was taken when all had left");
  // Several looks of the sweep; a text that left would be there for good.
  await pause(2_000);
  const fenced = await traffic();
  assert.equal(fenced.duplicates, 0);
  assert.equal(fenced.accepted, CONTACTS + STOPPED);

  const journal = () => readJournal(join(config.dataDir, JOURNAL));
  const account = await liftFence(ctx, journal(), { acceptUnknown: false, mark: readMark(config.dataDir)!.mark });
  assert.equal(account.lifted, true);
  assert.equal(account.optOuts, STOPPED);
  assert.equal(account.doNotCall, 1);
  assert.ok(account.reopened > 0 && account.reopened <= CONTACTS - atBackup, `${account.reopened} were reopened`);
  await until("the carrier was asked", async () => {
    const { rows } = await sql.query("select from attempts where state in ('in_flight', 'uncertain')");
    return rows.length === 0;
  });
  await after.post("/v1/simulator/clock", { advance_ms: 86_400_000 });
  await aNoon(after);
  const counts = await until(
    "every recipient is terminal",
    async () => {
      const { body } = await after.get(`/v1/campaigns/${campaignId}`);
      return body.campaign.pending_messages === 0 && body.campaign.counts;
    },
    60_000,
  );
  const end = await traffic();
  assert.equal(end.duplicates, 0);
  assert.equal(end.after_opt_out, 0);
  assert.equal(counts.opted_out, STOPPED);
  t.diagnostic(JSON.stringify({ contacts: CONTACTS, atBackup, account, traffic: end }));
});

test("a worker that finds the database behind this machine's record of it raises the fence before it sends", async (t) => {
  const stops = stopsOf(t);
  const api = await startParley(t, {}, ["api"]);
  const sql = await openClient(t, api.databaseUrl);
  const { rows } = await sql.query("select id from cluster");
  writeMark(api.config.dataDir, { cluster: rows[0].id, mark: 1_000 });
  await aNoon(api);
  const { campaignId } = await aCampaign(api, { contacts: [{ phone_number: "+12124000007" }] });
  const worker = await startWorker(api.config, api.databaseUrl);
  stops.push(() => worker.stop());
  const { ctx, close } = wire({ ...api.config, databasePool: 1 }, api.databaseUrl, "test");
  stops.push(close);
  assert.match((await fenceReason(ctx))!, /is behind this machine's record of it, at \d+ of 1000/);
  const texts = async () => (await api.get(`/v1/simulator/traffic?campaign_id=${campaignId}`)).body.accepted as number;
  assert.equal(await texts(), 0);
  const mark = readMark(api.config.dataDir)!.mark;
  await liftFence(ctx, readJournal(join(api.config.dataDir, JOURNAL)), { acceptUnknown: false, mark });
  await until("the text is out", async () => (await texts()) === 1);
});
