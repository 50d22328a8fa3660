import assert from "node:assert/strict";
import { request } from "node:http";
import { test } from "node:test";
import { parse } from "csv-parse/sync";
import { wrongFields } from "#test/support/accounts/owner.ts";
import { anotherTenant } from "#test/support/accounts/tenant.ts";
import { type Answer, startParley } from "#test/support/api/parley.ts";
import { aNoon, anAgent, SENDER } from "#test/support/campaigns/campaign.ts";
import { campaignIs, campaignOf, gets, moveClock, quiet, textsTo, traffic } from "#test/support/messaging/handset.ts";

const NOBODY = "00000000000000000000000000";

test("creating an SMS campaign", async (t) => {
  const api = await startParley(t);
  const noon = await aNoon(api);
  const parts = await anAgent(api);
  let n = 0;
  const phone = () => `+1212444${1000 + n++}`;
  const head = {
    campaign_name: "Spring",
    organization_id: parts.organizationId,
    user_id: parts.userId,
    sms_agent_id: parts.agentId,
    svc_sms_number: SENDER,
  };
  const body = (more: object = {}) => ({ ...head, contacts: [{ phone_number: phone() }], ...more });
  const create = (more: object = {}): Promise<Answer> => api.post("/v1/campaigns", body(more));
  const voiceOwner = { organization_id: parts.organizationId, user_id: parts.userId };
  const voice = (
    await api.post("/v1/agents", {
      agent_type: "voice",
      agent_name: "Vic",
      prompt: "Sell",
      voice_id: "alloy",
      ...voiceOwner,
    })
  ).body;

  await t.test("it answers 202 with the documented fields", async () => {
    const { status, body: answer } = await create();
    assert.equal(status, 202);
    const { campaign_id, details, ...rest } = answer;
    assert.deepEqual(rest, { success: true, status: "processing", left_out: [], powered_by: "Parley" });
    assert.match(campaign_id, /^sms_campaign_[0-9a-hjkmnp-tv-z]{26}$/);
    assert.deepEqual(details, { total_contacts: 1, voice_transfer_enabled: false, contacts_skipped: 0 });
  });

  await t.test("every missing field is named, and all at once", async () => {
    const answer = await api.post("/v1/campaigns", {});
    assert.equal(answer.status, 400);
    assert.equal(answer.body.code, "invalid_request");
    assert.deepEqual(wrongFields(answer).sort(), [...Object.keys(head), "contacts"].sort());
    for (const field of Object.keys(head)) {
      const { status, body: one } = await create({ [field]: undefined });
      assert.deepEqual([status, one.details.map((detail: { field: string }) => detail.field)], [400, [field]]);
    }
  });

  await t.test("types are strict: nothing is coerced", async () => {
    const wrong = { campaign_name: 5, svc_sms_number: 12125550100, enable_sms_to_voice: "true", contacts: {} };
    const answer = await create(wrong);
    assert.equal(answer.status, 400);
    assert.deepEqual(wrongFields(answer).sort(), Object.keys(wrong).sort());
    const contacts = ["+12125550123", { phone_number: 12125550123 }, { phone_number: phone(), tags: ["a"] }];
    assert.deepEqual(wrongFields(await create({ contacts })), [
      "contacts[0]",
      "contacts[1].phone_number",
      "contacts[2].tags",
    ]);
    assert.deepEqual(wrongFields(await create({ campaign_name: "  " })), ["campaign_name"]);
  });

  await t.test("a chosen campaign_id is taken, and one of a wrong form refused", async () => {
    const chosen = `A-z_0.9:${"x".repeat(92)}`;
    const { body: answer } = await create({ campaign_id: chosen });
    assert.equal(answer.campaign_id, chosen);
    assert.equal((await campaignOf(api, chosen)).campaign_id, chosen);
    for (const wrong of ["", "a b", "a/b", "ä", "x".repeat(101), 7, null]) {
      assert.deepEqual(wrongFields(await create({ campaign_id: wrong })), ["campaign_id"], String(wrong));
    }
  });

  await t.test("the same create again answers the same and does nothing new", async () => {
    const first = body({ campaign_id: "again" });
    const made = await api.post("/v1/campaigns", first);
    assert.equal(made.status, 202);
    // In another order of keys, and with leads added meanwhile.
    await api.post("/v1/campaigns/again/leads", { clients: [{ phone_number: phone() }] });
    const repeated = await api.post("/v1/campaigns", Object.fromEntries(Object.entries(first).reverse()));
    assert.equal(repeated.status, 202);
    assert.deepEqual(repeated.body, made.body);
    await campaignIs(api, "again", "completed");
    const { accepted, duplicates } = await traffic(api, "again");
    assert.deepEqual([accepted, duplicates], [2, 0]);
  });

  await t.test("the same campaign_id with another body is a 409", async () => {
    await create({ campaign_id: "taken" });
    const { status, body: answer } = await create({ campaign_id: "taken", campaign_name: "Other" });
    assert.deepEqual([status, answer.code], [409, "conflict"]);
  });

  await t.test("creates of the same id at once make one campaign", async () => {
    const same = body({ campaign_id: "raced" });
    const answers = await Promise.all(Array.from({ length: 5 }, () => api.post("/v1/campaigns", same)));
    assert.deepEqual(new Set(answers.map((answer) => answer.status)), new Set([202]));
    assert.equal(new Set(answers.map((answer) => JSON.stringify(answer.body))).size, 1);
    await campaignIs(api, "raced", "completed");
    assert.equal((await traffic(api, "raced")).accepted, 1);
  });

  await t.test("another tenant may use the same campaign_id", async () => {
    const other = await anotherTenant(api);
    await aNoon(other);
    const theirs = await anAgent(other);
    await create({ campaign_id: "shared" });
    const { status } = await other.post("/v1/campaigns", {
      ...body({ campaign_id: "shared" }),
      organization_id: theirs.organizationId,
      user_id: theirs.userId,
      sms_agent_id: theirs.agentId,
    });
    assert.equal(status, 202);
  });

  await t.test("what it names has to exist", async () => {
    for (const [field, prefix, what] of [
      ["organization_id", "org", "Organization"],
      ["user_id", "usr", "User"],
      ["sms_agent_id", "agt", "Agent"],
    ] as const) {
      const { status, body: answer } = await create({ [field]: `${prefix}_${NOBODY}` });
      assert.deepEqual([status, answer.error], [404, `${what} not found`]);
      assert.equal((await create({ [field]: "nonsense" })).status, 404);
    }
  });

  await t.test("SMS not enabled: a voice agent, a sender that is no number, a live key without a carrier", async () => {
    const codeOf = async (more: object) => {
      const { status, body: answer } = await create(more);
      return [status, answer.code];
    };
    assert.deepEqual(await codeOf({ sms_agent_id: voice.agent_id }), [400, "sms_not_enabled"]);
    assert.deepEqual(await codeOf({ svc_sms_number: "911" }), [400, "sms_not_enabled"]);
    assert.deepEqual(await codeOf({ svc_sms_number: "ACME" }), [400, "sms_not_enabled"]);
    const live = await anotherTenant(api, "live");
    const theirs = await anAgent(live);
    const { status, body: answer } = await live.post("/v1/campaigns", {
      ...body(),
      organization_id: theirs.organizationId,
      user_id: theirs.userId,
      sms_agent_id: theirs.agentId,
    });
    assert.deepEqual([status, answer.code], [400, "sms_not_enabled"]);
  });

  await t.test("an agent without a starting message cannot start", async () => {
    const silent = await anAgent(api, { starting_message: undefined });
    assert.deepEqual(
      wrongFields(
        await create({
          organization_id: silent.organizationId,
          user_id: silent.userId,
          sms_agent_id: silent.agentId,
        }),
      ),
      ["sms_agent_id"],
    );
  });

  await t.test("enable_sms_to_voice needs a voice agent and a number to call from", async () => {
    const calls = { enable_sms_to_voice: true, voice_agent_id: voice.voice_agent_id, outbound_number: "+12125550199" };
    const { status, body: answer } = await create(calls);
    assert.deepEqual([status, answer.details.voice_transfer_enabled], [202, true]);
    assert.deepEqual(wrongFields(await create({ ...calls, voice_agent_id: undefined })), ["voice_agent_id"]);
    assert.deepEqual(wrongFields(await create({ ...calls, outbound_number: undefined })), ["outbound_number"]);
    assert.deepEqual(wrongFields(await create({ ...calls, outbound_number: "911" })), ["outbound_number"]);
    assert.equal((await create({ ...calls, voice_agent_id: `vagt_${NOBODY}` })).status, 404);
    const off = await create({ enable_sms_to_voice: false, voice_agent_id: "unused" });
    assert.deepEqual([off.status, off.body.details.voice_transfer_enabled], [202, false]);
  });

  await t.test("contacts: none is a 400, and so are contacts and lists with nobody who can be contacted", async () => {
    assert.deepEqual(wrongFields(await create({ contacts: [] })), ["contacts"]);
    const unusable = [{ first_name: "No phone" }, { phone_number: "" }, { phone_number: "911" }, { phone_number: "x" }];
    const none = await create({ contacts: unusable });
    assert.deepEqual(
      [none.status, none.body.code, none.body.error, wrongFields(none)],
      [400, "invalid_request", "contacts has nobody who can be contacted: the first has no phone_number", ["contacts"]],
    );
    const own = await create({ contacts: [{ phone_number: SENDER }] });
    assert.match(own.body.error, /the first is a number of the campaign's own/);
    const { list_id } = (await api.post("/v1/contacts/lists", { list_name: "Empty", ...voiceOwner, contacts: [] }))
      .body;
    const empty = await create({ contacts: undefined, list_id });
    assert.deepEqual([empty.status, empty.body.error], [400, "list_id names nobody who can be contacted"]);
    const { campaign_id } = (await create()).body;
    const source = { campaign_id, state: "failed" };
    assert.deepEqual(wrongFields(await create({ contacts: undefined, from_campaign: source })), ["from_campaign"]);
  });

  await t.test(
    "contacts that are left out are listed with index, value and reason, in the answer, in its repetition and later",
    async () => {
      const wanted = {
        campaign_id: "left-out",
        contacts: [
          { phone_number: "(212) 444-9001", first_name: "Ann", email: "ann@example.com" },
          { first_name: "No phone" },
          { phone_number: "911" },
          { phone_number: "+1 212 444 9001", first_name: "Bo", city: "Reno" },
          { phone_number: SENDER },
        ],
      };
      const preflight = await api.post("/v1/campaigns/preflight", body(wanted));
      const made = await create(wanted);
      assert.equal(made.status, 202);
      assert.deepEqual([made.body.details.total_contacts, made.body.details.contacts_skipped], [1, 4]);
      const of = (index: number, value: string | null, reason: string, error: string, duplicate_of: number | null) => ({
        index,
        value,
        reason,
        error,
        duplicate_of,
      });
      assert.deepEqual(made.body.left_out, [
        of(1, null, "invalid_number", "has no phone_number", null),
        of(2, "911", "invalid_number", "must not be an emergency or service number", null),
        of(3, "+12124449001", "duplicate", "has the number of contacts[0]", 0),
        of(4, SENDER, "own_number", "is a number of the campaign's own", null),
      ]);
      assert.deepEqual(preflight.body.left_out, made.body.left_out);
      assert.deepEqual((await create(wanted)).body.left_out, made.body.left_out);
      const first = (await api.get("/v1/campaigns/left-out/leads?state=invalid&limit=3")).body;
      const rest = await api.get(
        `/v1/campaigns/left-out/leads?state=invalid&pagination_key=${first.next_pagination_key}`,
      );
      assert.deepEqual(
        [...first.leads, ...rest.body.leads],
        made.body.left_out.toReversed().map(({ value, ...left }: { value: string | null }) => ({
          unique_id: null,
          thread_id: null,
          phone_number: value,
          status: "invalid",
          state: "invalid",
          contact_state: null,
          outcome: null,
          ...left,
        })),
        "newest first",
      );
      const { reasons } = (await api.get("/v1/campaigns/left-out/reasons")).body;
      assert.deepEqual(
        reasons.filter(({ state }: { state: string }) => state === "invalid"),
        [
          { status: "invalid", state: "invalid", reason: "invalid_number", recipients: 2 },
          { status: "invalid", state: "invalid", reason: "duplicate", recipients: 1 },
          { status: "invalid", state: "invalid", reason: "own_number", recipients: 1 },
        ],
      );
      const file = await api.get("/v1/campaigns/left-out/leads/export.csv");
      const rows = parse(file.body, { columns: true }) as Record<string, string>[];
      assert.deepEqual(
        rows.map(({ unique_id, phone_number, state, reason, index, error }) => [
          unique_id !== "",
          phone_number,
          state === "invalid" ? [reason, index, error] : [],
        ]),
        [
          [true, "+12124449001", []],
          ...made.body.left_out.map(({ value, reason, index, error }: Record<string, unknown>) => [
            false,
            value ?? "",
            [reason, String(index), error],
          ]),
        ],
        "after the recipients, in the order of the request",
      );
      assert.equal((await gets(api, "+12124449001", 1)).length, 1);
      const [lead] = (await api.get("/v1/campaigns/left-out/leads")).body.leads;
      assert.deepEqual(
        [lead.first_name, lead.email, lead.city],
        ["Ann", "ann@example.com", undefined],
        "the first wins",
      );
    },
  );

  await t.test("100,001 contacts are a 413 that says how many are allowed", async () => {
    const { status, body: answer } = await create({ contacts: Array.from({ length: 100_001 }, () => ({})) });
    assert.deepEqual([status, answer.code], [413, "payload_too_large"]);
    assert.match(answer.error, /100000/);
  });

  await t.test("a body over 64 MB is a 413 before it is read", async () => {
    assert.equal(await statusOfLength(api, "/v1/campaigns", 64 * 1024 * 1024 + 1), 413);
    assert.equal(await statusOfLength(api, "/v1/agents", 1024 * 1024 + 1), 413);
  });

  await t.test("a begin in the past means now", async () => {
    const at = phone();
    const made = await create({ contacts: [{ phone_number: at }], campaign_begin_time: "2020-01-01T00:00:00Z" });
    assert.equal(made.status, 202);
    await gets(api, at, 1);
  });

  await t.test("a begin in the future waits for it, by the tenant's clock", async () => {
    const at = phone();
    const begin = new Date(noon.getTime() + 60 * 60_000);
    const made = await create({ contacts: [{ phone_number: at }], campaign_begin_time: begin.toISOString() });
    await quiet(api);
    assert.deepEqual(await textsTo(api, at), []);
    const waiting = await campaignOf(api, made.body.campaign_id);
    assert.deepEqual([waiting.waiting_because, waiting.campaign_begin_time], ["not_begun", begin.toISOString()]);
    await moveClock(api, { to: begin.toISOString() });
    await gets(api, at, 1);
  });

  await t.test("an end that is not after the begin, or no time at all, is a 400", async () => {
    const begin = new Date(noon.getTime() + 86_400_000).toISOString();
    for (const campaign_end_time of [
      begin,
      "2020-01-01T00:00:00Z",
      "tomorrow",
      "2027-02-30T10:00:00Z",
      "2099-01-01T10:00",
    ]) {
      const answer = await create({ campaign_begin_time: begin, campaign_end_time });
      assert.deepEqual([answer.status, wrongFields(answer)], [400, ["campaign_end_time"]], campaign_end_time);
    }
    assert.deepEqual(wrongFields(await create({ campaign_begin_time: "soon" })), ["campaign_begin_time"]);
  });

  await t.test("a calling window holds who is outside it, and the end time expires who still waits", async () => {
    const at = phone();
    const today = noon.getUTCDay();
    const calling_window = { start: "09:00", end: "20:00", days: [(today % 7) + 1] };
    const made = await create({
      contacts: [{ phone_number: at }],
      calling_window,
      campaign_end_time: new Date(noon.getTime() + 3 * 60 * 60_000).toISOString(),
    });
    const id = made.body.campaign_id;
    await quiet(api);
    const { body: held } = await api.get(`/v1/campaigns/${id}/messages`);
    assert.deepEqual([held.messages[0].state, held.messages[0].rule], ["held", "campaign_window"]);
    assert.equal((await campaignOf(api, id)).waiting_because, "calling_hours");
    // Paused and resumed it waits for the same, and not for the pause.
    assert.equal((await api.post(`/v1/campaigns/${id}/pause`)).body.campaign.waiting_because, "paused");
    await quiet(api);
    assert.equal((await api.post(`/v1/campaigns/${id}/resume`)).status, 200);
    await quiet(api);
    assert.equal((await campaignOf(api, id)).waiting_because, "calling_hours");
    const { reasons } = (await api.get(`/v1/campaigns/${id}/reasons`)).body;
    assert.deepEqual(reasons, [{ status: "held", state: "held", reason: "campaign_window", recipients: 1 }]);
    await moveClock(api, { to: new Date(noon.getTime() + 3 * 60 * 60_000).toISOString() });
    const over = await campaignIs(api, id, "completed");
    assert.equal(over.counts.expired, 1);
    const { body: leads } = await api.get(`/v1/campaigns/${id}/leads`);
    assert.deepEqual([leads.leads[0].state, typeof leads.leads[0].reason], ["expired", "string"]);
    assert.deepEqual(await textsTo(api, at), []);
  });

  await t.test("a calling window that cannot be is a 400 that names its part", async () => {
    const wrong: [object, string[]][] = [
      [{ start: "9", end: "20:00", days: [1] }, ["calling_window.start"]],
      [{ start: "20:00", end: "09:00", days: [1] }, ["calling_window.end"]],
      [{ start: "09:00", end: "20:00", days: [] }, ["calling_window.days"]],
      [{ start: "09:00", end: "20:00", days: [8] }, ["calling_window.days[0]"]],
      [{ start: "09:00", end: "20:00" }, ["calling_window.days"]],
    ];
    for (const [calling_window, fields] of wrong) {
      assert.deepEqual(wrongFields(await create({ calling_window })), fields, JSON.stringify(calling_window));
    }
  });

  await t.test("unknown fields and read-only ones are never applied", async () => {
    const made = await create({ status: "completed", powered_by: "Me", is_admin: true, color: "red" });
    assert.equal(made.status, 202);
    assert.deepEqual([made.body.status, made.body.powered_by], ["processing", "Parley"]);
  });
});

/** The answer to a POST that announces a body of this length and sends none of it. */
function statusOfLength({ url, key }: { url: string; key: string }, path: string, length: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url + path, {
      method: "POST",
      headers: { "x-api-key": key, "content-type": "application/json", "content-length": length },
    });
    sent.on("response", (response) => {
      response.resume();
      sent.destroy();
      resolve(response.statusCode!);
    });
    sent.on("error", reject);
    sent.flushHeaders();
  });
}
