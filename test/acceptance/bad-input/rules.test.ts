import assert from "node:assert/strict";
import { test } from "node:test";
import { anOwner, wrongFields } from "#test/support/accounts/owner.ts";
import { changed, nameOf, type Path, walk } from "#test/support/api/bad-values.ts";
import { type Described, type JsonSchema, readOperations, urlOf } from "#test/support/api/openapi.ts";
import { type Answer, startParley } from "#test/support/api/parley.ts";
import { aWorld, canSucceed } from "#test/support/api/world.ts";
import { aCampaign, anAgent, SENDER } from "#test/support/campaigns/campaign.ts";

type Fields = Record<string, unknown>;

/** What is no phone number that may be texted or called, by its number in the list. */
const PHONES: readonly (readonly [b: string, phone: string])[] = [
  ["B089", ""],
  ["B090", "call me"],
  ["B090", "1-800-FLOWERS"],
  ["B091", "+"],
  ["B092", "+1234567890123456"],
  ["B093", "+1212555"],
  ["B097", "911"],
  ["B097", "988"],
  ["B097", "411"],
  ["B097", "+1212911"],
  ["B098", "+19005550123"],
  ["B098", "+12129765555"],
  ["B103", "+12125550123 ext. 4"],
  ["B104", "sip:ann@example.com"],
  ["B104", "+1212555'; drop table contacts; --"],
];

/** Ways to write +1 212 555 0123. */
const SAME = ["+12125550123", "12125550123", "2125550123", "(212) 555-0123", "+1 212 555 0123", "+1212555٠١٢٣"];

/** Whether a field is a phone number: /openapi.json says so of most, and calls all of them so. */
const isPhone = (schema: JsonSchema, name: string): boolean =>
  /(^|_)(numbers?|phone)$/.test(name) ||
  partsOf(schema).some(({ description }) => description?.startsWith("Phone number") === true);

/** Phone numbers that are no numbers of ours to text or call, and what is done with them. */
const NO_PHONES: Record<string, string> = {
  "createBrand phone": "is the registry's to judge, as the rest of a brand",
  "resubmitBrand phone": "is the registry's to judge, as the rest of a brand",
  "createTollFreeVerification registration_number": "is a business's, as its EIN",
  "resubmitTollFreeVerification registration_number": "is a business's, as its EIN",
};

/** Whether a field is a time; a schema says no more of it than that it is a string. */
const isTime = (_: JsonSchema, name: string): boolean => /_time$|_at$|^(begin|end)$/.test(name);

const partsOf = (schema: JsonSchema): JsonSchema[] => [
  schema,
  ...(schema.anyOf ?? []),
  ...(schema.items ? [schema.items] : []),
];

/** What is no time, or one that no clock shows. */
const TIMES: readonly (readonly [b: string, time: string])[] = [
  ["B082", "2026-02-30T00:00:00Z"],
  ["B082", "2026-13-01T00:00:00Z"],
  ["B083", "2026-11-20T15:00:00"],
  ["B083", "2026-11-20"],
  ["B084", "10000-01-01T00:00:00Z"],
  ["B084", "+010000-01-01T00:00:00Z"],
  ["B085", "2016-12-31T23:59:60Z"],
  ["B082", "tomorrow"],
  ["B082", "1760000000"],
];

test("rules that no schema states", async (t) => {
  const api = await startParley(t, {}, ["api"]);
  const operations = (await readOperations(api)).filter(canSucceed);
  const world = await aWorld(api);

  /** Sends an operation's full request with one field of its body changed. */
  const withField = async (operation: Described, path: Path, value: unknown): Promise<Answer> => {
    const sent = await world.valid(operation, { full: true });
    // Leads that are stored already would be counted beside the one that is changed.
    const { list_id: _, from_campaign: __, ...alone } = sent.body as Fields;
    const body = isOfLead(path) ? alone : sent.body;
    return api.request(operation.method, urlOf(operation.path, sent.params, sent.query), changed(body, path, value));
  };
  /** The places in every operation's body whose field is wanted. */
  const placesOf = async (wanted: (schema: JsonSchema, name: string) => boolean) => {
    const found: { operation: Described; path: Path }[] = [];
    for (const operation of operations.filter((each) => each.body)) {
      const { body } = await world.valid(operation, { full: true });
      for (const { path, schema } of walk(operation.body!, body, [])) {
        const name = path.findLast((part) => typeof part === "string") as string;
        if (schema.type !== "array" && schema.type !== "object" && wanted(schema, name))
          found.push({ operation, path });
      }
    }
    return found;
  };
  /** The same of queries and of paths. */
  const parametersOf = (wanted: (schema: JsonSchema, name: string) => boolean) =>
    operations.flatMap((operation) => [
      ...operation.pathParams
        .filter((name) => wanted({}, name))
        .map((name) => ({ operation, name, at: "params" as const })),
      ...Object.entries(operation.query)
        .filter(([name, { schema }]) => wanted(schema, name))
        .map(([name]) => ({ operation, name, at: "query" as const })),
    ]);
  const withParameter = async ({ operation, name, at }: ReturnType<typeof parametersOf>[number], value: string) => {
    const sent = await world.valid(operation);
    const params = at === "params" ? { ...sent.params, [name]: value } : sent.params;
    const query = at === "query" ? { ...sent.query, [name]: value } : sent.query;
    return api.request(operation.method, urlOf(operation.path, params, query), sent.body);
  };

  await t.test(
    "B089-B093, B097, B098, B103, B104: what is no phone number is a 400 that names it, or leaves its lead out",
    async () => {
      const wrong: string[] = [];
      const places = (await placesOf(isPhone)).filter(
        ({ operation, path }) => !(`${operation.id} ${path.at(-1)}` in NO_PHONES),
      );
      for (const needed of [
        "createCall to_number",
        "createCall from_number",
        "createVoiceCampaign agent_outbound_numbers.0",
      ])
        assert.ok(
          places.some(({ operation, path }) => `${operation.id} ${path.join(".")}` === needed),
          needed,
        );
      for (const { operation, path } of places) {
        for (const [b, phone] of PHONES) {
          const answer = await withField(operation, path, phone);
          // An empty line of a list of numbers is none of its numbers.
          if (operation.id === "importDoNotCall" && phone === "") continue;
          const isOfMany = isOfLead(path) || operation.id === "importDoNotCall";
          const ok = isOfMany ? isLeftOut(answer) : isRefused(answer, nameOf(path));
          if (!ok) wrong.push(`${b} ${operation.id} ${path.join(".")} ${phone}: ${said(answer)}`);
        }
      }
      for (const place of parametersOf(isPhone)) {
        for (const [b, phone] of PHONES.filter(([, each]) => each !== "")) {
          const answer = await withParameter(place, phone);
          if (!isRefused(answer, place.name))
            wrong.push(`${b} ${place.operation.id}?${place.name} ${phone}: ${said(answer)}`);
        }
      }
      assert.deepEqual(wrong, []);
    },
  );

  await t.test("B094-B096, B105: one number in several forms is one lead", async () => {
    const owner = await anOwner(api);
    const contacts = SAME.map((phone_number) => ({ phone_number }));
    const { body } = await api.post("/v1/contacts/lists", { ...owner, list_name: "Forms", contacts });
    assert.deepEqual([body.count, body.leads.length, body.leads[0].phone_number], [1, 1, "+12125550123"]);
    const { campaignId } = await aCampaign(api, { contacts });
    const { body: leads } = await api.get(`/v1/campaigns/${campaignId}/leads`);
    assert.equal(leads.count, 1);
  });

  await t.test("B101: a campaign's own number is left out, on create and when leads are added", async () => {
    const contacts = [
      { phone_number: SENDER },
      { phone_number: "+1 (212) 555-0100" },
      { phone_number: "+12125550124" },
    ];
    const { campaignId } = await aCampaign(api, { contacts });
    const { body } = await api.get(`/v1/campaigns/${campaignId}/leads`);
    assert.deepEqual(
      body.leads.map((lead: Fields) => lead.phone_number),
      ["+12125550124"],
    );
    const added = await api.post(`/v1/campaigns/${campaignId}/leads`, { clients: [{ phone_number: SENDER }] });
    assert.deepEqual(added.body.details, { leads_added: 0, leads_skipped: 1, drips_scheduled: 0 });
  });

  await t.test("B106, B107, B108: no contacts are a 400, and so are contacts of which none can be used", async () => {
    const parts = await anAgent(api);
    const campaign = {
      campaign_name: "None",
      organization_id: parts.organizationId,
      user_id: parts.userId,
      sms_agent_id: parts.agentId,
      svc_sms_number: SENDER,
    };
    assert.deepEqual(wrongFields(await api.post("/v1/campaigns", { ...campaign, contacts: [] })), ["contacts"]);
    const none = await api.post("/v1/campaigns", { ...campaign, contacts: [{ phone_number: "911" }, {}] });
    assert.deepEqual([none.status, wrongFields(none)], [400, ["contacts"]]);
    const many = await api.post("/v1/campaigns", { ...campaign, contacts: Array(100_001).fill({}) });
    assert.deepEqual([many.status, many.body.code], [413, "payload_too_large"]);
  });

  await t.test("B082-B085: what is no time is a 400 that names its field, wherever a time is taken", async () => {
    const wrong: string[] = [];
    const places = await placesOf(isTime);
    // Its other way to say when, which a request may not have both of.
    places.push({ operation: byId("moveClock"), path: ["to"] });
    assert.ok(places.length >= 8);
    const isNamed = (answer: Answer, name: unknown) =>
      answer.status === 400 && wrongFields(answer)[0]?.split(".").at(-1) === name;
    for (const { operation, path } of places) {
      for (const [b, time] of TIMES) {
        const answer =
          operation.id === "moveClock"
            ? await api.post(operation.path, { to: time })
            : await withField(operation, path, time);
        if (!isNamed(answer, path.at(-1)))
          wrong.push(`${b} ${operation.id} ${path.join(".")} ${time}: ${said(answer)}`);
      }
    }
    const queries = parametersOf(isTime);
    assert.deepEqual(
      queries.map(({ operation, name }) => `${operation.id} ${name}`),
      [
        "listAudit begin",
        "listAudit end",
        "exportAudit begin",
        "exportAudit end",
        "searchExtractions begin",
        "searchExtractions end",
        "exportExtractions begin",
        "exportExtractions end",
        "listCalls begin",
        "listCalls end",
        "getActivity begin",
        "getActivity end",
        "getActivityBreakdown begin",
        "getActivityBreakdown end",
      ],
    );
    for (const place of queries) {
      for (const [b, time] of TIMES) {
        const answer = await withParameter(place, time);
        if (!isNamed(answer, place.name))
          wrong.push(`${b} ${place.operation.id}?${place.name} ${time}: ${said(answer)}`);
      }
    }
    assert.deepEqual(wrong, []);
  });

  await t.test(
    "B086-B088: an hour that a change of clocks leaves out is a 400, since no time is taken without its zone; an end before the begin is a 400, a begin in the past is now",
    async () => {
      const gap = await withField(byId("createCampaign"), ["campaign_begin_time"], "2097-03-10T02:30:00");
      assert.ok(isRefused(gap, "campaign_begin_time"), said(gap));
      // With a zone it is an instant like any other, whatever a clock there shows.
      const instant = await withField(byId("createCampaign"), ["campaign_begin_time"], "2097-03-10T02:30:00-05:00");
      assert.equal(instant.status, 202, said(instant));
      const backwards = await withField(byId("createCampaign"), ["campaign_end_time"], "2097-01-01T00:00:00Z");
      assert.ok(isRefused(backwards, "campaign_end_time"), said(backwards));
      const past = await withField(byId("createCampaign"), ["campaign_begin_time"], "2001-01-01T00:00:00Z");
      assert.equal(past.status, 202, said(past));
      const { body } = await api.get(`/v1/campaigns/${past.body.campaign_id}`);
      assert.equal(body.campaign.campaign_begin_time, null);
    },
  );

  await t.test("what belongs to another organization of the tenant is a 400 that names the field", async () => {
    const [ours, theirs] = [await anAgent(api), await anAgent(api)];
    const voice = async ({ organizationId, userId }: typeof ours) =>
      (
        await api.post("/v1/agents", {
          agent_type: "voice",
          agent_name: "V",
          prompt: "P",
          voice_id: "11labs-Adrian",
          organization_id: organizationId,
          user_id: userId,
        })
      ).body.voice_agent_id;
    const campaign = {
      campaign_name: "Mixed",
      organization_id: ours.organizationId,
      user_id: ours.userId,
      sms_agent_id: ours.agentId,
      svc_sms_number: SENDER,
      contacts: [{ phone_number: "+12125550125" }],
    };
    const transfer = { enable_sms_to_voice: true, outbound_number: SENDER };
    const owner = { organization_id: ours.organizationId, user_id: theirs.userId };
    const cases: [fields: string[], answer: Answer][] = [
      [["user_id"], await api.post("/v1/campaigns", { ...campaign, user_id: theirs.userId })],
      [["sms_agent_id"], await api.post("/v1/campaigns", { ...campaign, sms_agent_id: theirs.agentId })],
      [
        ["voice_agent_id"],
        await api.post("/v1/campaigns", { ...campaign, ...transfer, voice_agent_id: await voice(theirs) }),
      ],
      [
        ["user_id", "sms_agent_id"],
        await api.post("/v1/campaigns", { ...campaign, organization_id: theirs.organizationId }),
      ],
      [["user_id"], await api.post("/v1/agents", { agent_type: "sms", agent_name: "A", prompt: "P", ...owner })],
      [["user_id"], await api.post("/v1/contacts/lists", { ...owner, list_name: "L", contacts: [] })],
    ];
    for (const [fields, answer] of cases) {
      assert.deepEqual([answer.status, wrongFields(answer)], [400, fields], said(answer));
      assert.match(answer.body.error, /belongs to another organization/);
    }
    const right = await api.post("/v1/campaigns", { ...campaign, ...transfer, voice_agent_id: await voice(ours) });
    assert.equal(right.status, 202, said(right));
  });

  await t.test("B119-B126: an agent that cannot be is a 400 that names every field of it", async () => {
    const cases: [b: string, fields: Fields, wrong: string][] = [
      ["B119", { agent_type: "email" }, "agent_type"],
      ["B120", { agent_type: "voice", voice_id: undefined }, "voice_id"],
      ["B120", { agent_type: "voice", voice_id: " " }, "voice_id"],
      ["B121", { agent_type: "voice", voice_speed: 0.4 }, "voice_speed"],
      ["B121", { agent_type: "voice", voice_speed: 2.1 }, "voice_speed"],
      ["B122", { language: "bogus" }, "language"],
      ["B122", { language: "x-klingon" }, "language"],
      ["B123", { drip_schedule: [{ day: -1, message: "Hi" }] }, "drip_schedule[0].day"],
      ["B123", { drip_schedule: [{ day: 1_000_000, message: "Hi" }] }, "drip_schedule[0].day"],
      ["B124", { drip_schedule: Array.from({ length: 1_000 }, (_, day) => ({ day, message: "Hi" })) }, "drip_schedule"],
      ["B125", { extraction_fields: ["budget", "budget"] }, "extraction_fields[1]"],
      ["B126", { prompt: "x".repeat(900_000) }, "prompt"],
      ["B109", { starting_message: "Hi {{first name" }, "starting_message"],
      ["B110", { starting_message: "Hi {{{first_name}}}" }, "starting_message"],
      ["B111", { starting_message: "Hi {{a{{b}}}}" }, "starting_message"],
      ["B115", { starting_message: "x".repeat(1_601) }, "starting_message"],
    ];
    for (const id of ["createAgent", "updateAgent"]) {
      for (const [b, fields, field] of cases) {
        if (id === "updateAgent" && (fields.agent_type !== undefined || b === "B119")) continue;
        const sent = await world.valid(byId(id));
        const base = { voice_id: "11labs-Adrian", ...(sent.body as Fields) };
        const answer = await api.request(byId(id).method, urlOf(byId(id).path, sent.params), { ...base, ...fields });
        const named = wrongFields(answer).some((each) => each.startsWith(field) || field.startsWith(each));
        assert.ok(answer.status === 400 && named, `${b} ${id}: ${said(answer)}`);
      }
    }
  });

  await t.test("B177, B179: a text to an unassigned number and an empty text are taken as from a carrier", async () => {
    const path = "/v1/simulator/handsets/%2B12125550198/messages";
    for (const body of [
      { to: "+12125550190", text: "Hello?" },
      { to: SENDER, text: "" },
    ]) {
      assert.equal((await api.post(path, body)).status, 201);
    }
  });

  await t.test(
    "B199: a field that a spreadsheet would run is exported as a text; B112, B118, B200: what looks like code is stored and returned as it is",
    async () => {
      const owner = await anOwner(api);
      const [formula, script] = ['=HYPERLINK("http://x.example")', "<script>alert(1)</script>{{first_name}}"];
      const contact = { phone_number: "+12125550126", first_name: formula, last_name: script, notes: "@SUM(1)" };
      const { body } = await api.post("/v1/contacts/lists", { ...owner, list_name: script, contacts: [contact] });
      assert.deepEqual([body.leads[0].first_name, body.leads[0].last_name], [formula, script]);
      const { headers, body: csv } = await api.get(
        `/v1/contacts/leads/export.csv?organization_id=${owner.organization_id}`,
      );
      assert.match(headers.get("content-type")!, /^text\/csv/);
      assert.equal(headers.get("x-content-type-options"), "nosniff");
      for (const cell of [formula.replaceAll('"', '""'), "@SUM(1)"]) {
        assert.ok(csv.includes(`'${cell}`) && !csv.includes(`,${cell}`) && !csv.includes(`"${cell}`), csv);
      }
    },
  );

  function byId(id: string): Described {
    return operations.find((operation) => operation.id === id)!;
  }
});

const said = ({ status, body }: Answer): string => `${status} ${JSON.stringify(body).slice(0, 300)}`;

/** Numbers that may not be texted or called from have codes of their own in the interface, and their field in the words. */
const isRefused = (answer: Answer, field: string): boolean =>
  answer.status === 400 &&
  (wrongFields(answer).includes(field) ||
    (["sms_not_enabled", "voice_not_enabled"].includes(answer.body.code) && answer.body.error.startsWith(`${field} `)));

const isOfLead = ([first]: Path): boolean => ["contacts", "clients", "leads"].includes(String(first));

/** Taken, with this lead counted as one that could not be; or refused because nobody else is in the campaign. */
function isLeftOut(answer: Answer): boolean {
  const { status, body } = answer;
  if (status === 409) return body.code === "conflict";
  if (status === 400) return body.error.includes(" has nobody who can be contacted: the first ");
  if (status >= 300) return false;
  const { contacts_skipped, leads_skipped } = body.details ?? {};
  const left = contacts_skipped ?? leads_skipped ?? body.invalid_leads_count ?? body.invalid?.length;
  return left === undefined ? body.preflight !== undefined : left === 1;
}
