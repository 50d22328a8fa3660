import type { Answer, Args } from "#api/operations.ts";
import type { Session } from "#api/session.ts";
import { type Audience, audienceBody, NO_AUDIENCE } from "#parts/campaigns/audience.tsx";
import { AT_ONCE, type Schedule, scheduleBody, scheduleOf } from "#parts/campaigns/schedule.tsx";

export type Campaign = Answer<"GET /v1/campaigns/:campaign_id">["campaign"];
export type Agent = Answer<"GET /v1/agents/:agent_id">["agent"];
export type Body = Args<"POST /v1/campaigns">["body"];

/** A campaign as it is being made. */
export type Draft = {
  name: string;
  agentId: string | null;
  sender: string;
  objective: string;
  toVoice: boolean;
  voiceAgentId: string | null;
  outboundNumber: string;
  audience: Audience;
  schedule: Schedule;
};

export const EMPTY: Draft = {
  name: "",
  agentId: null,
  sender: "",
  objective: "",
  toVoice: false,
  voiceAgentId: null,
  outboundNumber: "",
  audience: NO_AUDIENCE,
  schedule: AT_ONCE,
};

/** A draft that begins as a copy of a campaign; with `state`, for its recipients in that state. */
export function draftOf(campaign: Campaign, state: string | null): Draft {
  const { campaign_id, campaign_name } = campaign;
  return {
    name: `${campaign_name ?? campaign_id} (again)`,
    agentId: campaign.sms_agent_id,
    sender: campaign.svc_sms_number,
    objective: campaign.objective ?? "",
    toVoice: campaign.details.voice_transfer_enabled,
    voiceAgentId: campaign.voice_agent_id,
    outboundNumber: campaign.outbound_number ?? "",
    audience: { ...NO_AUDIENCE, kind: "earlier", from: { campaign_id, ...(state ? { state } : {}) } },
    schedule: scheduleOf(campaign.calling_window),
  };
}

/**
 * The request that makes the campaign. A user belongs to one organization: for another's campaign the agent's own user
 * stands in.
 */
export function bodyOf(draft: Draft, it: { organizationId: string; session: Session; agent: Agent | undefined }): Body {
  const { user } = it.session;
  const owner = user.organization_id === it.organizationId ? user.unique_id : (it.agent?.user_id ?? user.unique_id);
  const { contacts, ...stored } = audienceBody(draft.audience);
  return {
    campaign_name: draft.name,
    organization_id: it.organizationId,
    user_id: owner,
    sms_agent_id: draft.agentId ?? "",
    svc_sms_number: draft.sender,
    ...(contacts ? { contacts } : {}),
    ...stored,
    ...(draft.objective === "" ? {} : { objective: draft.objective }),
    ...(draft.toVoice
      ? {
          enable_sms_to_voice: true,
          outbound_number: draft.outboundNumber,
          ...(draft.voiceAgentId ? { voice_agent_id: draft.voiceAgentId } : {}),
        }
      : {}),
    ...scheduleBody(draft.schedule),
  };
}

/** In which step a field of the API's is. */
export function stepOf(field: string): string {
  if (/^(contacts|list_id|from_campaign)/.test(field)) return "audience";
  return /^(campaign_begin_time|campaign_end_time|calling_window)/.test(field) ? "schedule" : "setup";
}

/** `{{first_name}}` and the like in a text, each once. */
export function variablesOf(text: string): string[] {
  return [
    ...new Set([...text.matchAll(/\{\{([^{}]*)\}\}/g)].flatMap(([, inside]) => /^[\w.]+/.exec(inside!.trim()) ?? [])),
  ];
}
