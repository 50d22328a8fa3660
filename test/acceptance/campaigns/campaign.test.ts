import assert from "node:assert/strict";
import { test } from "node:test";
import { startParley, until } from "#test/support/api/parley.ts";
import { aCampaign, aNoon } from "#test/support/campaigns/campaign.ts";

test("a campaign texts every contact once, and completes when all are delivered", async (t) => {
  const api = await startParley(t);
  await aNoon(api);
  const contacts = Array.from({ length: 250 }, (_, i) => ({
    phone_number: `+1212444${1000 + i}`,
    first_name: `N${i}`,
  }));
  const { campaignId } = await aCampaign(api, { contacts, agent: { starting_message: "Hi {{first_name}}" } });

  const campaign = await until("the campaign completes", async () => {
    const { body } = await api.get(`/v1/campaigns/${campaignId}`);
    return body.campaign.status === "completed" && body.campaign;
  });

  assert.equal(campaign.counts.delivered, 250);
  const { body: traffic } = await api.get(`/v1/simulator/traffic?campaign_id=${campaignId}`);
  assert.deepEqual(
    {
      accepted: traffic.accepted,
      distinct: traffic.distinct,
      duplicates: traffic.duplicates,
      outside: traffic.outside_window,
    },
    { accepted: 250, distinct: 250, duplicates: 0, outside: 0 },
  );
  const { body: handset } = await api.get(`/v1/simulator/handsets/${encodeURIComponent("+12124441007")}`);
  assert.deepEqual(
    handset.messages.map((message: { text: string }) => message.text),
    ["Hi N7"],
  );
});

test("a handset that texts STOP gets one confirmation and nothing more", async (t) => {
  const api = await startParley(t);
  await aNoon(api);
  const phone = "+12125550123";
  const { campaignId } = await aCampaign(api, {
    contacts: [{ phone_number: phone, first_name: "Ann" }],
    agent: { drip_schedule: [{ day: 1, message: "Still there, {{first_name}}?" }] },
  });

  const thread = await until("the recipient has opted out and got the confirmation", async () => {
    const { body } = await api.get(`/v1/sms/threads/${encodeURIComponent(phone)}_${campaignId}`);
    const done = body.thread.messages.some(
      (message: { kind: string; state: string }) => message.kind === "confirmation" && message.state === "delivered",
    );
    return done && body.thread;
  });

  assert.equal(thread.state, "opted_out");
  const drip = thread.messages.find((message: { kind: string }) => message.kind === "drip");
  assert.deepEqual([drip.state, drip.reason], ["suppressed", "opted_out"]);
  const { body: traffic } = await api.get("/v1/simulator/traffic");
  assert.equal(traffic.after_opt_out, 0);
});

test("an agent answers what a contact writes, and the fields are extracted with evidence", async (t) => {
  const api = await startParley(t);
  await aNoon(api);
  const phone = "+12124440001";
  const { campaignId, sender } = await aCampaign(api, {
    contacts: [{ phone_number: phone, first_name: "Ann" }],
    agent: { extraction_fields: ["email"], reply_delay_ms: 0 },
  });
  await until("the starting message is there", async () => {
    const { body } = await api.get(`/v1/simulator/handsets/${encodeURIComponent(phone)}`);
    return body.messages.length === 1;
  });

  await api.post(`/v1/simulator/handsets/${encodeURIComponent(phone)}/messages`, {
    to: sender,
    text: "Sure, my email is ann@example.com",
  });

  const handset = await until("the agent has answered", async () => {
    const { body } = await api.get(`/v1/simulator/handsets/${encodeURIComponent(phone)}`);
    return body.messages.length >= 3 && body;
  });
  assert.equal(handset.messages.length, 3);
  const extraction = await until("the extraction is there", async () => {
    const { body } = await api.get(`/v1/sms/extractions/${encodeURIComponent(phone)}_${campaignId}`);
    return body.extraction;
  });
  assert.equal(extraction.extracted_fields.email, "ann@example.com");
  assert.match(extraction.evidence.email.quote, /ann@example\.com/);
});
