import { Type } from "typebox";
import { former } from "#contract/values/names.ts";
import { operation } from "#contract/values/operation.ts";
import { freeText, id, instant, nullable, page, paging, phone, text, timestamp } from "#contract/values/shapes.ts";

const tag = "Phone simulator";
const params = Type.Object({ phone_number: phone() });
const behavior = nullable(Type.String({ description: "The behaviour that was set, in place of the number's script" }));

export const textFromHandset = operation({
  id: "textFromHandset",
  method: "POST",
  path: "/v1/simulator/handsets/:phone_number/messages",
  tag,
  summary: "This phone texts that number",
  scope: "send",
  tenantWide: true,
  load: "inbound",
  testKeysOnly: true,
  params,
  body: Type.Object({ to_number: phone(), text: freeText(5000) }),
  status: 201,
  response: Type.Object({ carrier_id: Type.String() }),
});

export const getHandset = operation({
  id: "getHandset",
  method: "GET",
  path: "/v1/simulator/handsets/:phone_number",
  tag,
  summary: "What arrived at this phone, by the simulated carrier's own records",
  scope: "read",
  tenantWide: true,
  testKeysOnly: true,
  params,
  status: 200,
  response: Type.Object({
    behavior,
    messages: Type.Array(
      Type.Object({
        direction: Type.String(),
        from_number: Type.String(),
        from: former("from_number", Type.String()),
        to_number: Type.String(),
        to: former("to_number", Type.String()),
        text: Type.String(),
        media_urls: nullable(Type.Array(Type.String(), { description: "Addresses of the pictures that came with it" })),
        at: timestamp(),
        ref: Type.Union([Type.String(), Type.Null()]),
      }),
    ),
    calls: Type.Array(
      Type.Object({
        direction: Type.String({ description: "to_handset or from_handset" }),
        from_number: Type.String(),
        from: former("from_number", Type.String()),
        to_number: Type.String(),
        to: former("to_number", Type.String()),
        at: timestamp(),
        outcome: Type.String({
          description:
            "answered, voicemail, no_answer, busy, declined, unreachable, cancelled, rejected, lost, or ongoing while it lasts",
        }),
        call_duration_ms: Type.Integer({ description: "From answer to hang-up" }),
        duration_ms: former("call_duration_ms", Type.Integer()),
        heard: Type.Array(Type.String(), { description: "What the agent said to the phone" }),
        carrier_id: Type.String(),
        stage: nullable(
          Type.Enum(["ringing", "talking"], { description: "Of a call that is played by hand, while it lasts" }),
        ),
        microphone: nullable(
          Type.Enum(["offered", "in_use"], {
            description: "Of a call that is played by hand, while it lasts: it may be taken by a microphone, or was",
          }),
        ),
        said: Type.Array(Type.Object({ by: Type.Enum(["agent", "handset"]), text: Type.String() }), {
          description: "Of a call that is played by hand: what has been said so far, by both",
        }),
      }),
    ),
  }),
});

/** Those of texts, those of calls, and those of both. */
const HandsetBehavior = Type.Union([
  Type.Literal("deliver"),
  Type.Literal("unreachable"),
  Type.Literal("filtered"),
  Type.Literal("landline"),
  Type.Literal("rate_limited"),
  Type.Literal("duplicates"),
  Type.Literal("lost_reply"),
  Type.Literal("account_suspended"),
  Type.Literal("manual"),
  Type.Literal("answer"),
  Type.Literal("silent"),
  Type.Literal("decline"),
  Type.Literal("unwanted"),
  Type.Literal("spam_blocked"),
  Type.Literal("busy"),
  Type.Literal("no_answer"),
  Type.Literal("voicemail"),
  Type.Literal("full_mailbox"),
  Type.Literal("ivr"),
  Type.Literal("call_screening"),
  Type.Literal("hang_up"),
  Type.Literal("interrupt"),
  Type.Literal("call_back"),
  Type.Literal("opt_out"),
  Type.Literal("angry"),
  Type.Literal("invalid_number"),
  Type.Literal("congestion"),
]);

export const listHandsets = operation({
  id: "listHandsets",
  method: "GET",
  path: "/v1/simulator/handsets",
  tag,
  summary: "List the phones that have had a text, a call or a script, by their numbers",
  scope: "read",
  tenantWide: true,
  testKeysOnly: true,
  query: Type.Object({ ...paging }),
  status: 200,
  response: page(
    "handsets",
    Type.Object({
      phone_number: Type.String(),
      behavior,
      last_text_at: nullable(timestamp()),
      last_call_at: nullable(timestamp()),
    }),
  ),
});

export const callFromHandset = operation({
  id: "callFromHandset",
  method: "POST",
  path: "/v1/simulator/handsets/:phone_number/calls",
  tag,
  summary: "This phone calls that number",
  scope: "send",
  tenantWide: true,
  load: "inbound",
  testKeysOnly: true,
  params,
  body: Type.Object({
    to_number: phone(),
    says: Type.Optional(
      Type.Array(text(1600), { maxItems: 50, description: "What it says, each time the agent has spoken" }),
    ),
  }),
  status: 201,
  response: Type.Object({ carrier_id: Type.String() }),
});

export const actInHandsetCall = operation({
  id: "actInHandsetCall",
  method: "POST",
  path: "/v1/simulator/handsets/:phone_number/calls/:call",
  tag,
  summary: "Play a phone whose behaviour is `manual`: take its call, speak in it, or end it",
  scope: "send",
  tenantWide: true,
  testKeysOnly: true,
  params: Type.Object({ phone_number: phone(), call: id("call, as the phone's record has it: carrier_id") }),
  body: Type.Object({
    action: Type.Enum(["answer", "decline", "voicemail", "speak", "hang_up"], {
      description: "The first three of a call that rings, the others of one that was taken",
    }),
    text: Type.Optional(text(1600, "What it says, with `speak`; not in a call that was taken by a microphone")),
  }),
  status: 202,
  response: Type.Object({ carrier_id: Type.String() }),
});

export const scriptHandset = operation({
  id: "scriptHandset",
  method: "PUT",
  path: "/v1/simulator/handsets/:phone_number",
  tag,
  summary: "What this phone does, in place of its number's script",
  scope: "send",
  tenantWide: true,
  testKeysOnly: true,
  params,
  body: Type.Object({
    behavior: Type.Optional(HandsetBehavior),
    says: Type.Optional(
      Type.Array(text(1600), {
        maxItems: 50,
        description: "Its answers, one for each text it gets; in a call one for each time the agent has spoken",
      }),
    ),
    answer_delay_ms: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 86_400_000,
        description: "Before it answers a text; how long it rings before it takes a call",
      }),
    ),
    greeting: Type.Optional(freeText(1600, "What it says first when it takes a call; empty for nothing")),
    hangs_up_after_ms: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 86_400_000, description: "After it took a call" }),
    ),
  }),
  status: 200,
  response: Type.Object({ phone_number: Type.String() }),
});

const counts = {
  accepted: Type.Integer(),
  distinct: Type.Integer(),
  after_opt_out: Type.Integer(),
  outside_window: Type.Integer(),
};

export const getTraffic = operation({
  id: "getTraffic",
  method: "GET",
  path: "/v1/simulator/traffic",
  tag,
  summary: "The carrier's own count of what it took",
  scope: "read",
  tenantWide: true,
  testKeysOnly: true,
  query: Type.Object({ campaign_id: Type.Optional(id("campaign")) }),
  status: 200,
  response: Type.Object({
    ...counts,
    duplicates: Type.Integer({ description: "Same phone, same step of a campaign, more than once" }),
    calls: Type.Object({
      ...counts,
      duplicates: Type.Integer({
        description: "Same dial more than once, or a call of a campaign to a phone that was still in another of it",
      }),
    }),
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
  tenantWide: true,
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
