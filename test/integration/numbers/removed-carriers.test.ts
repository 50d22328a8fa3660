import assert from "node:assert/strict";
import { test } from "node:test";
import { createCampaign } from "#operations/campaigns/create-campaign.ts";
import type { Context } from "#operations/context.ts";
import { deleteCarrier } from "#operations/numbers/change-carrier.ts";
import { drainLane } from "#operations/sending/drain-lane.ts";
import { finishCampaigns } from "#operations/sending/sweep.ts";
import { until } from "#test/support/api/parley.ts";
import { anAgent, SENDER } from "#test/support/campaigns/campaign.ts";
import { assertLedger } from "#test/support/messaging/ledger.ts";
import { aLiveAccount, aLiveCampaign, type LiveAccount, signal } from "#test/support/messaging/live-account.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

async function drainAll({ ctx, caller, client }: LiveAccount): Promise<void> {
  const { rows } = await client.query("select id from lanes where tenant_id = $1", [caller.tenantId]);
  for (const { id } of rows) await drainLane(ctx, { tenantId: caller.tenantId, laneId: id }, signal());
}

test("texts that wait on an account that was removed are refused with the reason, and the campaign ends", async (t) => {
  const here = await aLiveAccount(t);
  const { ctx, caller, client, vendor, account } = here;
  await aLiveCampaign(here, 3);
  await client.query("update consents set opted_out_at = $1 where phone = '+12124440001'", [ctx.now()]);
  // As a campaign that is made beside the removal, before campaigns kept their accounts.
  await client.query("delete from carrier_accounts where id = $1", [account.id]);
  await drainAll(here);

  const { rows } = await client.query("select phone, state, rule, reason, due_at from messages order by phone");
  const removed = {
    ...{ state: "suppressed", rule: "carrier_removed", due_at: null },
    reason: "The carrier account that its number was on was removed.",
  };
  assert.deepEqual(
    rows.map(({ rule }) => rule),
    ["carrier_removed", "opted_out", "carrier_removed"],
  );
  assert.deepEqual(rows[0], { phone: "+12124440000", ...removed });
  const lane = await client.query("select next_due_at from lanes where tenant_id = $1", [caller.tenantId]);
  assert.deepEqual(lane.rows, [{ next_due_at: null }]);
  assert.deepEqual(vendor.taken, []);
  await finishCampaigns(ctx);
  assert.equal((await client.query("select status from campaigns")).rows[0].status, "completed");
  const counts = await client.query(
    "select state, sum(n)::int as n from campaign_counts group by state having sum(n) <> 0 order by state",
  );
  assert.deepEqual(counts.rows, [
    { state: "opted_out", n: 1 },
    { state: "skipped", n: 2 },
  ]);
  await assertLedger(client);
});

test("a text is refused though its tenant's sending is stopped, or its lane is held", async (t) => {
  const here = await aLiveAccount(t);
  const { ctx, caller, client, account } = here;
  await aLiveCampaign(here, 2);
  await client.query("update lanes set held_until = $1", [new Date(ctx.now().getTime() + 3_600_000)]);
  await client.query("update tenants set sending_stopped_at = now() where id = $1", [caller.tenantId]);
  await client.query("delete from carrier_accounts where id = $1", [account.id]);
  await drainAll(here);
  const { rows } = await client.query("select distinct state, rule from messages");
  assert.deepEqual(rows, [{ state: "suppressed", rule: "carrier_removed" }]);
});

async function aCreation({ ctx, caller, live }: LiveAccount) {
  const { organizationId, userId, agentId } = await anAgent(live);
  const body = {
    ...{ campaign_name: "Live", organization_id: organizationId, user_id: userId, sms_agent_id: agentId },
    ...{ svc_sms_number: SENDER, contacts: [{ phone_number: "+12124440000" }] },
  };
  return (on: Context = ctx) => createCampaign(on, caller, {}, Buffer.from(JSON.stringify(body)));
}

test("a campaign is refused whose account is removed between the look at its sender and its transaction", async (t) => {
  const here = await aLiveAccount(t);
  const { ctx, caller, client, account } = here;
  const create = await aCreation(here);
  let isRemoved = false;
  const transaction: typeof ctx.db.transaction = async (work) => {
    if (!isRemoved) {
      isRemoved = true;
      await deleteCarrier(ctx, caller, account.id);
    }
    return ctx.db.transaction(work);
  };
  await assert.rejects(create({ ...ctx, db: { ...ctx.db, transaction } }), {
    code: "sms_not_enabled",
    message: /^svc_sms_number is on no carrier account/,
  });
  assert.equal((await client.query("select from campaigns")).rowCount, 0);
});

test("a removal waits for a campaign that is being made for the account, and is then refused", async (t) => {
  const here = await aLiveAccount(t);
  const { ctx, caller, client, account, api } = here;
  const create = await aCreation(here);
  const watch = await openClient(t, api.databaseUrl);
  const areWaiting = (n: number) => async () =>
    (await watch.query("select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"))
      .rowCount === n;
  // The campaign's transaction waits for its organization, and holds the account by then.
  await client.query("begin");
  await client.query("select from organizations for update");
  const made = create();
  await until("the campaign waits", areWaiting(1));
  const removed = assert.rejects(deleteCarrier(ctx, caller, account.id), { code: "conflict" });
  await until("the removal waits", areWaiting(2));
  await client.query("commit");
  await Promise.all([made, removed]);
});
