import { randomBytes } from "node:crypto";
import { type Answer, client } from "#test/support/api/parley.ts";
import { SENDER } from "#test/support/campaigns/campaign.ts";
import { importFile } from "#test/support/campaigns/import.ts";
import { type MarkedTenant, SHARED_PHONE, type Things } from "./marked-tenant.ts";

/** Another organization of a marked tenant, with words of its own and the same people, and a key that is limited to it. */
export type MarkedOrganization = { api: ReturnType<typeof client>; mark: string; things: Things };

const FAR_OFF = { campaign_begin_time: "2098-01-01T00:00:00Z", campaign_end_time: "2099-01-01T00:00:00Z" };

/** Makes one of everything that belongs to an organization. What belongs to the tenant is the tenant's. */
export async function aMarkedOrganization(of: MarkedTenant): Promise<MarkedOrganization> {
  const { api } = of;
  const mark = `org${randomBytes(6).toString("hex")}`;
  const organization = (await must(api.post("/v1/organizations", { name: `Org ${mark}` }))).unique_id as string;
  const limit = { name: mark, scopes: ["read", "write", "send"], organization_ids: [organization] };
  const limited = client(api.url, (await must(api.post("/v1/api-keys", limit))).api_key as string);
  const person = { name: `User ${mark}`, email: `${mark}@example.com`, permission: "manager" };
  const user = (await must(api.post(`/v1/organizations/${organization}/users`, person))).unique_id as string;
  const owner = { organization_id: organization, user_id: user };
  // From here on by the limited key: it can do all that an organization's own work takes.
  const agentOf = (more: object) =>
    must(limited.post("/v1/agents", { agent_name: mark, prompt: `Sell, ${mark}.`, ...owner, ...more }));
  const agent = (await agentOf({ agent_type: "sms", starting_message: `Hi, it is ${mark}.` })).agent_id as string;
  const voiceAgent = (await agentOf({ agent_type: "voice", voice_id: "11labs-Adrian" })).voice_agent_id as string;
  const contacts = [of.things.phone, SHARED_PHONE].map((phone_number) => ({
    phone_number,
    first_name: mark,
    notes: mark,
  }));
  const list = await must(limited.post("/v1/contacts/lists", { ...owner, list_name: mark, contacts }));
  const sms = { sms_agent_id: agent, svc_sms_number: SENDER, contacts, ...FAR_OFF };
  const campaign = (await must(limited.post("/v1/campaigns", { ...owner, campaign_name: mark, ...sms }))).campaign_id;
  const voice = { voice_agent_id: voiceAgent, agent_outbound_number: SENDER, leads: contacts, ...FAR_OFF };
  const voiceCampaign = (await must(limited.post("/v1/voice/campaigns", { campaign_name: mark, ...voice })))
    .campaign_id;
  const file = `phone_number,first_name\n+12125580999,${mark}\nnonsense,${mark}\n`;
  const { import_id } = await importFile(limited, owner as never, file, {}, `${mark}.csv`);
  const number = await must(limited.post("/v1/voice/phone-numbers/create", { area_code: "212", ...owner }));
  const call = { voice_agent_id: voiceAgent, from_number: SENDER, to_number: SHARED_PHONE, objective: mark };
  const made = await must(limited.post("/v1/voice/calls", call));
  const { messages } = await must(limited.get(`/v1/campaigns/${campaign}/messages`));
  const things = {
    ...of.things,
    organization,
    user,
    agent,
    voice_agent: voiceAgent,
    list: list.list_id as string,
    lead: (list.leads as { unique_id: string }[])[0]!.unique_id,
    campaign: campaign as string,
    message: (messages as { message_id: string }[])[0]!.message_id,
    thread: `${of.things.phone}_${campaign}`,
    import: import_id as string,
    media: "media_00000000000000000000000001",
    voice_campaign: voiceCampaign as string,
    number: number.phone_number as string,
    call: (made.call as { call_id: string }).call_id,
  };
  return { api: limited, mark, things };
}

async function must(asked: Promise<Answer>): Promise<Record<string, unknown>> {
  const { status, body } = await asked;
  if (status >= 300) throw new Error(JSON.stringify(body));
  return body;
}
