import assert from "node:assert/strict";
import { test } from "node:test";
import { parseId } from "#domain/values/id.ts";
import { anOwner, wrongFields } from "#test/support/accounts/owner.ts";
import { anotherTenant } from "#test/support/accounts/tenant.ts";
import { startParley, until } from "#test/support/api/parley.ts";
import { insertCalls } from "#test/support/calls/calls.ts";
import { aCampaign, aNoon } from "#test/support/campaigns/campaign.ts";
import { gets, says } from "#test/support/messaging/handset.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

/** By their last two digits: two that take texts, and one that is unreachable. */
const [ANN, BEN, DEE] = ["+12125550101", "+12125550102", "+12125550120"] as const;

test("the overview of an organization's day", async (t) => {
  const api = await startParley(t);
  const sql = await openClient(t, api.databaseUrl);
  const overviewOf = async (organization_id: string, more = "") => {
    const { status, body } = await api.get(`/v1/overview?organization_id=${organization_id}${more}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body.overview;
  };

  await t.test("of a new organization nothing has begun, and the service says who is missing", async () => {
    const { organization_id } = await anOwner(api);
    const overview = await overviewOf(organization_id);
    assert.deepEqual(overview.texts, { sent: 0, delivered: 0, failed: 0, received: 0 });
    assert.deepEqual([overview.opt_outs, overview.problems], [0, []]);
    assert.deepEqual(overview.conversations, { need_person: 0, answer_delayed: 0 });
    assert.deepEqual(overview.calls, { total: 0, answered: 0, voicemail: 0, ongoing: 0 });
    assert.deepEqual(overview.checklist, { agent: false, contacts: false, campaign: false, reply: false });
    const problems = overview.health.filter((check: { problem: string | null }) => check.problem !== null);
    assert.deepEqual(problems, [{ name: "calls", problem: "No media node runs: no call is placed or taken." }]);
  });

  await t.test("texts, replies, opt-outs and failures of its campaigns are counted, and no one else's", async () => {
    await aNoon(api);
    const contacts = [ANN, BEN, DEE].map((phone_number) => ({ phone_number }));
    const { organizationId, campaignId } = await aCampaign(api, { contacts });
    await gets(api, ANN, 1);
    await gets(api, BEN, 1);
    await says(api, ANN, "Yes, I do.");
    await says(api, BEN, "STOP");
    const overview = await until("the day has it all", async () => {
      const now = await overviewOf(organizationId);
      return now.opt_outs === 1 && now.texts.received >= 2 && now.texts.failed === 1 && now.texts.delivered >= 2 && now;
    });
    assert.ok(overview.texts.sent >= 3, "the three starting texts were taken by the carrier");
    assert.deepEqual(overview.problems, [{ channel: "sms", code: "30003", count: 1, campaign_id: campaignId }]);
    assert.deepEqual(overview.checklist, { agent: true, contacts: true, campaign: true, reply: true });

    const other = await overviewOf((await anOwner(api)).organization_id);
    assert.deepEqual([other.texts.sent, other.texts.received, other.opt_outs, other.problems], [0, 0, 0, []]);
    assert.equal(other.checklist.reply, false, "another organization's reply");
  });

  await t.test("the days before are summed beside it: yesterday's, and the last seven", async () => {
    await aNoon(api);
    const { organizationId } = await aCampaign(api, { contacts: [{ phone_number: ANN }] });
    await gets(api, ANN, 1);
    const today = await until("it is counted", async () => {
      const now = await overviewOf(organizationId);
      return now.texts.sent === 1 && now;
    });
    assert.deepEqual([today.before.yesterday.texts.sent, today.before.last_7_days.texts.sent], [0, 0]);
    await until("it is among the counts of days that are over", async () => {
      const { body } = await api.get(`/v1/analytics/activity?organization_id=${organizationId}&days=1`);
      return body.activity.totals.texts.sent === 1;
    });
    const after = async (days: number) => {
      const to = new Date(Date.parse(today.day.from) + days * 86_400_000 + 3_600_000).toISOString();
      assert.equal((await api.post("/v1/simulator/clock", { to })).status, 200);
      const { texts, before } = await overviewOf(organizationId);
      assert.equal(texts.sent, 0);
      return [before.yesterday.texts.sent >= 1, before.last_7_days.texts.sent >= 1];
    };
    assert.deepEqual(await after(1), [true, true]);
    assert.deepEqual(await after(7), [false, true]);
    assert.deepEqual(await after(9), [false, false]);
  });

  await t.test("calls of the day are counted by their end, yesterday's are not", async () => {
    const made = await aCampaign(api, { contacts: [{ phone_number: ANN }] });
    const organizationId = parseId("organization", made.organizationId)!;
    const { rows } = await sql.query("select tenant_id from organizations where id = $1", [organizationId]);
    const of = {
      tenantId: rows[0].tenant_id,
      organizationId,
      userId: parseId("user", made.userId)!,
      agentId: parseId("agent", made.agentId)!,
      publicOrganizationId: made.organizationId,
      publicUserId: made.userId,
    };
    const now = Date.parse((await api.get("/v1/simulator/clock")).body.now);
    const at = (seconds: number) => new Date(now + seconds * 1_000);
    const failed = { status: "not_connected", duration_ms: 0, answered_at: null, answerer: null };
    await insertCalls(sql, of, [
      { start_at: at(1) },
      { start_at: at(2), in_voicemail: true, reason: "voicemail_reached" },
      { start_at: at(3), ...failed, reason: "dial_busy" },
      { start_at: at(4), ...failed, reason: "sip_routing_error" },
      { start_at: at(5), ...failed, reason: "sip_routing_error" },
      { start_at: at(-86_400), duration_ms: 1_000 },
    ]);
    const overview = await overviewOf(made.organizationId);
    assert.deepEqual(overview.calls, { total: 5, answered: 1, voicemail: 1, ongoing: 0 });
    assert.deepEqual(overview.problems, [{ channel: "voice", code: "sip_routing_error", count: 2, campaign_id: null }]);
  });

  await t.test("the day is that of the zone that is asked for, by the tenant's clock", async () => {
    const { organization_id } = await anOwner(api);
    const { day } = await overviewOf(organization_id, "&time_zone=Pacific/Auckland");
    const now = Date.parse((await api.get("/v1/simulator/clock")).body.now);
    assert.ok(Date.parse(day.from) <= now && now < Date.parse(day.to));
    const local = new Date(day.from).toLocaleString("sv", { timeZone: "Pacific/Auckland" });
    assert.equal(local, `${day.date} 00:00:00`);
    const wrong = await api.get(`/v1/overview?organization_id=${organization_id}&time_zone=Mars/Base`);
    assert.deepEqual([wrong.status, wrongFields(wrong)], [400, ["time_zone"]]);
  });

  await t.test("organization_id is needed; one that is not there, or another tenant's, is a 404", async () => {
    const missing = await api.get("/v1/overview");
    assert.deepEqual([missing.status, wrongFields(missing)], [400, ["organization_id"]]);
    const them = await anotherTenant(api);
    const { organization_id } = await anOwner(them);
    for (const id of [organization_id, "org_00000000000000000000000001", "nonsense"]) {
      assert.equal((await api.get(`/v1/overview?organization_id=${id}`)).status, 404);
    }
  });
});
