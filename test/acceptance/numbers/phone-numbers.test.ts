import assert from "node:assert/strict";
import { test } from "node:test";
import { anotherTenant } from "#test/support/accounts/tenant.ts";
import { startParley } from "#test/support/api/parley.ts";
import { anAgent } from "#test/support/campaigns/campaign.ts";

const PATH = "/v1/voice/phone-numbers";
const numberPath = (phone: string) => `${PATH}/${encodeURIComponent(phone)}`;

test("phone numbers", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const { organizationId, userId, agentId } = await anAgent(api);
  const owner = { organization_id: organizationId, user_id: userId };
  const agent = { agent_name: "Vi", prompt: "Ask.", agent_type: "voice", voice_id: "11labs-Adrian" };
  const voice = (await api.post("/v1/agents", { ...owner, ...agent })).body;
  const listed = async () =>
    (await api.get(`${PATH}?organization_id=${organizationId}`)).body.phone_numbers as Record<string, unknown>[];

  await t.test("one is given out at once, of the area code that was asked for", async () => {
    const { status, body } = await api.post(`${PATH}/create`, { area_code: "212", ...owner });
    assert.equal(status, 201);
    assert.match(body.phone_number, /^\+1212\d{7}$/);
    const [, exchange, line] = /^\+1212(\d{3})(\d{4})$/.exec(body.phone_number)!;
    assert.deepEqual(body, {
      success: true,
      phone_number: body.phone_number,
      phone_number_pretty: `(212) ${exchange}-${line}`,
      area_code: "212",
      phone_number_type: "svc-voice",
      powered_by: "Parley",
    });
    const [first] = await listed();
    assert.deepEqual(
      [first!.phone_number, first!.organization_id, first!.user_id, first!.agent_id],
      [body.phone_number, organizationId, userId, null],
    );
  });

  await t.test("Canada has them too, and an owner is not needed", async () => {
    const { status, body } = await api.post(`${PATH}/create`, { area_code: "604" });
    assert.deepEqual([status, body.area_code], [201, "604"]);
    const found = (await listed()).find((phoneNumber) => phoneNumber.phone_number === body.phone_number);
    assert.equal(found?.organization_id, null, "any organization may call from it");
  });

  await t.test("area_code is needed, and has to be one of the US or Canada", async () => {
    const missing = await api.post(`${PATH}/create`, owner);
    assert.deepEqual([missing.status, missing.body.details], [400, [{ field: "area_code", message: "is required" }]]);
    for (const area_code of ["555", "800", "21", "2125", "abc", "+44", "911"]) {
      const { status, body } = await api.post(`${PATH}/create`, { area_code });
      assert.deepEqual([status, body.details?.[0].field], [400, "area_code"], area_code);
    }
    assert.equal((await api.post(`${PATH}/create`, { area_code: 212 })).status, 400);
  });

  await t.test("an area code that is sold out is the 500 of its own", async () => {
    const { status, body } = await api.post(`${PATH}/create`, { area_code: "867" });
    assert.deepEqual([status, body.code, body.success], [500, "no_numbers_available", false]);
  });

  await t.test("an organization or user that is not there is a 404", async () => {
    const none = "org_00000000000000000000000001";
    const { status, body } = await api.post(`${PATH}/create`, { area_code: "212", organization_id: none });
    assert.deepEqual([status, body.error], [404, "Organization not found"]);
    const user_id = "usr_00000000000000000000000001";
    assert.equal((await api.post(`${PATH}/create`, { area_code: "212", user_id })).status, 404);
    assert.equal((await api.get(`${PATH}/search?area_code=212&organization_id=${none}`)).status, 404);
  });

  await t.test("a request that is repeated under its key buys one number", async () => {
    const before = (await listed()).length;
    const create = () =>
      api.request("POST", `${PATH}/create`, { area_code: "305", ...owner }, { headers: { "idempotency-key": "once" } });
    const [first, again] = [await create(), await create()];
    assert.equal(again.body.phone_number, first.body.phone_number);
    assert.equal((await listed()).length, before + 1);
  });

  await t.test("many at once are all different", async () => {
    const made = await Promise.all(
      Array.from({ length: 12 }, () => api.post(`${PATH}/create`, { area_code: "312", ...owner })),
    );
    assert.deepEqual(
      made.map((answer) => answer.status),
      made.map(() => 201),
    );
    assert.equal(new Set(made.map((answer) => answer.body.phone_number)).size, 12);
  });

  await t.test("numbers are found by area code and digits, and one that is bought is not offered again", async () => {
    const search = async (query: string) => (await api.get(`${PATH}/search?${query}`)).body;
    const found = await search("area_code=415&contains=77&limit=3");
    assert.equal(found.count, 3);
    for (const phoneNumber of found.phone_numbers) assert.match(phoneNumber.phone_number, /^\+1415\d*77/);
    const { phone_number } = found.phone_numbers[0];
    const bought = await api.post(`${PATH}/purchase`, { phone_number, ...owner });
    assert.deepEqual([bought.status, bought.body.phone_number], [201, phone_number]);
    const left = await search("area_code=415&contains=77&limit=500");
    assert.ok(
      left.phone_numbers.every((phoneNumber: { phone_number: string }) => phoneNumber.phone_number !== phone_number),
    );
    assert.ok((await search("limit=5")).count === 5, "without an area code: anywhere");
    assert.deepEqual((await search("area_code=867")).phone_numbers, []);
    const again = await api.post(`${PATH}/purchase`, { phone_number });
    assert.deepEqual([again.status, again.body.phone_number], [201, phone_number], "a repeat is safe");
    assert.equal((await listed()).filter((phoneNumber) => phoneNumber.phone_number === phone_number).length, 1);
  });

  await t.test("wrong searches and purchases are named", async () => {
    for (const query of ["area_code=555", "contains=abc", "contains=", "limit=0", "limit=501"]) {
      assert.equal((await api.get(`${PATH}/search?${query}`)).status, 400, query);
    }
    for (const phone_number of ["+12125550100", "nonsense", "911"]) {
      const { status, body } = await api.post(`${PATH}/purchase`, { phone_number });
      assert.deepEqual([status, body.details[0].field], [400, "phone_number"], phone_number);
    }
  });

  await t.test("a number is linked to a voice agent by either of its ids", async () => {
    const [{ phone_number } = {}] = await listed();
    for (const agent_id of [voice.agent_id, voice.voice_agent_id]) {
      const { status, body } = await api.post(`${numberPath(String(phone_number))}/update-agent`, { agent_id });
      assert.deepEqual([status, body.number.agent_id], [200, voice.agent_id]);
    }
    assert.equal((await listed())[0]!.agent_id, voice.agent_id);
  });

  await t.test("linking: agent_id is needed; one that is not there is the interface's 500", async () => {
    const [{ phone_number } = {}] = await listed();
    const path = `${numberPath(String(phone_number))}/update-agent`;
    assert.equal((await api.post(path, {})).status, 400);
    for (const agent_id of ["agt_00000000000000000000000001", "vagt_00000000000000000000000001", "nonsense"]) {
      const { status, body } = await api.post(path, { agent_id });
      assert.deepEqual([status, body.code, body.error], [500, "agent_not_found", "Agent not found"], agent_id);
    }
    const sms = await api.post(path, { agent_id: agentId });
    assert.deepEqual([sms.status, sms.body.details[0].field], [400, "agent_id"]);
    const other = await api.post(`${numberPath("+12125550100")}/update-agent`, { agent_id: voice.agent_id });
    assert.deepEqual([other.status, other.body.error], [404, "Phone number not found"]);
  });

  await t.test("an agent that is deleted answers its numbers no more", async () => {
    const [{ phone_number } = {}] = await listed();
    const other = (await api.post("/v1/agents", { ...owner, ...agent })).body;
    await api.post(`${numberPath(String(phone_number))}/update-agent`, { agent_id: other.agent_id });
    await api.delete(`/v1/agents/${other.agent_id}`);
    assert.equal((await listed())[0]!.agent_id, null);
  });

  await t.test("a number is given back, and may be had again", async () => {
    const { phone_number } = (await api.post(`${PATH}/create`, { area_code: "503", ...owner })).body;
    const gone = await api.delete(numberPath(phone_number));
    assert.deepEqual([gone.status, gone.body.phone_number], [200, phone_number]);
    assert.ok((await listed()).every((phoneNumber) => phoneNumber.phone_number !== phone_number));
    assert.equal((await api.delete(numberPath(phone_number))).status, 404);
    assert.equal((await api.post(`${PATH}/purchase`, { phone_number })).status, 201);
  });

  await t.test("a number that a campaign calls from is not given back", async () => {
    const { phone_number } = (await api.post(`${PATH}/create`, { area_code: "206", ...owner })).body;
    const campaign = await api.post("/v1/campaigns", {
      ...owner,
      campaign_name: "Spring",
      sms_agent_id: agentId,
      svc_sms_number: "+12125550100",
      contacts: [{ phone_number: "+12125550123" }],
      enable_sms_to_voice: true,
      voice_agent_id: voice.voice_agent_id,
      outbound_number: phone_number,
    });
    assert.equal(campaign.status, 202, JSON.stringify(campaign.body));
    const { status, body } = await api.delete(numberPath(phone_number));
    assert.deepEqual([status, body.code], [409, "conflict"]);
    await api.delete(`/v1/campaigns/${campaign.body.campaign_id}`);
    assert.equal((await api.delete(numberPath(phone_number))).status, 200);
  });

  await t.test("organization_id is needed to list them, and pages hold each once", async () => {
    assert.equal((await api.get(PATH)).status, 400);
    const all = (await listed()).map((phoneNumber) => phoneNumber.phone_number);
    const seen: unknown[] = [];
    let key: string | null = "";
    while (key !== null) {
      const more: string = key && `&pagination_key=${key}`;
      const { body } = await api.get(`${PATH}?organization_id=${organizationId}&limit=4${more}`);
      seen.push(...body.phone_numbers.map((phoneNumber: { phone_number: string }) => phoneNumber.phone_number));
      key = body.next_pagination_key;
    }
    assert.deepEqual(seen, all);
  });

  await t.test("another tenant has neither the numbers nor their agents", async () => {
    const other = await anotherTenant(api);
    const [{ phone_number } = {}] = await listed();
    assert.equal((await other.delete(numberPath(String(phone_number)))).status, 404);
    assert.equal((await other.get(`${PATH}?organization_id=${organizationId}`)).status, 404);
    const mine = (await other.post(`${PATH}/create`, { area_code: "212" })).body.phone_number;
    const linked = await other.post(`${numberPath(mine)}/update-agent`, { agent_id: voice.agent_id });
    assert.deepEqual([linked.status, linked.body.code], [500, "agent_not_found"]);
  });
});
