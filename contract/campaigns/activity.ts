import { Type } from "typebox";
import { former } from "#contract/values/names.ts";
import { operation } from "#contract/values/operation.ts";
import { id, instant, nullable, oneOf, tenantId, text, timestamp } from "#contract/values/shapes.ts";

const tag = "Analytics";

const rate = (of: string) => Type.Number({ description: `0 to 1, of ${of}; 0 where there are none` });
const count = (description: string) => Type.Integer({ description });
const dollars = (of: string) => Type.String({ description: `US dollars, of ${of}` });

export const ActivityFigures = {
  texts: Type.Object({
    sent: count("Texts that a carrier took"),
    delivered: count("Of those, which arrived at the phone; counted in the hour in which they were sent"),
    failed: count("Texts that a carrier refused or could not deliver"),
    received: count("Texts of contacts"),
    segments: count("Parts in which the sent texts were billed"),
    contacts_texted: count("Recipients whose first text was sent"),
    contacts_replied: count("Recipients who wrote for the first time"),
    contacts_opted_out: count("Contacts who opted out, whom an SMS campaign had contacted last"),
    delivery_rate: rate("the sent texts"),
    reply_rate: rate("the contacts texted"),
    opt_out_rate: rate("the contacts texted; carriers look at more than 0.02"),
    cost: dollars("the segments sent"),
  }),
  calls: Type.Object({
    outbound: count("Calls that we placed and that are over: the sum of the next six"),
    inbound: count("Calls to us that are over"),
    answered: count("A person was spoken with"),
    voicemail: Type.Integer(),
    no_answer: Type.Integer(),
    busy: Type.Integer(),
    declined: Type.Integer(),
    failed: count("Not connected for another reason"),
    contacts_opted_out: count("Contacts who opted out, whom a voice campaign had contacted last"),
    successful: count("Calls that met their objective"),
    answer_rate: rate("the outbound calls"),
    voicemail_rate: rate("the outbound calls"),
    success_rate: rate("the calls, of both directions, in which a person was spoken with"),
    talk_ms: Type.Object(
      { total: Type.Integer(), avg: Type.Integer() },
      {
        description:
          "Length in milliseconds, from the answer to the end, of calls of both directions in which a person was spoken with",
      },
    ),
    sentiment: Type.Object(
      { Positive: Type.Integer(), Negative: Type.Integer(), Neutral: Type.Integer(), Unknown: Type.Integer() },
      { description: "Analysed calls in which a person was spoken with" },
    ),
    response_ms: Type.Object(
      {
        turns: count("Answers of agents in calls"),
        p50: nullable(Type.Integer()),
        p95: nullable(Type.Integer()),
      },
      {
        description:
          "From the end of the contact's speech to the agent's first sound, in milliseconds; estimated from counts by classes of 250 ms and more",
      },
    ),
    cost: dollars("the analysed calls"),
  }),
};

const query = {
  organization_id: Type.Optional(id("organization; all that the caller sees unless given")),
  begin: Type.Optional(instant("Rounded down to the hour; `days` decides unless given. At most 400 days before `end`")),
  end: Type.Optional(
    instant("Rounded up to the hour, and of the years 1001 to 9998; the tenant's present time unless given"),
  ),
  days: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 400,
      description: "Without `begin`: the day of `end` and those before it; 21 unless given",
    }),
  ),
  time_zone: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: "Whose days and hours, by its IANA name; UTC unless given",
    }),
  ),
  campaign_id: Type.Optional(id("campaign, of texts or calls")),
  agent_id: Type.Optional(id("agent")),
  own_number: Type.Optional(text(40, "Our own phone number, E.164")),
  area_code: Type.Optional(Type.String({ pattern: "^\\d{3}$", description: "The contacts' area code" })),
  tenant_id: tenantId(),
};

const head = {
  begin: timestamp(),
  from: former("begin", timestamp()),
  end: timestamp(),
  to: former("end", timestamp()),
  time_zone: Type.String(),
};

export const getActivity = operation({
  id: "getActivity",
  method: "GET",
  path: "/v1/analytics/activity",
  tag,
  summary: "Texts, replies, opt-outs and calls over time",
  scope: "read",
  replica: true,
  load: "list",
  query: Type.Object({
    interval: Type.Optional(oneOf(["hour", "day"], "`day` unless given; `hour` for at most 31 days")),
    ...query,
  }),
  status: 200,
  response: Type.Object({
    activity: Type.Object({
      ...head,
      interval: Type.Enum(["hour", "day"]),
      totals: Type.Object(ActivityFigures),
      series: Type.Array(Type.Object({ at: timestamp(), ...ActivityFigures }), {
        description: "Each hour or day, by its beginning, oldest first; also those without activity",
      }),
    }),
  }),
});

export const getActivityBreakdown = operation({
  id: "getActivityBreakdown",
  method: "GET",
  path: "/v1/analytics/breakdown",
  tag,
  summary: "Texts, replies, opt-outs and calls by campaign, agent, number, area code, hour of the day or weekday",
  scope: "read",
  replica: true,
  load: "list",
  query: Type.Object({
    by: oneOf(["campaign", "agent", "number", "area_code", "hour_of_day", "weekday"]),
    ...query,
  }),
  status: 200,
  response: Type.Object({
    breakdown: Type.Object({
      ...head,
      by: Type.String(),
      rows: Type.Array(
        Type.Object({
          key: Type.String({
            description:
              "`campaign_id` (empty outside of campaigns), `agent_id`, the number, the area code (empty where there is none), the hour (0 to 23) or the weekday (1 is Monday)",
          }),
          name: Type.String({ description: "Of the campaign or agent; else the key" }),
          ...ActivityFigures,
        }),
        {
          description:
            "The most active first, at most 200; hours and weekdays in their order. What had no activity is left out",
        },
      ),
    }),
  }),
});
