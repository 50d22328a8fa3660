import type * as contract from "#contract/system/events.ts";
import { type EventKind, eventUuid } from "#domain/system/event.ts";
import { base32, publicId, type Uuid } from "#domain/values/id.ts";
import type { LoggedEvent } from "#operations/system/read-events.ts";
import { threadIdView } from "./views.ts";

type View = (it: LoggedEvent) => Record<string, unknown>;

const threadOf = (it: LoggedEvent) =>
  it.threadPhone && it.campaign_id ? threadIdView(it.threadPhone, it.campaign_id) : null;

const ofThread: View = (it) => ({ campaign_id: it.campaign_id, thread_id: threadOf(it) });
const ofMessage: View = (it) => ({ message_id: publicId("message", it.id!), ...ofThread(it) });
const ofCampaign: View = (it) => ({ campaign_id: it.campaign_id, channel: it.channel });
const ofCall: View = (it) => ({ call_id: publicId("call", it.id!), ...ofThread(it) });
const ofPhone: View = (it) => ({ phone_number: it.phone });
const ofImport: View = (it) => ({
  import_id: publicId("import", it.id!),
  list_id: publicId("list", it.data.list_id as Uuid),
});

/** Fields of an event besides its stored data: the public ids. */
const VIEWS: Record<EventKind, View> = {
  "message.received": ofMessage,
  "message.sent": ofMessage,
  "message.delivered": ofMessage,
  "message.failed": ofMessage,
  "message.unknown": ofMessage,
  "contact.opted_out": ofPhone,
  "contact.opted_in": ofPhone,
  "thread.updated": ofThread,
  "extraction.completed": ofThread,
  "campaign.created": ofCampaign,
  "campaign.started": ofCampaign,
  "campaign.progressed": ofCampaign,
  "campaign.paused": ofCampaign,
  "campaign.resumed": ofCampaign,
  "campaign.completed": ofCampaign,
  "campaign.deleted": ofCampaign,
  "call.started": ofCall,
  "call.answered": ofCall,
  "call.ended": ofCall,
  "call.analysed": ofCall,
  "import.progressed": ofImport,
  "import.finished": ofImport,
  "agent.updated": (it) => ({ agent_id: publicId("agent", it.id!) }),
  "phone_number.changed": (it) => ({ agent_id: it.data.agent_id ? publicId("agent", it.data.agent_id as Uuid) : null }),
  "brand.updated": () => ({}),
  "do_not_call.changed": ofPhone,
};

/** An event as it is sent: `data` has public ids and small facts, and neither message texts nor personal data. */
export const eventView = (it: LoggedEvent) =>
  ({
    seq: it.seq,
    event_id: `evt_${base32(eventUuid(it.tenantId, it.seq, it.at))}`,
    kind: it.kind,
    at: it.at.toISOString(),
    organization_id: it.organization_id === null ? null : publicId("organization", it.organization_id),
    mode: it.carrier === null ? null : it.carrier === "simulator" ? "test" : "live",
    data: { ...it.data, ...VIEWS[it.kind](it) },
  }) as contract.LoggedEvent;
