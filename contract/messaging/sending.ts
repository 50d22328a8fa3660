import { Type } from "typebox";
import { operation } from "#contract/values/operation.ts";
import { named, nullable, tenantId, text, timestamp } from "#contract/values/shapes.ts";

const tag = "Sending";

/** As domain/messaging/price.ts has prices, and larger. */
const dollars = (more: { description: string }) =>
  Type.String({ pattern: "^\\d{1,7}(\\.\\d{1,6})?$", examples: ["250.00"], ...more });

export const Sending = named("Sending", {
  status: Type.Enum(["on", "stopped"]),
  stopped_at: nullable(timestamp()),
  stopped_by: nullable(Type.String({ description: "The id of the user or API key" })),
  reason: nullable(Type.String()),
  daily_spend_limit: nullable(dollars({ description: "US dollars; null without a limit" })),
  time_zone: Type.String({ description: "Whose days the limit is for" }),
  spent_today: Type.String({
    description:
      "US dollars: segments of texts that left, minutes of calls, each call's first when it is dialled, look-ups of phones",
  }),
  is_limit_reached: Type.Boolean({
    description: "No campaign text or follow-up leaves any more, and no call is placed; answers go a tenth beyond it",
  }),
  day_ends_at: timestamp(),
  price_per_lookup: Type.String({
    description: "US dollars: of a look-up of a phone's line, as the operator has set it",
  }),
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

export const changeSending = operation({
  id: "changeSending",
  method: "PATCH",
  path: "/v1/sending",
  tag,
  summary: "Limit what the tenant may spend on a day",
  scope: "admin",
  tenantWide: true,
  body: Type.Object({
    daily_spend_limit: Type.Optional(
      nullable(dollars({ description: "US dollars; null: without a limit. What the day has cost so far counts" })),
    ),
    time_zone: Type.Optional(text(64, "Whose days count, such as America/New_York")),
    tenant_id: tenantId(),
  }),
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
