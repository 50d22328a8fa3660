import assert from "node:assert/strict";
import { test } from "node:test";
import { wire } from "#app/context.ts";
import { NO_ID, type Uuid } from "#domain/values/id.ts";
import * as parts from "#store/simulator/demo-removals.ts";
import { startParley, until } from "#test/support/api/parley.ts";
import { aVoiceOwner, insertCalls, insertVoiceCampaign } from "#test/support/calls/calls.ts";
import { waitingForLocks } from "#test/support/database/locks.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

test("events of a call that are written while its organization is being removed are removed with it", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const [worker, watcher] = [await openClient(t, api.databaseUrl), await openClient(t, api.databaseUrl)];
  const of = await aVoiceOwner(api, worker);
  const tenantId = of.tenantId as Uuid;
  const campaign = await insertVoiceCampaign(worker, of, "spring");
  const [call] = await insertCalls(worker, of, [{ campaign_id: campaign, start_at: new Date() }]);
  const { ctx, close } = wire(api.config, api.databaseUrl, "test");
  t.after(close);

  await worker.query("begin");
  await worker.query("update calls set sentiment = 'Positive' where id = $1", [call]);
  await worker.query(
    "insert into events (tenant_id, kind, at, organization_id, campaign_id, data) values ($1, 'call.analyzed', now(), $2, $3, '{}')",
    [tenantId, of.organizationId, NO_ID],
  );
  const removed = ctx.db.transaction(async (tx) => {
    const whole = await parts.partsOf(tx, tenantId, { organizations: [of.organizationId as Uuid], brands: [] });
    await parts.remove(tx, tenantId, whole);
  });
  await until("the removal waits for the call", async () => (await waitingForLocks(watcher)) === 1);
  await worker.query("commit");
  await removed;
  const { rows } = await watcher.query(
    "select (select count(*) from organizations)::int as organizations, (select count(*) from events where organization_id = $1)::int as events",
    [of.organizationId],
  );
  assert.deepEqual(rows, [{ organizations: 0, events: 0 }]);
});
