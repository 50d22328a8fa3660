import assert from "node:assert/strict";
import { test } from "node:test";
import { startApi } from "#app/roles/api.ts";
import { startMedia } from "#app/roles/media.ts";
import { startWorker } from "#app/roles/worker.ts";
import { fenceReason } from "#operations/restore/raise-fence.ts";
import { client, type Parley, startParley, until } from "#test/support/api/parley.ts";
import { aVoiceAgent } from "#test/support/calls/calling.ts";
import { aNoon, SENDER } from "#test/support/campaigns/campaign.ts";
import { aBackup, holdAfter, keepRecords, lift } from "#test/support/database/restore.ts";
import { handsetPath } from "#test/support/messaging/handset.ts";
import { runLanes } from "#test/support/messaging/lane-jobs.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

const CONTACTS = 120;
/** They take themselves off the list in their call, after the backup. */
const STOPPED = 5;
/** Slow enough for a backup in the middle of the campaign. */
const CALLS_PER_SECOND = 30;

/** Of those who are called, every so many have a carrier that first has no line free, again and again. */
const CONGESTED_EVERY = 5;

type Api = Pick<Parley, "get" | "post" | "put">;

async function aCampaign(api: Api, campaign_id: string, phones: readonly string[], more: object = {}): Promise<void> {
  const { voiceAgentId } = await aVoiceAgent(api);
  const { status, body } = await api.post("/v1/voice/campaigns", {
    campaign_id,
    leads: phones.map((phone_number) => ({ phone_number })),
    voice_agent_id: voiceAgentId,
    agent_outbound_number: SENDER,
    calls_per_second: CALLS_PER_SECOND,
    ...more,
  });
  assert.equal(status, 202, JSON.stringify(body));
}

const placed = async (api: Pick<Parley, "get">, campaignId: string) =>
  (await api.get(`/v1/simulator/traffic?campaign_id=${campaignId}`)).body.calls;

test("F40: a database put back to an earlier hour calls nobody until calls and opt-outs since then are accounted for, and nobody twice then", async (t) => {
  const before = await startParley(t, { PARLEY_SIMULATOR_CALLS: "text" }, ["api", "worker", "media"]);
  const { config } = before;
  await aNoon(before);
  const phones = Array.from({ length: CONTACTS }, (_, i) => `+1212${4_000_000 + i * 7}`);
  for (const phone of phones.slice(-STOPPED)) await before.put(handsetPath(phone), { behavior: "opt_out" });
  for (const phone of phones.slice(0, -STOPPED).filter((_, i) => i % CONGESTED_EVERY === 0)) {
    await before.put(handsetPath(phone), { behavior: "rate_limited" });
  }
  // They wait for their hour in two campaigns, and are taken off the list by the one that calls them first.
  const tomorrow = new Date(Date.parse((await before.get("/v1/simulator/clock")).body.now) + 86_400_000).toISOString();
  await aCampaign(before, "later", phones.slice(-STOPPED), { campaign_begin_time: tomorrow });
  const redial_config = { max_attempts: 3, retry_delay_minutes: 1, retry_on: ["failed"] };
  const old = await openClient(t, before.databaseUrl);
  const release = await holdAfter(old, "simulator_calls", CONTACTS / 2);
  await aCampaign(before, "now", phones, { redial_enabled: true, redial_config });
  await until("some calls are out", async () => (await placed(before, "now")).accepted >= CONTACTS / 4);
  // Nothing is claimed meanwhile: the backup has calls that are yet to be placed.
  await old.query("begin; select from dial_lanes for update");
  const backup = await aBackup(t, config, before.databaseUrl);
  await old.query("commit");
  await release();
  await until("the campaign is over", async () => {
    const { body } = await before.get("/v1/voice/campaigns/now");
    return body.campaign.status === "completed";
  });
  await before.stopAll();

  const { url, ctx } = await backup();
  const sql = await openClient(t, url);
  await keepRecords(old, sql);
  const parts = [await startApi(config, url), await startWorker(config, url), await startMedia(config, url)] as const;
  t.after(async () => {
    for (const part of parts) await part.stop();
  });
  const after = client(parts[0].url, config.bootstrapApiKey!);
  assert.match((await fenceReason(ctx))!, /restored from a backup/);
  const waiting = async () => (await sql.query("select from dials where state = 'scheduled'")).rowCount!;
  const open = await waiting();
  assert.ok(open > STOPPED, "the backup was taken when all had been called");
  await runLanes(async (text, values = []) => (await sql.query(text, [...values])).rows, { calls: true });
  assert.equal(await waiting(), open, "nothing is claimed");
  assert.deepEqual([(await placed(after, "now")).accepted, (await placed(after, "now")).duplicates], [CONTACTS, 0]);

  const account = await lift(ctx, config);
  assert.deepEqual([account.lifted, account.optOuts, account.missing], [true, STOPPED, []]);
  assert.ok(account.reopened > 0);
  await until(
    "the campaign is over again",
    async () => (await after.get("/v1/voice/campaigns/now")).body.campaign.status === "completed",
  );
  const { count } = (await after.get("/v1/voice/campaigns/now/calls?limit=500")).body;
  assert.equal(
    count,
    CONTACTS - STOPPED,
    "calls that were forgotten are in the list again, but for dials that are off for good",
  );
  await after.post("/v1/simulator/clock", { advance_ms: 2 * 86_400_000 });
  await aNoon(after);
  await until(
    "the other campaign is over",
    async () => (await after.get("/v1/voice/campaigns/later")).body.campaign.status === "completed",
  );
  const { accepted, duplicates, after_opt_out } = (await after.get("/v1/simulator/traffic")).body.calls;
  assert.deepEqual([accepted, duplicates, after_opt_out], [CONTACTS, 0, 0]);
  const { campaign } = (await after.get("/v1/voice/campaigns/now")).body;
  assert.equal(campaign.leads.opted_out, STOPPED);
  assert.equal(campaign.pending_calls, 0);
  t.diagnostic(JSON.stringify({ contacts: CONTACTS, account, leads: campaign.leads }));
});
