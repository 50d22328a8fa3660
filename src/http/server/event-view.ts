import type * as contract from "#contract/system/events.ts";
import { type EventKind, eventUuid } from "#domain/system/event.ts";
import { base32, publicId, type Uuid } from "#domain/values/id.ts";
import type { LoggedEvent } from "#operations/system/read-events.ts";
import { threadIdView } from "./views.ts";

type View = (event: LoggedEvent) => Record<string, unknown>;

const threadOf = (event: LoggedEvent) =>
  event.threadPhone && event.campaign_id ? threadIdView(event.threadPhone, event.campaign_id) : null;

const leadOf = (event: LoggedEvent) => (event.contact ? publicId("contact", event.contact.contact_id) : null);

const ofThread: View = (event) => ({
  campaign_id: event.campaign_id,
  thread_id: threadOf(event),
  lead_id: leadOf(event),
  contact_id: leadOf(event),
  external_id: event.contact?.external_id ?? null,
});
const ofMessage: View = (event) => ({
  message_id: publicId("message", event.id!),
  ...ofThread(event),
  text: event.text,
});
const ofMedia: View = (event) => ({ ...ofMessage(event), media_id: publicId("media", event.data.media_id as Uuid) });
const ofCampaign: View = (event) => ({ campaign_id: event.campaign_id, channel: event.channel });
const ofCall: View = (event) => ({ call_id: publicId("call", event.id!), ...ofThread(event) });
const ofPhone: View = (event) => ({ phone_number: event.phone });
const ofImport: View = (event) => ({
  import_id: publicId("import", event.id!),
  list_id: publicId("list", event.data.list_id as Uuid),
});

/** Fields of an event besides its stored data: the public ids. */
const VIEWS: Record<EventKind, View> = {
  "message.received": ofMessage,
  "message.sent": ofMessage,
  "message.delivered": ofMessage,
  "message.failed": ofMessage,
  "message.unknown": ofMessage,
  "message.media_kept": ofMedia,
  "message.media_failed": ofMedia,
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
  "agent.updated": (event) => ({ agent_id: publicId("agent", event.id!) }),
  "phone_number.changed": (event) => ({
    agent_id: event.data.agent_id ? publicId("agent", event.data.agent_id as Uuid) : null,
    ...(event.data.resting_until ? { resting_until: new Date(event.data.resting_until as string).toISOString() } : {}),
  }),
  "brand.updated": () => ({}),
  "toll_free.verified": () => ({}),
  "toll_free.rejected": () => ({}),
  "do_not_call.changed": ofPhone,
  "sending.stopped": () => ({}),
  "sending.resumed": () => ({}),
};

/** An event as it is sent: `data` has public ids and small facts. A text and the caller's own id are as they are now: of an erased contact there is neither. */
export const eventView = (event: LoggedEvent) =>
  ({
    seq: event.seq,
    event_id: `evt_${base32(eventUuid(event.tenantId, event.seq, event.at))}`,
    kind: event.kind,
    at: event.at.toISOString(),
    organization_id: event.organization_id === null ? null : publicId("organization", event.organization_id),
    mode: event.carrier === null ? null : event.carrier === "simulator" ? "test" : "live",
    data: { ...event.data, ...VIEWS[event.kind](event) },
  }) as contract.LoggedEvent;
