import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { type Answer, client, until } from "#test/support/api/parley.ts";
import { SENDER } from "#test/support/campaigns/campaign.ts";
import { importFile } from "#test/support/campaigns/import.ts";
import { aTenDlcCampaign, REVIEW_MS } from "#test/support/campaigns/ten-dlc.ts";
import { TOLL_FREE_FIELDS } from "#test/support/campaigns/toll-free.ts";
import { gets, says } from "#test/support/messaging/handset.ts";

type Api = ReturnType<typeof client>;
type Fields = Record<string, unknown>;

/** Every kind of thing that an id of a request may name. */
export const KINDS = [
  "organization",
  "user",
  "agent",
  "voice_agent",
  "list",
  "lead",
  "campaign",
  "message",
  "thread",
  "brand",
  "toll_free",
  "ten_dlc_campaign",
  "import",
  "key",
  "voice_campaign",
  "number",
  "call",
  "handset_call",
  "media",
  "tenant",
  "phone",
] as const;
export type Kind = (typeof KINDS)[number];
export type Things = Record<Kind, string>;

/** A tenant whose every word carries a mark that nobody else's has: found anywhere else, it has leaked. */
export type MarkedTenant = {
  api: Api;
  mark: string;
  things: Things;
  /**
   * Its numbers and campaign ids, a new one each time: whoever calls something of theirs by the same word has it from
   * then on, and no longer requests it as another tenant's.
   */
  word(kind: "phone" | "campaign"): string;
  /** A thing of its own for an operation that uses it up, and that others of the tenant do not need. */
  fresh(kind: Kind): Promise<string>;
  /** One that was deleted; undefined for kinds that cannot be. */
  deleted(kind: Kind): Promise<string | undefined>;
};

/** Both tenants have a campaign of this id and text this phone: neither is anything to the other. */
export const SHARED_CAMPAIGN = "spring-check-in";
export const SHARED_PHONE = "+12125550199";

/** More than there are fields that a number may be in. */
const WORDS = 60;

/** Makes one of everything for the tenant of a key. Nothing of it is due once the texts have left. */
export async function aMarkedTenant(url: string, key: string, name: string): Promise<MarkedTenant> {
  const api = client(url, key);
  const mark = `${name}${randomBytes(6).toString("hex")}`;
  // Campaigns are called so by whoever likes, in logs too: such a word is no leak.
  const tag = randomBytes(6).toString("hex");
  const made = makersOf(api, mark);
  const organization = await made.organization();
  const user = await made.user(organization);
  const owner = { organization_id: organization, user_id: user };
  const agent = await made.agent(owner);
  const phone = `+12125556${String(100 + Math.floor(Math.random() * 900))}`;
  // Two of everything: a list of one item has no second page.
  const neighbour = `+1212554${String(1_000 + Math.floor(Math.random() * 9_000))}`;
  const { list, lead } = await made.list(owner, phone, neighbour);
  const campaign = await made.campaign(owner, agent, `only-${tag}`, phone, neighbour);
  await made.campaign(owner, agent, SHARED_CAMPAIGN, SHARED_PHONE);
  await made.campaign(owner, agent, `again-${tag}`, phone);
  await made.user(organization, "viewer");
  await must(200, api.patch(`/v1/agents/${agent}`, { prompt: `Sell more to them, ${mark}.` }));
  await made.brand();
  const brand = await made.brand();
  const tenDlc = { brandId: brand, useCase: "MIXED" };
  await aTenDlcCampaign(api, { ...tenDlc, numbers: ["+12125550172"] });
  const tenDlcCampaign = await aTenDlcCampaign(api, { ...tenDlc, numbers: ["+12125550170"] });
  const phones = Array.from({ length: WORDS }, (_, i) => `+1212${mark.startsWith("ta") ? "561" : "562"}${1000 + i}`);
  await made.list(owner, ...phones);
  const campaigns: string[] = [];
  for (let i = 0; i < 4; i++) campaigns.push(await made.campaign(owner, agent, `word-${i}-${tag}`, phones[i]!));
  const words = { phone: phones, campaign: campaigns };
  await must(
    201,
    api.post("/v1/dnc/add", { phone_number: "+12125557999", organization_id: organization, reason: mark }),
  );
  await must(201, api.post("/v1/dnc/add", { phone_number: `+1212555${String(7000 + made.next())}`, reason: mark }));
  await must(
    200,
    api.put(`/v1/consents/${encodeURIComponent(phone)}`, { basis: "express_written", source: mark, proof: mark }),
  );
  const voiceAgent = await made.voiceAgent(owner);
  await made.import(owner);
  await made.number(owner);
  await made.tollFree();
  await made.voiceCampaign(voiceAgent, `voice-again-${tag}`);
  await gets(api, neighbour, 1);
  await says(api, neighbour, `Hello ${mark}`);
  for (const n of [1, 2]) await says(api, `+1212564000${n}`, "STOP");
  await until("two have opted out", async () => {
    const { opt_outs } = await must(200, api.get("/v1/opt-outs"));
    return (opt_outs as unknown[]).length === 2;
  });
  const things: Things = {
    organization,
    user,
    agent,
    voice_agent: voiceAgent,
    list,
    lead,
    campaign,
    message: await messageOf(api, campaign),
    thread: `${phone}_${campaign}`,
    brand,
    toll_free: await made.tollFree(),
    ten_dlc_campaign: tenDlcCampaign,
    import: await made.import(owner),
    key: await made.key(),
    voice_campaign: await made.voiceCampaign(voiceAgent, `voice-${tag}`),
    number: await made.number(owner),
    call: await made.call(voiceAgent),
    handset_call: await made.handsetCall(phone),
    // None is of a simulated phone: marked-past.ts makes one.
    media: "media_00000000000000000000000001",
    tenant: (await must(200, api.get("/v1/me"))).tenant_id as string,
    phone,
  };
  const fresh = async (kind: Kind): Promise<string> => {
    switch (kind) {
      case "agent":
        return made.agent(owner);
      case "voice_agent":
        return made.voiceAgent(owner);
      case "list":
        return (await made.list(owner)).list;
      case "lead":
        return (await made.list(owner)).lead;
      case "campaign":
        return made.campaign(owner, agent, `fresh-${made.next()}-${tag}`, phone);
      case "key":
        return made.key();
      case "import":
        return made.import(owner);
      case "user":
        return made.user(organization, "viewer");
      case "voice_campaign":
        return made.voiceCampaign(voiceAgent, `fresh-voice-${made.next()}-${tag}`);
      case "number":
        return made.number(owner);
      case "call":
        return made.call(voiceAgent);
      default:
        return things[kind];
    }
  };
  const remove = async (kind: Kind): Promise<string | undefined> => {
    const path = DELETES[kind];
    if (path === undefined) return undefined;
    // A number that was given back is the next that its area has to sell.
    const id = kind === "number" ? await made.number(owner, "3") : await fresh(kind);
    await must(200, api.delete(`${path}/${id}`));
    return id;
  };
  // What is deleted stays deleted, whoever asks for it.
  const gone = new Map<Kind, Promise<string | undefined>>();
  const deleted = (kind: Kind) => {
    const id = gone.get(kind) ?? remove(kind);
    gone.set(kind, id);
    return id;
  };
  const word = (kind: keyof typeof words) => {
    const next = words[kind].shift();
    assert.ok(next !== undefined, `there are enough words for ${kind}: raise WORDS`);
    return next;
  };
  return { api, mark, things, word, fresh, deleted };
}

const DELETES: Partial<Record<Kind, string>> = {
  agent: "/v1/agents",
  list: "/v1/contacts/lists",
  lead: "/v1/contacts/leads",
  campaign: "/v1/campaigns",
  key: "/v1/api-keys",
  user: "/v1/users",
  voice_campaign: "/v1/voice/campaigns",
  number: "/v1/voice/phone-numbers",
};

function makersOf(api: Api, mark: string) {
  let last = 0;
  const next = () => ++last;
  const agent = (owner: Fields, more: Fields) =>
    must(201, api.post("/v1/agents", { agent_name: mark, prompt: `Sell to them, ${mark}.`, ...owner, ...more }));
  return {
    next,
    organization: async () => {
      const body = { name: `Org ${mark}`, contact_email: `${mark}@example.com` };
      return (await must(201, api.post("/v1/organizations", body))).unique_id as string;
    },
    user: async (organization: string, permission = "member") => {
      const body = { name: `User ${mark}`, email: `${next()}${mark}@example.com`, permission };
      return (await must(201, api.post(`/v1/organizations/${organization}/users`, body))).unique_id as string;
    },
    agent: async (owner: Fields) => {
      const starting_message = `Hi {{first_name}}, it is ${mark}. Do you have a minute?`;
      const fields = {
        agent_type: "sms",
        starting_message,
        extraction_fields: [`interest_${mark}`],
        reply_delay_ms: 0,
      };
      return (await agent(owner, fields)).agent_id as string;
    },
    voiceAgent: async (owner: Fields) =>
      (await agent(owner, { agent_type: "voice", voice_id: "11labs-Adrian" })).voice_agent_id as string,
    list: async (owner: Fields, ...phones: string[]) => {
      if (phones.length === 0) phones.push(`+1212557${1000 + next()}`);
      const contacts = phones.map((phone_number) => ({ phone_number, first_name: mark, notes: mark }));
      const body = await must(201, api.post("/v1/contacts/lists", { ...owner, list_name: mark, contacts }));
      return { list: body.list_id as string, lead: (body.leads as Fields[])[0]!.unique_id as string };
    },
    campaign: async (owner: Fields, agentId: string, campaign_id: string, ...phones: string[]) => {
      const contacts = phones.map((phone_number) => ({ phone_number, first_name: mark, notes: mark }));
      const fields = { campaign_id, campaign_name: mark, sms_agent_id: agentId, svc_sms_number: SENDER, contacts };
      return (await must(202, api.post("/v1/campaigns", { ...owner, ...fields }))).campaign_id as string;
    },
    // Long before it begins, and from numbers that the other tenant has none of: each has a network of its own.
    voiceCampaign: async (voice_agent_id: string, campaign_id: string) => {
      const phones = [SHARED_PHONE, "+12125640003", "+12125640004"];
      const leads = phones.map((phone_number) => ({ phone_number, first_name: mark, notes: mark }));
      const times = { campaign_begin_time: "2098-01-01T00:00:00Z", campaign_end_time: "2099-01-01T00:00:00Z" };
      const fields = {
        campaign_id,
        campaign_name: mark,
        voice_agent_id,
        agent_outbound_number: SENDER,
        leads,
        ...times,
      };
      return (await must(202, api.post("/v1/voice/campaigns", fields))).campaign_id as string;
    },
    number: async (owner: Fields, area = "2") => {
      const area_code = `${area}1${mark.startsWith("ta") ? "2" : "3"}`;
      return (await must(201, api.post("/v1/voice/phone-numbers/create", { area_code, ...owner })))
        .phone_number as string;
    },
    call: async (voice_agent_id: string) => {
      const fields = { voice_agent_id, from_number: SENDER, to_number: SHARED_PHONE, objective: mark };
      return ((await must(201, api.post("/v1/voice/calls", fields))).call as Fields).call_id as string;
    },
    handsetCall: async (phone: string) => {
      const path = `/v1/simulator/handsets/${encodeURIComponent(phone)}/calls`;
      return (await must(201, api.post(path, { to: SENDER, says: [mark] }))).carrier_id as string;
    },
    brand: async () => {
      const fields = { entityType: "PRIVATE_PROFIT", country: "US", vertical: "TECHNOLOGY", ein: "12-3456789" };
      const named = { displayName: mark, companyName: mark, email: `${mark}@example.com` };
      const { brandId } = await must(201, api.post("/v1/10dlc/brand", { ...fields, ...named }));
      await must(200, api.post("/v1/simulator/clock", { advance_ms: REVIEW_MS }));
      await must(200, api.get(`/v1/10dlc/brand/${brandId}`));
      return brandId as string;
    },
    /** A refused one, so that it can be resubmitted. */
    tollFree: async () => {
      const phone_number = `+1${mark.startsWith("ta") ? "833" : "844"}555${String(1_000 + next()).slice(-4)}`;
      const named = { business_name: mark, opt_in_description: `none ${mark}`, phone_number };
      await must(201, api.post("/v1/toll-free/verifications", { ...TOLL_FREE_FIELDS, ...named }));
      await must(200, api.post("/v1/simulator/clock", { advance_ms: REVIEW_MS }));
      await must(200, api.get(`/v1/toll-free/verifications/${encodeURIComponent(phone_number)}`));
      return phone_number;
    },
    import: async (owner: Fields) => {
      const file = `phone_number,first_name\n+1212558${String(1000 + next())},${mark}\nnonsense,${mark}\nnone,${mark}\n`;
      const { import_id } = await importFile(api, owner as never, file, {}, `${mark}.csv`);
      return import_id as string;
    },
    key: async () => (await must(201, api.post("/v1/api-keys", { name: mark }))).key_id as string,
  };
}

async function messageOf(api: Api, campaign: string): Promise<string> {
  return until("the campaign has a message", async () => {
    const { messages } = await must(200, api.get(`/v1/campaigns/${campaign}/messages`));
    return (messages as Fields[])[0]?.message_id as string | undefined;
  });
}

async function must(status: number, asked: Promise<Answer>): Promise<Fields> {
  const answer = await asked;
  assert.equal(answer.status, status, JSON.stringify(answer.body));
  return answer.body;
}
