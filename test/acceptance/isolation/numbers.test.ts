import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { wire } from "#app/context.ts";
import { parseId } from "#domain/values/id.ts";
import { createCampaign, preflightNewCampaign } from "#operations/campaigns/create-campaign.ts";
import type { Context } from "#operations/context.ts";
import { anotherTenant } from "#test/support/accounts/tenant.ts";
import { readOperations } from "#test/support/api/openapi.ts";
import { type Answer, startParley } from "#test/support/api/parley.ts";
import { anAgent, SENDER } from "#test/support/campaigns/campaign.ts";

// The simulator has all numbers for everybody. On a trunk each is one tenant's: here ours, theirs, one that nobody has bought and one that the
// trunk does not have.
const [OURS, THEIRS, UNSOLD, NOWHERE] = ["+12125550161", "+12125550162", "+12125550163", "+12125550164"] as const;
/** Nothing is at the other end: nothing is called. */
const TRUNK = JSON.stringify([{ name: "acme", host: "127.0.0.1", port: 9, numbers: [OURS, THEIRS, UNSOLD] }]);
const LATE = { campaign_begin_time: "2098-01-01T00:00:00Z", campaign_end_time: "2099-01-01T00:00:00Z" };
const leads = [{ phone_number: "+12125550199" }];

type Fields = Record<string, unknown>;
type Api = Awaited<ReturnType<typeof anotherTenant>>;

/** Where a number of ours stands in a request: the operation's id and how it is asked. */
type Place = { name: string; ask(number: string): Promise<Answer> };

/** A live tenant that has bought a number, with a voice agent. */
async function aTenantWith(api: Api, number: string): Promise<{ owner: Fields; voiceAgent: string }> {
  const made = await anAgent(api, { agent_type: "voice", voice_id: "offline-slt" });
  const owner = { organization_id: made.organizationId, user_id: made.userId };
  const bought = await api.post("/v1/voice/phone-numbers/purchase", { phone_number: number, ...owner });
  assert.equal(bought.status, 201, JSON.stringify(bought.body));
  const { agent } = (await api.get(`/v1/agents/${made.agentId}`)).body;
  return { owner, voiceAgent: agent.voice_agent_id };
}

const words = ({ status, body }: Answer, sent: string): string =>
  JSON.stringify([status, { ...body, request_id: "" }]).replaceAll(sent, "<number>");

test("a trunk's number is the tenant's that bought it: to another it reads like one that nobody has", async (t) => {
  const parley = await startParley(t, { PARLEY_SIP_TRUNKS: TRUNK }, ["api"]);
  const ours = await anotherTenant(parley, "live");
  const theirs = await anotherTenant(parley, "live");
  const { owner, voiceAgent } = await aTenantWith(ours, OURS);
  const other = await aTenantWith(theirs, THEIRS);
  const campaign = (of: Fields) => ({ leads, voice_agent_id: voiceAgent, ...LATE, agent_outbound_number: OURS, ...of });
  const path = (number: string) => `/v1/voice/phone-numbers/${encodeURIComponent(number)}`;
  const places: Place[] = [
    {
      name: "createCall from_number",
      ask: (from_number) =>
        ours.post("/v1/voice/calls", { voice_agent_id: voiceAgent, from_number, to_number: "+12125550199" }),
    },
    ...["/v1/voice/campaigns", "/v1/voice/campaigns/preflight"].flatMap((url) => [
      {
        name: `${url} agent_outbound_number`,
        ask: (number: string) => ours.post(url, campaign({ agent_outbound_number: number })),
      },
      {
        name: `${url} agent_outbound_numbers`,
        ask: (number: string) => ours.post(url, campaign({ agent_outbound_numbers: [OURS, number] })),
      },
    ]),
    { name: "linkPhoneNumber", ask: (number) => ours.post(`${path(number)}/update-agent`, { agent_id: voiceAgent }) },
    { name: "updatePhoneNumber", ask: (number) => ours.patch(path(number), { resting_until: null }) },
    { name: "releasePhoneNumber", ask: (number) => ours.delete(path(number)) },
    {
      name: "purchasePhoneNumber",
      ask: (phone_number) => ours.post("/v1/voice/phone-numbers/purchase", { phone_number, ...owner }),
    },
  ];

  for (const { name, ask } of places) {
    await t.test(`${name}: theirs is refused as one that is nowhere, ours is not`, async () => {
      const foreign = await ask(THEIRS);
      assert.ok(foreign.status >= 400, JSON.stringify(foreign.body));
      assert.equal(words(foreign, THEIRS), words(await ask(NOWHERE), NOWHERE));
      // One that is for sale may be bought, and is nobody's to call from until then.
      if (name !== "purchasePhoneNumber") assert.equal(words(foreign, THEIRS), words(await ask(UNSOLD), UNSOLD));
      const own = await ask(OURS);
      assert.notEqual(words(own, OURS), words(foreign, THEIRS), "our own number is looked at");
      // Given back by its own release, it is bought again for what comes after.
      if (name === "releasePhoneNumber")
        await ours.post("/v1/voice/phone-numbers/purchase", { phone_number: OURS, ...owner });
    });
  }

  await t.test("theirs is theirs still", async () => {
    const listed = (await theirs.get(`/v1/voice/phone-numbers?organization_id=${other.owner.organization_id}`)).body
      .phone_numbers as Fields[];
    assert.deepEqual(
      listed.map((phoneNumber) => phoneNumber.phone_number),
      [THEIRS],
    );
  });

  await t.test(
    "no operation takes a number in a field that is not tried here, or everybody's by its nature",
    async () => {
      // The senders of texts: no carrier of texts for live keys is there to ask. Numbers of handsets and of whoever is called are anybody's.
      const texts = ["svc_sms_number", "transfer_to", "to_number", "phone_number", "own_number", "outbound_number"];
      // A business's, which no phone has.
      const elsewhere = [...texts, "registration_number"];
      const tried = ["from_number", "agent_outbound_number", "agent_outbound_numbers"];
      // Of 10DLC, where only the carrier of texts knows; and of do-not-call lists.
      const lists = ["assignTenDlcNumbers phone_numbers", "importDoNotCall phone_numbers"];
      const found = (await readOperations(parley)).flatMap((operation) =>
        [...Object.keys(operation.body?.properties ?? {}), ...Object.keys(operation.query)]
          .filter((name) => /numbers?$/.test(name))
          .filter((name) => ![...elsewhere, ...tried].includes(name))
          .map((name) => `${operation.id} ${name}`),
      );
      assert.deepEqual(found.sort(), lists);
    },
  );
});

test("a text campaign that transfers to calls may call from the tenant's own numbers only", async (t) => {
  const parley = await startParley(t, { PARLEY_SIP_TRUNKS: TRUNK }, ["api"]);
  const made = await anAgent(parley);
  const owner = { organization_id: made.organizationId, user_id: made.userId };
  const voice = { agent_type: "voice", agent_name: "V", prompt: "P", voice_id: "offline-slt", ...owner };
  const voice_agent_id = (await parley.post("/v1/agents", voice)).body.voice_agent_id as string;
  const { ctx, close } = wire(parley.config, parley.databaseUrl, "test");
  t.after(close);
  const tenantId = parseId("tenant", (await parley.get("/v1/me")).body.tenant_id)!;
  const other = await anotherTenant(parley, "live");
  await aTenantWith(other, THEIRS);
  // There is no carrier of live texts yet: the simulated one's stands in, beside a trunk's line.
  const forNumber: Context["lines"]["forNumber"] = (user, number) =>
    ctx.lines.forNumber({ ...user, mode: "live" }, number);
  const live = { ...ctx, lines: { ...ctx.lines, forNumber } };
  const caller = {
    tenantId,
    accountId: tenantId,
    keyId: tenantId,
    mode: "test",
    scopes: ["send"],
    organizations: undefined,
    newId: randomUUID,
  } as const;
  const body = (outbound_number: string) =>
    Buffer.from(
      JSON.stringify({
        ...owner,
        campaign_name: "Transfers",
        sms_agent_id: made.agentId,
        svc_sms_number: SENDER,
        contacts: leads,
        enable_sms_to_voice: true,
        voice_agent_id,
        outbound_number,
      }),
    );
  for (const operation of [createCampaign, preflightNewCampaign]) {
    for (const number of [THEIRS, UNSOLD, NOWHERE]) {
      await assert.rejects(operation(live, caller, {}, body(number)), {
        code: "voice_not_enabled",
        message: "outbound_number is not a number that this tenant may call from",
      });
    }
    await operation(ctx, caller, {}, body(NOWHERE));
  }
});
