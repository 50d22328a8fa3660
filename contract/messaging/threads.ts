import { Type } from "typebox";
import { mediaUrls, RECIPIENT_STATES } from "#contract/campaigns/campaigns.ts";
import { former } from "#contract/values/names.ts";
import { operation } from "#contract/values/operation.ts";
import { id, named, nullable, oneOf, page, paging, phone, tenantId, text, timestamp } from "#contract/values/shapes.ts";
import { Message } from "./messages.ts";

const tag = "Conversations";
const params = Type.Object({ thread_id: id("thread: {phone_number}_{campaign_id}, the plus sign URL-encoded") });

const Assignee = nullable(
  Type.Object(
    {
      user_id: Type.String(),
      name: nullable(Type.String({ description: "Null where whoever asks does not see the user" })),
    },
    { description: "The user who takes care of it" },
  ),
);
const unread = () =>
  nullable(
    Type.Boolean({
      description:
        "Whether the signed-in user has yet to read the contact's last text; null for an API key. Each user has read what the user has read: what a colleague has seen is still new",
    }),
  );

const personWantedAt = () =>
  nullable({
    ...timestamp(),
    description:
      "Since when a person is wanted: the agent passed a question on, or the model did not answer for a day, or wrote what could not be sent; null again once a person has written or handed the conversation back, or, where the model had not answered, once it has",
  });

export const Note = named("Note", {
  note_id: Type.String(),
  kind: Type.String({ description: "note, or assigned: text is then the name of who was assigned, empty for nobody" }),
  text: Type.String(),
  author: nullable(
    Type.Object({ user_id: Type.String(), name: nullable(Type.String()) }, { description: "Null: an API key" }),
  ),
  created_at: timestamp(),
});

export const Thread = named("Thread", {
  thread_id: Type.String(),
  campaign_id: Type.String(),
  phone_number: Type.String(),
  lead_id: Type.String(),
  status: Type.String({ description: RECIPIENT_STATES.join(", ") }),
  state: former("status", Type.String()),
  reason: nullable(Type.String()),
  outcome: nullable(Type.String()),
  agent_awake: Type.Boolean({ description: "False while a person has the conversation" }),
  do_not_message: Type.Boolean(),
  delayed_answer: nullable(
    Type.Object(
      {
        since: timestamp(),
        tries: Type.Integer({ description: "Turns that the language model has failed at since then" }),
        next_try_at: timestamp(),
      },
      { description: "The agent's answer waits for the language model; null while none does" },
    ),
  ),
  person_wanted_at: personWantedAt(),
  opted_out: Type.Boolean({ description: "As it stands now: the status of a recipient who came back stays opted_out" }),
  transfer: nullable(
    Type.Object({
      requested_at: timestamp(),
      status: Type.String({ description: "scheduled, calling, done, refused or unknown" }),
      error: nullable(Type.String()),
    }),
  ),
  call: nullable(
    Type.Object(
      {
        purpose: Type.String({ description: "transfer or callback" }),
        status: Type.String({ description: "scheduled, calling, done, refused or unknown" }),
        scheduled_for: nullable(timestamp()),
        outcome: nullable(Type.String({ description: "connected, voicemail, no_answer, busy, declined or failed" })),
      },
      { description: "The last call that this conversation led to" },
    ),
  ),
  assignee: Assignee,
  unread: unread(),
  messages: Type.Array(Message),
  notes: Type.Array(Note, {
    description: "What people noted, oldest first: never sent to the contact, never shown to the agent",
  }),
});

/** A conversation as the list of them shows it. */
export const ListedThread = named("ListedThread", {
  thread_id: Type.String(),
  campaign_id: Type.String(),
  campaign_name: nullable(Type.String()),
  phone_number: Type.String(),
  lead_id: Type.String(),
  contact_name: nullable(Type.String()),
  status: Type.String({ description: RECIPIENT_STATES.join(", ") }),
  state: former("status", Type.String()),
  reason: nullable(Type.String()),
  outcome: nullable(Type.String()),
  agent_awake: Type.Boolean({ description: "False while a person has the conversation" }),
  do_not_message: Type.Boolean(),
  needs_person: Type.Boolean({
    description:
      "The last text is the contact's and no answer is on its way, or the agent could not answer what the contact wanted",
  }),
  person_wanted_at: personWantedAt(),
  answer_delayed: Type.Boolean({ description: "The agent's answer waits for the language model" }),
  assignee: Assignee,
  unread: unread(),
  last_inbound_at: nullable(timestamp()),
  last_message: nullable(
    Type.Object({
      direction: Type.Enum(["inbound", "outbound"]),
      kind: Type.String({ description: "As a message's" }),
      text: nullable(Type.String()),
    }),
  ),
  matching_text: nullable(
    Type.String({
      description: "With `search`: the newest text that has the words; null where the name alone has them",
    }),
  ),
});

export const listThreads = operation({
  id: "listThreads",
  method: "GET",
  path: "/v1/sms/threads",
  tag,
  summary: "List an organization's conversations, the one whose contact wrote last first; or all of a phone number",
  scope: "read",
  replica: true,
  query: Type.Object({
    organization_id: id("organization"),
    campaign_id: Type.Optional(id("campaign: its conversations alone")),
    status: Type.Optional(oneOf(RECIPIENT_STATES, "Of the recipient")),
    attention: Type.Optional(
      Type.Enum(["needs_person", "answer_delayed", "taken_over"], {
        description:
          "needs_person: the contact waits and nobody answers. answer_delayed: the answer waits for the language model. taken_over: a person has it",
      }),
    ),
    name: Type.Optional(
      text(
        100,
        "In the contact's first and last name. Looks through 2,000 conversations a page: one may be empty while more follow",
      ),
    ),
    search: Type.Optional(
      text(
        100,
        "In the contact's first and last name, or in a text that was sent or received, whatever the case. Looks through 2,000 conversations a page",
      ),
    ),
    phone_number: Type.Optional({ ...phone(), description: "Of the contact: also those that it never answered" }),
    assignee: Type.Optional({
      ...id("user"),
      description: "A user's id, `me` for whoever is signed in, or `none`: nobody takes care of them",
    }),
    unread: Type.Optional(
      Type.Boolean({
        description: "Only those that the signed-in user has yet to read, or has read: not for API keys",
      }),
    ),
    tenant_id: tenantId(),
    ...paging,
  }),
  status: 200,
  // An API key has no conversations of its own.
  errors: ["session_required"],
  response: page("threads", ListedThread),
});

export const getThread = operation({
  id: "getThread",
  method: "GET",
  path: "/v1/sms/threads/:thread_id",
  tag,
  summary: "A conversation, oldest first",
  scope: "read",
  params,
  status: 200,
  response: Type.Object({ thread: Thread }),
});

export const writeMessage = operation({
  id: "writeMessage",
  method: "POST",
  path: "/v1/sms/threads/:thread_id/messages",
  tag,
  summary: "A person writes; the agent sleeps until it is resumed",
  scope: "send",
  byAgents: true,
  params,
  body: Type.Object({
    text: text(1600),
    media_urls: Type.Optional(
      mediaUrls(
        "Addresses (https) of pictures that go along (MMS): the carrier fetches them. Only from numbers that can send them. With any it counts as one segment, and has a price of its own",
        { minItems: 1 },
      ),
    ),
  }),
  status: 202,
  response: Type.Object({
    message_id: Type.String(),
    thread_id: Type.String(),
    status: Type.String({ description: "Of the message" }),
    state: former("status", Type.String()),
  }),
});

export const getMessage = operation({
  id: "getMessage",
  method: "GET",
  path: "/v1/messages/:message_id",
  tag,
  summary: "A text, by its id alone",
  scope: "read",
  params: Type.Object({ message_id: id("message") }),
  status: 200,
  response: Type.Object({
    message: Type.Object({
      ...Message.properties,
      campaign_id: nullable(Type.String({ description: "Null of a text that belongs to no campaign" })),
      lead_id: nullable(Type.String({ description: "The contact's; null outside of campaigns" })),
      external_id: nullable(Type.String({ description: "The contact's, as it is now" })),
    }),
  }),
});

export const getMedia = operation({
  id: "getMedia",
  method: "GET",
  path: "/v1/media/:media_id",
  tag,
  summary: "A picture or another file that came with a text; whole, or a Range of it",
  scope: "read",
  params: Type.Object({ media_id: id("media: `media_id` in a message") }),
  query: Type.Object({
    token: Type.Optional(text(300, "Of the `url` of a message's media, in place of an API key")),
  }),
  media: true,
  errors: ["link_invalid"],
  status: 200,
  response: Type.Object({}),
});

export const uploadPicture = operation({
  id: "uploadPicture",
  method: "POST",
  path: "/v1/media",
  tag,
  summary:
    "Upload a picture that texts are to take along (JPEG, PNG or GIF, 5 MB at most): name its `url` in `media_urls`. It works for 90 days",
  scope: "write",
  upload: true,
  uploadBytes: 5 * 1024 * 1024,
  body: Type.Object({
    file: Type.String({ format: "binary", description: "The picture; what it is is seen by its bytes" }),
    tenant_id: tenantId(),
  }),
  status: 201,
  response: Type.Object({
    media_id: Type.String(),
    url: Type.String({ description: "For `media_urls`: whoever has it can fetch the picture until it expires" }),
    content_type: Type.String(),
    bytes: Type.Integer({ description: "Its size in bytes" }),
    expires_at: timestamp(),
  }),
});

export const pauseAgent = operation({
  id: "pauseAgent",
  method: "POST",
  path: "/v1/sms/threads/:thread_id/pause-agent",
  tag,
  summary: "A person takes the conversation over: the agent sleeps until it is resumed",
  scope: "send",
  byAgents: true,
  params,
  status: 200,
  response: Type.Object({ thread: Thread }),
});

export const resumeAgent = operation({
  id: "resumeAgent",
  method: "POST",
  path: "/v1/sms/threads/:thread_id/resume-agent",
  tag,
  summary: "Hand the conversation back to the agent",
  scope: "send",
  byAgents: true,
  params,
  status: 200,
  response: Type.Object({ thread: Thread }),
});

export const assignThread = operation({
  id: "assignThread",
  method: "POST",
  path: "/v1/sms/threads/:thread_id/assign",
  tag,
  summary: "Assign a conversation to a user of its organization or to an admin, or to nobody",
  scope: "write",
  byAgents: true,
  params,
  body: Type.Object({ user_id: nullable(id("user: null for nobody")), tenant_id: tenantId() }),
  status: 200,
  response: Type.Object({ thread: Thread }),
});

export const addNote = operation({
  id: "addNote",
  method: "POST",
  path: "/v1/sms/threads/:thread_id/notes",
  tag,
  summary: "Note something for colleagues: it is never sent to the contact, and the agent never sees it",
  scope: "write",
  byAgents: true,
  params,
  body: Type.Object({ text: text(5000), tenant_id: tenantId() }),
  status: 201,
  response: Type.Object({ note: Note }),
});

export const markThread = operation({
  id: "markThread",
  method: "PUT",
  path: "/v1/sms/threads/:thread_id/read",
  tag,
  summary: "Say whether one has read a conversation",
  scope: "read",
  caller: "person",
  params,
  body: Type.Object({ read: Type.Boolean(), tenant_id: tenantId() }),
  status: 200,
  response: Type.Object({ thread: Thread }),
});

export const markAllRead = operation({
  id: "markAllRead",
  method: "POST",
  path: "/v1/sms/threads/read",
  tag,
  summary: "Say that one has read every conversation of an organization",
  scope: "read",
  caller: "person",
  body: Type.Object({ organization_id: id("organization"), tenant_id: tenantId() }),
  status: 200,
  response: Type.Object({ organization_id: Type.String() }),
});

export const Extraction = named("Extraction", {
  thread_id: Type.String(),
  phone_number: Type.String(),
  extracted_fields: Type.Record(Type.String(), Type.String()),
  evidence: Type.Record(Type.String(), Type.Object({ message_id: Type.String(), quote: Type.String() })),
  lead_outcome: nullable(Type.String()),
  objective_met: Type.Boolean(),
  do_not_message: Type.Boolean(),
  call_transferred: Type.Boolean(),
  call_scheduled: Type.Boolean(),
  call_scheduled_time: nullable(timestamp()),
  extracted_at: timestamp(),
  campaign_id: Type.String(),
});

export const getExtraction = operation({
  id: "getExtraction",
  method: "GET",
  path: "/v1/sms/extractions/:thread_id",
  tag,
  summary: "What a conversation came to",
  scope: "read",
  params,
  status: 200,
  response: Type.Object({ extraction: nullable(Extraction), message: Type.Optional(Type.String()) }),
});

export const listExtractions = operation({
  id: "listExtractions",
  method: "GET",
  path: "/v1/sms/extractions",
  tag,
  summary: "List a campaign's extractions, newest thread first",
  scope: "read",
  replica: true,
  query: Type.Object({ campaign_id: id("campaign"), ...paging }),
  status: 200,
  response: page("extractions", Extraction),
});

export const rerunExtraction = operation({
  id: "rerunExtraction",
  method: "POST",
  path: "/v1/sms/extractions/:thread_id/rerun",
  tag,
  summary: "Extract again from the whole conversation",
  scope: "write",
  byAgents: true,
  params,
  status: 200,
  response: Type.Object({ extraction: nullable(Extraction) }),
});
