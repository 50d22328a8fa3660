import * as contract from "#contract/agents/voices.ts";
import { BUILT_IN_VOICES } from "#domain/agents/voice.ts";
import { type Edge, route } from "#http/server/route.ts";
import { sampleVoice } from "#operations/agents/sample-voice.ts";

export function voiceRoutes(edge: Edge): void {
  route(edge, contract.listVoices, async () => ({
    voices: BUILT_IN_VOICES.map(({ id, name, description }) => ({
      voice_id: id,
      name,
      language: "en-US",
      description,
    })),
  }));

  route(edge, contract.sampleVoice, ({ ctx, params, query, signal }) =>
    sampleVoice(ctx, { voiceId: params.voice_id, text: query.text, speed: query.voice_speed ?? 1 }, signal),
  );
}
