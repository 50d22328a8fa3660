import assert from "node:assert/strict";
import { test } from "node:test";
import { wire } from "#app/context.ts";
import { carrierSessions } from "#app/process/carrier-sessions.ts";
import { sessionLocks } from "#store/system/session-locks.ts";
import { anotherTenant } from "#test/support/accounts/tenant.ts";
import { startParley, until } from "#test/support/api/parley.ts";
import { SENDER } from "#test/support/campaigns/campaign.ts";
import { smppGateway } from "#test/support/carriers/smpp/gateway.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

/** Other tests have databases of their own on the same server. */
const OURS = "datname = current_database() and application_name like 'parley sessions %'";

test("looking twice at once which sessions to hold opens one connection and takes one lock, which another process gets in the end", async (t) => {
  const gateway = await smppGateway(t);
  const api = await startParley(t, { PARLEY_CARRIER_PRIVATE_HOSTS: "127.0.0.1" }, ["api"]);
  const live = await anotherTenant(api, "live");
  const made = await live.post("/v1/carriers", {
    ...{ name: "Gateway", kind: "smpp", credentials: { system_id: "parley", password: "secret" } },
    settings: { host: "127.0.0.1", port: gateway.port, senders: [SENDER] },
  });
  const connected = await live.post(`/v1/carriers/${made.body.carrier.carrier_id}/connect`, {});
  assert.equal(connected.body.carrier?.status, "connected", JSON.stringify(connected.body));
  const sql = await openClient(t, api.databaseUrl);
  const count = async (what: string): Promise<number> =>
    (await sql.query(`select count(*)::int as n from ${what}`)).rows[0].n;
  const locks = () => count(`pg_locks join pg_stat_activity using (pid) where locktype = 'advisory' and ${OURS}`);
  const connections = () => count(`pg_stat_activity where ${OURS}`);
  const aProcess = () => {
    const { ctx, close } = wire(api.config, api.databaseUrl, "test");
    t.after(close);
    const sessions = carrierSessions({ ctx, openLocks: (lost) => sessionLocks(api.databaseUrl, ctx.newId(), lost) });
    t.after(() => sessions.stop());
    return sessions;
  };
  const before = gateway.boundAt.length;
  const [one, another] = [aProcess(), aProcess()];
  await Promise.all([one.keep(), one.keep(), one.keep()]);
  await Promise.all([one.keep(), one.keep()]);
  assert.deepEqual([one.problems().size, await locks(), await connections()], [1, 1, 1]);
  await until("it is bound, once", async () => gateway.boundAt.length === before + 1);
  await another.keep();
  assert.deepEqual([another.problems().size, await locks()], [0, 1]);
  await one.stop();
  await until("the other has it", async () => {
    await Promise.all([another.keep(), another.keep()]);
    return another.problems().size === 1;
  });
  assert.deepEqual([await locks(), await connections()], [1, 1]);
});
