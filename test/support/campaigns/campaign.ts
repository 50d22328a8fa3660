import assert from "node:assert/strict";
import { workingNoon } from "#domain/compliance/holiday.ts";
import type { Parley } from "#test/support/api/parley.ts";

type Api = Pick<Parley, "get" | "post">;
type Fields = Record<string, unknown>;

export const SENDER = "+12125550100";

/** Sets the tenant's clock to the next working day at noon in New York (9:00 in Los Angeles): every mainland window is open. */
export async function aNoon(api: Api, after?: string): Promise<Date> {
  const { body } = await api.get("/v1/simulator/clock");
  const at = workingNoon(new Date(after ?? body.now));
  await api.post("/v1/simulator/clock", { to: at.toISOString() });
  return at;
}

export type Made = {
  organizationId: string;
  userId: string;
  agentId: string;
  campaignId: string;
  sender: string;
  warnings?: string[];
};

let made = 0;

/** An organization with a user and an SMS agent. */
export async function anAgent(api: Api, agent: Fields = {}): Promise<Omit<Made, "campaignId" | "sender">> {
  const organization = await api.post("/v1/organizations", { name: "Acme" });
  const organizationId = organization.body.unique_id as string;
  const email = `u${++made}-${organizationId.slice(-8)}@example.com`;
  const user = await api.post(`/v1/organizations/${organizationId}/users`, { name: "Uma", email, permission: "admin" });
  const userId = user.body.unique_id as string;
  const { status, body } = await api.post("/v1/agents", {
    agent_type: "sms",
    agent_name: "Ava",
    prompt: "Find out whether the contact wants to buy a home.",
    starting_message: "Hi, this is Ava. Do you have a minute?",
    organization_id: organizationId,
    user_id: userId,
    ...agent,
  });
  assert.equal(status, 201, JSON.stringify(body));
  return { organizationId, userId, agentId: body.agent_id };
}

/** A campaign with everything that it needs. `contacts` are its recipients, `agent` and `campaign` fields of their own. */
export async function aCampaign(
  api: Api,
  fields: { contacts: Fields[]; agent?: Fields; campaign?: Fields },
): Promise<Made> {
  const parts = await anAgent(api, fields.agent);
  const { status, body } = await api.post("/v1/campaigns", {
    campaign_name: "Test",
    organization_id: parts.organizationId,
    user_id: parts.userId,
    sms_agent_id: parts.agentId,
    svc_sms_number: SENDER,
    contacts: fields.contacts,
    ...fields.campaign,
  });
  assert.equal(status, 202, JSON.stringify(body));
  return { ...parts, campaignId: body.campaign_id, sender: SENDER, warnings: body.warnings ?? [] };
}
