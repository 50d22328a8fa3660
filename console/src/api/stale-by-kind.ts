import type { EventKind } from "#contract/system/events.ts";
import type { GetKey } from "./operations.ts";

/** What the home page sums up. */
const DAY = "GET /v1/overview";
const SMS_CAMPAIGN = ["GET /v1/campaigns", "GET /v1/campaigns/:campaign_id"] as const;
const CAMPAIGN_REPLIED = ["GET /v1/campaigns/:campaign_id", "GET /v1/campaigns/:campaign_id/leads"] as const;
const VOICE_CAMPAIGN = ["GET /v1/voice/campaigns", "GET /v1/voice/campaigns/:campaign_id"] as const;
const CAMPAIGNS = [...SMS_CAMPAIGN, ...VOICE_CAMPAIGN];
const PROGRESS = [
  ...CAMPAIGNS,
  "GET /v1/campaigns/:campaign_id/leads",
  "GET /v1/campaigns/:campaign_id/analytics",
  "GET /v1/voice/campaigns/:campaign_id/leads",
] as const;
const THREADS = ["GET /v1/sms/threads", "GET /v1/sms/threads/:thread_id"] as const;
/** Whoever moves the simulator's clock makes something happen. */
const HANDSETS = [
  "GET /v1/simulator/handsets",
  "GET /v1/simulator/handsets/:phone_number",
  "GET /v1/simulator/clock",
] as const;
const TIMELINE = "GET /v1/contacts/leads/:lead_id/timeline";
const MESSAGES = [TIMELINE, ...THREADS, ...HANDSETS, "GET /v1/campaigns/:campaign_id/messages"] as const;
const CALLS = [
  TIMELINE,
  "GET /v1/voice/calls",
  "GET /v1/voice/calls/:call_id",
  "GET /v1/voice/campaigns/:campaign_id/calls",
  ...THREADS,
  ...HANDSETS,
] as const;
const WISHES = [
  "GET /v1/opt-outs",
  "GET /v1/contacts/leads",
  "GET /v1/consents/:phone_number",
  "GET /v1/contactability",
  ...THREADS,
] as const;
const TOLL_FREE = ["GET /v1/toll-free/verifications", "GET /v1/toll-free/verifications/:phone_number"] as const;
const IMPORTS = ["GET /v1/contacts/imports", "GET /v1/contacts/imports/:import_id"] as const;

/** Which answers an event makes stale. The type holds it to the kinds of the contract: a new one has to be named. */
export const STALE_BY_KIND: Readonly<Record<EventKind, readonly GetKey[]>> = {
  // A campaign that is over reports no progress, and replies still come.
  "message.received": [...MESSAGES, ...CAMPAIGN_REPLIED, DAY],
  "message.sent": MESSAGES,
  "message.delivered": MESSAGES,
  "message.failed": [...MESSAGES, DAY],
  "message.unknown": MESSAGES,
  "message.media_kept": MESSAGES,
  "message.media_failed": MESSAGES,
  "contact.opted_out": [...WISHES, DAY],
  "contact.opted_in": WISHES,
  "thread.updated": [...THREADS, DAY],
  "extraction.completed": ["GET /v1/extractions", "GET /v1/sms/extractions", "GET /v1/sms/extractions/:thread_id"],
  "campaign.created": [...CAMPAIGNS, DAY],
  "campaign.started": CAMPAIGNS,
  "campaign.progressed": [...PROGRESS, DAY],
  "campaign.paused": CAMPAIGNS,
  "campaign.resumed": CAMPAIGNS,
  "campaign.completed": PROGRESS,
  "campaign.deleted": CAMPAIGNS,
  "call.started": [...CALLS, DAY],
  "call.answered": CALLS,
  "call.ended": [...CALLS, DAY],
  "call.analysed": [...CALLS, "GET /v1/extractions"],
  "import.progressed": IMPORTS,
  "import.finished": [...IMPORTS, "GET /v1/contacts/lists", "GET /v1/contacts/leads", DAY],
  "agent.updated": [
    DAY,
    "GET /v1/agents",
    "GET /v1/agents/:agent_id",
    "GET /v1/agents/:agent_id/script",
    "GET /v1/agents/:agent_id/versions",
  ],
  "phone_number.changed": ["GET /v1/voice/phone-numbers"],
  "brand.updated": ["GET /v1/10dlc/brand", "GET /v1/10dlc/brand/:brand_id", "GET /v1/10dlc/campaign"],
  "toll_free.verified": TOLL_FREE,
  "toll_free.rejected": TOLL_FREE,
  "do_not_call.changed": ["GET /v1/dnc"],
  "sending.stopped": ["GET /v1/sending", "GET /v1/live-checks"],
  "sending.resumed": ["GET /v1/sending", "GET /v1/live-checks"],
};
