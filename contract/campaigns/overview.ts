import { Type } from "typebox";
import { former } from "#contract/values/names.ts";
import { operation } from "#contract/values/operation.ts";
import { id, named, nullable, tenantId, timestamp } from "#contract/values/shapes.ts";

const tag = "Overview";

const Problem = named("OverviewProblem", {
  channel: Type.Enum(["sms", "voice"]),
  code: Type.String({ description: "The carrier's code, or `disconnection_reason`; empty where nobody said why" }),
  count: Type.Integer({ description: "Texts or calls" }),
  campaign_id: nullable(
    Type.String({ description: "The campaign with most of them; null for calls outside of campaigns" }),
  ),
});

export const HealthCheck = named("HealthCheck", {
  name: Type.Enum(["service", "database", "replica", "clock", "sending", "calls", "jobs"], {
    description: "`replica` where the service reads from one",
  }),
  problem: nullable(Type.String({ description: "A sentence for a person; null while all is operational" })),
});

const Past = Type.Object({
  texts: Type.Object({
    sent: Type.Integer(),
    delivered: Type.Integer(),
    failed: Type.Integer(),
    received: Type.Integer(),
  }),
  opt_outs: Type.Integer(),
  calls: Type.Object({ total: Type.Integer(), answered: Type.Integer(), voicemail: Type.Integer() }),
});

export const Overview = named("Overview", {
  day: Type.Object(
    {
      date: Type.String({ format: "date" }),
      time_zone: Type.String(),
      begin: timestamp(),
      from: former("begin", timestamp()),
      end: timestamp(),
      to: former("end", timestamp()),
    },
    { description: "Of the tenant's own clock, which the simulator may have moved" },
  ),
  texts: Type.Object({
    sent: Type.Integer({ description: "Texts that a carrier took" }),
    delivered: Type.Integer(),
    failed: Type.Integer(),
    received: Type.Integer({ description: "Texts of contacts in the organization's campaigns" }),
  }),
  conversations: Type.Object(
    {
      need_person: Type.Integer({ description: "As GET /v1/sms/threads finds them by attention=needs_person" }),
      answer_delayed: Type.Integer({ description: "Whose answer waits for the language model" }),
    },
    { description: "By text, as they stand now, whatever the day" },
  ),
  opt_outs: Type.Integer({ description: "Contacts of the organization who opted out, and have not come back" }),
  calls: Type.Object({
    total: Type.Integer(),
    answered: Type.Integer({ description: "By a person" }),
    voicemail: Type.Integer(),
    ongoing: Type.Integer(),
  }),
  before: Type.Object(
    { yesterday: Past, last_7_days: Past },
    { description: "The same of whole days before this one, to compare it with: the last, and the last seven" },
  ),
  problems: Type.Array(Problem, { description: "What failed, the most frequent first; at most 10" }),
  checklist: Type.Object(
    {
      agent: Type.Boolean(),
      contacts: Type.Boolean(),
      campaign: Type.Boolean(),
      reply: Type.Boolean({ description: "Somebody has texted back, or talked with an agent" }),
    },
    { description: "What there has been so far" },
  ),
  health: Type.Array(HealthCheck),
});

export const getOverview = operation({
  id: "getOverview",
  method: "GET",
  path: "/v1/overview",
  tag,
  summary: "What an organization's day has brought so far, what failed, and whether all systems are operational",
  scope: "read",
  replica: true,
  load: "list",
  query: Type.Object({
    organization_id: id("organization"),
    time_zone: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: "Whose day it is, by its IANA name; UTC unless given" }),
    ),
    tenant_id: tenantId(),
  }),
  status: 200,
  response: Type.Object({ overview: Overview }),
});
