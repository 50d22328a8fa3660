import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { publicId, type Uuid } from "#domain/values/id.ts";
import { recoverCalls } from "#operations/calls/recover-calls.ts";
import type { Context } from "#operations/context.ts";
import { drainDialLane, endStoppedCalls, finishCalls } from "#operations/dialing/conduct-calls.ts";
import { recoverAttempts } from "#operations/sending/recover-attempts.ts";
import type { PlaceOutcome } from "#ports/call-line.ts";
import * as orders from "#store/calls/orders.ts";
import * as nodes from "#store/system/nodes.ts";
import { until } from "#test/support/api/parley.ts";
import { aCalling, aLine, type Calling, drain, type FakeLine, states, untaken } from "#test/support/calls/calling.ts";
import { SENDER } from "#test/support/campaigns/campaign.ts";
import { waitingForLocks } from "#test/support/database/locks.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

const REDIALED = {
  redial_enabled: true,
  redial_config: { max_attempts: 3, retry_delay_minutes: 1, retry_on: ["failed"] },
};

/** Asks every call that is open to end, as an operator does; how many that are. */
async function stopAll({ ctx, client, tenantId }: Calling): Promise<number> {
  const { rows } = await client.query("select id from calls where status in ('registered', 'ongoing')");
  for (const { id } of rows) assert.ok(await orders.stop(ctx.db, tenantId, id, new Date()));
  return rows.length;
}

/** A line that reports the end of a call on request, and not before. */
function aSlowLine(outcome: PlaceOutcome): FakeLine & { decide(): void } {
  const line = aLine();
  const decided = Promise.withResolvers<void>();
  line.begin = (plan) => {
    line.begun.push(plan);
    const placed = decided.promise.then(() => outcome);
    const report = placed.then(() => ({ ...reported(plan.now), ...untaken("dial_failed", plan.now) }));
    return { placed, report, stop: () => line.stopped.push(plan.contactPhone), inject: () => false };
  };
  return Object.assign(line, { decide: () => decided.resolve() });
}

const reported = (at: string) => ({
  status: "not_connected" as const,
  reason: "dial_failed" as const,
  dialedAt: at,
  endedAt: at,
  durationMs: 0,
  inVoicemail: false,
  voicemailLeft: false,
  utterances: [],
  latencies: [],
  requests: {},
  usage: { voiceCharacters: 0, speechToTextMs: 0, inputTokens: 0, outputTokens: 0 },
});

/** Neither its campaign's lane nor its policy dials it once more, and all that hangs on it is over. */
async function isOverForGood(calling: Calling, calls: number): Promise<void> {
  const { rows } = await calling.client.query(
    "select distinct status, reason, end_at is not null as is_over from calls",
  );
  assert.deepEqual(rows, [{ status: "not_connected", reason: "manual_stopped", is_over: true }]);
  assert.deepEqual(await states(calling.client, "dials"), { done: calls });
  assert.deepEqual(await states(calling.client, "threads"), { failed: calls });
  const later = aLine();
  await drain(calling.with(later, 3_600_000), calling.lane);
  assert.deepEqual(later.begun, []);
  const { campaign } = (await calling.api.get(`/v1/voice/campaigns/${calling.campaignId}`)).body;
  assert.deepEqual([campaign.pending_calls, campaign.calls_in_progress], [0, 0]);
}

test("a call that was stopped before it left is not dialled again, and ends as stopped", async (t) => {
  const calling = await aCalling(t, 2, REDIALED);
  const line = aSlowLine({ outcome: "not_placed", code: "no answer from the trunk", retryAfterMs: 0 });
  const ctx = calling.with(line);
  await drainDialLane(ctx, calling.lane, new AbortController().signal);
  assert.equal(await stopAll(calling), 2);
  await endStoppedCalls(ctx);
  assert.equal(line.stopped.length, 2);
  line.decide();
  await finishCalls(ctx, 60_000);
  assert.deepEqual(await states(calling.client, "attempts"), { not_sent: 2 });
  await isOverForGood(calling, 2);
});

test("beside one that was not, which is dialled again", async (t) => {
  const calling = await aCalling(t, 2);
  const line = aSlowLine({ outcome: "not_placed", code: "full", retryAfterMs: 0 });
  const ctx = calling.with(line);
  await drainDialLane(ctx, calling.lane, new AbortController().signal);
  await orders.stop(ctx.db, calling.tenantId, line.begun[0]!.callId, new Date());
  line.decide();
  await finishCalls(ctx, 60_000);
  assert.deepEqual(await states(calling.client, "calls"), { not_connected: 1 });
  const again = aLine();
  await drain(calling.with(again), calling.lane);
  assert.deepEqual(
    again.left.map((plan) => plan.contactPhone),
    [line.begun[1]!.contactPhone],
  );
  assert.deepEqual(await states(calling.client, "calls"), { ended: 1, not_connected: 1 });
});

test("a stop that commits while the call is put back takes effect", async (t) => {
  const calling = await aCalling(t, 1);
  const line = aSlowLine({ outcome: "not_placed", code: "full", retryAfterMs: 0 });
  const ctx = calling.with(line);
  await drainDialLane(ctx, calling.lane, new AbortController().signal);
  const operator = await openClient(t, calling.api.databaseUrl);
  await operator.query("begin");
  await operator.query("update calls set stop_requested_at = now()");
  line.decide();
  await until("it waits for the operator", async () => (await waitingForLocks(calling.client)) > 0);
  await operator.query("commit");
  await finishCalls(ctx, 60_000);
  await isOverForGood(calling, 1);
});

test("a single call that was stopped before it left is shown as stopped", async (t) => {
  const calling = await aCalling(t, 1);
  const { rows } = await calling.client.query("select id from agents");
  const wanted = { agent_id: publicId("agent", rows[0].id), from_number: SENDER, to_number: "+12124449999" };
  const { call_id } = (await calling.api.post("/v1/voice/calls", wanted)).body.call;
  const lanes = await calling.client.query("select lane_id from dials where purpose = 'single'");
  const line = aSlowLine({ outcome: "not_placed", code: "full", retryAfterMs: 0 });
  const ctx = calling.with(line);
  const lane = { tenantId: calling.tenantId, laneId: lanes.rows[0].lane_id as Uuid };
  await drainDialLane(ctx, lane, new AbortController().signal);
  assert.deepEqual((await calling.api.post(`/v1/voice/calls/${call_id}/stop`, {})).status, 200);
  line.decide();
  await finishCalls(ctx, 60_000);
  const shown = (await calling.api.get(`/v1/voice/calls/${call_id}`)).body.call;
  assert.deepEqual([shown.call_status, shown.disconnection_reason], ["not_connected", "manual_stopped"]);
  const later = aLine();
  await drain(calling.with(later, 3_600_000), lane);
  assert.deepEqual(later.begun, []);
});

/** Recovery as of some time from now. */
const recover = async (ctx: Context, aheadMs: number) => {
  const later = { ...ctx, now: () => new Date(Date.now() + aheadMs) };
  await recoverAttempts(later, new AbortController().signal);
  await recoverCalls(later, new AbortController().signal);
};

/** A node of the register that may die. */
async function aNode(t: TestContext, calling: Calling, line: FakeLine) {
  const own = calling.with(line);
  const join = { id: own.node.id as Uuid, roles: ["media"], now: () => new Date() };
  const node = await nodes.join(calling.api.databaseUrl, own.db, join);
  t.after(() => node.abandon());
  return { ctx: Object.assign(own, { node: { id: node.id, alive: () => true } }), die: () => node.abandon() };
}

test("a call of a dead node that was stopped, and that no carrier knows, is not dialled again", async (t) => {
  const calling = await aCalling(t, 2, REDIALED);
  const deaf = aLine();
  const never = new Promise<never>(() => {});
  deaf.begin = () => ({ placed: never, report: never, stop() {}, inject: () => false });
  const { ctx, die } = await aNode(t, calling, deaf);
  await drainDialLane(ctx, calling.lane, new AbortController().signal);
  assert.equal(await stopAll(calling), 2);
  await die();
  const nobody = calling.with(aLine());
  await recover(nobody, 0);
  await recover(nobody, 3_000);
  assert.deepEqual(await states(calling.client, "attempts"), { not_sent: 2 });
  await isOverForGood(calling, 2);
});

test("nor is one that ended before anybody knew that it had not begun", async (t) => {
  const calling = await aCalling(t, 1, REDIALED);
  const stopped = Promise.withResolvers<void>();
  const line = aLine((plan) => ({
    placed: { outcome: "uncertain", code: "timeout" },
    report: { ...untaken("error_unknown", plan.now), status: "error" },
    until: stopped.promise,
  }));
  line.lookUp = async () => new Map();
  const ctx = calling.with(line);
  await drainDialLane(ctx, calling.lane, new AbortController().signal);
  assert.equal(await stopAll(calling), 1);
  stopped.resolve();
  await finishCalls(ctx, 60_000);
  assert.deepEqual(await states(calling.client, "calls"), { error: 1 });
  await recover(ctx, 3_000);
  assert.deepEqual(await states(calling.client, "attempts"), { not_sent: 1 });
  await isOverForGood(calling, 1);
});

test("a call that was to be stopped and was lost with its node is not dialled again by its campaign's policy", async (t) => {
  const calling = await aCalling(t, 2, REDIALED);
  const line = aLine(() => ({ until: new Promise(() => {}) }));
  const { ctx, die } = await aNode(t, calling, line);
  await drainDialLane(ctx, calling.lane, new AbortController().signal);
  await until("both are on the phone", async () => (await states(calling.client, "calls")).ongoing === 2);
  await orders.stop(ctx.db, calling.tenantId, line.begun[0]!.callId, new Date());
  await die();
  const other = calling.with(aLine());
  await recover(other, 0);
  await recover(other, 10_000);
  assert.deepEqual(await states(calling.client, "calls"), { error: 2 });
  assert.deepEqual(await states(calling.client, "dials"), { done: 2, scheduled: 1 });
  const later = aLine();
  await drain(calling.with(later, 3_600_000), calling.lane);
  assert.deepEqual(
    later.left.map((plan) => plan.contactPhone),
    [line.begun[1]!.contactPhone],
  );
});
