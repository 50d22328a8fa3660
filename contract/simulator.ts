import { Type } from "typebox";
import { operation } from "./operation.ts";
import { freeText, id, instant, phone, text, timestamp } from "./shapes.ts";

const tag = "Phone simulator";
const params = Type.Object({ phone_number: phone() });

export const textFromHandset = operation({
  id: "textFromHandset",
  method: "POST",
  path: "/v1/simulator/handsets/:phone_number/messages",
  tag,
  summary: "This phone texts that number",
  scope: "send",
  load: "inbound",
  testKeysOnly: true,
  params,
  body: Type.Object({ to: phone(), text: freeText(5000) }),
  status: 201,
  response: Type.Object({ carrier_id: Type.String() }),
});

export const getHandset = operation({
  id: "getHandset",
  method: "GET",
  path: "/v1/simulator/handsets/:phone_number",
  tag,
  summary: "What truly arrived at this phone, by the carrier's own books",
  scope: "read",
  testKeysOnly: true,
  params,
  status: 200,
  response: Type.Object({
    messages: Type.Array(
      Type.Object({
        direction: Type.String(),
        from: Type.String(),
        to: Type.String(),
        text: Type.String(),
        at: timestamp(),
        ref: Type.Union([Type.String(), Type.Null()]),
      }),
    ),
    calls: Type.Array(Type.Object({})),
  }),
});

const HandsetBehavior = Type.Union([
  Type.Literal("deliver"),
  Type.Literal("unreachable"),
  Type.Literal("filtered"),
  Type.Literal("landline"),
  Type.Literal("rate_limited"),
  Type.Literal("duplicates"),
  Type.Literal("lost_reply"),
]);

export const scriptHandset = operation({
  id: "scriptHandset",
  method: "PUT",
  path: "/v1/simulator/handsets/:phone_number",
  tag,
  summary: "What this phone does, in place of its number's script",
  scope: "send",
  testKeysOnly: true,
  params,
  body: Type.Object({
    behavior: Type.Optional(HandsetBehavior),
    says: Type.Optional(
      Type.Array(text(1600), { maxItems: 50, description: "Its answers, one for each text it gets" }),
    ),
    answer_delay_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: 86_400_000 })),
  }),
  status: 200,
  response: Type.Object({ phone_number: Type.String() }),
});

export const getTraffic = operation({
  id: "getTraffic",
  method: "GET",
  path: "/v1/simulator/traffic",
  tag,
  summary: "The carrier's own count of what it took",
  scope: "read",
  testKeysOnly: true,
  query: Type.Object({ campaign_id: Type.Optional(id("campaign")) }),
  status: 200,
  response: Type.Object({
    accepted: Type.Integer(),
    distinct: Type.Integer(),
    duplicates: Type.Integer({ description: "Same phone, same step of a campaign, more than once" }),
    after_opt_out: Type.Integer(),
    outside_window: Type.Integer(),
  }),
});

const clock = Type.Object({ now: timestamp(), offset_ms: Type.Integer() });

export const moveClock = operation({
  id: "moveClock",
  method: "POST",
  path: "/v1/simulator/clock",
  tag,
  summary: "Move this tenant's clock forward",
  scope: "send",
  testKeysOnly: true,
  body: Type.Object({
    advance_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: 31_536_000_000 })),
    to: Type.Optional(instant("A time ahead of the tenant's own")),
  }),
  status: 200,
  response: clock,
});

export const readClock = operation({
  id: "readClock",
  method: "GET",
  path: "/v1/simulator/clock",
  tag,
  summary: "This tenant's clock",
  scope: "read",
  testKeysOnly: true,
  status: 200,
  response: clock,
});
