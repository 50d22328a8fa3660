import { Type } from "typebox";
import { Turns } from "#contract/calls/calls.ts";
import { SocketError } from "#contract/values/error.ts";
import { operation } from "#contract/values/operation.ts";
import { freeText, named } from "#contract/values/shapes.ts";
import { Action, Extraction, tried } from "./playground.ts";

// A spoken call with an agent over a WebSocket: JSON in text messages, sound in binary ones.

/** The first message of whoever calls. */
export const CallStart = named("PlaygroundCallStart", {
  type: Type.Literal("start"),
  ...tried,
  objective: Type.Optional(freeText(2_000, "What a campaign would say that it is for")),
});

/** The later ones. */
export const CallWord = Type.Union([
  Type.Object({ type: Type.Literal("digit"), digit: Type.String({ pattern: "^[0-9*#A-D]$" }) }),
  Type.Object({ type: Type.Literal("hangup") }),
]);

/** What the service says, in this order; `utterance` as often as somebody has said something. */
export const CallMessage = Type.Union([
  Type.Object({ type: Type.Literal("started") }),
  Type.Object({
    type: Type.Literal("utterance"),
    role: Type.Union([Type.Literal("agent"), Type.Literal("user")]),
    text: Type.String(),
    start_ms: Type.Integer({ description: "Since `started`" }),
    end_ms: Type.Integer(),
    interrupted: Type.Boolean({ description: "The agent was interrupted: the text is what was played" }),
  }),
  Type.Object({
    type: Type.Literal("ended"),
    disconnection_reason: Type.String(),
    duration_ms: Type.Integer(),
    turns: Turns,
    actions: Type.Array(Action, { description: "What it would have done; nothing of it is done" }),
  }),
  Type.Object({ type: Type.Literal("findings"), extraction: Extraction }),
  SocketError,
]);

export const playCall = operation({
  id: "playCall",
  method: "GET",
  path: "/v1/playground/calls",
  tag: "Playground",
  summary:
    "A spoken call with an agent over a WebSocket, as from a browser's microphone; calls nobody and stores nothing",
  scope: "write",
  socket: { first: CallStart, later: CallWord, sent: CallMessage, page: "playground-calls.md" },
  status: 101,
  response: Type.Object({}),
});
