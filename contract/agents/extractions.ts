import { Type } from "typebox";
import { former } from "#contract/values/names.ts";
import { operation } from "#contract/values/operation.ts";
import {
  id,
  instant,
  named,
  nullable,
  oneOf,
  page,
  paging,
  tenantId,
  text,
  timestamp,
} from "#contract/values/shapes.ts";

const tag = "Extractions";

export const FoundExtraction = named("FoundExtraction", {
  channel: Type.Enum(["sms", "voice"]),
  id: Type.String({ description: "thread_id of a conversation by text, call_id of a call" }),
  at: Type.String({ format: "date-time", description: "When it was extracted; of a call, when that began" }),
  phone_number: Type.String(),
  lead_id: nullable(Type.String()),
  contact_name: nullable(Type.String()),
  campaign_id: nullable(Type.String()),
  campaign_name: nullable(Type.String()),
  agent_id: Type.String(),
  agent_name: nullable(Type.String({ description: "As it was called in the version that spoke" })),
  objective_met: Type.Boolean({ description: "Of a call: it was successful" }),
  is_met: former("objective_met", Type.Boolean()),
  fields: Type.Array(
    named("FoundValue", {
      name: Type.String(),
      value: Type.String(),
      quote: nullable(Type.String({ description: "The contact's own words that it was taken from" })),
    }),
    { description: "What was found out; a field without a value is left out" },
  ),
});

const query = {
  organization_id: id("organization"),
  channel: Type.Optional(oneOf(["sms", "voice"], "Only conversations by text, or only calls")),
  campaign_id: Type.Optional(id("campaign, of texts or calls: its own alone")),
  agent_id: Type.Optional(id("agent: its own alone")),
  field: Type.Optional(text(100, "Only those that have a value for this field")),
  value: Type.Optional(text(200, "Only those with this in a value, or in the value of `field`, in whatever letters")),
  begin: Type.Optional(instant("From this time on")),
  end: Type.Optional(instant("Before this time")),
  tenant_id: tenantId(),
};

export const searchExtractions = operation({
  id: "searchExtractions",
  method: "GET",
  path: "/v1/extractions",
  tag,
  summary:
    "List what conversations and calls of an organization have found out, with the words that prove it, newest first",
  scope: "read",
  replica: true,
  query: Type.Object({ ...query, ...paging }),
  status: 200,
  response: page("extractions", FoundExtraction),
});

export const exportExtractions = operation({
  id: "exportExtractions",
  method: "GET",
  path: "/v1/extractions/export.csv",
  tag,
  summary: "Get the same as a file: a line for each field that has a value",
  scope: "read",
  replica: true,
  query: Type.Object(query),
  csv: true,
  load: "list",
  status: 200,
  response: Type.Object({}),
});

export const reanalyzeThreads = operation({
  id: "reanalyzeThreads",
  method: "POST",
  path: "/v1/extractions/reanalyze",
  tag,
  summary:
    "Extract again from whole conversations by text, soon and in the background; `extraction.completed` says when",
  scope: "write",
  body: Type.Object({
    organization_id: id("organization"),
    thread_ids: Type.Array(id("conversation"), { minItems: 1, maxItems: 1_000 }),
    tenant_id: tenantId(),
  }),
  status: 202,
  response: Type.Object({
    started: Type.Integer({ description: "Conversations that are read again" }),
    not_found: Type.Integer(),
    at: timestamp(),
  }),
});
