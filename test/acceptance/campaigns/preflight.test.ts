import assert from "node:assert/strict";
import { test } from "node:test";
import { wrongFields } from "#test/support/accounts/owner.ts";
import { type Parley, startParley } from "#test/support/api/parley.ts";
import { aCampaign, aNoon, anAgent, type Made, SENDER } from "#test/support/campaigns/campaign.ts";
import { aBrand, aTenDlcCampaign } from "#test/support/campaigns/ten-dlc.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

/** Seven seconds on two quiet cores; row by row it would be minutes. */
const HANG_GUARD = { timeout: 180_000 };

const AGENT = {
  starting_message: "Hi {{first_name}}, it is Ava from Acme in {{city}}.",
  drip_schedule: [{ day: 2, message: "Still interested, {{first_name}}?" }],
};
const ann = (n: number, more: object = {}) => ({
  phone_number: `+1212444${String(n).padStart(4, "0")}`,
  first_name: `Ann${n}`,
  city: "Reno",
  ...more,
});
type Parts = Pick<Made, "organizationId" | "userId" | "agentId">;
const bodyOf = (parts: Parts, contacts: unknown, more: object = {}) => ({
  campaign_name: "Spring",
  organization_id: parts.organizationId,
  user_id: parts.userId,
  sms_agent_id: parts.agentId,
  svc_sms_number: SENDER,
  contacts,
  ...more,
});

/** How many rows each table has, but for what any request leaves. */
async function rowsOf(t: Parameters<typeof openClient>[0], api: Parley): Promise<string> {
  const client = await openClient(t, api.databaseUrl);
  const tables =
    "campaigns contacts threads messages consents attempts lanes campaign_counts brand_day_uses holds".split(" ");
  const counts = tables.map((name) => `(select count(*) from ${name}) as ${name}`);
  const { rows } = await client.query(
    `select ${counts.join(", ")}, (select count(*) from graphile_worker._private_jobs) as jobs`,
  );
  return JSON.stringify(rows[0]);
}

test("the preflight of a create body", async (t) => {
  const api = await startParley(t, { PARLEY_PRICE_PER_SEGMENT: "0.0083" }, ["api"]);
  await aNoon(api);
  const parts = await anAgent(api, AGENT);
  const preflight = (contacts: unknown, more: object = {}) =>
    api.post("/v1/campaigns/preflight", bodyOf(parts, contacts, more));

  await t.test("it reports who would be skipped, and why", async () => {
    await api.post("/v1/dnc/add", { phone_number: ann(3).phone_number });
    const contacts = [
      ...[0, 1, 2, 3].map((n) => ann(n)),
      ann(0, { city: "Elko" }),
      { phone_number: "123", first_name: "Bob" },
      { first_name: "Nobody" },
      ann(4, { first_name: "" }),
      { phone_number: ann(5).phone_number },
    ];
    const { status, body } = await preflight(contacts);
    assert.equal(status, 200, JSON.stringify(body));
    const answer = body.preflight;
    assert.deepEqual(answer.recipients, { total: 9, will_be_texted: 3, skipped: 6 });
    assert.deepEqual(answer.skips, { invalid_number: 2, missing_variable: 2, duplicate: 1, do_not_call: 1 });
    assert.deepEqual(answer.missing_variables, { first_name: 2, city: 1 });
    assert.deepEqual(answer.texts, { starting_messages: 3, drips: 3 });
    assert.deepEqual(answer.segments, { starting_messages: 3, drips: 3, total: 6 });
    assert.deepEqual(answer.cost, {
      amount: "0.0498",
      currency: "USD",
      price_per_segment: "0.0083",
      price_per_picture_text: null,
    });
    assert.equal(answer.samples[0].text, "Hi Ann0, it is Ava from Acme in Reno.");
    assert.deepEqual(answer.warnings, ["unregistered_sender"]);
  });

  await t.test("an opt-out is found, also one that outlived its contact's erasure", async () => {
    const owner = { organization_id: parts.organizationId, user_id: parts.userId };
    const list = { list_name: "Known", ...owner, contacts: [ann(10), ann(11)] };
    const { leads } = (await api.post("/v1/contacts/lists", list)).body;
    const client = await openClient(t, api.databaseUrl);
    await client.query(
      `insert into consents (tenant_id, phone, opted_out_at, opt_out_source)
       select id, phone, now(), 'keyword' from tenants cross join unnest($1::text[]) as phone where mode = 'test'
       on conflict (tenant_id, phone) do update set opted_out_at = excluded.opted_out_at`,
      [[ann(10).phone_number, ann(11).phone_number]],
    );
    const erased = leads.find((lead: { phone_number: string }) => lead.phone_number === ann(11).phone_number);
    assert.equal((await api.delete(`/v1/contacts/leads/${erased.unique_id}`)).status, 200);
    assert.equal((await client.query("select from consents where phone = $1", [ann(11).phone_number])).rowCount, 0);
    const { body } = await preflight([ann(10), ann(11), ann(12)]);
    assert.deepEqual(body.preflight.skips, { opted_out: 2 });
  });

  await t.test("what the organization's contacts are known by fills gaps in the body", async () => {
    await api.post("/v1/contacts/lists", {
      list_name: "Known",
      organization_id: parts.organizationId,
      user_id: parts.userId,
      contacts: [ann(20, { city: "Ely" })],
    });
    const { body } = await preflight([{ phone_number: ann(20).phone_number, first_name: "Zoe" }]);
    assert.equal(body.preflight.samples[0].text, "Hi Zoe, it is Ava from Acme in Ely.");
  });

  await t.test("hours are reported by time zone, with the next opening of each", async () => {
    const contacts = [ann(30), ann(31, { state: "HI" }), ann(32, { time_zone: "Pacific/Honolulu" })];
    const { hours, zones, forecast } = (await preflight(contacts)).body.preflight;
    assert.equal(hours.open_now, 1);
    assert.equal(
      hours.held.reduce((sum: number, group: { recipients: number }) => sum + group.recipients, 0),
      2,
    );
    assert.ok(
      hours.held.every((group: { opens_at: string }) => Date.parse(group.opens_at) > Date.parse(forecast.starts_at)),
    );
    const hawaii = zones.filter((zone: { time_zones: string[] }) => zone.time_zones.includes("Pacific/Honolulu"));
    assert.ok(
      hawaii.length > 0 &&
        hawaii.every((zone: { open_now: number; opens_at: string }) => zone.open_now === 0 && zone.opens_at),
    );
    const latest = hours.held
      .map((group: { opens_at: string }) => group.opens_at)
      .sort()
      .at(-1);
    assert.equal(forecast.starting_messages_finish_at, latest);
    assert.equal(Date.parse(forecast.finish_at) - Date.parse(latest), 2 * 86_400_000, "with the last drip");
    assert.equal(forecast.limited_by, "calling_hours");
  });

  await t.test("a begin in the future is what it counts from, and an end that comes too early is said", async () => {
    const now = Date.parse((await api.get("/v1/simulator/clock")).body.now);
    const begin = new Date(now + 7 * 86_400_000).toISOString();
    const later = (await preflight([ann(40)], { campaign_begin_time: begin })).body.preflight;
    assert.equal(later.forecast.starts_at, begin);
    const end = new Date(now + 60_000).toISOString();
    const short = (await preflight([ann(41, { time_zone: "Pacific/Honolulu" })], { campaign_end_time: end })).body
      .preflight;
    assert.ok(short.warnings.includes("ends_before_it_is_done"));
  });

  await t.test("a body that create refuses is refused alike", async () => {
    assert.deepEqual(
      wrongFields(await api.post("/v1/campaigns/preflight", {})),
      wrongFields(await api.post("/v1/campaigns", {})),
    );
    for (const more of [
      { sms_agent_id: "agt_x" },
      { svc_sms_number: "nope" },
      { calling_window: { start: "9", end: "10", days: [1] } },
    ]) {
      const [refused, create] = [
        await preflight([ann(50)], more),
        await api.post("/v1/campaigns", bodyOf(parts, [ann(50)], more)),
      ];
      assert.deepEqual([refused.status, refused.body.error], [create.status, create.body.error]);
    }
    const many = await preflight(Array(100_001).fill({}));
    assert.deepEqual([many.status, many.body.code], [413, "payload_too_large"]);
    assert.equal((await preflight("x")).status, 400);
  });

  await t.test("it writes nothing", async () => {
    const before = await rowsOf(t, api);
    const contacts = Array.from({ length: 50 }, (_, i) => ann(100 + i));
    assert.equal((await preflight(contacts)).status, 200);
    assert.equal(await rowsOf(t, api), before);
  });
});

test("a preflight reports the sender's registration, its budgets and who shares them", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  await aNoon(api);
  const brandId = await aBrand(api);
  const tenDlc = await aTenDlcCampaign(api, { brandId, useCase: "LOW_VOLUME", numbers: [SENDER] });
  const parts = await anAgent(api, { starting_message: "Hello." });
  const contacts = Array.from({ length: 5_000 }, (_, i) => ({ phone_number: `+1212${4_440_000 + i}` }));
  const alone = (await api.post("/v1/campaigns/preflight", bodyOf(parts, contacts))).body.preflight;
  assert.deepEqual(alone.warnings, []);
  assert.deepEqual(
    [
      alone.sender.ten_dlc_campaign_id,
      alone.sender.brand_id,
      alone.sender.segments_left_today,
      alone.sender.segments_per_day,
    ],
    [tenDlc, brandId, 1_800, 1_800],
  );
  const days = (preflight: { forecast: { starts_at: string; starting_messages_finish_at: string } }) =>
    (Date.parse(preflight.forecast.starting_messages_finish_at) - Date.parse(preflight.forecast.starts_at)) /
    86_400_000;
  assert.ok(days(alone) > 1.5 && days(alone) < 4, `${days(alone)} days`);
  await api.post("/v1/campaigns", bodyOf(parts, contacts.slice(0, 50)));
  const beside = (await api.post("/v1/campaigns/preflight", bodyOf(parts, contacts))).body.preflight;
  assert.ok(days(beside) > days(alone) + 1, `${days(beside)} days beside another`);
});

test("the preflight of a stored campaign reports what it still has to do, and changes nothing", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  await aNoon(api);
  const contacts = Array.from({ length: 30 }, (_, i) => ann(i, i === 7 ? { city: "" } : {}));
  const { campaignId } = await aCampaign(api, { contacts, agent: AGENT });
  await api.post(`/v1/campaigns/${campaignId}/pause`);
  await api.post("/v1/dnc/add", { phone_number: ann(8).phone_number });
  const before = await rowsOf(t, api);
  const { status, body } = await api.post(`/v1/campaigns/${campaignId}/preflight`);
  assert.equal(status, 200, JSON.stringify(body));
  const answer = body.preflight;
  assert.equal(answer.recipients.will_be_texted, 28);
  assert.deepEqual(answer.missing_variables, { city: 1 });
  assert.equal(answer.hours.open_now, 28, "as if it were not paused");
  assert.equal(answer.samples.length, 20);
  assert.match(answer.samples[0].text, /^Hi Ann\d+, it is Ava from Acme in Reno\.$/);
  assert.equal(await rowsOf(t, api), before);
  assert.equal((await api.post("/v1/campaigns/nonsense/preflight")).status, 404);
  await api.delete(`/v1/campaigns/${campaignId}`);
  assert.equal((await api.post(`/v1/campaigns/${campaignId}/preflight`)).status, 404);
});

test("100,000 contacts are looked through in seconds, and nobody waits for it", HANG_GUARD, async (t) => {
  const api = await startParley(t, {}, ["api"]);
  await aNoon(api);
  const parts = await anAgent(api, AGENT);
  const contacts = Array.from({ length: 100_000 }, (_, i) => ({
    phone_number: `+1${["212", "312", "415", "808", "205"][i % 5]}${4_440_000 + i}`,
    first_name: `Ann${i}`,
    city: "Reno",
  }));
  const body = JSON.stringify(bodyOf(parts, contacts));
  let done = false;
  const asked = api.post("/v1/campaigns/preflight", body).finally(() => {
    done = true;
  });
  // Some hundred are answered meanwhile; of an api that stands still until it is through, one or two.
  let others = 0;
  for (; !done; others++) assert.equal((await api.get("/v1/me")).status, 200);
  const answer = await asked;
  assert.equal(answer.status, 200, JSON.stringify(answer.body).slice(0, 300));
  assert.equal(answer.body.preflight.recipients.total, 100_000);
  t.diagnostic(`${others} other requests were answered meanwhile`);
  assert.ok(others >= 10, `${others} others`);
});
