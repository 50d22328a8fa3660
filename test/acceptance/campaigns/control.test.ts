import assert from "node:assert/strict";
import { test } from "node:test";
import { wrongFields } from "#test/support/accounts/owner.ts";
import { startParley, until } from "#test/support/api/parley.ts";
import { aCampaign, aNoon } from "#test/support/campaigns/campaign.ts";
import {
  campaignIs,
  campaignOf,
  moveClock,
  quiet,
  says,
  textsTo,
  threadOf,
  traffic,
} from "#test/support/messaging/handset.ts";

const many = (count: number, exchange = 446) =>
  Array.from({ length: count }, (_, i) => ({ phone_number: `+1212${exchange}${1000 + i}` }));

test("nothing leaves after the answer to a pause or a delete", async (t) => {
  // A slow carrier, so that texts are on their way to it when the pause comes, and most have not left by then on any machine.
  const api = await startParley(t, { PARLEY_SIMULATOR_LATENCY_MS: "300", PARLEY_SIMULATOR_RATE: "100" });
  await aNoon(api);
  for (const stop of ["pause", "delete"] as const) {
    const { campaignId } = await aCampaign(api, { contacts: many(3_000, stop === "pause" ? 446 : 447) });
    await until("some have left", async () => (await traffic(api, campaignId)).accepted > 0);

    const { status } = await (stop === "pause"
      ? api.post(`/v1/campaigns/${campaignId}/pause`)
      : api.delete(`/v1/campaigns/${campaignId}`));
    const { accepted } = await traffic(api, campaignId);

    assert.equal(status, 200);
    await quiet(api);
    assert.equal((await traffic(api, campaignId)).accepted, accepted, `texts left after the ${stop}`);
    assert.ok(accepted < 3_000, "the campaign was over before it was stopped");
  }
});

test("pausing, resuming and deleting", async (t) => {
  const api = await startParley(t);
  await aNoon(api);

  await t.test("a paused campaign sends nothing, also days later, and all of it once resumed", async () => {
    // Hawaii opens an hour from now.
    const contacts = Array.from({ length: 20 }, (_, i) => ({ phone_number: `+18084461${100 + i}` }));
    const { campaignId } = await aCampaign(api, { contacts });
    const paused = await api.post(`/v1/campaigns/${campaignId}/pause`);
    assert.deepEqual([paused.status, paused.body.campaign.status], [200, "paused"]);
    assert.equal(paused.body.campaign.waiting_because, "paused");
    assert.equal((await api.post(`/v1/campaigns/${campaignId}/pause`)).status, 200);
    await moveClock(api, { advance_ms: 3 * 60 * 60_000 });
    await quiet(api);
    assert.equal((await traffic(api, campaignId)).accepted, 0);
    assert.equal((await campaignOf(api, campaignId)).status, "paused");

    const resumed = await api.post(`/v1/campaigns/${campaignId}/resume`);
    assert.deepEqual([resumed.status, resumed.body.campaign.status], [200, "active"]);
    assert.equal((await api.post(`/v1/campaigns/${campaignId}/resume`)).status, 200);
    const done = await campaignIs(api, campaignId, "completed");
    assert.equal(done.counts.delivered, 20);
    const { accepted, duplicates } = await traffic(api, campaignId);
    assert.deepEqual([accepted, duplicates], [20, 0]);
  });

  await t.test(
    "a campaign whose carrier account is suspended is paused, says why, and goes on when resumed",
    async () => {
      const phone = "+12124470020";
      await api.put(`/v1/simulator/handsets/${encodeURIComponent(phone)}`, { behavior: "account_suspended" });
      const { campaignId } = await aCampaign(api, { contacts: [{ phone_number: phone }] });
      const { waiting_because } = await campaignIs(api, campaignId, "paused");
      assert.equal(waiting_because, "carrier_account_suspended");
      await api.put(`/v1/simulator/handsets/${encodeURIComponent(phone)}`, { behavior: "deliver" });
      await moveClock(api, { advance_ms: 60_000 });
      await quiet(api);
      assert.deepEqual(await textsTo(api, phone), []);
      await api.post(`/v1/campaigns/${campaignId}/resume`);
      const done = await campaignIs(api, campaignId, "completed");
      assert.deepEqual([done.counts.delivered, done.waiting_because], [1, null]);
      const pauses = async () => {
        const { body } = await api.get("/v1/events?kinds=campaign.paused&limit=500");
        return body.events.filter((event: { data: { campaign_id: string } }) => event.data.campaign_id === campaignId);
      };
      await until("the pause is reported", async () => (await pauses()).length > 0);
      assert.equal((await pauses())[0].data.reason, "carrier_account_suspended");
    },
  );

  await t.test("a campaign that has completed cannot be paused", async () => {
    const { campaignId } = await aCampaign(api, { contacts: [{ phone_number: "+12124470001" }] });
    await campaignIs(api, campaignId, "completed");
    const { status, body } = await api.post(`/v1/campaigns/${campaignId}/pause`);
    assert.deepEqual([status, body.code], [409, "conflict"]);
  });

  await t.test("the agent of a paused campaign does not answer until it is resumed", async () => {
    const phone = "+12124470002";
    const drips = [{ day: 30, message: "Still there?" }];
    const { campaignId } = await aCampaign(api, {
      contacts: [{ phone_number: phone }],
      agent: { reply_delay_ms: 0, drip_schedule: drips },
    });
    await until("the starting message is there", async () => (await textsTo(api, phone)).length >= 1);
    await api.post(`/v1/campaigns/${campaignId}/pause`);
    await says(api, phone, "Yes, tell me more");
    await quiet(api);
    assert.equal((await textsTo(api, phone)).length, 1);
    await api.post(`/v1/campaigns/${campaignId}/resume`);
    await until("the answer is there", async () => (await textsTo(api, phone)).length >= 2);
  });

  await t.test("a deleted campaign is gone, its waiting texts are suppressed and its records stay", async () => {
    await aNoon(api);
    const phone = "+18084470003";
    const { campaignId, organizationId } = await aCampaign(api, {
      contacts: [{ phone_number: phone }, { phone_number: "+12124470004" }],
      agent: { drip_schedule: [{ day: 1, message: "Hello again" }] },
    });
    await until("one has left", async () => (await textsTo(api, "+12124470004")).length >= 1);
    const gone = await api.delete(`/v1/campaigns/${campaignId}`);
    assert.deepEqual([gone.status, gone.body.campaign_id, gone.body.status], [200, campaignId, "deleted"]);
    for (const path of ["", "/pause", "/resume", "/leads"]) {
      const answer = path
        ? await api.post(`/v1/campaigns/${campaignId}${path}`, { clients: [] })
        : await api.get(`/v1/campaigns/${campaignId}`);
      assert.deepEqual([answer.status, answer.body.error], [404, "Campaign not found"], path);
    }
    assert.equal((await api.delete(`/v1/campaigns/${campaignId}`)).status, 404);
    const { body: listed } = await api.get(`/v1/campaigns?organization_id=${organizationId}`);
    assert.deepEqual(listed.campaigns, []);
    // What waited is suppressed as its turn comes.
    await moveClock(api, { advance_ms: 2 * 86_400_000 });
    await quiet(api);
    const { body } = await api.get(`/v1/campaigns/${campaignId}/messages`);
    assert.deepEqual(
      body.messages
        .map((message: { kind: string; state: string; rule: string }) => [message.kind, message.state, message.rule])
        .sort(),
      [
        ["drip", "suppressed", "campaign_deleted"],
        ["drip", "suppressed", "campaign_deleted"],
        ["start", "delivered", null],
        ["start", "suppressed", "campaign_deleted"],
      ],
    );
    assert.equal((await traffic(api, campaignId)).accepted, 1);
  });
});

test("reading campaigns", async (t) => {
  const api = await startParley(t);
  await aNoon(api);
  const setup = await aCampaign(api, {
    contacts: many(7),
    agent: { drip_schedule: [{ day: 1, message: "Hello again" }] },
    campaign: { campaign_id: "seven", campaign_name: "Seven" },
  });
  await until("all are delivered", async () => (await campaignOf(api, "seven")).counts.delivered === 7);

  await t.test("a campaign is read with its counts, its rate and what still waits", async () => {
    const campaign = await campaignOf(api, "seven");
    const { counts, recipients, created_at, ...rest } = campaign;
    assert.deepEqual(rest, {
      campaign_id: "seven",
      campaign_name: "Seven",
      organization_id: setup.organizationId,
      user_id: setup.userId,
      sms_agent_id: setup.agentId,
      agent_version: 1,
      svc_sms_number: setup.sender,
      status: "active",
      contacts_count: 7,
      details: { total_contacts: 7, voice_transfer_enabled: false },
      objective: null,
      calling_window: null,
      voice_agent_id: null,
      outbound_number: null,
      pending_messages: 7,
      rate_per_second: null,
      eta: null,
      media_urls: [],
      waiting_because: null,
      campaign_begin_time: null,
      campaign_end_time: null,
      completed_at: null,
    });
    assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const total = Object.values(counts as Record<string, number>).reduce((sum, n) => sum + n, 0);
    assert.deepEqual([total, counts.delivered], [7, 7]);
    assert.deepEqual(recipients, counts, "the former name has the same");
  });

  await t.test("campaigns are listed by organization, newest first, by status, and in pages", async () => {
    const names = ["b", "c"];
    for (const campaign_id of names) {
      const contacts = [{ phone_number: "+12124480001" }];
      const body = {
        campaign_id,
        campaign_name: campaign_id,
        organization_id: setup.organizationId,
        user_id: setup.userId,
      };
      const made = await api.post("/v1/campaigns", {
        ...body,
        sms_agent_id: setup.agentId,
        svc_sms_number: setup.sender,
        contacts,
      });
      assert.equal(made.status, 202);
    }
    const list = async (query: string) =>
      (await api.get(`/v1/campaigns?organization_id=${setup.organizationId}${query}`)).body;
    const ids = (page: { campaigns: { campaign_id: string }[] }) => page.campaigns.map((each) => each.campaign_id);
    const first = await list("&limit=2");
    assert.deepEqual([ids(first), first.count, first.has_more], [["c", "b"], 2, true]);
    const second = await list(`&limit=2&pagination_key=${first.next_pagination_key}`);
    assert.deepEqual([ids(second), second.has_more, second.next_pagination_key], [["seven"], false, null]);
    await api.post("/v1/campaigns/b/pause");
    assert.deepEqual(ids(await list("&status=paused")), ["b"]);
    const other = await aCampaign(api, { contacts: [{ phone_number: "+12124480002" }] });
    assert.ok(!ids(await list("")).includes(other.campaignId));
  });

  await t.test("messages and leads come newest first, in pages that hold each once, and by state", async () => {
    for (const [path, plural, total] of [
      ["messages", "messages", 14],
      ["leads", "leads", 7],
    ] as const) {
      const seen: Record<string, string>[] = [];
      let key = "";
      for (let more = true; more; ) {
        const { status, body } = await api.get(`/v1/campaigns/seven/${path}?limit=5${key}`);
        assert.equal(status, 200);
        assert.equal(body.count, body[plural].length);
        seen.push(...body[plural]);
        more = body.has_more;
        key = `&pagination_key=${body.next_pagination_key}`;
      }
      const ids = seen.map((each) => each.message_id ?? each.unique_id);
      assert.equal(new Set(ids).size, total);
      assert.equal(seen.length, total);
    }
    const { body: drips } = await api.get("/v1/campaigns/seven/messages?state=scheduled");
    assert.equal(drips.count, 7);
    const phone = encodeURIComponent("+12124461003");
    const { body: ofOne } = await api.get(`/v1/campaigns/seven/messages?phone_number=${phone}`);
    assert.deepEqual(ofOne.messages.map((each: { kind: string; state: string }) => [each.kind, each.state]).sort(), [
      ["drip", "scheduled"],
      ["start", "delivered"],
    ]);
    const { body: leads } = await api.get("/v1/campaigns/seven/leads?state=delivered");
    assert.equal(leads.count, 7);
    assert.equal((await api.get("/v1/campaigns/seven/leads?state=failed")).body.count, 0);
  });

  await t.test("a recipient names its thread, which can be read", async () => {
    const { body } = await api.get("/v1/campaigns/seven/leads?limit=1");
    const [lead] = body.leads;
    assert.equal(lead.thread_id, `${lead.phone_number}_seven`);
    const thread = await threadOf(api, lead.phone_number, "seven");
    assert.deepEqual([thread.thread_id, thread.lead_id], [lead.thread_id, lead.unique_id]);
  });

  await t.test("wrong queries are named", async () => {
    assert.deepEqual(wrongFields(await api.get("/v1/campaigns")), ["organization_id"]);
    for (const [query, field] of [
      ["limit=0", "limit"],
      ["limit=501", "limit"],
      ["limit=abc", "limit"],
      ["limit=-5", "limit"],
      ["pagination_key=nonsense", "pagination_key"],
    ] as const) {
      const answer = await api.get(`/v1/campaigns/seven/messages?${query}`);
      assert.deepEqual([answer.status, wrongFields(answer)], [400, [field]], query);
    }
  });

  await t.test("what does not exist is a 404", async () => {
    for (const path of ["", "/messages", "/leads"]) {
      const { status, body } = await api.get(`/v1/campaigns/nothing${path}`);
      assert.deepEqual([status, body.error, body.success], [404, "Campaign not found", false], path);
    }
    for (const verb of ["pause", "resume"]) assert.equal((await api.post(`/v1/campaigns/nothing/${verb}`)).status, 404);
    assert.equal((await api.delete("/v1/campaigns/nothing")).status, 404);
  });
});
