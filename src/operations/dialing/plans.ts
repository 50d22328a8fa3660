import type { VoiceAgent } from "#domain/agents/agent.ts";
import { historyOf, withoutUndone } from "#domain/agents/history.ts";
import { ringMs } from "#domain/calls/abandonment.ts";
import type { CallPlan } from "#domain/calls/plan.ts";
import { NO_ID, type Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import * as organizations from "#store/accounts/organizations.ts";
import * as agents from "#store/agents/agents.ts";
import * as extractions from "#store/agents/extractions.ts";
import * as messages from "#store/messaging/messages.ts";
import type { Claim } from "./claim.ts";

/** Builds the plans of claimed calls. Earlier texts are read only for calls that belong to a conversation. */
export async function plansOf(ctx: Context, tenantId: Uuid, claim: Claim): Promise<CallPlan[]> {
  const known = memory();
  return Promise.all(
    claim.placing.map(async ({ dial, ref, callId, number, zone }): Promise<CallPlan> => {
      const campaign = claim.campaigns.get(dial.campaign_id);
      const objective = dial.objective ?? (campaign?.settings.objective as string | undefined);
      const version = `${dial.agent_id} ${dial.agent_version}`;
      const [config, organization, before] = await Promise.all([
        known(version, () => agents.configOf(ctx.db, tenantId, dial.agent_id, dial.agent_version)),
        campaign?.organization_name ?? known(dial.organization_id, () => nameOf(ctx, tenantId, dial.organization_id)),
        textedBefore(ctx, tenantId, campaign?.channel === "sms" ? dial.campaign_id : NO_ID, dial.thread_id),
      ]);
      const agent = config as VoiceAgent;
      return {
        callId,
        tenantId,
        ref,
        mode: modeOf(claim.line.name),
        direction: "outbound",
        purpose: dial.purpose,
        n: dial.thread_id === null ? 0 : dial.n,
        number,
        contactPhone: dial.phone,
        campaign: campaign?.campaign_id ?? "",
        ...(claim.campaignSize === undefined ? {} : { campaignSize: claim.campaignSize }),
        agent: { ...agent, ring_duration_ms: ringMs(agent.ring_duration_ms) },
        organization,
        ...(objective ? { objective } : {}),
        contact: { ...dial.fields, phone_number: dial.phone },
        contactZone: zone,
        ...before,
        now: claim.tenantNow.toISOString(),
        clockOffsetMs: claim.clockOffsetMs,
      };
    }),
  );
}

/** The simulated carrier places the calls of test keys, and no others. */
export const modeOf = (carrier: string): "live" | "test" => (carrier === "simulator" ? "test" : "live");

export const nameOf = async (ctx: Context, tenantId: Uuid, organizationId: Uuid): Promise<string> =>
  (await organizations.find(ctx.db, tenantId, organizationId))?.name ?? "";

/** The texts of a conversation and the fields extracted from them; nothing where there is no conversation. */
export async function textedBefore(
  ctx: Context,
  tenantId: Uuid,
  campaignId: Uuid,
  threadId: Uuid | null,
): Promise<Pick<CallPlan, "history" | "known">> {
  if (campaignId === NO_ID || threadId === null) return { history: [], known: {} };
  const [texts, extraction] = await Promise.all([
    messages.ofThread(ctx.db, tenantId, campaignId, threadId),
    extractions.find(ctx.db, tenantId, campaignId, threadId),
  ]);
  // Who is called has not stopped, or has come back since.
  const history = withoutUndone(historyOf(texts)).map(({ id, role, text, at }) => ({
    id,
    role,
    text,
    at: at.toISOString(),
  }));
  return { history, known: extraction?.fields ?? {} };
}

/** Reads each row once. */
function memory() {
  const kept = new Map<string, Promise<unknown>>();
  return <T>(key: string, read: () => Promise<T>): Promise<T> => {
    if (!kept.has(key)) kept.set(key, read());
    return kept.get(key) as Promise<T>;
  };
}
