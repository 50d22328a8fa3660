import type { Answer, Args } from "#api/operations.ts";
import type { Session } from "#api/session.ts";
import { type CampaignDraft, copyOf, EMPTY_DRAFT, sharedBody } from "#parts/campaigns/new-draft.ts";
import { givenPictures } from "#parts/form/picture-addresses.tsx";

export type Campaign = Answer<"GET /v1/campaigns/:campaign_id">["campaign"];
export type Agent = Answer<"GET /v1/agents/:agent_id">["agent"];
export type Body = Args<"POST /v1/campaigns">["body"];

/** A campaign as it is being made. */
export type Draft = CampaignDraft & {
  sender: string;
  /** Addresses of pictures that go with the first text; one that is still being typed included. */
  pictures: readonly string[];
  toVoice: boolean;
  voiceAgentId: string | null;
  outboundNumber: string;
};

export const EMPTY: Draft = {
  ...EMPTY_DRAFT,
  sender: "",
  pictures: [],
  toVoice: false,
  voiceAgentId: null,
  outboundNumber: "",
};

/** A draft that begins as a copy of a campaign; with `state`, for its recipients in that state. */
export function draftOf(campaign: Campaign, state: string | null): Draft {
  return {
    ...copyOf(campaign, { name: campaign.campaign_name, agentId: campaign.sms_agent_id, state }),
    sender: campaign.svc_sms_number,
    pictures: campaign.media_urls,
    toVoice: campaign.details.voice_transfer_enabled,
    voiceAgentId: campaign.voice_agent_id,
    outboundNumber: campaign.outbound_number ?? "",
  };
}

/**
 * The request that makes the campaign. A user belongs to one organization: for another's campaign the agent's own user
 * stands in, or the `ownerId` that is given.
 */
export function bodyOf(
  draft: Draft,
  context: { organizationId: string; session: Session; agent?: Agent | undefined; ownerId?: string | undefined },
): Body {
  const { user } = context.session;
  const owner =
    user.organization_id === context.organizationId
      ? user.unique_id
      : (context.ownerId ?? context.agent?.user_id ?? user.unique_id);
  const pictures = givenPictures(draft.pictures);
  return {
    campaign_name: draft.name,
    organization_id: context.organizationId,
    user_id: owner,
    sms_agent_id: draft.agentId ?? "",
    svc_sms_number: draft.sender,
    ...(pictures.length > 0 ? { media_urls: pictures } : {}),
    ...(draft.toVoice
      ? {
          enable_sms_to_voice: true,
          outbound_number: draft.outboundNumber,
          ...(draft.voiceAgentId ? { voice_agent_id: draft.voiceAgentId } : {}),
        }
      : {}),
    ...sharedBody(draft),
  };
}

/** `{{first_name}}` and the like in a text, each once. */
export function variablesOf(text: string): string[] {
  return [
    ...new Set([...text.matchAll(/\{\{([^{}]*)\}\}/g)].flatMap(([, inside]) => /^[\w.]+/.exec(inside!.trim()) ?? [])),
  ];
}
