import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import type { Uuid } from "#domain/values/id.ts";
import { recoverCalls } from "#operations/calls/recover-calls.ts";
import type { Context } from "#operations/context.ts";
import { recoverAttempts } from "#operations/sending/recover-attempts.ts";
import { tidy } from "#operations/sending/sweep.ts";
import * as nodes from "#store/system/nodes.ts";
import { until } from "#test/support/api/parley.ts";
import { aLine } from "#test/support/calls/calling.ts";
import { aCarrier, accepted, aSending, drain, type Sending, withCarrier } from "#test/support/messaging/sending.ts";

/** As many as one look at the doubts takes in. */
const A_LOOK = 1_000;
const TEN_MINUTES_MS = 600_000;

/** Both recoveries by a process that has the simulated carrier and line and no other; the clock may be ahead. */
async function recover(
  { ctx }: Pick<Sending, "ctx">,
  carrier: ReturnType<typeof aCarrier>,
  aheadMs = 0,
): Promise<void> {
  const line = aLine();
  const here: Context = {
    ...withCarrier(ctx, carrier, aheadMs),
    lines: {
      forNumber: async () => line,
      names: () => [line.name],
      byName: (name) => (name === line.name ? line : undefined),
    },
  };
  await recoverAttempts(here, new AbortController().signal);
  await recoverCalls(here, new AbortController().signal);
}

/** Attempts that are in doubt with a carrier of this name, or in flight with it by a node. */
async function someWith(
  { client, tenantId }: Sending,
  carrier: string,
  n: number,
  attempt: { channel: string; node?: Uuid },
) {
  await client.query(
    `insert into attempts (tenant_id, ref, campaign_id, message_id, phone, state, node_id, carrier, sender, at, check_at, channel)
     select $1, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), '+12125550000', $5, coalesce($6, gen_random_uuid()), $2,
       '+12125550100', now(), now() - interval '1 second', $4 from generate_series(1, $3)`,
    [tenantId, carrier, n, attempt.channel, attempt.node ? "in_flight" : "uncertain", attempt.node ?? null],
  );
}

const statesWith = async ({ client }: Sending, carrier: string) =>
  Object.fromEntries(
    (
      await client.query("select state, count(*)::int as n from attempts where carrier = $1 group by state", [carrier])
    ).rows.map(({ state, n }) => [state, n]),
  );

test("what is in doubt with a carrier or line that is configured no more holds up no other, and goes to a person", async (t) => {
  const sending = await aSending(t, 3);
  // By tenant and name they come before the simulator's own.
  await someWith(sending, "a-gone-carrier", A_LOOK, { channel: "sms" });
  await someWith(sending, "a-gone-line", A_LOOK, { channel: "voice" });
  const carrier = aCarrier(() => ({ outcome: "uncertain", code: "lost" }));
  await drain(withCarrier(sending.ctx, carrier), sending.lane);
  await recover(sending, carrier, 5_000);
  assert.deepEqual(await statesWith(sending, "simulator"), { not_sent: 3 }, "they were looked up at once");
  assert.deepEqual(await statesWith(sending, "a-gone-carrier"), { uncertain: A_LOOK }, "another process may know it");
  await recover(sending, carrier, TEN_MINUTES_MS + 5_000);
  assert.deepEqual(await statesWith(sending, "a-gone-carrier"), { held: A_LOOK });
  assert.deepEqual(await statesWith(sending, "a-gone-line"), { held: A_LOOK });
});

test("a lost node's calls over a trunk are looked into after the trunk's own time, not after the longest of all", async (t) => {
  const sending = await aSending(t, 1);
  const id = sending.ctx.newId();
  const node = await nodes.join(sending.api.databaseUrl, sending.ctx.db, {
    id,
    roles: ["media"],
    now: sending.ctx.now,
  });
  await someWith(sending, "sip:office", 1, { channel: "voice", node: id });
  await sending.client.query("update attempts set check_at = now() + interval '1 hour' where carrier = 'sip:office'");
  await node.abandon();
  const line = { ...aLine(), name: "sip:office" };
  const settleMs = 32_000;
  const trunk = { ...line, capabilities: { ...line.capabilities, settleMs } };
  const now = new Date();
  const ctx: Context = {
    ...sending.ctx,
    now: () => now,
    carriers: { ...sending.ctx.carriers, simulator: aCarrier(accepted) },
    lines: {
      forNumber: async () => trunk,
      names: () => [trunk.name],
      byName: (name) => (name === trunk.name ? trunk : undefined),
    },
  };
  await recoverAttempts(ctx, new AbortController().signal);
  const { rows } = await sending.client.query("select state, check_at from attempts where carrier = 'sip:office'");
  assert.deepEqual(rows, [{ state: "uncertain", check_at: new Date(now.getTime() + settleMs) }]);
});

test("a node that leaves with something in flight is taken for lost, so that others look into it at once", async (t) => {
  const sending = await aSending(t, 1);
  const [busy, idle] = [sending.ctx.newId(), sending.ctx.newId()];
  const enter = (id: Uuid) =>
    nodes.join(sending.api.databaseUrl, sending.ctx.db, { id, roles: ["worker"], now: () => new Date() });
  const places = [await enter(busy), await enter(idle)];
  await someWith(sending, "simulator", 1, { channel: "sms", node: busy });
  await sending.client.query("update attempts set check_at = now() + interval '1 hour'");
  for (const place of places) await place.leave();
  const { rows } = await sending.client.query("select id from nodes");
  assert.deepEqual(rows, [{ id: busy }]);
  await recover(sending, aCarrier(accepted));
  assert.deepEqual(await statesWith(sending, "simulator"), { uncertain: 1 });
});

test("a job that is locked by nobody is free again after two minutes", async (t) => {
  const sending = await aSending(t, 1);
  await sending.client.query(
    "select graphile_worker.add_job('drain-lane', '{}', job_key => it) from unnest($1::text[]) as it",
    [["old", "new"]],
  );
  await sending.client.query(
    `update graphile_worker._private_jobs set locked_at = now() - case key when 'old' then interval '3 minutes' else interval '1 minute' end
     where key in ('old', 'new')`,
  );
  await tidy(sending.ctx);
  const { rows } = await sending.client.query(
    "select key from graphile_worker._private_jobs where locked_at is not null",
  );
  assert.deepEqual(rows, [{ key: "new" }]);
});

test("what a lost process left standing in a transaction is ended, and what another left, or it does elsewhere, is not", async (t) => {
  const sending = await aSending(t, 1);
  const standing = async (processId: Uuid) => {
    const client = new pg.Client({
      connectionString: sending.api.databaseUrl,
      application_name: nodes.sessionName("worker", processId),
    });
    let isEnded = false;
    client.on("error", () => {});
    client.on("end", () => {
      isEnded = true;
    });
    await client.connect();
    await client.query("begin; select 1");
    t.after(() => client.end().catch(() => {}));
    return { isEnded: () => isEnded };
  };
  const [gone, back, self] = [sending.ctx.newId(), sending.ctx.newId(), sending.ctx.newId()];
  const enter = (id: Uuid, process: Uuid) =>
    nodes.join(sending.api.databaseUrl, sending.ctx.db, { id, process, roles: ["worker"], now: () => new Date() });
  const node = await enter(self, self);
  for (const process of [gone, back]) await (await enter(process, process)).abandon();
  const again = await enter(sending.ctx.newId(), back);
  await sending.ctx.db.transaction((tx) => nodes.markLost(tx, new Date()));
  const sessions = [await standing(gone), await standing(back), await standing(self)];
  const lostSince = new Date(Date.now() - 60_000);
  assert.deepEqual(await nodes.lostProcesses(sending.ctx.db, lostSince), [gone]);
  await until("the session of the lost one is ended", async () => {
    await node.endSessions(await nodes.lostProcesses(sending.ctx.db, lostSince));
    return sessions[0]!.isEnded();
  });
  assert.deepEqual(
    sessions.map((session) => session.isEnded()),
    [true, false, false],
  );
  await again.leave();
  await node.leave();
});

test("a carrier that is slow, or fails, for one tenant's account holds up none of the others", async (t) => {
  const sending = await aSending(t, 3);
  const others = Array.from({ length: 3 }, () => sending.ctx.newId());
  const carrier = aCarrier(() => ({ outcome: "uncertain", code: "lost" }));
  await drain(withCarrier(sending.ctx, carrier), sending.lane);
  // The other tenants' come first by their ids or after: in doubt with the same carrier, which has no answer for them.
  for (const tenantId of others) {
    await sending.client.query(
      `insert into tenants (id, account_id, other_id, mode, name, created_at)
       select $1, $1, $1, mode, 'Other', created_at from tenants where id = $2`,
      [tenantId, sending.tenantId],
    );
    await someWith({ ...sending, tenantId }, "simulator", 2, { channel: "sms" });
  }
  let release: () => void = () => {};
  const answered = new Promise<void>((resolve) => (release = resolve));
  const slow = {
    ...carrier,
    lookUp: async (tenantId: Uuid, ...more: [Parameters<typeof carrier.lookUp>[1], AbortSignal]) => {
      if (tenantId === others[0]) throw new Error("it fails for this one");
      if (tenantId !== sending.tenantId) await answered;
      return carrier.lookUp(tenantId, ...more);
    },
  };
  const recovered = recover(sending, slow, 5_000);
  const statesOf = async (tenantId: Uuid) =>
    (await sending.client.query("select distinct state from attempts where tenant_id = $1", [tenantId])).rows.map(
      ({ state }) => state,
    );
  await until("the tenant whose carrier answers has its own settled", async () =>
    (await statesOf(sending.tenantId)).includes("not_sent"),
  );
  assert.deepEqual(await statesOf(others[1]!), ["uncertain"]);
  release();
  await recovered;
  const after = [];
  for (const tenantId of others) after.push(...(await statesOf(tenantId)));
  assert.deepEqual(after, ["uncertain", "not_sent", "not_sent"]);
});

test("of an account with many doubts what was answered is settled, though the carrier fails later on", async (t) => {
  const sending = await aSending(t, 1);
  await someWith(sending, "simulator", 30, { channel: "sms" });
  await sending.client.query(
    `insert into attempts (tenant_id, ref, campaign_id, message_id, phone, state, node_id, carrier, sender, at, check_at, channel)
     select $1, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), '+1212555' || (1000 + n), 'uncertain', gen_random_uuid(),
       'simulator', '+12125550100', now(), now() - interval '1 second', 'sms' from generate_series(1, 100) as n`,
    [sending.tenantId],
  );
  const carrier = aCarrier(accepted);
  const asked: number[] = [];
  const failing = {
    ...carrier,
    lookUp: async (...given: Parameters<typeof carrier.lookUp>) => {
      asked.push(given[1].length);
      if (asked.length === 2) throw new Error("it fails now");
      return carrier.lookUp(...given);
    },
  };
  await recover(sending, failing, 5_000);
  assert.deepEqual(asked, [50, 50], "nothing more is asked of a carrier that has failed");
  assert.deepEqual(await statesWith(sending, "simulator"), { not_sent: 50, uncertain: 80 });
});
