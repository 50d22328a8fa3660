import { Type } from "typebox";
import { operation } from "#contract/values/operation.ts";
import { text } from "#contract/values/shapes.ts";

const tag = "Agents";

export const listVoices = operation({
  id: "listVoices",
  method: "GET",
  path: "/v1/voices",
  tag,
  summary: "The voices that are built in; providers' own go by their names besides",
  scope: "read",
  status: 200,
  response: Type.Object({
    voices: Type.Array(
      Type.Object({
        voice_id: Type.String(),
        name: Type.String(),
        language: Type.String(),
        description: Type.String(),
      }),
    ),
  }),
});

export const sampleVoice = operation({
  id: "sampleVoice",
  method: "GET",
  path: "/v1/voices/:voice_id/sample",
  tag,
  summary: "A sentence in a voice, as calls of this service would speak it; whole, or a Range of it",
  scope: "write",
  params: Type.Object({ voice_id: Type.String({ minLength: 1, maxLength: 200, description: "As agents have it" }) }),
  query: Type.Object({
    text: text(300, "What is said"),
    voice_speed: Type.Optional(Type.Number({ minimum: 0.5, maximum: 2, default: 1 })),
  }),
  audio: true,
  status: 200,
  response: Type.Object({}),
});
