import { refuseForeign } from "#domain/accounts/organization.ts";
import { dripsOf } from "#domain/sending/templates.ts";
import { failure, invalidField, notFound } from "#domain/values/errors.ts";
import { parseId, type Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import type { StoredAgent } from "#store/agents/agents.ts";
import * as agents from "#store/agents/agents.ts";
import * as counts from "#store/campaigns/counts.ts";
import * as edits from "#store/campaigns/edits.ts";
import * as campaignLeads from "#store/campaigns/leads.ts";
import type { Tx } from "#store/database/db.ts";

/** The agent that a campaign is given. 404 without it; 400 for one of the wrong kind or of another organization. */
export async function findAgent(
  tx: Tx,
  tenantId: Uuid,
  { channel, organizationId }: { channel: "sms" | "voice"; organizationId: Uuid },
  named: string,
): Promise<StoredAgent> {
  const field = channel === "sms" ? "sms_agent_id" : "voice_agent_id";
  const id = parseId("agent", named);
  const ofTexts = channel === "sms" && id !== undefined ? await agents.find(tx, tenantId, id) : undefined;
  const agent = channel === "sms" ? ofTexts : await agents.findByAnyId(tx, tenantId, named);
  if (!agent) throw notFound(NOUN[channel]);
  refuseForeign(organizationId, { [field]: agent });
  if (channel === "voice") {
    if (agent.type !== "voice") throw invalidField(field, "names an agent that is not a voice agent");
    return agent;
  }
  if (agent.type !== "sms") throw failure("sms_not_enabled", `${field} names an agent that is not an SMS agent`);
  if (!agent.config.starting_message) throw invalidField(field, "names an agent without a starting_message");
  return agent;
}

const NOUN = { sms: "Agent", voice: "Voice agent" } as const;

/** Its newest version, held until the commit: it may have been deleted or changed since it was found. */
export async function holdAgent(
  tx: Tx,
  tenantId: Uuid,
  channel: "sms" | "voice",
  { id }: Pick<StoredAgent, "id">,
): Promise<StoredAgent> {
  const held = await agents.hold(tx, tenantId, id);
  if (!held) throw notFound(NOUN[channel]);
  return held;
}

/**
 * Plans the follow-ups of a locked campaign anew, by its new agent's days: those that wait move, and who waits for the starting message gets those
 * that the earlier agent had not. One that the new agent lacks is suppressed when its turn comes, at once. What has left is left as it is.
 */
export async function replanFollowUps(
  { newId }: Pick<Context, "newId">,
  tx: Tx,
  tenantId: Uuid,
  campaign: { id: Uuid; lane_id: Uuid; begin_at: Date | null },
  { config }: Pick<StoredAgent, "config">,
  now: Date,
): Promise<void> {
  const startsAt = campaign.begin_at !== null && campaign.begin_at > now ? campaign.begin_at : now;
  const [, ...drips] = campaignLeads.plannedSteps(dripsOf(config), startsAt);
  const target = { tenantId, campaignId: campaign.id, laneId: campaign.lane_id };
  await edits.moveFollowUps(tx, target, { days: dripsOf(config).map(({ day }) => day), startsAt, now });
  const added = await edits.addFollowUps(tx, target, drips, { now, newId });
  await counts.add(tx, tenantId, newId(), [{ campaignId: campaign.id, state: "pending", n: added }]);
}
