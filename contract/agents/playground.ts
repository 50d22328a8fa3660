import { Type } from "typebox";
import { ContactInput } from "#contract/contacts/contacts.ts";
import { operation } from "#contract/values/operation.ts";
import { freeText, id, named, nullable, tenantId, text } from "#contract/values/shapes.ts";
import { AgentType, agentChanges } from "./agents.ts";

/** As long a conversation as an agent remembers. */
const MAX_LINES = 60;

const Line = named("PlaygroundLine", {
  role: Type.Union([Type.Literal("contact"), Type.Literal("agent"), Type.Literal("human")], {
    description: "`human`: a colleague who took over from the agent",
  }),
  text: text(2_000),
});

const Usage = named("ModelUsage", { input_tokens: Type.Integer(), output_tokens: Type.Integer() });

export const Action = named("AgentAction", {
  type: Type.String({
    description:
      "By text: end_conversation, do_not_message, ask_person, schedule_call, transfer_to_voice. In a call: end_call, do_not_call, schedule_callback, transfer_call, press_digits",
  }),
  outcome: Type.Optional(Type.String()),
  at: Type.Optional(Type.String({ format: "date-time" })),
  to: Type.Optional(Type.String({ description: "The number that the call is put through to" })),
  digits: Type.Optional(Type.String()),
  quote: Type.Optional(Type.String({ description: "The words that asked for it" })),
});

const FieldValue = Type.Union([Type.String(), Type.Number(), Type.Boolean()]);

export const Extraction = nullable(
  Type.Object({
    extracted_fields: Type.Record(Type.String(), FieldValue),
    evidence: Type.Record(
      Type.String(),
      Type.Object({
        line: Type.Integer({ description: "Place in `history`, from 0; `text` comes after its last" }),
        quote: Type.String(),
      }),
    ),
    lead_outcome: nullable(Type.String({ description: "Of a text conversation" })),
    objective_met: Type.Boolean(),
    sentiment: nullable(Type.String({ description: "Of a call" })),
    summary: nullable(Type.String({ description: "Of a call" })),
    usage: Usage,
    latency_ms: Type.Integer(),
    cost: Type.String(),
  }),
);

export const PlaygroundTurn = named("PlaygroundTurn", {
  agent_type: AgentType,
  reply: nullable(Type.String({ description: "What the agent says; null: nothing" })),
  actions: Type.Array(Action, { description: "What the agent would do; no action is carried out" }),
  notes: Type.Array(Type.String(), { description: "What was dropped, refused or replaced, and why" }),
  prompt: nullable(
    Type.Object(
      {
        system: Type.String(),
        messages: Type.Array(Type.Object({ role: Type.String(), content: Type.String() })),
      },
      { description: "Input of the model; null where the model was not called, or reports none" },
    ),
  ),
  model: Type.String(),
  usage: Usage,
  latency_ms: Type.Integer(),
  segments: nullable(Type.Integer({ description: "That the reply is billed as; null in a call" })),
  cost: Type.Object(
    { total: Type.String(), model: Type.String(), texts: Type.String() },
    { description: "What this turn would cost in a real conversation, in US dollars, without the extraction" },
  ),
  failure: nullable(Type.Object({ code: Type.String(), retryable: Type.Boolean() })),
  extraction: Extraction,
});

/** Whom it is about. */
export const tried = {
  agent_id: Type.Optional(id("agent")),
  organization_id: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: "For whom a draft without an `agent_id` speaks" }),
  ),
  tenant_id: tenantId(),
  draft: Type.Optional(
    Type.Object(agentChanges, {
      description: "Changes that are tried before they are saved; without an `agent_id` a whole agent",
    }),
  ),
  contact: Type.Optional(ContactInput),
};

export const playTurn = operation({
  id: "playTurn",
  method: "POST",
  path: "/v1/playground/turns",
  tag: "Playground",
  summary: "One turn of a made-up conversation with an agent; sends and stores nothing",
  scope: "write",
  body: Type.Object({
    ...tried,
    objective: Type.Optional(freeText(2_000, "What a campaign would say that it is for")),
    can_call: Type.Optional(
      Type.Boolean({ default: false, description: "As in a campaign that may call: the agent can arrange calls" }),
    ),
    history: Type.Optional(
      Type.Array(Line, { maxItems: MAX_LINES, description: "What was said before, oldest first" }),
    ),
    text: Type.Optional(
      text(1_600, "What the contact says now; left out at the beginning, the agent has the first word"),
    ),
    extract: Type.Optional(
      Type.Boolean({ default: true, description: "Whether to say what the conversation has come to so far" }),
    ),
  }),
  status: 200,
  response: Type.Object({ turn: PlaygroundTurn }),
});

export const previewAgent = operation({
  id: "previewAgent",
  method: "POST",
  path: "/v1/playground/preview",
  tag: "Playground",
  summary: "What an agent's own texts are for a contact; sends and stores nothing",
  scope: "read",
  body: Type.Object(tried),
  status: 200,
  response: Type.Object({
    preview: Type.Object({
      agent_type: AgentType,
      texts: Type.Array(
        Type.Object({
          kind: Type.String({ description: "starting_message, drip or voicemail_message" }),
          day: nullable(Type.Integer({ description: "Of a drip: days after the starting message" })),
          text: nullable(Type.String({ description: "null: the contact would get none" })),
          missing_variable: nullable(
            Type.String({ description: "The field that the contact lacks, and that has no fallback" }),
          ),
          segments: nullable(Type.Integer({ description: "That a text is billed as" })),
          encoding: nullable(Type.String({ description: "GSM-7, or UCS-2 where a character needs it" })),
        }),
      ),
      variables: Type.Array(Type.String(), { description: "The fields that these texts ask for" }),
    }),
  }),
});
