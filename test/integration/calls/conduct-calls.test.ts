import assert from "node:assert/strict";
import { test } from "node:test";
import type { Uuid } from "#domain/values/id.ts";
import { publicId } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import {
  adoptCalls,
  answerCall,
  drainDialLane,
  endUnheld,
  finishCalls,
  passInjections,
} from "#operations/dialing/conduct-calls.ts";
import type { IncomingCall } from "#ports/call-line.ts";
import * as orders from "#store/calls/orders.ts";
import type { Statement } from "#store/database/db.ts";
import { until } from "#test/support/api/parley.ts";
import { aCalling, aLine, type Calling, drain, type FakeLine, phone, states } from "#test/support/calls/calling.ts";
import { SENDER } from "#test/support/campaigns/campaign.ts";
import { AWAY, withFailing } from "#test/support/database/failing-database.ts";

/** The context of a process that may lose its place in the register, and at once has another. */
function moving(ctx: Context) {
  const [first, second] = [ctx.newId(), ctx.newId()];
  let id = first;
  const node: Context["node"] = {
    get id() {
      return id;
    },
    alive: () => true,
  };
  const move = () => {
    id = second;
  };
  return { ctx: { ...ctx, node }, first, second, move };
}

test("an operator's message for a call that is being dialled waits for its agent", async (t) => {
  const calling = await aCalling(t, 2);
  const line = aLine(() => ({ until: new Promise(() => {}) }));
  const heard: [Uuid, string][] = [];
  const { begin } = line;
  line.begin = (plan, on, mayLeave) => ({
    ...begin(plan, on, mayLeave),
    inject: (text) => {
      heard.push([plan.callId, text]);
      return true;
    },
  });
  // One a claim: the first is on the phone while the second is written into the journal.
  line.room = () => 1;
  const say = (callId: Uuid, text: string) =>
    orders.inject(ctx.db, calling.tenantId, callId, { id: ctx.newId(), text, at: ctx.now() });
  const append = async () => {
    const [held] = line.begun;
    if (!held) return;
    const { rows } = await calling.client.query("select id from calls where id <> $1", [held.callId]);
    await say(held.callId, "Offer them Tuesday.");
    await say(rows[0].id, "Or Wednesday.");
    await passInjections(ctx);
  };
  const ctx: Context = { ...calling.with(line), journal: { append } };
  await drainDialLane(ctx, calling.lane, new AbortController().signal);
  const before = [...heard];
  await passInjections(ctx);
  await finishCalls(ctx, 0);
  const [first, second] = line.begun.map(({ callId }) => callId);
  assert.deepEqual(before, [[first, "Offer them Tuesday."]]);
  assert.deepEqual(heard.slice(1), [[second, "Or Wednesday."]]);
});

test("a call is not dialled by a process that lost its node id while it claimed it", async (t) => {
  const calling = await aCalling(t, 1);
  const line = aLine();
  const own = calling.with(line);
  const { ctx, first, move } = moving(own);
  const owners = new Set<Uuid>();
  const transaction: Context["db"]["transaction"] = async (work) => {
    const result = await own.db.transaction((tx) =>
      work({
        ...tx,
        async run(statement, values) {
          const count = await tx.run(statement, values);
          if (statement.name === "claim-start-calls") move();
          return count;
        },
      }),
    );
    const { rows } = await calling.client.query("select node_id from calls");
    for (const row of rows) owners.add(row.node_id);
    return result;
  };
  await drain({ ...ctx, db: { ...own.db, transaction } }, calling.lane);
  const [claimed] = line.begun;
  assert.deepEqual([...owners], [first]);
  assert.ok(!line.left.includes(claimed!), "what it left in its former place is looked up by others");
  // Whoever stops waits for that.
  assert.deepEqual(await states(calling.client, "attempts"), { not_sent: 1 });
});

/** A call of the first contact to the number that it was called from. */
function aCallToUs(calling: Calling, line: FakeLine) {
  const answered: Uuid[] = [];
  const call: IncomingCall = {
    tenantId: calling.tenantId,
    carrier: line.name,
    carrierId: "in_1",
    from: phone(0),
    to: SENDER,
    at: new Date(),
    answer(plan, on) {
      answered.push(plan.callId);
      return line.begin(plan, on, () => true);
    },
    refuse: (code) => assert.fail(code),
  };
  return { call, answered };
}

test("a call that comes in while a place is lost goes along to the next, also as the only one", async (t) => {
  const calling = await aCalling(t, 1);
  const line = aLine();
  const own = calling.with(line);
  // Who called them last answers them.
  await drain(own, calling.lane);
  const { ctx: moved, first, second, move } = moving(own);
  const db: Context["db"] = {
    ...own.db,
    async run(statement: Statement, values?: readonly unknown[]) {
      const count = await own.db.run(statement, values);
      // It has its row, and is not answered yet.
      if (statement.name === "insert-inbound-call") {
        move();
        await adoptCalls(ctx, [first, second]);
      }
      return count;
    },
  };
  const ctx: Context = { ...moved, db };
  const { call, answered } = aCallToUs(calling, line);
  await answerCall(ctx, call);
  const { rows } = await calling.client.query("select node_id from calls where direction = 'inbound'");
  await finishCalls(ctx, 60_000);
  assert.deepEqual([answered.length, rows], [1, [{ node_id: second }]]);
});

test("an inbound call whose agent's data cannot be read is not opened, and is taken when it comes again", async (t) => {
  const calling = await aCalling(t, 1);
  const line = aLine();
  const own = calling.with(line);
  // Who called them last answers them.
  await drain(own, calling.lane);
  let isAway = true;
  const ctx = withFailing(own, ({ name }) => (isAway && name === "find-agent-version" ? AWAY : undefined));
  const { call, answered } = aCallToUs(calling, line);
  await assert.rejects(answerCall(ctx, call), AWAY);
  assert.deepEqual(await states(calling.client, "calls"), { ended: 1 });
  isAway = false;
  await answerCall(ctx, call);
  await finishCalls(ctx, 60_000);
  assert.equal(answered.length, 1);
  assert.deepEqual(await states(calling.client, "calls"), { ended: 2 });
});

test("what a carrier says about the caller's right to its number stands with the call", async (t) => {
  const calling = await aCalling(t, 1);
  const line = aLine();
  const ctx = calling.with(line);
  await drain(ctx, calling.lane);
  const { call } = aCallToUs(calling, line);
  await answerCall(ctx, { ...call, attestation: { level: "B", verdict: "failed" } });
  await finishCalls(ctx, 60_000);
  const { rows } = await calling.client.query("select id from calls where direction = 'inbound'");
  const read = await calling.api.get(`/v1/voice/calls/${publicId("call", rows[0].id)}`);
  assert.deepEqual(read.body.call.caller_attestation, { level: "B", verdict: "failed" });
  assert.equal(read.body.call.carrier_cause, null);
});

test("a call whose words cannot be stored ends without them, also when the database is away by then", async (t) => {
  const calling = await aCalling(t, 1);
  const line = aLine();
  const failures = [new Error("a text that cannot be stored"), AWAY, AWAY];
  const ctx = withFailing(calling.with(line), ({ name }) => (name === "end-calls" ? failures.shift() : undefined));
  await drain(ctx, calling.lane);
  assert.deepEqual(await states(calling.client, "calls"), { ended: 1 });
  assert.deepEqual(failures, []);
  assert.deepEqual((await calling.client.query("select utterances from call_details")).rows, [{ utterances: [] }]);
});

test("an inbound call whose node never received its row ends, and no other", async (t) => {
  const calling = await aCalling(t, 1);
  const line = aLine(() => ({ until: new Promise(() => {}) }));
  const own = calling.with(line);
  void drain(own, calling.lane);
  await until("the first is on the phone", async () => (await states(calling.client, "calls")).ongoing === 1);
  const run: Context["db"]["run"] = async (statement, values) => {
    const count = await own.db.run(statement, values);
    if (statement.name === "insert-inbound-call") throw AWAY;
    return count;
  };
  const { call, answered } = aCallToUs(calling, line);
  await assert.rejects(answerCall({ ...own, db: { ...own.db, run } }, call), AWAY);
  await endUnheld(own, () => 0);
  await endUnheld(own, () => 29_000);
  assert.deepEqual(await states(calling.client, "calls"), { ongoing: 1, registered: 1 });
  await endUnheld(own, () => 31_000);
  assert.deepEqual(await states(calling.client, "calls"), { error: 1, ongoing: 1 });
  assert.deepEqual(answered, []);
});
