import assert from "node:assert/strict";
import { test } from "node:test";
import type { Uuid } from "#domain/values/id.ts";
import { recoverCalls } from "#operations/calls/recover-calls.ts";
import type { Context } from "#operations/context.ts";
import { drainDialLane, endUnheld } from "#operations/dialing/conduct-calls.ts";
import { recoverAttempts } from "#operations/sending/recover-attempts.ts";
import * as nodes from "#store/system/nodes.ts";
import { until } from "#test/support/api/parley.ts";
import { aCalling, aLine, type Calling, drain, phone, states } from "#test/support/calls/calling.ts";
import { AWAY } from "#test/support/database/failing-database.ts";
import { moveClock } from "#test/support/messaging/handset.ts";

const recover = async (ctx: Context, aheadMs = 0) => {
  const later = { ...ctx, now: () => new Date(Date.now() + aheadMs) };
  await recoverAttempts(later, new AbortController().signal);
  await recoverCalls(later, new AbortController().signal);
};

/** A context whose node is in the register, as a media node's is, and what makes it die. */
async function aNode(calling: Calling, line: ReturnType<typeof aLine>) {
  const ctx = calling.with(line);
  const node = await nodes.join(calling.api.databaseUrl, ctx.db, {
    id: ctx.node.id as Uuid,
    roles: ["media"],
    now: () => new Date(),
  });
  return { ctx: Object.assign(ctx, { node: { id: node.id, alive: () => true } }), die: () => node.abandon() };
}

test("the calls of a lost node end as errors, are dialled again by the policy, and never twice at once", async (t) => {
  const calling = await aCalling(t, 5, {
    redial_enabled: true,
    redial_config: { max_attempts: 2, retry_delay_minutes: 1, retry_on: ["failed"] },
  });
  const line = aLine(() => ({ until: new Promise(() => {}) }));
  const { ctx, die } = await aNode(calling, line);
  const drained = drain(ctx, calling.lane);
  drained.catch(() => {});
  await until("all are on the phone", async () => (await states(calling.client, "calls")).ongoing === 5);
  await recover(calling.with(line));
  assert.deepEqual(await states(calling.client, "calls"), { ongoing: 5 });
  await die();
  // Found lost, but perhaps it comes back: nothing happens for some seconds.
  await recover(calling.with(line));
  assert.deepEqual(await states(calling.client, "calls"), { ongoing: 5 });
  await recover(calling.with(line), 10_000);
  assert.deepEqual(await states(calling.client, "calls"), { error: 5 });
  const { rows } = await calling.client.query("select distinct reason from calls");
  assert.deepEqual(rows, [{ reason: "error_unknown" }]);
  assert.deepEqual(await states(calling.client, "dials"), { done: 5, scheduled: 5 });
  const second = aLine();
  await drain(calling.with(second, 120_000), calling.lane);
  assert.equal(second.left.length, 5);
  assert.deepEqual(await states(calling.client, "threads"), { completed: 5 });
});

test("the calls of a node that is in no register end after a minute, though their tenant's clock is ahead", async (t) => {
  const calling = await aCalling(t, 1);
  await moveClock(calling.api, { advance_ms: 3_600_000 });
  const line = aLine(() => ({ until: new Promise(() => {}) }));
  drain(calling.with(line), calling.lane).catch(() => {});
  await until("it is on the phone", async () => (await states(calling.client, "calls")).ongoing === 1);
  await recover(calling.with(line), 50_000);
  assert.deepEqual(await states(calling.client, "calls"), { ongoing: 1 });
  await recover(calling.with(line), 70_000);
  assert.deepEqual(await states(calling.client, "calls"), { error: 1 });
});

test("a call that died between its claim and the line is looked up: placed it counts, else it is dialled again", async (t) => {
  const calling = await aCalling(t, 6);
  const taken = aLine();
  // The first three reach the carrier, and nobody hears of any.
  const deaf = aLine();
  let n = 0;
  deaf.begin = (plan) => {
    if (n++ < 3) taken.left.push(plan);
    const never = new Promise<never>(() => {});
    return { placed: never, report: never, stop: () => {}, inject: () => false };
  };
  const { ctx, die } = await aNode(calling, deaf);
  // Nobody waits for its calls, which have no end.
  await drainDialLane(ctx, calling.lane, new AbortController().signal);
  await until("all are claimed", async () => (await states(calling.client, "attempts")).in_flight === 6);
  await die();
  await recover(calling.with(taken));
  assert.deepEqual(await states(calling.client, "attempts"), { uncertain: 6 });
  await recover(calling.with(taken), 3_000);
  assert.deepEqual(await states(calling.client, "attempts"), { accepted: 3, not_sent: 3 });
  assert.deepEqual(await states(calling.client, "dials"), { dialing: 3, scheduled: 3 });
  await recover(calling.with(taken), 10_000);
  assert.deepEqual(await states(calling.client, "calls"), { error: 3 });
  const second = aLine();
  await drain(calling.with(second, 20_000), calling.lane);
  assert.equal(second.left.length, 3);
  assert.equal(new Set([...second.left, ...taken.left].map((plan) => plan.contactPhone)).size, 6);
  assert.deepEqual(await states(calling.client, "dials"), { done: 6 });
});

test("a call of which it cannot be found out whether it was placed is held for a person", async (t) => {
  const calling = await aCalling(t, 2);
  const line = aLine(() => ({ placed: { outcome: "uncertain", code: "timeout" } }), { lookupByRef: false });
  await drain(calling.with(line), calling.lane);
  assert.deepEqual(await states(calling.client, "attempts"), { held: 2 });
  assert.deepEqual(await states(calling.client, "dials"), { unknown: 2 });
  assert.deepEqual(await states(calling.client, "threads"), { unknown: 2 });
  const { campaign } = (await calling.api.get(`/v1/voice/campaigns/${calling.campaignId}`)).body;
  assert.equal(campaign.pending_calls, 0);
});

test("what was certainly not placed is dialled again, under the same intent", async (t) => {
  const calling = await aCalling(t, 3);
  let refusals = 3;
  const line = aLine(() =>
    refusals-- > 0 ? { placed: { outcome: "not_placed", code: "full", retryAfterMs: 0 } } : {},
  );
  const ctx = calling.with(line);
  await until("all are called", async () => {
    await drain(ctx, calling.lane);
    return line.left.length === 3;
  });
  assert.deepEqual(await states(calling.client, "attempts"), { accepted: 3, not_sent: 3 });
  assert.deepEqual(await states(calling.client, "calls"), { ended: 3 });
  assert.deepEqual(await states(calling.client, "dials"), { done: 3 });
});

test("a provider that fails again and again gets a rest", async (t) => {
  const calling = await aCalling(t, 20, { max_concurrent_calls: 1 });
  const line = aLine((plan) => ({
    report: {
      status: "error",
      reason: "telephony_provider_unavailable",
      durationMs: 0,
      utterances: [],
      endedAt: plan.now,
    },
  }));
  // Its rest does not pass, however long the calls take.
  const now = new Date();
  const ctx: Context = { ...calling.with(line), now: () => now };
  for (let i = 0; i < 20; i++) await drain(ctx, calling.lane);
  assert.equal(line.left.length, 5);
  const { campaign } = (await calling.api.get(`/v1/voice/campaigns/${calling.campaignId}`)).body;
  assert.equal(campaign.waiting_because, "provider_failing");
});

/** A context in which a claim is committed and nobody hears of it, so that nobody places its calls. */
function withDeafClaims(ctx: Context): Context {
  const transaction: Context["db"]["transaction"] = async (work) => {
    let isClaim = false;
    const result = await ctx.db.transaction((tx) =>
      work({
        ...tx,
        run(statement, values) {
          isClaim ||= statement.name === "claim-start-calls";
          return tx.run(statement, values);
        },
      }),
    );
    if (isClaim) throw AWAY;
    return result;
  };
  return { ...ctx, db: { ...ctx.db, transaction } };
}

test("a call whose node never received the claim ends, though the node lives and the line cannot be queried", async (t) => {
  const calling = await aCalling(t, 1);
  const line = aLine(undefined, { lookupByRef: false });
  const { ctx } = await aNode(calling, line);
  await assert.rejects(drainDialLane(withDeafClaims(ctx), calling.lane, new AbortController().signal), AWAY);
  let steadyMs = 0;
  const look = async () => {
    await endUnheld(ctx, () => steadyMs);
    return states(calling.client, "calls");
  };
  assert.deepEqual(await look(), { registered: 1 });
  steadyMs = 3_600_000;
  // It may have been placed, as far as other processes know: that comes first.
  assert.deepEqual(await look(), { registered: 1 });
  await recover(ctx, 61_000);
  await recover(ctx, 64_000);
  assert.deepEqual(await states(calling.client, "dials"), { unknown: 1 });
  // Unheld from now on, as far as this process has seen.
  assert.deepEqual(await look(), { registered: 1 });
  steadyMs += 29_000;
  assert.deepEqual(await look(), { registered: 1 });
  steadyMs += 2_000;
  assert.deepEqual(await look(), { error: 1 });
  assert.deepEqual(await states(calling.client, "dials"), { unknown: 1 });
  assert.deepEqual(line.begun, []);
});

test("a call that its node holds goes on", async (t) => {
  const calling = await aCalling(t, 1);
  const ending = Promise.withResolvers<void>();
  const { ctx } = await aNode(
    calling,
    aLine(() => ({ until: ending.promise })),
  );
  const drained = drain(ctx, calling.lane);
  await until("it is on the phone", async () => (await states(calling.client, "calls")).ongoing === 1);
  await endUnheld(ctx, () => 0);
  await endUnheld(ctx, () => 3_600_000);
  assert.deepEqual(await states(calling.client, "calls"), { ongoing: 1 });
  ending.resolve();
  await drained;
  assert.deepEqual(await states(calling.client, "calls"), { ended: 1 });
});

test("a call whose line never reports its end is ended, long after its latest possible end", async (t) => {
  const calling = await aCalling(t, 1);
  const line = aLine();
  const { begin } = line;
  line.begin = (plan, on, mayLeave) => ({
    ...begin(plan, on, mayLeave),
    report: new Promise(() => {}),
    stop: () => void line.stopped.push(plan.contactPhone),
  });
  const { ctx } = await aNode(calling, line);
  await drainDialLane(ctx, calling.lane, new AbortController().signal);
  await until("it is on the phone", async () => (await states(calling.client, "calls")).ongoing === 1);
  const { agent } = line.begun[0]!;
  const longestMs = performance.now() + agent.ring_duration_ms + agent.max_call_duration_ms;
  await endUnheld(ctx, () => longestMs);
  assert.deepEqual(line.stopped, []);
  await endUnheld(ctx, () => longestMs + 600_000);
  assert.deepEqual(line.stopped, [phone(0)]);
  await endUnheld(ctx, () => longestMs + 629_000);
  assert.deepEqual(await states(calling.client, "calls"), { ongoing: 1 });
  await endUnheld(ctx, () => longestMs + 631_000);
  assert.deepEqual(await states(calling.client, "calls"), { error: 1 });
});
