import assert from "node:assert/strict";
import { test } from "node:test";
import { parseId } from "#domain/values/id.ts";
import { anOwner, wrongFields } from "#test/support/accounts/owner.ts";
import { anotherTenant } from "#test/support/accounts/tenant.ts";
import { startParley, until } from "#test/support/api/parley.ts";
import { type CallsOf, insertCalls, insertVoiceCampaign } from "#test/support/calls/calls.ts";
import { aCampaign, aNoon, SENDER } from "#test/support/campaigns/campaign.ts";
import { gets, says, threadOf } from "#test/support/messaging/handset.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

/** By their last two digits: two that take texts, and one that is unreachable. */
const [ANN, BEN, DEE] = ["+12125550101", "+14155550102", "+12125550120"] as const;
const HOUR_MS = 3_600_000;

test("activity over time and by what it belongs to", async (t) => {
  const api = await startParley(t);
  const sql = await openClient(t, api.databaseUrl);
  await aNoon(api);
  const contacts = [ANN, BEN, DEE].map((phone_number) => ({ phone_number }));
  const made = await aCampaign(api, { contacts });
  const ask = async (path: string) => {
    const { status, body } = await api.get(`/v1/analytics/${path}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body.activity ?? body.breakdown;
  };
  const whose = `organization_id=${made.organizationId}`;

  await t.test(
    "texts, replies, failures and opt-outs are counted once each, those of other campaigns are not",
    async () => {
      await gets(api, ANN, 1);
      await gets(api, BEN, 1);
      await says(api, ANN, "Yes, I do.");
      await says(api, ANN, "In spring.");
      await says(api, BEN, "STOP");
      // Simulated phones go on answering the agent: what is counted is compared with what was said by then.
      await until("Ben has opted out", async () => (await threadOf(api, BEN, made.campaignId)).opted_out);
      const { totals, series } = await until("all is counted", async () => {
        const talks = await Promise.all(
          contacts.map(({ phone_number }) => threadOf(api, phone_number, made.campaignId)),
        );
        const inbound = talks.flatMap(({ messages }) => messages).filter(({ direction }) => direction === "inbound");
        const now = await ask(`activity?${whose}`);
        const { received, contacts_opted_out, failed, delivered, sent } = now.totals.texts;
        const isAll = inbound.length >= 3 && received === inbound.length && contacts_opted_out === 1 && failed === 1;
        return isAll && delivered >= 3 && sent === delivered + failed && now;
      });
      const { contacts_texted, contacts_replied, reply_rate, opt_out_rate } = totals.texts;
      assert.deepEqual([contacts_texted, contacts_replied, reply_rate, opt_out_rate], [3, 2, 0.6667, 0.3333]);
      assert.equal(series.length, 21, "today and the twenty days before");
      assert.equal((await ask(`activity?${whose}&days=7`)).series.length, 7);
      for (const name of ["sent", "received", "contacts_opted_out"] as const) {
        const inAll = series.reduce((sum: number, day: { texts: Record<string, number> }) => sum + day.texts[name]!, 0);
        assert.equal(inAll, totals.texts[name], `the days have all of ${name}`);
      }
      const other = await ask(`activity?organization_id=${(await anOwner(api)).organization_id}`);
      assert.equal(other.totals.texts.sent, 0);
    },
  );

  await t.test("filters leave what is of the campaign, the agent, our number and the area code", async () => {
    const texted = async (query: string) => (await ask(`activity?${whose}&${query}`)).totals.texts.contacts_texted;
    assert.equal(await texted(`campaign_id=${made.campaignId}`), 3);
    assert.equal(await texted(`agent_id=${made.agentId}`), 3);
    assert.equal(await texted(`own_number=${encodeURIComponent(SENDER)}`), 3);
    assert.equal(await texted("own_number=%2B12125550999"), 0);
    assert.deepEqual([await texted("area_code=212"), await texted("area_code=415")], [2, 1]);
  });

  await t.test("it is broken down by campaign, agent, number, area code and time", async () => {
    const texted = async (by: string) =>
      (await ask(`breakdown?${whose}&by=${by}`)).rows.map((row: { key: string; texts: Record<string, number> }) => [
        row.key,
        row.texts.contacts_texted,
      ]);
    assert.deepEqual(await texted("campaign"), [[made.campaignId, 3]]);
    assert.deepEqual(await texted("agent"), [[made.agentId, 3]]);
    assert.deepEqual(await texted("number"), [[SENDER, 3]]);
    assert.deepEqual((await texted("area_code")).toSorted(), [
      ["212", 2],
      ["415", 1],
    ]);
    const zone = "time_zone=America/New_York";
    const { rows } = await ask(`breakdown?${whose}&by=hour_of_day&${zone}`);
    const noon = new Date((await ask(`activity?${whose}&interval=hour`)).series.find(texts).at);
    const local = noon.toLocaleString("en-US", { timeZone: "America/New_York", hour: "numeric", hourCycle: "h23" });
    assert.equal(rows.find(texts).key, String(Number(local)));
  });

  await t.test("calls are counted by their outcome, and what was judged with them", async () => {
    const { of, campaign_id, start } = await aVoiceCampaign();
    const at = (minutes: number) => new Date(start + minutes * 60_000);
    const missed = { status: "not_connected", duration_ms: 0, answered_at: null, answerer: null };
    const ids = await insertCalls(sql, of, [
      {
        campaign_id,
        start_at: at(0),
        duration_ms: 10_000,
        successful: true,
        sentiment: "Positive",
        detail: { cost: { total: "0.0123" }, latencies: [{ atMs: 0, totalMs: 600 }] },
      },
      { campaign_id, start_at: at(1), in_voicemail: true, duration_ms: 5_000, reason: "voicemail_reached" },
      { campaign_id, start_at: at(2), ...missed, reason: "dial_busy" },
      { campaign_id, start_at: at(3), ...missed, reason: "dial_no_answer" },
      { start_at: at(4), direction: "inbound", duration_ms: 20_000 },
    ]);
    await note(of, "call.ended", ids);
    await note(of, "call.analysed", ids);
    const { calls } = await until("they are counted", async () => {
      const { totals } = await ask(`activity?${whose}&to=${at(60).toISOString()}`);
      return totals.calls.inbound === 1 && totals.calls.sentiment.Positive === 1 && totals;
    });
    const { outbound, answered, voicemail, no_answer, busy, declined, failed, answer_rate } = calls;
    assert.deepEqual([outbound, answered, voicemail, no_answer, busy, declined, failed], [4, 1, 1, 1, 1, 0, 0]);
    assert.deepEqual([answer_rate, calls.talk_ms, calls.cost], [0.25, { total: 30_000, avg: 15_000 }, "0.0123"]);
    assert.deepEqual(calls.response_ms, { turns: 1, p50: 625, p95: 738 });
  });

  await t.test("what has been counted stays when the log of events is cut", async () => {
    const before = await ask(`activity?${whose}&to=2100-01-01T00:00:00Z&from=2099-06-01T00:00:00Z`);
    assert.equal(before.totals.texts.sent, 0, "another time");
    const { totals } = await ask(`activity?campaign_id=${made.campaignId}`);
    await sql.query("delete from events where seq is not null");
    assert.deepEqual((await ask(`activity?campaign_id=${made.campaignId}`)).totals, totals);
  });

  await t.test(
    "wrong times, zones and keys are a 400 that names them; what is not there, or another tenant's, is a 404",
    async () => {
      for (const [query, field] of [
        ["from=yesterday", "from"],
        ["from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z", "from"],
        ["from=2020-01-01T00:00:00Z&to=2026-01-01T00:00:00Z", "from"],
        ["to=9999-12-31T23:59:59Z", "to"],
        ["to=0000-01-01T00:00:00Z", "to"],
        ["from=2026-01-01T00:00:00Z&to=2026-03-01T00:00:00Z&interval=hour", "interval"],
        ["interval=week", "interval"],
        ["time_zone=Mars/Base", "time_zone"],
        ["area_code=2", "area_code"],
      ]) {
        const wrong = await api.get(`/v1/analytics/activity?${query}`);
        assert.deepEqual([wrong.status, wrongFields(wrong)], [400, [field]], query);
      }
      assert.equal((await api.get("/v1/analytics/breakdown")).status, 400);
      const them = await anotherTenant(api);
      for (const query of [whose, `agent_id=${made.agentId}`, `campaign_id=${made.campaignId}`]) {
        assert.equal((await them.get(`/v1/analytics/activity?${query}`)).status, 404, query);
      }
      assert.equal((await them.get("/v1/analytics/activity")).body.activity.totals.texts.sent, 0);
    },
  );

  async function aVoiceCampaign() {
    const organizationId = parseId("organization", made.organizationId)!;
    const { rows } = await sql.query("select tenant_id from organizations where id = $1", [organizationId]);
    const of: CallsOf = {
      tenantId: rows[0].tenant_id,
      organizationId,
      userId: parseId("user", made.userId)!,
      agentId: parseId("agent", made.agentId)!,
      publicOrganizationId: made.organizationId,
      publicUserId: made.userId,
    };
    const now = Date.parse((await api.get("/v1/simulator/clock")).body.now);
    const start = Math.floor(now / HOUR_MS) * HOUR_MS;
    return { of, campaign_id: await insertVoiceCampaign(sql, of, "ring"), start };
  }

  /** What the service notes when it ends or analyses calls. */
  async function note(of: CallsOf, kind: string, ids: readonly string[]) {
    await sql.query(
      `insert into events (tenant_id, kind, at, organization_id, carrier, n, object_ids)
       values ($1, $2, now(), $3, 'simulator', $4, $5)`,
      [of.tenantId, kind, of.organizationId, ids.length, ids],
    );
  }
});

const texts = (row: { texts: { sent: number } }): boolean => row.texts.sent > 0;
