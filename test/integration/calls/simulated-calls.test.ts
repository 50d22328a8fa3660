import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { simulatedCallLine } from "#adapters/simulator/call-line.ts";
import { wire } from "#app/context.ts";
import { conductInText } from "#conversation/calls/text-call.ts";
import type { CallPlan } from "#domain/calls/plan.ts";
import type { CallReport } from "#domain/calls/report.ts";
import { createCallingWindows } from "#domain/compliance/calling-window.ts";
import type { CallLine } from "#ports/call-line.ts";
import { simulatorCallStore } from "#store/simulator/calls.ts";
import { simulatorStore } from "#store/simulator/simulator.ts";
import { startParley, until } from "#test/support/api/parley.ts";
import { aDialog, aPlan, NOON } from "#test/support/calls/plan.ts";
import { openClient } from "#test/support/processes/worker-process.ts";
import { root } from "#test/support/source/source.ts";

const HANDSET = "+12124540001";

/** The simulated line over the real store, with a dialog of few words. Its clock stands at noon. */
async function aLine(t: TestContext) {
  const api = await startParley(t, {}, ["api"]);
  const { ctx, close } = wire(api.config, api.databaseUrl, "test");
  t.after(close);
  const client = await openClient(t, api.databaseUrl);
  const tenantId = (await client.query("select id from tenants where mode = 'test'")).rows[0].id as string;
  const store = simulatorCallStore(ctx.db);
  const clock = { now: NOON };
  const line = simulatedCallLine(
    {
      store,
      conduct: (call, on) => conductInText(aDialog(call.plan), call, on),
      windows: createCallingWindows(),
      now: () => clock.now,
      random: () => 1,
    },
    { latencyMs: 0, lostReplyRate: 0, reports: "lookup", profile: "strict", pace: "full" },
  );
  const plan = (more: Parameters<typeof aPlan>[0] = {}) => aPlan({ tenantId, contactPhone: HANDSET, ...more });
  const traffic = (campaign?: string) => store.traffic(tenantId, campaign);
  const texts = simulatorStore(ctx.db);
  return { api, ctx, client, tenantId, store, texts, line, plan, traffic, clock };
}

const hold = (line: CallLine, plan: CallPlan): Promise<CallReport> =>
  line.begin(
    plan,
    async () => {},
    () => true,
  ).report;

test("a phone's record has its calls as they were, oldest first", async (t) => {
  const { line, plan, tenantId, store, texts } = await aLine(t);
  await texts.saveScript(tenantId, HANDSET, { says: ["Bye."], greeting: "Sam.", hangs_up_after_ms: 60_000 });
  const report = await hold(line, plan());
  await texts.saveScript(tenantId, HANDSET, { behavior: "busy" });
  await hold(line, plan({ n: 2 }));
  const seq = await store.fromHandset(tenantId, { handset: HANDSET, number: "+12125550100", says: ["Hi"], at: NOON });

  assert.match(seq, /^\d+$/);
  const calls = (await store.read(tenantId, HANDSET, NOON)).map(({ carrier_id, stage, microphone, said, ...call }) => {
    assert.match(carrier_id, /^sim_\d+$/);
    assert.deepEqual([stage, microphone, said], [null, null, []]);
    return call;
  });
  const ours = { from: "+12125550100", to: HANDSET, at: NOON };
  assert.deepEqual(calls, [
    {
      direction: "to_handset",
      ...ours,
      outcome: "answered",
      duration_ms: report.durationMs,
      heard: ["Hi, this is Ava from Acme. Do you have a minute?", "I see."],
    },
    { direction: "to_handset", ...ours, outcome: "busy", duration_ms: 0, heard: [] },
    {
      direction: "from_handset",
      from: HANDSET,
      to: "+12125550100",
      at: NOON,
      outcome: "ongoing",
      duration_ms: 0,
      heard: [],
    },
  ]);
  const later = new Date(NOON.getTime() + 7_200_001);
  assert.equal((await store.read(tenantId, HANDSET, later)).at(-1)?.outcome, "lost");
  assert.deepEqual(await store.read(randomUUID(), HANDSET, NOON), []);
});

test("hundreds of calls at once are all stored, each once", async (t) => {
  const { line, plan, tenantId, traffic, client } = await aLine(t);
  const plans = Array.from({ length: 700 }, (_, i) => plan({ contactPhone: `+1212444${String(i).padStart(4, "0")}` }));
  const reports = await Promise.all(plans.map((plan) => hold(line, plan)));

  assert.ok(reports.every(({ status }) => status === "ended"));
  const clean = { accepted: 700, distinct: 700, duplicates: 0, after_opt_out: 0, outside_window: 0 };
  assert.deepEqual(await traffic(), clean);
  assert.deepEqual(await traffic("spring"), clean);
  assert.deepEqual(await traffic("autumn"), { ...clean, accepted: 0, distinct: 0 });
  const { rows } = await client.query(
    "select count(*)::int as n from simulator_calls where tenant_id = $1 and outcome = 'answered' and duration_ms > 0",
    [tenantId],
  );
  assert.equal(rows[0].n, 700);
});

test("the same dial twice, and a second call during the first, are duplicates", async (t) => {
  const { line, plan, traffic, clock } = await aLine(t);
  const first = await hold(line, plan());
  clock.now = new Date(Date.parse(first.endedAt) + 1);
  const second = await hold(line, plan({ n: 2 }));
  assert.equal((await traffic()).duplicates, 0);
  clock.now = new Date(Date.parse(second.endedAt) + 1);
  await hold(line, plan({ n: 2 }));
  assert.equal((await traffic()).duplicates, 1, "the same dial");
  await hold(line, plan({ n: 3 }));
  assert.equal((await traffic()).duplicates, 2, "a call during a call");
  await hold(line, plan({ campaign: "autumn" }));
  await hold(line, plan({ contactPhone: "+12124540002" }));
  await hold(line, plan({ campaign: "", n: 0 }));
  const { accepted, distinct, duplicates } = await traffic();
  assert.deepEqual([accepted, distinct, duplicates], [7, 5, 2]);
});

test("after an opt-out by call or by text, calls and texts alike are seen", async (t) => {
  const { line, plan, traffic, tenantId, texts } = await aLine(t);
  await texts.saveScript(tenantId, HANDSET, { behavior: "opt_out" });
  const text = (handset: string) =>
    texts.accept(tenantId, [
      {
        handset,
        number: "+12125550100",
        text: "Hi",
        at: NOON,
        ref: randomUUID(),
        campaign: "spring",
        step: 0,
        purpose: "start",
        outsideWindow: false,
        receiptAt: NOON,
      },
    ]);
  const counts = async () => [
    (await traffic()).after_opt_out,
    (await texts.traffic(tenantId, undefined)).after_opt_out,
  ];
  await text(HANDSET);
  await hold(line, plan());
  assert.deepEqual(await counts(), [0, 0]);
  await hold(line, plan({ n: 2 }));
  assert.deepEqual(await counts(), [1, 0]);
  await text(HANDSET);
  assert.deepEqual(await counts(), [1, 1]);

  const other = "+12124540002";
  await texts.fromHandsets(tenantId, [{ handset: other, number: "+12125550100", text: "Stop", at: NOON }]);
  await hold(line, plan({ contactPhone: other }));
  assert.deepEqual(await counts(), [1, 1], "nobody has been told of it");
  await texts.serveOwed(tenantId, NOON, 10, async (served) => ({ served, answer: [] }));
  await hold(line, plan({ contactPhone: other, n: 2 }));
  assert.deepEqual(await counts(), [2, 1]);
});

test("a call of a phone reaches us once, whatever crashes between, and one process at a time", async (t) => {
  const { line, tenantId, store, plan, clock } = await aLine(t);
  const real = new Date();
  const call = { handset: HANDSET, number: "+12125550100", says: ["Hi, it's Ann.", "Bye."], at: real };
  const seq = await store.fromHandset(tenantId, call);
  const { signal } = new AbortController();
  clock.now = real;
  const early = await line.deliver(async () => assert.fail("not yet"), new Date(real.getTime() - 1), signal);
  assert.equal(early, 0);
  await assert.rejects(
    line.deliver(() => Promise.reject(new Error("killed")), real, signal),
    /killed/,
  );

  const reports: Promise<CallReport>[] = [];
  let isOut = false;
  const brought = line.deliver(
    async (incoming) => {
      assert.deepEqual([incoming.carrierId, incoming.from, incoming.to], [`sim_${seq}`, HANDSET, "+12125550100"]);
      isOut = true;
      assert.equal(await line.deliver(async () => assert.fail("two have it"), real, signal), 0);
      reports.push(
        incoming.answer(plan({ direction: "inbound", number: incoming.to, campaign: "", n: 0 }), async () => {}).report,
      );
    },
    real,
    signal,
  );
  assert.equal(await brought, 1);
  assert.ok(isOut);
  const [report] = await Promise.all(reports);
  assert.equal(report?.utterances[1]?.text, "Hi, it's Ann.");
  const [{ outcome, heard } = assert.fail()] = await store.read(tenantId, HANDSET, real);
  assert.deepEqual([outcome, heard.length], ["answered", 3]);
});

test("a call whose dialler was killed before it had an answer is found, by whoever looks, and rang once", async (t) => {
  const { api, line, tenantId, store } = await aLine(t);
  const ref = randomUUID();
  const child = spawn(
    process.execPath,
    [join(root, "test/support/calls/dial-and-hang.ts"), api.databaseUrl, tenantId, ref, HANDSET],
    { stdio: ["ignore", "ignore", "inherit"] },
  );
  t.after(() => child.kill("SIGKILL"));
  await until("the carrier has the call", async () => (await store.byRefs(tenantId, [ref])).has(ref));
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;

  const found = await line.lookUp(tenantId, [ref, randomUUID()], new AbortController().signal);
  assert.deepEqual([...found.keys()], [ref]);
  assert.match(found.get(ref)!.carrierId, /^sim_\d+$/);
  assert.deepEqual(
    (await store.read(tenantId, HANDSET, new Date())).map(({ outcome }) => outcome),
    ["ongoing"],
  );
});

test("the line that the service is configured with holds a whole conversation", async (t) => {
  const { ctx, plan, store, tenantId } = await aLine(t);
  const line = await ctx.lines.forNumber({ tenantId, mode: "test" }, "+12125550100");
  assert.ok(line && ctx.lines.byName(line.name) === line && ctx.lines.names("live").length === 0);
  const report = await hold(line, plan({ contactPhone: "+12125550130" }));

  assert.deepEqual([report.status, report.answerer], ["ended", "human"]);
  assert.ok(report.utterances.length >= 4, JSON.stringify(report.utterances));
  const [{ heard } = assert.fail()] = await store.read(tenantId, "+12125550130", new Date());
  assert.match(heard[0]!, /Ava from Acme/);
});
