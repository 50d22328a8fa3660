import assert from "node:assert/strict";
import { test } from "node:test";
import { wrongFields } from "#test/support/accounts/owner.ts";
import { startParley, until } from "#test/support/api/parley.ts";
import { aCampaign, aNoon, anAgent, SENDER } from "#test/support/campaigns/campaign.ts";

const PICTURES = ["https://cdn.example.com/house.jpg", "https://cdn.example.com/plan.png"];
const LONG = "Hi, this is Ava of Acme Homes, and here is the house that I told you about. ".repeat(4);
/** Answers nothing. */
const PHONE = "+12124440101";

test("pictures go with a campaign's first text, and have a price of their own", async (t) => {
  const api = await startParley(t, { PARLEY_PRICE_PER_SEGMENT: "0.01", PARLEY_PRICE_PER_PICTURE_TEXT: "0.025" }, [
    "api",
    "worker",
  ]);
  const noon = await aNoon(api);
  const agent = { starting_message: LONG, drip_schedule: [{ day: 2, message: "Still interested?" }] };
  const parts = await anAgent(api, agent);
  const body = {
    ...{ organization_id: parts.organizationId, user_id: parts.userId, sms_agent_id: parts.agentId },
    ...{ campaign_name: "Houses", svc_sms_number: SENDER, contacts: [{ phone_number: PHONE }] },
  };

  await t.test("what is no address of one is named, at create and at the preflight", async () => {
    const many = Array.from({ length: 11 }, (_, i) => `https://cdn.example.com/${i}.png`);
    for (const media_urls of [["http://a.example/a"], ["https://127.0.0.1/a"], ["https://a.example/a b"], [7], many])
      for (const path of ["/v1/campaigns", "/v1/campaigns/preflight"]) {
        const answer = await api.post(path, { ...body, media_urls });
        assert.equal(wrongFields(answer)[0]!.split(/[.[]/)[0], "media_urls", JSON.stringify(answer.body));
      }
  });

  await t.test("the preflight counts such a text as one message, at its price", async () => {
    const { preflight } = (await api.post("/v1/campaigns/preflight", { ...body, media_urls: PICTURES })).body;
    assert.deepEqual(preflight.segments, { starting_messages: 1, drips: 1, total: 2 });
    assert.deepEqual(preflight.cost, {
      amount: "0.035",
      currency: "USD",
      price_per_segment: "0.01",
      price_per_picture_text: "0.025",
    });
    const plain = (await api.post("/v1/campaigns/preflight", body)).body.preflight.cost;
    assert.deepEqual([plain.amount, plain.price_per_picture_text], ["0.03", null]);
  });

  await t.test("they go with the first text and no other, once the campaign begins", async () => {
    const begin = new Date(noon.getTime() + 600_000).toISOString();
    const { campaignId } = await aCampaign(api, {
      ...{ contacts: [{ phone_number: PHONE }], agent },
      campaign: { media_urls: [PICTURES[0]], campaign_begin_time: begin },
    });
    const path = `/v1/campaigns/${campaignId}`;
    const changed = await api.patch(path, { media_urls: PICTURES });
    assert.deepEqual([changed.status, changed.body.campaign.media_urls], [200, PICTURES]);
    assert.deepEqual(wrongFields(await api.patch(path, { media_urls: ["a"] })), ["media_urls"]);
    await api.post("/v1/simulator/clock", { advance_ms: 601_000 });
    const handset = `/v1/simulator/handsets/${encodeURIComponent(PHONE)}`;
    const [first] = await until("the text is there", async () => {
      const answer = await api.get(handset);
      return answer.status === 200 && answer.body.messages.length > 0 && answer.body.messages;
    });
    assert.deepEqual([first.text.trim(), first.media_urls], [LONG.trim(), PICTURES]);
    const { messages } = (await api.get(`${path}/messages`)).body;
    const start = messages.find(({ kind }: { kind: string }) => kind === "start");
    const drip = messages.find(({ kind }: { kind: string }) => kind === "drip");
    assert.deepEqual(
      [start.segments, start.media.map(({ url, status }: Record<string, string>) => [url, status]), drip.media],
      [1, PICTURES.map((url) => [url, "sent"]), []],
    );
    await until("it was sent", async () => (await api.get(`${path}/analytics`)).body.analytics.sent === 1);
    assert.equal((await api.get(`${path}/analytics`)).body.analytics.cost, "0.025");
    const { sending } = (await api.get("/v1/sending")).body;
    assert.equal(sending.spent_today, "0.025");
  });
});
