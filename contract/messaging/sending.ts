import { Type } from "typebox";
import { operation } from "#contract/values/operation.ts";
import { named, nullable, tenantId, text, timestamp } from "#contract/values/shapes.ts";

const tag = "Sending";

export const Sending = named("Sending", {
  status: Type.Enum(["on", "stopped"]),
  stopped_at: nullable(timestamp()),
  stopped_by: nullable(Type.String({ description: "The id of the user or API key" })),
  reason: nullable(Type.String()),
});

export const getSending = operation({
  id: "getSending",
  method: "GET",
  path: "/v1/sending",
  tag,
  summary: "Whether texts leave and calls are placed",
  scope: "read",
  byAgents: true,
  query: Type.Object({ tenant_id: tenantId() }),
  status: 200,
  response: Type.Object({ sending: Sending }),
});

const count = (description: string) => Type.Integer({ description });

export const stopSending = operation({
  id: "stopSending",
  method: "POST",
  path: "/v1/sending/stop",
  tag,
  summary: "Stop all sending and calling of the tenant within two seconds",
  scope: "send",
  tenantWide: true,
  // Whatever else is going on, it is not turned away.
  load: "inbound",
  body: Type.Object({
    reason: Type.Optional(text(500, "Kept with the stop, for whoever finds it")),
    tenant_id: tenantId(),
  }),
  status: 200,
  response: Type.Object({
    sending: Sending,
    under_way: Type.Object(
      {
        texts: Type.Object({
          accepted: count("Had left: the carrier has taken them"),
          rejected: count("Refused by the carrier"),
          not_sent: count("Did not leave; they wait"),
          uncertain: count("May have left: they are looked up, and not sent again blindly"),
          in_flight: count("With a carrier that had not answered yet"),
        }),
        calls: Type.Object({
          dialled: count("Were being dialled, and are ended"),
          ongoing: count("Were going on, and are ended"),
          ending_still: count("Whose end was not reported yet"),
        }),
      },
      { description: "What was under way at the stop, as it was at the answer. Nothing else leaves after it" },
    ),
  }),
});

export const resumeSending = operation({
  id: "resumeSending",
  method: "POST",
  path: "/v1/sending/resume",
  tag,
  summary: "Let sending and calling go on",
  scope: "send",
  tenantWide: true,
  body: Type.Object({ tenant_id: tenantId() }),
  status: 200,
  response: Type.Object({ sending: Sending }),
});
