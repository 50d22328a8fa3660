import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { wire } from "#app/context.ts";
import { readMark, writeMark } from "#app/process/mark.ts";
import { startApi } from "#app/roles/api.ts";
import { startWorker } from "#app/roles/worker.ts";
import { fenceReason } from "#operations/restore/raise-fence.ts";
import { client, startParley, until } from "#test/support/api/parley.ts";
import { aCampaign, aNoon, SENDER } from "#test/support/campaigns/campaign.ts";
import { aBackup, holdAfter, keepRecords, lift } from "#test/support/database/restore.ts";
import { handsetPath } from "#test/support/messaging/handset.ts";
import { runLanes } from "#test/support/messaging/lane-jobs.ts";
import { COMMON_ENV, startProcess } from "#test/support/processes/processes.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

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

/** Of those who are texted, every so many have a carrier that first says 429, again and again. */
const RATE_LIMITED_EVERY = 5;

for (const isKilled of [false, true]) {
  const how = isKilled ? " by killed workers, and its fence lifted at once," : "";
  test(`F40: a database put back to an earlier hour${how} sends nothing until sends and STOPs since then are accounted for, and nothing twice then`, async (t) => {
    const stops = stopsOf(t);
    const settings = { PARLEY_SIMULATOR_RATE: RATE, PARLEY_SECRET_KEY: COMMON_ENV.PARLEY_SECRET_KEY! };
    const before = await startParley(t, settings, isKilled ? ["api"] : ["api", "worker"]);
    const { config } = before;
    const aWorker = () => {
      const env = {
        DATABASE_URL: before.databaseUrl,
        PARLEY_DATA_DIR: config.dataDir,
        PARLEY_SIMULATOR_LATENCY_MS: "300",
      };
      return startProcess(t, "worker", { ...settings, ...env });
    };
    let worker = isKilled ? await aWorker() : undefined;
    await aNoon(before);
    const phones = Array.from({ length: CONTACTS }, (_, i) => `+1212${4_000_000 + i * 7}`);
    for (const phone of phones.filter((_, i) => i % RATE_LIMITED_EVERY === 0)) {
      await before.put(handsetPath(phone), { behavior: "rate_limited" });
    }
    const old = await openClient(t, before.databaseUrl);
    const release = await holdAfter(old, "simulator_texts", CONTACTS / 2);
    const { campaignId } = await aCampaign(before, {
      contacts: phones.map((phone_number) => ({ phone_number })),
      agent: { drip_schedule: [{ day: 1, message: "Still there?" }] },
    });
    const sent = async () =>
      (await before.get(`/v1/simulator/traffic?campaign_id=${campaignId}`)).body.accepted as number;
    await until("some texts are out", async () => (await sent()) >= CONTACTS / 4);
    const atBackup = await sent();
    // Nothing is claimed meanwhile: the backup has texts that are yet to be sent.
    await old.query("begin; select from lanes for update");
    const backup = await aBackup(t, config, before.databaseUrl);
    await old.query("commit");
    await release();

    // What the backup does not know of: more texts, STOPs, a do-not-call number.
    if (worker) {
      await until("more texts are out", async () => (await sent()) >= CONTACTS / 2);
      await worker.kill();
      worker = await aWorker();
    }
    await until("every text is out", async () => (await sent()) === CONTACTS, 60_000);
    for (const phone of phones.slice(-STOPPED)) {
      await before.post(`/v1/simulator/handsets/${encodeURIComponent(phone)}/messages`, { to: SENDER, text: "STOP" });
    }
    await before.post("/v1/dnc/add", { phone_number: phones[0] });
    await until("every STOP is in", async () => {
      const { rows } = await old.query("select count(*)::int as n from consents where opted_out_at is not null");
      return rows[0].n === STOPPED;
    });
    await until("each is confirmed", async () => (await sent()) === CONTACTS + STOPPED);
    await worker?.kill();
    await before.stopAll();

    const { url, ctx } = await backup();
    const sql = await openClient(t, url);
    await keepRecords(old, sql);
    assert.match((await fenceReason(ctx))!, /restored from a backup/);
    const waiting = async (): Promise<number> => {
      const { rows } = await sql.query("select from messages where state = 'scheduled' and kind = 'start'");
      return rows.length;
    };
    const open = await waiting();
    assert.ok(open > 0, "the backup was taken when all had left");
    let account = isKilled ? await lift(ctx, config) : undefined;
    const api = await startApi(config, url);
    stops.push(() => api.stop());
    const next = await startWorker(config, url);
    stops.push(() => next.stop());
    const after = client(api.url, config.bootstrapApiKey!);
    const traffic = async () => (await after.get(`/v1/simulator/traffic?campaign_id=${campaignId}`)).body;
    if (!account) {
      await runLanes(async (text, values = []) => (await sql.query(text, [...values])).rows);
      assert.equal(await waiting(), open, "nothing is claimed");
      const fenced = await traffic();
      assert.equal(fenced.duplicates, 0);
      assert.equal(fenced.accepted, CONTACTS + STOPPED);
      account = await lift(ctx, config);
    }
    assert.deepEqual([account.lifted, account.missing], [true, []]);
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
}

test("a worker that finds the database behind this machine's record of it raises the fence before it sends", async (t) => {
  const stops = stopsOf(t);
  const api = await startParley(t, {}, ["api"]);
  const sql = await openClient(t, api.databaseUrl);
  const { rows } = await sql.query("select id from cluster");
  const at = new Date();
  await writeMark(api.config.dataDir, { cluster: rows[0].id, mark: 0 }, new Date(at.getTime() - 3_600_000));
  await writeMark(api.config.dataDir, { cluster: "another", mark: 5 }, at);
  await writeMark(api.config.dataDir, { cluster: rows[0].id, mark: 1_000 }, at);
  await aNoon(api);
  const { campaignId } = await aCampaign(api, { contacts: [{ phone_number: "+12124000007" }] });
  const worker = await startWorker(api.config, api.databaseUrl);
  stops.push(() => worker.stop());
  const { ctx, close } = wire({ ...api.config, databasePool: 1 }, api.databaseUrl, "test");
  stops.push(close);
  assert.match((await fenceReason(ctx))!, /is behind this machine's record of it, at \d+ of 1000/);
  const texts = async () => (await api.get(`/v1/simulator/traffic?campaign_id=${campaignId}`)).body.accepted as number;
  assert.equal(await texts(), 0);
  const fenced = await sql.query("select fenced_as_of, fence_nodes from cluster");
  assert.deepEqual(fenced.rows, [{ fenced_as_of: new Date(at.getTime() - 3_600_000), fence_nodes: [] }]);
  assert.equal(readMark(api.config.dataDir, "another")?.mark, 5, "the record of another database is kept");
  const first = await lift(ctx, api.config);
  assert.match(first.missing.join(), /no journal reaches back to/);
  assert.equal(first.lifted, false);
  assert.equal(await texts(), 0);
  await lift(ctx, api.config, { acceptMissing: true });
  await until("the text is out", async () => (await texts()) === 1);
});
