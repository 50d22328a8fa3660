import { Type } from "typebox";
import { operation } from "#contract/values/operation.ts";
import { id, named, tenantId, text } from "#contract/values/shapes.ts";

const tag = "Agents";

const FIELD_TYPES = [
  "name",
  "first_name",
  "last_name",
  "email",
  "phone",
  "postal_code",
  "place",
  "money",
  "number",
  "date",
  "time",
  "date_time",
  "call_time",
  "period",
  "interest",
  "yes_no",
  "choice",
  "free",
] as const;

/** A question that is longer leaves no room for the answer to what the contact asked. */
const MAX_QUESTION = 200;
/** As many as the engine makes itself; it asks twice at most, and never in words that were said. */
const MAX_REPHRASED = 2;
const MAX_QUESTIONS = 50;

/** How a person worded what the dialog engine asks, as agents and their versions have it. */
export const WrittenQuestion = named("WrittenQuestion", {
  field: Type.String({ description: "Name of the field that it asks for" }),
  question: Type.String(),
  rephrased: Type.Array(Type.String(), { description: "What is asked when the question brought no answer, in order" }),
});

const Script = named("AgentScript", {
  questions: Type.Array(
    Type.Object({
      field: Type.String({ description: "An extraction field, or what the instructions say to find out" }),
      type: Type.Enum([...FIELD_TYPES], { description: "What an answer has to look like to be taken for one" }),
      question: Type.String(),
      rephrased: Type.Array(Type.String(), { description: "Asked when the question brought no answer, in order" }),
      spanish: Type.Array(Type.String(), { description: "Asked instead of a contact who writes Spanish" }),
      choices: Type.Array(Type.String()),
      required: Type.Boolean(),
      is_first: Type.Boolean({ description: "The starting message asks for it" }),
      is_edited: Type.Boolean({ description: "In a person's words" }),
    }),
    { description: "In the order in which they are asked; one whose field is known already is left out" },
  ),
  facts: Type.Array(Type.String(), {
    description: "Sentences of the instructions that answer a contact's question, word for word",
  }),
  off_limits: Type.Array(Type.String(), {
    description: "What the instructions forbid; questions about it are left to a person",
  }),
});

const params = Type.Object({ agent_id: id("agent") });
const answer = Type.Object({
  agent_id: Type.String(),
  version: Type.Integer({ description: "Version of the agent that the script is of" }),
  script: Script,
});

export const getAgentScript = operation({
  id: "getAgentScript",
  method: "GET",
  path: "/v1/agents/:agent_id/script",
  tag,
  summary: "What the built-in dialog engine asks, may answer and does not speak of, as this agent",
  scope: "read",
  params,
  status: 200,
  response: answer,
});

export const putAgentScript = operation({
  id: "putAgentScript",
  method: "PUT",
  path: "/v1/agents/:agent_id/script",
  tag,
  summary: "Word questions of the dialog engine, as a new version of the agent; replaces all that were worded before",
  scope: "write",
  params,
  body: Type.Object({
    questions: Type.Array(
      Type.Object({
        field: text(64, "Name of a field that the agent asks for"),
        question: text(MAX_QUESTION, "One question that ends in ?, without variables"),
        rephrased: Type.Optional(Type.Array(text(MAX_QUESTION), { maxItems: MAX_REPHRASED })),
      }),
      { maxItems: MAX_QUESTIONS },
    ),
    tenant_id: tenantId(),
  }),
  status: 200,
  response: answer,
});

export const deleteAgentScript = operation({
  id: "deleteAgentScript",
  method: "DELETE",
  path: "/v1/agents/:agent_id/script",
  tag,
  summary: "Put all questions of the dialog engine back to its own words, as a new version of the agent",
  scope: "write",
  params,
  status: 200,
  response: answer,
});
