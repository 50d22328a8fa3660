import { type Audience, audienceBody, NO_AUDIENCE } from "./audience.tsx";
import { AT_ONCE, type Schedule, scheduleBody, scheduleOf } from "./schedule.tsx";

/** What a campaign of either kind has while it is being made. */
export type CampaignDraft = {
  name: string;
  agentId: string | null;
  objective: string;
  audience: Audience;
  schedule: Schedule;
};

export const EMPTY_DRAFT: CampaignDraft = {
  name: "",
  agentId: null,
  objective: "",
  audience: NO_AUDIENCE,
  schedule: AT_ONCE,
};

/** A draft that begins as a copy of a campaign; with `state`, for its recipients in that state. */
export function copyOf(
  campaign: {
    campaign_id: string;
    objective: string | null;
    calling_window: { start: string; end: string; days: number[] } | null;
  },
  { name, agentId, state }: { name: string | null; agentId: string | null; state: string | null },
): CampaignDraft {
  const { campaign_id, objective, calling_window } = campaign;
  return {
    name: `${name ?? campaign_id} (again)`,
    agentId,
    objective: objective ?? "",
    audience: { ...NO_AUDIENCE, kind: "earlier", from: { campaign_id, ...(state ? { status: state } : {}) } },
    schedule: scheduleOf(calling_window),
  };
}

/** The API's fields that both kinds have; `contacts` themselves have another name with each. */
export function sharedBody(draft: CampaignDraft) {
  return {
    ...audienceBody(draft.audience),
    ...(draft.objective === "" ? {} : { objective: draft.objective }),
    ...scheduleBody(draft.schedule),
  };
}
