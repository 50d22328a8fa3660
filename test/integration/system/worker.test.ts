import assert from "node:assert/strict";
import { test } from "node:test";
import { startParley, until } from "#test/support/api/parley.ts";
import { aCampaign, aNoon } from "#test/support/campaigns/campaign.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

test("a worker whose connections are all cut takes a new place among its fellows, and goes on sending", async (t) => {
  const api = await startParley(t, { PARLEY_LOG_LEVEL: "silent" });
  const client = await openClient(t, api.databaseUrl);
  await aNoon(api);
  const living = async () =>
    (await client.query("select id, queue_workers from nodes where lost_at is null order by started_at")).rows;
  const [before] = await living();
  // One for its lanes, one for what is said, one for the pictures that came.
  assert.equal(before.queue_workers.length, 3, "the names under which it locks jobs are known");

  await client.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
  );
  const after = await until("the worker has another place", async () => {
    const [node, ...others] = await living();
    return others.length === 0 && node && node.id !== before.id && node.queue_workers.length === 3 && node;
  });
  assert.deepEqual(after.queue_workers, before.queue_workers);

  const contacts = Array.from({ length: 50 }, (_, i) => ({ phone_number: `+1212444${1000 + i}` }));
  const { campaignId } = await aCampaign(api, { contacts });
  await until("the campaign completes", async () => {
    const { body } = await api.get(`/v1/campaigns/${campaignId}`);
    return body.campaign.status === "completed" && body.campaign.counts.delivered === 50;
  });
});
