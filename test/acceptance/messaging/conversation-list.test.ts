import assert from "node:assert/strict";
import { test } from "node:test";
import { wrongFields } from "#test/support/accounts/owner.ts";
import { startParley, until } from "#test/support/api/parley.ts";
import { aCampaign, aNoon, anAgent, type Made, SENDER } from "#test/support/campaigns/campaign.ts";
import { gets, quiet, says, textsTo, threadOf, threadPath } from "#test/support/messaging/handset.ts";

type Listed = { phone_number: string; needs_person: boolean; agent_awake: boolean; contact_name: string | null };

const CONTACTS = [
  { phone_number: "+12124521001", first_name: "Ann", last_name: "Lee" },
  { phone_number: "+12124521002", first_name: "Bo", last_name: "Stone" },
  { phone_number: "+12124521003", first_name: "Cy" },
  { phone_number: "+12124521004", first_name: "Leo" },
];
const [ANN, BO, CY, LEO] = CONTACTS.map((contact) => contact.phone_number) as [string, string, string, string];

test("conversations are listed", async (t) => {
  const api = await startParley(t);
  await aNoon(api);
  const first = await aCampaign(api, { contacts: CONTACTS, agent: { reply_delay_ms: 0 } });
  for (const { phone_number } of CONTACTS) await gets(api, phone_number, 1);

  const list = async (query: Record<string, string | number> = {}, of: Made = first) => {
    const search = new URLSearchParams({ organization_id: of.organizationId });
    for (const [name, value] of Object.entries(query)) search.set(name, String(value));
    const answer = await api.get(`/v1/sms/threads?${search}`);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.body as {
      threads: (Listed & Record<string, unknown>)[];
      has_more: boolean;
      next_pagination_key: string;
    };
  };
  const phones = async (query?: Record<string, string | number>) =>
    (await list(query)).threads.map((thread) => thread.phone_number);

  await t.test("who has never written is not among them, but is found by number", async () => {
    assert.deepEqual(await phones(), []);
    const { threads } = await list({ phone_number: "(212) 452-1003" });
    assert.deepEqual(
      threads.map((thread) => [thread.phone_number, thread.last_inbound_at, thread.needs_person]),
      [[CY, null, false]],
    );
  });

  await t.test("the one whose contact wrote last comes first, with its last text", async () => {
    await says(api, ANN, "Sure, what is it about?");
    await gets(api, ANN, 2);
    await says(api, BO, "STOP");
    await gets(api, BO, 2);
    await says(api, CY, "Who is this?");
    const answers = await gets(api, CY, 2);
    await quiet(api);
    const { threads } = await list();
    assert.deepEqual(
      threads.map((thread) => [thread.phone_number, thread.contact_name, thread.state, thread.needs_person]),
      [
        [CY, "Cy", "replied", false],
        [BO, "Bo Stone", "opted_out", false],
        [ANN, "Ann Lee", "replied", false],
      ],
    );
    assert.deepEqual(threads[0]!.last_message, { direction: "outbound", kind: "reply", text: answers[1] });
    assert.equal(threads[0]!.thread_id, `${CY}_${first.campaignId}`);
    assert.deepEqual([threads[0]!.campaign_id, threads[0]!.campaign_name], [first.campaignId, "Test"]);
  });

  await t.test("pages hold each once, and end", async () => {
    const seen: string[] = [];
    let key: string | undefined;
    do {
      const page = await list({ limit: 1, ...(key ? { pagination_key: key } : {}) });
      seen.push(...page.threads.map((thread) => thread.phone_number));
      key = page.has_more ? page.next_pagination_key : undefined;
    } while (key);
    assert.deepEqual(seen, [CY, BO, ANN]);
  });

  await t.test(
    "conversations that a person has taken over are distinguished from those that wait for one",
    async () => {
      await api.post(`${threadPath(ANN, first.campaignId)}/messages`, { text: "Uma here." });
      await gets(api, ANN, 3);
      assert.deepEqual(await phones({ attention: "taken_over" }), [ANN]);
      assert.deepEqual(await phones({ attention: "needs_person" }), []);
      await says(api, ANN, "Hello Uma");
      await until("it waits for a person", async () => (await phones({ attention: "needs_person" })).includes(ANN));
      assert.deepEqual(await phones({ attention: "needs_person" }), [ANN]);
      await api.post(`${threadPath(ANN, first.campaignId)}/resume-agent`);
      await gets(api, ANN, 4);
      await quiet(api);
      assert.deepEqual(await phones({ attention: "needs_person" }), []);
      assert.deepEqual(await phones({ attention: "taken_over" }), []);
      assert.equal((await threadOf(api, ANN, first.campaignId)).agent_awake, true);
    },
  );

  await t.test("a conversation is taken over without a text, and its pending answer waits for a person", async () => {
    const paused = await api.post(`${threadPath(CY, first.campaignId)}/pause-agent`);
    assert.deepEqual([paused.status, paused.body.thread.agent_awake], [200, false]);
    await says(api, CY, "Are you there?");
    await until("it waits for a person", async () => (await phones({ attention: "needs_person" })).includes(CY));
    await quiet(api);
    const before = (await textsTo(api, CY)).length;
    await api.post(`${threadPath(CY, first.campaignId)}/resume-agent`);
    await gets(api, CY, before + 1);
    const never = await api.post(`${threadPath("+12125550177", first.campaignId)}/pause-agent`);
    assert.equal(never.status, 404);
  });

  await t.test("state, name and campaign narrow it, together", async () => {
    assert.deepEqual(await phones({ state: "opted_out" }), [BO]);
    assert.deepEqual(await phones({ name: "lee" }), [ANN]);
    assert.deepEqual(await phones({ name: "o stone" }), [BO]);
    assert.deepEqual(await phones({ name: "nobody" }), []);
    const { agentId, organizationId, userId } = first;
    const owner = { organization_id: organizationId, user_id: userId };
    const second = await api.post("/v1/campaigns", {
      ...owner,
      campaign_name: "Second",
      sms_agent_id: agentId,
      svc_sms_number: SENDER,
      contacts: [{ phone_number: LEO, first_name: "Leo" }],
    });
    assert.equal(second.status, 202, JSON.stringify(second.body));
    await gets(api, LEO, 2);
    await says(api, LEO, "Yes please");
    await gets(api, LEO, 3);
    const ofSecond = { campaign_id: second.body.campaign_id as string };
    assert.deepEqual(await phones(ofSecond), [LEO]);
    assert.deepEqual(await phones({ ...ofSecond, state: "opted_out" }), []);
    assert.deepEqual(await phones({ campaign_id: first.campaignId, name: "LEE" }), [ANN]);
    assert.equal((await list({ phone_number: LEO })).threads.length, 2);
  });

  await t.test("words of a text find its conversation, as a name does, and the text is shown", async () => {
    const found = async (search: string, more: Record<string, string> = {}) =>
      (await list({ search, ...more })).threads.map((thread) => [thread.phone_number, thread.matching_text]);
    assert.deepEqual(await found(" what IS it about"), [[ANN, "Sure, what is it about?"]]);
    assert.deepEqual(await found("stone"), [[BO, null]]);
    assert.deepEqual(await found("yes please"), [[LEO, "Yes please"]]);
    assert.deepEqual(await found("yes please", { campaign_id: first.campaignId }), []);
    assert.deepEqual(await found("who is this", { status: "opted_out" }), []);
    assert.deepEqual(await found("what % about"), []);
    assert.ok((await list()).threads.every((thread) => thread.matching_text === null));
  });

  await t.test("another organization has none of it", async () => {
    const other = await anAgent(api);
    assert.deepEqual((await list({}, { ...first, ...other })).threads, []);
    assert.deepEqual((await list({ search: "what is it about" }, { ...first, ...other })).threads, []);
    const path = `/v1/sms/threads?organization_id=${other.organizationId}&campaign_id=${first.campaignId}`;
    assert.equal((await api.get(path)).status, 404);
  });

  await t.test("a wrong filter is named", async () => {
    const at = `/v1/sms/threads?organization_id=${first.organizationId}`;
    for (const [query, field] of [
      ["attention=soon", "attention"],
      ["phone_number=12", "phone_number"],
      ["name=%20", "name"],
      ["search=%20", "search"],
      ["pagination_key=abc", "pagination_key"],
      ["pagination_key=12.abc", "pagination_key"],
      ["pagination_key=99999999999999.abc", "pagination_key"],
    ] as const) {
      const answer = await api.get(`${at}&${query}`);
      assert.deepEqual([answer.status, wrongFields(answer)], [400, [field]], query);
    }
  });
});

test("phones that have had anything are listed by their numbers, in pages", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const path = (phone: string) => `/v1/simulator/handsets/${encodeURIComponent(phone)}`;
  await api.post(`${path("+12125550103")}/messages`, { to: SENDER, text: "Hello" });
  await api.post(`${path("+12125550102")}/calls`, { to: SENDER });
  await api.put(path("+12125550101"), { behavior: "busy" });
  const { body } = await api.get("/v1/simulator/handsets?limit=2");
  assert.deepEqual(
    body.handsets.map((handset: Record<string, unknown>) => [
      handset.phone_number,
      handset.behavior,
      handset.last_call_at !== null,
    ]),
    [
      ["+12125550101", "busy", false],
      ["+12125550102", null, true],
    ],
  );
  const rest = await api.get(
    `/v1/simulator/handsets?limit=2&pagination_key=${encodeURIComponent(body.next_pagination_key)}`,
  );
  assert.deepEqual([rest.body.count, rest.body.has_more], [1, false]);
  assert.equal(rest.body.handsets[0].phone_number, "+12125550103");
  const wrong = await api.get("/v1/simulator/handsets?pagination_key=abc");
  assert.deepEqual([wrong.status, wrongFields(wrong)], [400, ["pagination_key"]]);
});
