import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { workingNoon } from "#domain/compliance/holiday.ts";
import { wrongFields } from "#test/support/accounts/owner.ts";
import { anotherTenant } from "#test/support/accounts/tenant.ts";
import { startParley, until } from "#test/support/api/parley.ts";
import { aCampaign, aNoon, anAgent, SENDER } from "#test/support/campaigns/campaign.ts";
import { countsOf, importFile } from "#test/support/campaigns/import.ts";
import { ACCOUNT_SID, AUTH_TOKEN, startTwilio } from "#test/support/carriers/twilio/stand-in.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

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

/** A live tenant on Twilio's stand-in, whose number sends pictures. It is a working day's noon. */
async function aLiveTenant(t: TestContext) {
  const twilio = await startTwilio(t);
  twilio.addNumber(SENDER);
  const hosts = { "api.twilio.com": twilio.url, "messaging.twilio.com": twilio.url };
  const env = {
    PARLEY_PUBLIC_URL: "https://parley.example",
    PARLEY_CARRIER_HOSTS: JSON.stringify(hosts),
    PARLEY_LIVE_CLOCK: "moved",
  };
  const service = await startParley(t, env, ["api", "worker"]);
  const live = await anotherTenant(service, "live");
  const sql = await openClient(t, service.databaseUrl);
  const offsetMs = workingNoon(new Date()).getTime() - Date.now();
  await sql.query("update tenants set clock_offset_ms = $1 where mode = 'live'", [offsetMs]);
  const credentials = { account_sid: ACCOUNT_SID, auth_token: AUTH_TOKEN };
  const { carrier_id } = (await live.post("/v1/carriers", { name: "Main", kind: "twilio", credentials })).body.carrier;
  assert.equal((await live.post(`/v1/carriers/${carrier_id}/connect`, {})).status, 200);
  return { live, twilio };
}

test("each contact's own picture goes with its first text: from a file, and from the contacts of a campaign; a wrong address is named", async (t) => {
  const { live, twilio } = await aLiveTenant(t);
  const { organizationId, userId, agentId } = await anAgent(live);
  const owner = { organization_id: organizationId, user_id: userId };
  const own = (name: string) => `https://cdn.example.com/${name}.jpg`;
  const [ann, bob, cy, dee] = [0, 1, 2, 3].map((n) => `+1212444010${n}`) as [string, string, string, string];
  const file = [
    "phone,first_name,Media URL",
    `${ann},Ann,${own("ann")}`,
    `${bob},Bob,`,
    `${cy},Cy,http://cdn.example.com/cy.jpg`,
    `${dee},Dee,ftp://files`,
  ].join("\n");
  const imported = await importFile(live, owner, file);
  assert.deepEqual(countsOf(imported), [2, 0, 0, 2]);
  const { errors } = (await live.get(`/v1/contacts/imports/${imported.import_id}/errors`)).body;
  assert.deepEqual(
    errors.map(({ row, reason }: { row: number; reason: string }) => [row, reason]),
    [
      [4, "media_url must be an address that begins with https://"],
      [5, "media_url must be an address that begins with https://"],
    ],
  );
  const body = {
    ...{ campaign_name: "Houses", ...owner, sms_agent_id: agentId, svc_sms_number: SENDER },
    ...{ list_id: imported.list_id, media_urls: ["{{media_url}}"] },
  };
  const wrong = await live.post("/v1/campaigns", {
    ...body,
    contacts: [{ phone_number: cy, media_url: "https://localhost/a.jpg" }],
  });
  assert.deepEqual(wrongFields(wrong), ["contacts[0].media_url"], JSON.stringify(wrong.body));
  const twice = await live.post("/v1/campaigns", { ...body, media_urls: ["{{media_url}}", "{{media_url}}"] });
  assert.deepEqual(wrongFields(twice), ["media_urls"]);
  assert.deepEqual(wrongFields(await live.post("/v1/campaigns", { ...body, media_urls: ["{{photo}}"] })), [
    "media_urls",
  ]);
  const contacts = [{ phone_number: cy, first_name: "Cy", media_url: own("cy") }];
  const { preflight } = (await live.post("/v1/campaigns/preflight", { ...body, contacts })).body;
  // Two with a picture, one without.
  assert.equal(preflight.cost.amount, "0.07", JSON.stringify(preflight.cost));
  const made = await live.post("/v1/campaigns", { ...body, contacts });
  assert.equal(made.status, 202, JSON.stringify(made.body));
  await until("all three texts are at Twilio", async () => twilio.messages.length === 3);
  assert.deepEqual(
    new Map(twilio.messages.map(({ to, mediaUrls }) => [to, mediaUrls])),
    new Map([
      [ann, [own("ann")]],
      [bob, []],
      [cy, [own("cy")]],
    ]),
  );
  // What a person writes is sent as it is: there the name stands for nothing.
  const path = `/v1/sms/threads/${encodeURIComponent(`${ann}_${made.body.campaign_id}`)}/messages`;
  assert.deepEqual(wrongFields(await live.post(path, { text: "Hi", media_urls: ["{{media_url}}"] })), ["media_urls"]);
});
