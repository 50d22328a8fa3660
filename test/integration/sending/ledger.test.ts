import assert from "node:assert/strict";
import { test } from "node:test";
import type { Context } from "#operations/context.ts";
import { recordReceipts } from "#operations/sending/record-receipts.ts";
import { recoverAttempts } from "#operations/sending/recover-attempts.ts";
import type { DeliveryReceipt, DoubtedText, SendOutcome } from "#ports/sms-carrier.ts";
import * as nodes from "#store/system/nodes.ts";
import { until } from "#test/support/api/parley.ts";
import { assertCounts, assertLedger } from "#test/support/messaging/ledger.ts";
import { aCarrier, accepted, aSending, drain, states, withCarrier } from "#test/support/messaging/sending.ts";

const recover = (ctx: Context) => recoverAttempts(ctx, new AbortController().signal);
/** Past the settle time of a doubt. */
const LATER_MS = 5_000;
const PAST_CALLBACKS_MS = 700_000;
const lost: SendOutcome = { outcome: "uncertain", code: "reply_lost" };
const lostAfterTaking: SendOutcome = { outcome: "uncertain", code: "taken" };

test("two drains at once never hand over the same message", async (t) => {
  const { ctx, another, lane, client } = await aSending(t, 1_200);
  const carrier = aCarrier(accepted);
  await Promise.all([ctx, another(), another()].map((context) => drain(withCarrier(context, carrier), lane)));
  assert.equal(carrier.handed.length, 1_200);
  assert.equal(new Set(carrier.handed.map(({ to }) => to)).size, 1_200);
  assert.deepEqual(await states(client, "attempts"), { accepted: 1_200 });
  await assertLedger(client);
});

test("the database refuses a second live attempt at a message, and lets a new one follow one that was not sent", async (t) => {
  const { ctx, lane, client } = await aSending(t, 1);
  await drain(withCarrier(ctx, aCarrier(accepted)), lane);
  const again = (state: string) =>
    client.query(
      `insert into attempts (tenant_id, ref, campaign_id, message_id, phone, state, node_id, carrier, sender, at, check_at)
       select tenant_id, gen_random_uuid(), campaign_id, message_id, phone, $1, node_id, carrier, sender, at, check_at
       from attempts limit 1`,
      [state],
    );
  for (const first of ["in_flight", "uncertain", "accepted", "held"]) {
    await client.query("update attempts set state = $1", [first]);
    for (const second of ["in_flight", "uncertain", "accepted", "held"]) {
      await assert.rejects(again(second), { code: "23505" }, `${second} after ${first}`);
    }
  }
  await client.query("update attempts set state = 'not_sent'");
  await again("in_flight");
});

test("receipts only raise a message, however often and in whatever order they come", async (t) => {
  const { ctx, lane, client, tenantId } = await aSending(t, 2);
  const carrier = aCarrier(accepted);
  await drain(withCarrier(ctx, carrier), lane);
  const [first, second] = carrier.handed.map(({ ref }) => ref);
  const say = (ref: string, status: DeliveryReceipt["status"]) => recordReceipts(ctx, tenantId, [{ ref, status }]);
  for (const status of ["delivered", "sent", "undelivered", "delivered", "sent"] as const) await say(first!, status);
  await Promise.all((["sent", "failed", "sent", "failed"] as const).map((status) => say(second!, status)));
  await recordReceipts(ctx, tenantId, [{ ref: ctx.newId(), status: "delivered" }]);
  assert.deepEqual(await states(client, "messages"), { delivered: 1, failed: 1 });
  assert.deepEqual(await states(client, "threads"), { delivered: 1, failed: 1 });
  await assertCounts(client);
});

test("a receipt that comes before the carrier's own answer settles the attempt, and the answer changes nothing", async (t) => {
  const { ctx, lane, client, tenantId } = await aSending(t, 3);
  const answers: SendOutcome["outcome"][] = ["accepted", "uncertain", "rejected"];
  const carrier = aCarrier(async ({ ref }) => {
    await recordReceipts(ctx, tenantId, [{ ref, status: "delivered", carrierId: `c_${ref}` }]);
    const outcome = answers.pop()!;
    return outcome === "accepted" ? { outcome, carrierId: `c_${ref}` } : ({ outcome, code: "x" } as SendOutcome);
  });
  await drain(withCarrier(ctx, carrier), lane);
  assert.deepEqual(await states(client, "messages"), { delivered: 3 });
  assert.deepEqual(await states(client, "attempts"), { accepted: 3 });
  await recover(withCarrier(ctx, carrier, LATER_MS));
  await assertLedger(client);
});

test("a text that the carrier never accepted is sent again, once; one that it accepted is not", async (t) => {
  const { ctx, lane, client } = await aSending(t, 10);
  const carrier = aCarrier(({ to }) => (Number(to.slice(-1)) % 2 === 0 ? lost : lostAfterTaking));
  await drain(withCarrier(ctx, carrier), lane);
  assert.deepEqual(await states(client, "attempts"), { uncertain: 10 });
  await recover(withCarrier(ctx, carrier));
  assert.deepEqual(await states(client, "attempts"), { uncertain: 10 }, "not before the carrier had its time");

  const obliging = aCarrier(accepted);
  await Promise.all([1, 2, 3].map(() => recover(withCarrier(ctx, carrier, LATER_MS))));
  assert.deepEqual(await states(client, "messages"), { accepted: 5, scheduled: 5 });
  await drain(withCarrier(ctx, obliging, LATER_MS), lane);
  assert.equal(obliging.handed.length, 5);
  assert.deepEqual(await states(client, "messages"), { accepted: 10 });
  assert.deepEqual(await states(client, "attempts"), { accepted: 10, not_sent: 5 });
  await assertLedger(client);
});

test("a text whose state the carrier cannot report is left to a person: nothing is sent twice", async (t) => {
  const { ctx, lane, client } = await aSending(t, 2);
  const carrier = aCarrier(() => lost, { lookupByRef: false, callbackCarriesRef: false });
  await drain(withCarrier(ctx, carrier), lane);
  assert.deepEqual(await states(client, "messages"), { unknown: 2 });
  await recover(withCarrier(ctx, carrier, PAST_CALLBACKS_MS));
  await drain(withCarrier(ctx, carrier), lane);
  assert.equal(carrier.handed.length, 2);
  assert.deepEqual(await states(client, "attempts"), { held: 2 });
  assert.deepEqual(await states(client, "threads"), { unknown: 2 });
  await assertCounts(client);
});

test("a text of which the carrier cannot say whether it has that very one is not sent again: its callback may settle it", async (t) => {
  const { ctx, lane, client, tenantId } = await aSending(t, 2);
  const asked: DoubtedText[] = [];
  const carrier = aCarrier(() => lost);
  carrier.lookUp = async (_tenantId, attempts) => {
    asked.push(...attempts);
    return new Map(attempts.map(({ ref }) => [ref, { unsure: true }]));
  };
  await drain(withCarrier(ctx, carrier), lane);
  await recover(withCarrier(ctx, carrier, LATER_MS));
  assert.deepEqual(await states(client, "attempts"), { uncertain: 2 });
  const of = ({ ref, to, text }: { ref: string; to: string; text: string | null }) => ({ ref, to, text });
  const byRef = (a: { ref: string }, b: { ref: string }) => (a.ref < b.ref ? -1 : 1);
  assert.deepEqual(asked.map(of).sort(byRef), carrier.handed.map(of).sort(byRef));
  assert.ok(
    asked.every(({ sender, at, otherIds }) => sender.startsWith("+") && at instanceof Date && !otherIds.length),
  );
  await recordReceipts(ctx, tenantId, [{ ref: carrier.handed[0]!.ref, status: "delivered", carrierId: "first" }]);
  await recover(withCarrier(ctx, carrier, PAST_CALLBACKS_MS));
  assert.deepEqual(await states(client, "messages"), { delivered: 1, unknown: 1 });
  await drain(withCarrier(ctx, carrier), lane);
  assert.equal(carrier.handed.length, 2);
});

test("a carrier that only calls back gets its time; then a person decides, until a late callback does", async (t) => {
  const { ctx, lane, client, tenantId } = await aSending(t, 2);
  const carrier = aCarrier(() => lost, { lookupByRef: false });
  await drain(withCarrier(ctx, carrier), lane);
  const [early, late] = carrier.handed.map(({ ref }) => ref);
  await recover(withCarrier(ctx, carrier, LATER_MS));
  assert.deepEqual(await states(client, "attempts"), { uncertain: 2 });
  await recordReceipts(ctx, tenantId, [{ ref: early!, status: "delivered" }]);
  await recover(withCarrier(ctx, carrier, PAST_CALLBACKS_MS));
  assert.deepEqual(await states(client, "messages"), { delivered: 1, unknown: 1 });
  await recordReceipts(ctx, tenantId, [{ ref: late!, status: "delivered" }]);
  assert.deepEqual(await states(client, "messages"), { delivered: 2 });
  assert.deepEqual(await states(client, "threads"), { delivered: 2 });
  assert.equal(carrier.handed.length, 2);
  await assertLedger(client);
});

test("what a dead node had in flight is doubted and settled, and the jobs that it held are free", async (t) => {
  const { ctx, lane, client, api } = await aSending(t, 6);
  const id = ctx.newId();
  const dead = await nodes.join(api.databaseUrl, ctx.db, { id, roles: ["worker"], now: () => new Date() });
  await nodes.noteWorkers(ctx.db, id, ["pool-of-the-dead"]);
  let isAlive = true;
  const carrier = aCarrier(accepted);
  // Dies between the claim's commit and the hand-over, as kill -9 does.
  const doomed = { ...withCarrier(ctx, carrier), node: { id, alive: () => isAlive } };
  const claims = {
    ...doomed.db,
    transaction: dieAfter(doomed.db.transaction.bind(doomed.db), () => (isAlive = false)),
  };
  await assert.rejects(drain({ ...doomed, db: claims }, lane), /dead/);
  assert.equal(carrier.handed.length, 0);
  assert.deepEqual(await states(client, "attempts"), { in_flight: 6 });
  await client.query("select graphile_worker.add_job('drain-lane', '{}', job_key => 'kept')");
  await client.query("select graphile_worker.add_job('drain-lane', '{}', job_key => 'replaced')");
  await client.query(
    "update graphile_worker._private_jobs set locked_by = 'pool-of-the-dead', locked_at = now() where key in ('kept', 'replaced')",
  );
  await client.query("select graphile_worker.add_job('drain-lane', '{}', job_key => 'replaced')");

  await recover(withCarrier(ctx, carrier));
  assert.deepEqual(await states(client, "attempts"), { in_flight: 6 }, "it lives while it holds its lock");
  await client.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1", [
    `parley node ${id}`,
  ]);
  await until("the node is gone", async () => !dead.alive());
  await Promise.all([1, 2, 3].map(() => recover(withCarrier(ctx, carrier))));
  assert.deepEqual(await states(client, "attempts"), { uncertain: 6 });
  const { rows: jobs } = await client.query(
    "select key, locked_by from graphile_worker.jobs where key in ('kept', 'replaced') or key is null order by key",
  );
  assert.deepEqual(jobs, [
    { key: "kept", locked_by: null },
    { key: "replaced", locked_by: null },
  ]);

  await recover(withCarrier(ctx, carrier, LATER_MS));
  await drain(withCarrier(ctx, carrier, LATER_MS), lane);
  assert.equal(carrier.handed.length, 6);
  assert.deepEqual(await states(client, "attempts"), { accepted: 6, not_sent: 6 });
  await assertLedger(client);
});

function dieAfter(transaction: Context["db"]["transaction"], die: () => void): Context["db"]["transaction"] {
  let isDead = false;
  return async (work) => {
    if (isDead) throw new Error("dead");
    const result = await transaction(work);
    isDead = true;
    die();
    return result;
  };
}

test("an attempt whose settling failed is looked up by its own node, once its time is over", async (t) => {
  const { ctx, lane, client, api } = await aSending(t, 1);
  const node = await nodes.join(api.databaseUrl, ctx.db, { id: ctx.node.id, roles: ["worker"], now: () => new Date() });
  const carrier = aCarrier(accepted);
  await drain(withCarrier(ctx, carrier), lane);
  await client.query("update attempts set state = 'in_flight', check_at = now() + interval '60 seconds'");
  await client.query("update messages set state = 'sending' where state = 'accepted'");
  await recover(withCarrier(ctx, carrier, LATER_MS));
  assert.deepEqual(await states(client, "attempts"), { in_flight: 1 });
  await recover(withCarrier(ctx, carrier, 61_000));
  await recover(withCarrier(ctx, carrier, 61_000 + LATER_MS));
  assert.deepEqual(await states(client, "attempts"), { accepted: 1 });
  assert.equal(carrier.handed.length, 1);
  await node.leave();
});
