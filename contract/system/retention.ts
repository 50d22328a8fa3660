import { Type } from "typebox";
import { operation } from "#contract/values/operation.ts";
import { named, nullable, tenantId } from "#contract/values/shapes.ts";

const tag = "Retention";

/** The smallest and the largest number that any setting of the service allows; the service's own limits are in each answer. */
const days = (description: string, { most = 3_650, example = 365 } = {}) =>
  nullable(Type.Integer({ minimum: 1, maximum: most, description, examples: [example] }));

const DAYS = {
  messages_days: days(
    "Conversations by text, each after its last text: texts, their attempts, decisions, pictures, notes and what was extracted. Null: kept",
  ),
  calls_days: days("Calls with transcript, recording, attempts, decisions and what was extracted. Null: kept"),
  recordings_days: days("The recordings of calls, which stay. Null: kept as long as their calls"),
  events_days: days("Events of `GET /v1/events`. Null: as long as the service keeps them", { example: 30 }),
  requests_days: days(
    "The log of requests, but for what admins changed, which is kept for a year. Null: as long as the service keeps them",
    { most: 7, example: 7 },
  ),
};

export const Retention = named("Retention", {
  ...DAYS,
  limits: Type.Object({
    shortest_days: Type.Integer({ description: "Of messages and calls" }),
    longest_days: Type.Integer({ description: "Of messages, calls and recordings" }),
    events_days: Type.Integer({ description: "How long the service keeps events" }),
    requests_days: Type.Integer({ description: "How long the service keeps requests" }),
  }),
});

export const getRetention = operation({
  id: "getRetention",
  method: "GET",
  path: "/v1/retention",
  tag,
  summary: "For how many days what the tenant has is kept",
  scope: "admin",
  tenantWide: true,
  query: Type.Object({ tenant_id: tenantId() }),
  status: 200,
  response: Type.Object({ retention: Retention }),
});

export const changeRetention = operation({
  id: "changeRetention",
  method: "PUT",
  path: "/v1/retention",
  tag,
  summary:
    "Say for how many days each kind is kept: what is older is removed within a day, for good, but nothing of a campaign that is not over",
  scope: "admin",
  tenantWide: true,
  body: Type.Object({ ...DAYS, tenant_id: tenantId() }),
  status: 200,
  response: Type.Object({ retention: Retention }),
});
