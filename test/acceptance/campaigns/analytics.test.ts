import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { anotherTenant } from "#test/support/accounts/tenant.ts";
import { startParley, until } from "#test/support/api/parley.ts";
import { aVoiceOwner, insertCalls, insertVoiceCampaign } from "#test/support/calls/calls.ts";
import { aCampaign, aNoon } from "#test/support/campaigns/campaign.ts";
import { campaignIs, gets, quiet, says } from "#test/support/messaging/handset.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

const START = Date.parse("2026-11-20T15:30:00.000Z");
const at = (minutes: number) => new Date(START + minutes * 60_000);

test("analytics of a voice campaign", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const sql = await openClient(t, api.databaseUrl);
  const of = await aVoiceOwner(api, sql);
  const campaign_id = await insertVoiceCampaign(sql, of, "spring");
  const analytics = async (id = "spring") => (await api.get(`/v1/voice/campaigns/${id}/analytics`)).body.analytics;

  await t.test("of a campaign without calls everything is 0", async () => {
    const figures = await analytics();
    assert.deepEqual(
      [figures.calls, figures.answer_rate, figures.success_rate, figures.cost, figures.by_hour],
      [0, 0, 0, "0.00", []],
    );
    assert.deepEqual(figures.duration_ms, { avg: 0, p50: 0, p95: 0, total: 0 });
  });

  await t.test("rates, durations, sentiments, success and cost are those of the calls that are over", async () => {
    const notConnected = { status: "not_connected", duration_ms: 0, answered_at: null, answerer: null };
    await insertCalls(sql, of, [
      ...[10, 20, 30, 40].map((seconds, i) => ({
        campaign_id,
        start_at: at(i),
        duration_ms: seconds * 1_000,
        successful: i < 2,
        sentiment: i === 0 ? "Positive" : "Neutral",
        detail: { cost: { total: "0.0123", carrier: "0.0123" } },
      })),
      { campaign_id, start_at: at(40), duration_ms: 5_000, in_voicemail: true, reason: "voicemail_reached" },
      { campaign_id, start_at: at(41), ...notConnected, reason: "dial_busy", sentiment: "Unknown" },
      { campaign_id, start_at: at(42), ...notConnected, reason: "dial_no_answer", sentiment: "Unknown" },
      { campaign_id, start_at: at(43), ...notConnected, reason: "dial_no_answer", sentiment: "Unknown" },
      { campaign_id, start_at: at(44), status: "ongoing", reason: null, duration_ms: 0, end_at: null },
      // Of another campaign.
      { start_at: at(45), successful: true },
    ]);
    assert.deepEqual(await analytics(), {
      calls: 8,
      connected: 4,
      voicemail: 1,
      failed: 3,
      ongoing: 1,
      successful: 2,
      answer_rate: 0.5,
      voicemail_rate: 0.125,
      fail_rate: 0.375,
      success_rate: 0.5,
      duration_ms: { avg: 25_000, p50: 20_000, p95: 40_000, total: 105_000 },
      sentiment: { Positive: 1, Negative: 0, Neutral: 4, Unknown: 3 },
      disconnection_reasons: { agent_hangup: 4, voicemail_reached: 1, dial_busy: 1, dial_no_answer: 2 },
      cost: "0.0492",
      by_hour: [
        {
          hour: "2026-11-20T15:00:00.000Z",
          calls: 4,
          connected: 4,
          voicemail: 0,
          failed: 0,
          successful: 2,
          duration_ms: 100_000,
        },
        {
          hour: "2026-11-20T16:00:00.000Z",
          calls: 4,
          connected: 0,
          voicemail: 1,
          failed: 3,
          successful: 0,
          duration_ms: 5_000,
        },
      ],
    });
  });

  await t.test("a campaign that is not there, or another tenant's, is a 404", async () => {
    const other = await anotherTenant(api);
    for (const path of ["analytics", "failed-numbers"]) {
      const missing = await api.get(`/v1/voice/campaigns/never/${path}`);
      assert.deepEqual([missing.status, missing.body.error], [404, "Campaign not found"]);
      assert.equal((await other.get(`/v1/voice/campaigns/spring/${path}`)).status, 404);
    }
    assert.equal((await other.get("/v1/campaigns/spring/analytics")).status, 404);
  });

  await t.test(
    "failed numbers have a reason, the attempts and the next attempt; numbers that were reached are not among them",
    async () => {
      const owner = { organization_id: of.publicOrganizationId, user_id: of.publicUserId };
      const contacts = Array.from({ length: 6 }, (_, i) => ({
        phone_number: `+121255501${10 + i}`,
        ...(i === 0 ? { first_name: "Ann", last_name: "Lee" } : {}),
      }));
      await api.post("/v1/contacts/lists", { ...owner, list_name: "L", contacts });
      const threads = new Map<string, string>();
      for (const { phone_number: phone } of contacts) {
        const { rows } = await sql.query("select id from contacts where phone = $1", [phone]);
        const id = randomUUID();
        threads.set(phone, id);
        await sql.query(
          `insert into threads (tenant_id, campaign_id, id, contact_id, lane_id, phone, updated_at)
         values ($1, $2, $3, $4, $2, $5, now())`,
          [of.tenantId, campaign_id, id, rows[0].id, phone],
        );
      }
      const dialed = async (
        phone: string,
        n: number,
        dial: Record<string, unknown>,
        call?: Record<string, unknown>,
      ) => {
        const [id] = call ? await insertCalls(sql, of, [{ campaign_id, start_at: at(100 + n), ...call }]) : [null];
        const row = { state: "done", reason: null, rule: null, due_at: null, ...dial };
        await sql.query(
          `insert into dials (tenant_id, campaign_id, id, thread_id, lane_id, phone, agent_id, agent_version, purpose, n, state, reason, rule,
           due_at, call_id, created_at, updated_at)
         values ($1, $2, gen_random_uuid(), $3, $2, $4, $5, 1, 'call', $6, $7, $8, $9, $10, $11, now(), now())`,
          [
            of.tenantId,
            campaign_id,
            threads.get(phone),
            phone,
            of.agentId,
            n,
            row.state,
            row.reason,
            row.rule,
            row.due_at,
            id,
          ],
        );
      };
      const ended = (phone: string, outcome: string) =>
        sql.query("update threads set call_outcome = $2 where phone = $1", [phone, outcome]);
      const missed = { status: "not_connected", duration_ms: 0, answered_at: null };
      // Busy, then no answer; a third call is planned.
      await dialed("+12125550110", 1, { reason: "busy" }, { ...missed, reason: "dial_busy", start_at: at(201) });
      await dialed(
        "+12125550110",
        2,
        { reason: "no_answer" },
        { ...missed, reason: "dial_no_answer", start_at: at(202) },
      );
      await dialed("+12125550110", 3, { state: "scheduled", due_at: at(300) });
      await ended("+12125550110", "no_answer");
      // Never called: listed, and the campaign's end.
      await dialed("+12125550111", 1, { state: "suppressed", reason: "do_not_call", rule: "national_list" });
      await dialed("+12125550112", 1, { state: "expired", reason: "campaign_ended" });
      // Missed, then reached.
      await dialed(
        "+12125550113",
        1,
        { reason: "no_answer" },
        { ...missed, reason: "dial_no_answer", start_at: at(203) },
      );
      await dialed("+12125550113", 2, { reason: "connected" }, { start_at: at(204) });
      await ended("+12125550113", "connected");
      // Missed, and then its voicemail has it.
      await dialed(
        "+12125550114",
        1,
        { reason: "no_answer" },
        { ...missed, reason: "dial_no_answer", start_at: at(206) },
      );
      await dialed("+12125550114", 2, { reason: "voicemail" }, { in_voicemail: true, start_at: at(205) });
      await ended("+12125550114", "voicemail");
      // Still waits for its first call.
      await dialed("+12125550115", 1, { state: "scheduled", due_at: at(300) });

      const { status, body } = await api.get("/v1/voice/campaigns/spring/failed-numbers");
      assert.equal(status, 200);
      const byPhone = new Map(
        body.failed_numbers.map(({ lead_id, ...rest }: { lead_id: string; phone_number: string }) => {
          assert.match(lead_id, /^lead_/);
          return [rest.phone_number, rest];
        }),
      );
      const none = {
        contact_name: null,
        disconnection_reason: null,
        attempts: 0,
        last_attempt_at: null,
        next_attempt_at: null,
      };
      assert.deepEqual(Object.fromEntries(byPhone), {
        "+12125550110": {
          phone_number: "+12125550110",
          contact_name: "Ann Lee",
          reason: "no_answer",
          disconnection_reason: "dial_no_answer",
          attempts: 2,
          last_attempt_at: at(202).toISOString(),
          next_attempt_at: at(300).toISOString(),
        },
        "+12125550111": { phone_number: "+12125550111", reason: "do_not_call", ...none },
        "+12125550112": { phone_number: "+12125550112", reason: "campaign_ended", ...none },
      });

      const seen: string[] = [];
      let key: string | null = "";
      while (key !== null) {
        const more: string = key && `&pagination_key=${key}`;
        const page = (await api.get(`/v1/voice/campaigns/spring/failed-numbers?limit=1${more}`)).body;
        assert.equal(page.count, 1);
        seen.push(page.failed_numbers[0].phone_number);
        key = page.next_pagination_key;
      }
      assert.deepEqual(seen, [...byPhone.keys()], "in pages, each once");
      assert.equal((await api.get("/v1/voice/campaigns/spring/failed-numbers?pagination_key=x")).status, 400);
    },
  );
});

test("analytics of an SMS campaign", async (t) => {
  const api = await startParley(t);
  await aNoon(api);
  const { campaignId } = await aCampaign(api, {
    contacts: ["+12125550199", "+12125550198", "+12125550197"].map((phone_number) => ({ phone_number })),
  });
  for (const phone of ["+12125550199", "+12125550198", "+12125550197"]) await gets(api, phone, 1);
  await says(api, "+12125550199", "STOP");
  await campaignIs(api, campaignId, "completed");
  await quiet(api);

  const analytics = await until("its receipts are in", async () => {
    const { body } = await api.get(`/v1/campaigns/${campaignId}/analytics`);
    return body.analytics.delivered === body.analytics.sent && body.analytics;
  });
  const { by_hour, recipients, ...sums } = analytics;
  assert.deepEqual(sums, {
    contacted: 3,
    replied: 1,
    opted_out: 1,
    // The three, and the confirmation of the STOP.
    sent: 4,
    delivered: 4,
    failed: 0,
    received: 1,
    segments: 4,
    delivery_rate: 1,
    fail_rate: 0,
    reply_rate: 0.3333,
    opt_out_rate: 0.3333,
    cost: "0.04",
    text_cost: "0.04",
    call_cost: "0.00",
  });
  assert.deepEqual([recipients.opted_out, recipients.delivered], [1, 2]);
  for (const name of ["sent", "delivered", "failed", "received"] as const) {
    const inAll = by_hour.reduce((sum: number, hour: Record<string, number>) => sum + hour[name]!, 0);
    assert.equal(inAll, sums[name], `the hours have all of ${name}`);
  }
  assert.match(by_hour[0].hour, /:00:00\.000Z$/);
  assert.equal((await api.get("/v1/campaigns/never/analytics")).status, 404);

  const sql = await openClient(t, api.databaseUrl);
  const { rows } = await sql.query("select id from campaigns where campaign_id = $1", [campaignId]);
  const detail = { cost: { total: "0.0123", carrier: "0.0123" } };
  await insertCalls(sql, await aVoiceOwner(api, sql), [{ campaign_id: rows[0].id, start_at: at(0), detail }]);
  const { cost, text_cost, call_cost } = (await api.get(`/v1/campaigns/${campaignId}/analytics`)).body.analytics;
  assert.deepEqual([cost, text_cost, call_cost], ["0.0523", "0.04", "0.0123"], "a contact asked for a call");
});
