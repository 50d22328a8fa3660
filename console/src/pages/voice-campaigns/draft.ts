import type { Answer, Args } from "#api/operations.ts";
import type { Session } from "#api/session.ts";
import { type CampaignDraft, copyOf, EMPTY_DRAFT, sharedBody } from "#parts/campaigns/new-draft.ts";

export type Campaign = Answer<"GET /v1/voice/campaigns/:campaign_id">["campaign"];
export type Body = Args<"POST /v1/voice/campaigns">["body"];
export type RetryOn = "no_answer" | "busy" | "failed" | "voicemail";

/** A voice campaign as it is being made. */
export type Draft = CampaignDraft & {
  /** The first is the default; calls come from all of them in rotation. */
  numbers: string[];
  perSecond: number;
  atOnce: number;
  isRedialled: boolean;
  attempts: number;
  delayMinutes: number;
  retryOn: RetryOn[];
};

export const EMPTY: Draft = {
  ...EMPTY_DRAFT,
  numbers: [],
  // The API's defaults.
  perSecond: 10,
  atOnce: 100,
  isRedialled: true,
  attempts: 3,
  delayMinutes: 60,
  retryOn: ["no_answer", "busy", "failed"],
};

/** A draft that begins as a copy of a campaign; with `state`, for its recipients in that state. */
export function draftOf(campaign: Campaign, state: string | null): Draft {
  const { redial_config: redial } = campaign;
  return {
    ...copyOf(campaign, { name: campaign.campaign_name, agentId: campaign.voice_agent_id, state }),
    numbers: campaign.agent_outbound_numbers,
    perSecond: campaign.calls_per_second,
    atOnce: campaign.max_concurrent_calls,
    isRedialled: redial !== null,
    attempts: redial?.max_attempts ?? EMPTY.attempts,
    delayMinutes: redial?.retry_delay_minutes ?? EMPTY.delayMinutes,
    retryOn: redial?.retry_on ?? EMPTY.retryOn,
  };
}

/** The request that makes the campaign. Where the signed-in user is another organization's, the agent's own stands in. */
export function bodyOf(draft: Draft, { organizationId, session }: { organizationId: string; session: Session }): Body {
  const [first = "", ...others] = draft.numbers;
  const { contacts, ...shared } = sharedBody(draft);
  const { user } = session;
  return {
    ...(draft.name === "" ? {} : { campaign_name: draft.name }),
    organization_id: organizationId,
    ...(user.organization_id === organizationId ? { user_id: user.unique_id } : {}),
    voice_agent_id: draft.agentId ?? "",
    agent_outbound_number: first,
    ...(others.length > 0 ? { agent_outbound_numbers: others } : {}),
    ...(contacts ? { leads: contacts } : {}),
    ...shared,
    calls_per_second: draft.perSecond,
    max_concurrent_calls: draft.atOnce,
    redial_enabled: draft.isRedialled,
    ...(draft.isRedialled
      ? {
          redial_config: {
            max_attempts: draft.attempts,
            retry_delay_minutes: draft.delayMinutes,
            retry_on: draft.retryOn,
          },
        }
      : {}),
  };
}
