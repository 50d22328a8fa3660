import { Type } from "typebox";
import { SocketError } from "#contract/values/error.ts";
import { operation } from "#contract/values/operation.ts";
import { id, named, phone } from "#contract/values/shapes.ts";

// A simulated phone's call over a WebSocket: JSON in text messages, sound in binary ones.

/** What whoever has the phone may say. */
export const SoundWord = named("SoundWord", { type: Type.Literal("hangup") });

/** What the service says. */
export const SoundMessage = Type.Union([
  Type.Object({ type: Type.Literal("started") }),
  Type.Object({ type: Type.Literal("ended") }),
  SocketError,
]);

export const takeHandsetCall = operation({
  id: "takeHandsetCall",
  method: "GET",
  path: "/v1/simulator/handsets/:phone_number/calls/:call/sound",
  tag: "Phone simulator",
  summary: "Take the ringing call of a phone whose behaviour is `manual` by a microphone, over a WebSocket",
  scope: "send",
  tenantWide: true,
  testKeysOnly: true,
  params: Type.Object({ phone_number: phone(), call: id("call, as the phone's record has it: carrier_id") }),
  socket: { later: SoundWord, sent: SoundMessage, page: "simulator.md" },
  status: 101,
  response: Type.Object({}),
});
