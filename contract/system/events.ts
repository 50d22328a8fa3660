import { type Static, type TObject, Type } from "typebox";
import { operation } from "#contract/values/operation.ts";
import { id, named, nullable, tenantId, timestamp } from "#contract/values/shapes.ts";

const tag = "Events";

const ofContact = {
  thread_id: nullable(Type.String({ description: "Null outside of campaigns, and once the contact is erased" })),
  lead_id: nullable(Type.String({ description: "The contact's; null of nobody's, and once it is erased" })),
  contact_id: nullable(Type.String({ description: "The same as `lead_id`" })),
  external_id: nullable(Type.String({ description: "The contact's, as it is when the event is read" })),
};
const ofMessage = {
  message_id: Type.String(),
  campaign_id: nullable(Type.String({ description: "Null for a text that belongs to no campaign" })),
  ...ofContact,
  text: nullable(Type.String({ description: "What was written; null once the contact is erased" })),
};
const ofMedia = {
  ...ofMessage,
  media_id: Type.String({ description: "A picture or another file that came with the text" }),
};
const ofThread = { campaign_id: Type.String(), ...ofContact };
const ofCampaign = {
  campaign_id: Type.String(),
  channel: Type.Enum(["sms", "voice"]),
  status: Type.String({ description: "As the campaign was then" }),
};
const ofCall = {
  call_id: Type.String(),
  campaign_id: nullable(Type.String()),
  ...ofContact,
  direction: Type.Enum(["outbound", "inbound"]),
};
const ofImport = {
  import_id: Type.String(),
  list_id: Type.String(),
  status: Type.String({ description: "As the import's" }),
  rows: Type.Integer(),
  created: Type.Integer(),
  updated: Type.Integer(),
  skipped: Type.Integer(),
  failed: Type.Integer(),
};
const ofPhone = { phone_number: nullable(Type.String({ description: "Null once the contact is erased" })) };
const ofSending = { by: nullable(Type.String({ description: "The id of the user or API key" })) };
const counts = Type.Record(Type.String(), Type.Integer(), {
  description: "Recipients by state; what is none is left out",
});

/** What an event of each kind carries in `data`. Ids are the API's own; whoever wants more asks for the thing. */
export const EVENT_DATA = {
  "message.received": Type.Object(ofMessage),
  "message.sent": Type.Object(ofMessage),
  "message.delivered": Type.Object(ofMessage),
  "message.failed": Type.Object({ ...ofMessage, reason: nullable(Type.String()) }),
  "message.unknown": Type.Object({ ...ofMessage, reason: nullable(Type.String()) }),
  "message.media_kept": Type.Object({
    ...ofMedia,
    content_type: Type.String(),
    bytes: Type.Integer({ description: "Its size in bytes" }),
  }),
  "message.media_failed": Type.Object({
    ...ofMedia,
    problem: Type.String({ description: "A sentence: why it is not here, and is not tried again" }),
  }),
  "contact.opted_out": Type.Object({
    ...ofPhone,
    source: Type.String({ description: "keyword, free_text, agent, carrier, call or journal" }),
  }),
  "contact.opted_in": Type.Object(ofPhone),
  "thread.updated": Type.Object({ ...ofThread, agent_awake: Type.Boolean() }),
  "extraction.completed": Type.Object({ ...ofThread, objective_met: Type.Boolean() }),
  "campaign.created": Type.Object(ofCampaign),
  "campaign.started": Type.Object(ofCampaign),
  "campaign.progressed": Type.Object({ ...ofCampaign, counts }),
  "campaign.paused": Type.Object({
    ...ofCampaign,
    reason: Type.Optional(
      Type.String({
        description: "Where no person did it: carrier_account_suspended, carrier_key_refused or carrier_sender_refused",
      }),
    ),
  }),
  "campaign.resumed": Type.Object(ofCampaign),
  "campaign.completed": Type.Object({ ...ofCampaign, counts }),
  "campaign.deleted": Type.Object(ofCampaign),
  "call.started": Type.Object(ofCall),
  "call.answered": Type.Object(ofCall),
  "call.ended": Type.Object({
    ...ofCall,
    call_status: Type.String({ description: "ended, not_connected or error" }),
    in_voicemail: Type.Boolean(),
    call_duration_ms: Type.Integer(),
  }),
  "call.analysed": Type.Object({ ...ofCall, call_successful: Type.Boolean(), user_sentiment: Type.String() }),
  "import.progressed": Type.Object(ofImport),
  "import.finished": Type.Object(ofImport),
  "agent.updated": Type.Object({
    agent_id: Type.String(),
    version: Type.Integer(),
    change: Type.Enum(["created", "updated", "deleted"]),
  }),
  "phone_number.changed": Type.Object({
    phone_number: Type.String({ description: "One of the tenant's own" }),
    agent_id: nullable(Type.String()),
    change: Type.Enum(["bought", "imported", "linked", "released", "rested", "rest_ended"]),
    resting_until: Type.Optional(nullable(timestamp())),
    reason: Type.Optional(
      nullable(Type.String({ description: "Of a rest: unwanted, complaints, answer_rate, or asked" })),
    ),
  }),
  "brand.updated": Type.Object({ brand_id: Type.String(), status: Type.String() }),
  "toll_free.verified": Type.Object({ phone_number: Type.String({ description: "One of the tenant's own" }) }),
  "toll_free.rejected": Type.Object({
    phone_number: Type.String({ description: "One of the tenant's own" }),
    reasons: Type.Array(Type.String(), { description: "The carrier's, as sentences" }),
  }),
  "do_not_call.changed": Type.Object({
    change: Type.Enum(["added", "removed"]),
    entries: Type.Integer({ description: "How many were added or removed at once" }),
    phone_number: nullable(Type.String({ description: "Of a single entry, unless its contact is erased" })),
  }),
  "sending.stopped": Type.Object({ ...ofSending, reason: nullable(Type.String()) }),
  "sending.resumed": Type.Object(ofSending),
} as const;

export type EventKind = keyof typeof EVENT_DATA;
export const EVENT_KINDS = Object.keys(EVENT_DATA) as EventKind[];

export type EventData = { [Kind in EventKind]: Static<(typeof EVENT_DATA)[Kind]> };

/** An event by its kind: `event.kind === "call.ended"` says what `data` has. */
export type LoggedEvent = { [Kind in EventKind]: Head & { kind: Kind; data: EventData[Kind] } }[EventKind];
type Head = Static<typeof Head>;

const Head = named("EventFields", {
  seq: Type.Integer({ minimum: 1, description: "The tenant's own count, without gaps, in the order of the log" }),
  event_id: Type.String(),
  at: timestamp(),
  organization_id: nullable(Type.String()),
  mode: nullable(Type.Enum(["test", "live"], { description: "Null where it is of neither" })),
});

export const Event = Type.Unsafe<LoggedEvent>(
  Type.Union(
    EVENT_KINDS.map((kind) =>
      Type.Object({ ...Head.properties, kind: Type.Literal(kind), data: EVENT_DATA[kind] as TObject }),
    ),
  ),
);

const EVENT_KIND = "[a-z_]+\\.([a-z_]+|\\*)";

const filters = {
  kinds: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1_000,
      pattern: `^${EVENT_KIND}(,${EVENT_KIND})*$`,
      description: "Only these, by commas: `campaign.progressed,message.*`",
    }),
  ),
  campaign_id: Type.Optional(id("campaign: its events alone")),
  thread_id: Type.Optional(id("thread: its events alone")),
  call_id: Type.Optional(id("call: its events alone")),
  tenant_id: tenantId(),
};

const after = (description: string) => Type.Optional(Type.Integer({ minimum: 0, description }));

export const listEvents = operation({
  id: "listEvents",
  method: "GET",
  path: "/v1/events",
  tag,
  summary: "Read the log of what happened, oldest first",
  scope: "read",
  load: "list",
  query: Type.Object({
    after: after("The `seq` after which to go on; from the oldest that is kept unless given"),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 500, default: 100 })),
    ...filters,
  }),
  errors: ["events_gone"],
  status: 200,
  response: Type.Object({
    events: Type.Array(Event),
    count: Type.Integer({ description: "Events on this page" }),
    has_more: Type.Boolean({ description: "More has happened already. A filtered page may be empty and yet say so" }),
    next_after: Type.Integer({ description: "`after` of the next page" }),
    oldest_seq: Type.Integer({
      description: "Of the log: the oldest that is kept, one more than the newest where none is",
    }),
    newest_seq: Type.Integer({ description: "Of the log, be it on this page or not; 0 before anything happened" }),
  }),
});

export const streamEvents = operation({
  id: "streamEvents",
  method: "GET",
  path: "/v1/events/stream",
  tag,
  summary: "The same as it happens, as server-sent events",
  scope: "read",
  query: Type.Object({
    after: after("The `seq` after which to go on; `Last-Event-ID` wins. Neither: from now on"),
    ...filters,
  }),
  stream: true,
  errors: ["events_gone"],
  status: 200,
  response: Type.Object({}),
});
