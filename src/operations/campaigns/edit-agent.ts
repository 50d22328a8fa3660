import { refuseForeign } from "#domain/accounts/organization.ts";
import { replan } from "#domain/sending/follow-ups.ts";
import { templatesOf } from "#domain/sending/templates.ts";
import { failedField, invalidField, notFound } from "#domain/values/errors.ts";
import { NO_ID, parseId, type Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import type { StoredAgent } from "#store/agents/agents.ts";
import * as agents from "#store/agents/agents.ts";
import * as counts from "#store/campaigns/counts.ts";
import * as followUps from "#store/campaigns/follow-ups.ts";
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
  if (agent.type !== "sms") throw failedField("sms_not_enabled", field, "names an agent that is not an SMS agent");
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
 * Plans the follow-ups of a locked campaign anew, by its new agent's days: those that wait move, those that it lacks are suppressed, and those
 * that it has besides are added. What has left is left as it is, and no words reach a contact twice.
 */
export async function replanFollowUps(
  { newId }: Pick<Context, "newId">,
  tx: Tx,
  tenantId: Uuid,
  campaign: { id: Uuid; lane_id: Uuid; begin_at: Date | null },
  { id, version, config }: Pick<StoredAgent, "id" | "version" | "config">,
  now: Date,
): Promise<void> {
  const startsAt = campaign.begin_at !== null && campaign.begin_at > now ? campaign.begin_at : now;
  const { drips } = templatesOf(id, version, config);
  const target = { tenantId, campaignId: campaign.id, laneId: campaign.lane_id };
  let pending = 0;
  for (let last = NO_ID; ; ) {
    const threads = await followUps.after(tx, tenantId, campaign.id, last);
    const changes = threads.map((thread) => replan(thread, drips, startsAt));
    const piece = {
      move: changes.flatMap(({ move }) => move),
      withdraw: changes.flatMap(({ withdraw }) => withdraw),
      add: changes.flatMap(({ add }) => add),
    };
    pending += await followUps.change(tx, target, piece, { now, newId });
    if (threads.length < followUps.THREADS_A_STATEMENT) break;
    last = threads.at(-1)!.id;
  }
  await counts.add(tx, tenantId, newId(), [{ campaignId: campaign.id, state: "pending", n: pending }]);
}
