import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { loadDemo } from "#app/demo/command.ts";
import { type Parley, startParley, until } from "#test/support/api/parley.ts";
import { aNoon, anAgent, SENDER } from "#test/support/campaigns/campaign.ts";
import { digestOfRows } from "#test/support/isolation/tenant-rows.ts";
import { settled } from "#test/support/messaging/settled.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

/** Of the tenant as a whole, and not taken back: how far its numbers have come, answers that are kept for a day, what it has spent, and the audit log. */
const TENANTS_OWN = [
  "activity_heads",
  "audit_entries",
  "audit_values",
  "call_clocks",
  "event_heads",
  "idempotency_keys",
  "spend_days",
];

/** A number that the demo texts as well. */
const SHARED = "+13055550107";

type Demo = { status: string; problem: string | null; organization_ids: string[]; done: number; total: number };

const demoOf = async (api: Parley): Promise<Demo> => (await api.get("/v1/demo")).body.demo;

async function loaded(api: Parley): Promise<Demo> {
  const { status, body } = await api.post("/v1/demo", {});
  assert.deepEqual([status, body.demo.status], [202, "loading"]);
  return until("the demo data is loaded", async () => {
    const demo = await demoOf(api);
    assert.notEqual(demo.status, "failed", demo.problem ?? "");
    return demo.status === "loaded" && demo;
  });
}

/** A campaign of the tenant's own, to a number that the demo has too, that is over. */
async function ownCampaign(api: Parley): Promise<void> {
  const { organizationId, userId, agentId } = await anAgent(api, { reply_delay_ms: 0 });
  const owner = { organization_id: organizationId, user_id: userId };
  const contacts = [{ phone_number: SHARED, first_name: "Own" }];
  const campaign = {
    ...owner,
    campaign_name: "Own",
    campaign_id: "own",
    sms_agent_id: agentId,
    svc_sms_number: SENDER,
  };
  await api.put(`/v1/simulator/handsets/${SHARED}`, { says: ["STOP"], answer_delay_ms: 0 });
  assert.equal((await api.post("/v1/campaigns", { ...campaign, contacts })).status, 202);
  await until("its contact has opted out and been told so", async () => {
    const { messages } = (await api.get(`/v1/simulator/handsets/${SHARED}`)).body;
    const { status } = (await api.get("/v1/campaigns/own")).body.campaign;
    return messages.length === 3 && status === "completed";
  });
}

test("demo data", async (t) => {
  const api = await startParley(t, {}, ["api", "worker", "media"]);
  const client = await openClient(t, api.databaseUrl);
  await aNoon(api);
  await ownCampaign(api);
  const rows = async () =>
    Object.fromEntries(Object.entries(await digestOfRows(client)).filter(([name]) => !TENANTS_OWN.includes(name)));
  const settledRows = () => settled(api, rows);
  const before = await settledRows();

  assert.equal((await demoOf(api)).status, "absent");
  const demo = await loaded(api);
  const [homes, dentist] = demo.organization_ids;
  const status = async (path: string): Promise<string> => (await api.get(path)).body.campaign.status;

  await t.test("it is whole: organizations, users, agents, contacts, lists, numbers, brands, campaigns", async () => {
    assert.deepEqual([demo.done, demo.organization_ids.length], [demo.total, 2]);
    let contacts = 0;
    let agents: { agent_type: string }[] = [];
    for (const id of [homes, dentist]) {
      const query = `?organization_id=${id}&limit=500`;
      assert.equal((await api.get(`/v1/organizations/${id}/users`)).body.users.length, 2);
      agents = [...agents, ...(await api.get(`/v1/agents${query}`)).body.agents];
      contacts += (await api.get(`/v1/contacts/leads${query}`)).body.leads.length;
      assert.equal((await api.get(`/v1/contacts/lists${query}`)).body.count, id === homes ? 2 : 1);
      assert.equal((await api.get(`/v1/voice/phone-numbers${query}`)).body.count, 1);
    }
    assert.equal(contacts, 300);
    assert.deepEqual(Map.groupBy(agents, (agent) => agent.agent_type).get("voice")!.length, 2);
    assert.equal(agents.length, 5);
    const { brands } = (await api.get("/v1/10dlc/brand")).body;
    await until("each brand has its status", async () => {
      const now = (await api.get("/v1/10dlc/brand")).body.brands
        .map((brand: { status: string }) => brand.status)
        .sort();
      return JSON.stringify(now) === JSON.stringify(["ACTIVE", "PENDING", "REJECTED"]);
    });
    assert.equal(brands.length, 3);
  });

  await t.test("loaded twice it is there once", async () => {
    const again = await api.post("/v1/demo", {});
    assert.deepEqual([again.status, again.body.demo], [202, await demoOf(api)]);
    assert.equal((await api.get("/v1/organizations?limit=500")).body.count, 3);
  });

  await t.test(
    "it has three weeks behind it: campaigns that are over, calls of every outcome and sentiment, recordings",
    async () => {
      assert.equal(await status("/v1/campaigns/demo_open_house"), "completed");
      assert.equal((await api.get("/v1/campaigns/demo_summer")).body.campaign.waiting_because, "not_begun");
      const all = ["demo_sellers_by_phone", "demo_check_ups", "demo_spring_calls"];
      const calls = (await Promise.all(all.map((id) => api.get(`/v1/voice/campaigns/${id}/calls?limit=500`)))).flatMap(
        ({ body }) => body.calls,
      );
      const { totals } = (await api.get(`/v1/analytics/activity?organization_id=${homes}&days=28`)).body.activity;
      assert.ok(totals.texts.sent > 300, `charts of three weeks have ${totals.texts.sent} texts`);
      const { now } = (await api.get("/v1/simulator/clock")).body;
      const ages = calls.map((call) => (Date.parse(now) - Date.parse(call.start_timestamp)) / 86_400_000);
      assert.ok(Math.max(...ages) > 10 && Math.min(...ages) > 0, `${Math.min(...ages)} to ${Math.max(...ages)} days`);
      assert.equal(new Set(calls.map((call) => call.user_sentiment)).size, 4);
      const counts = (await api.get("/v1/voice/campaigns/demo_check_ups")).body.campaign.counts as Record<
        string,
        number
      >;
      for (const outcome of ["busy", "connected", "declined", "no_answer", "voicemail"])
        assert.ok(counts[outcome]! > 0, outcome);
      const spring = (await api.get("/v1/campaigns/demo_spring")).body.campaign;
      assert.ok(spring.counts.opted_out > 0);
      const { rows } = await client.query("select count(*)::int as n from extractions");
      assert.ok(rows[0].n > 50);
      const { calls: heard } = (await api.get("/v1/voice/campaigns/demo_spring_calls/calls?limit=10")).body;
      const { recording_url } = (await api.get(`/v1/voice/calls/${heard[0].call_id}`)).body.call;
      const sound = await fetch(recording_url);
      assert.equal(sound.status, 200);
      assert.equal(Buffer.from(await sound.arrayBuffer()).toString("latin1", 0, 4), "RIFF");
    },
  );

  await t.test("a campaign runs now, and its contacts answer", async () => {
    await until("its contacts have answered", async () => {
      const { campaign } = (await api.get("/v1/campaigns/demo_sellers_nearby")).body;
      return campaign.counts.replied > 0;
    });
    await until("everybody has been called", async () => {
      const { counts } = (await api.get("/v1/voice/campaigns/demo_visitor_calls")).body.campaign;
      return counts.connected + counts.voicemail + counts.no_answer + counts.busy + counts.declined + counts.failed > 0;
    });
  });

  await t.test("the conversation that the start points at is one", async () => {
    const lines = await loadDemo(api.url, { key: api.key, shown: "$KEY" }, () => {});
    assert.equal(lines[0], "The demo data has been there since an earlier start, and nothing was added to it.");
    assert.ok(!lines.join().includes(api.key));
    const path = /^A conversation: curl -H "X-API-Key: \$KEY" \S+?(\/v1\/\S+)$/m.exec(lines.join("\n"))![1]!;
    await until("it has come to an answer", async () => {
      const { messages } = (await api.get(path)).body.thread;
      const directions = messages.map((message: { direction: string }) => message.direction);
      return directions.slice(0, 3).join() === "outbound,inbound,outbound";
    });
  });

  await t.test("removed, nothing of it is left, its recordings included, and nothing else has changed", async () => {
    // Calls in words have none; this is a name of its own.
    const folder = join(api.config.dataDir, "recordings");
    mkdirSync(folder, { recursive: true });
    for (const name of ["demo.wav", "own.wav"]) writeFileSync(join(folder, name), "RIFF");
    await client.query(
      "update call_details set recording = 'demo.wav' where call_id = (select call_id from call_details where recording is null limit 1)",
    );
    const removal = await api.delete("/v1/demo");
    assert.deepEqual([removal.status, removal.body.demo.status], [202, "removing"]);
    assert.ok([202, 409].includes((await api.post("/v1/demo", {})).status));
    await until("it has gone", async () => (await demoOf(api)).status === "absent");
    assert.deepEqual(await settledRows(), before);
    assert.deepEqual(
      ["demo.wav", "own.wav"].map((name) => existsSync(join(folder, name))),
      [false, true],
    );
    assert.equal((await api.delete("/v1/demo")).body.demo.status, "absent");
  });

  await t.test("it can be loaded again", async () => {
    assert.notDeepEqual((await loaded(api)).organization_ids, demo.organization_ids);
  });
});
