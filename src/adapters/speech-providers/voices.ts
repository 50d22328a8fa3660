import { isKnownVoice } from "#domain/agents/voice.ts";
import type { TextToSpeech, Voices } from "#ports/text-to-speech.ts";

/** A provider's voices, without the prefix that selects them, and the one that speaks when none of its own was named. */
export type ProviderVoices = { voice: TextToSpeech; defaultVoiceId: string };

/** Which provider a prefix means; ElevenLabs goes by two. */
const PREFIXES: Readonly<Record<string, string>> = {
  "11labs": "elevenlabs",
  elevenlabs: "elevenlabs",
  openai: "openai",
  cartesia: "cartesia",
  deepgram: "deepgram",
  offline: "offline",
};

/**
 * All configured voices as one. `11labs-...`, `openai-...`, `cartesia-...`, `deepgram-...` and `offline-...` select the provider; a
 * name without a prefix is the default provider's, or a built-in one; `names` says what a name stands for (`11labs-Adrian` -> an id).
 * What the selected provider does not know, or a provider that is not configured, is spoken by the default voice of the
 * selected or default provider: an agent made for another account still speaks.
 */
export function voicesByPrefix(
  providers: ReadonlyMap<string, ProviderVoices>,
  defaultProvider: string,
  names: ReadonlyMap<string, string>,
): Voices {
  const fallback = providers.get(defaultProvider)!;
  const select = (asked: string): { voice: TextToSpeech; voiceId: string; instead?: string } => {
    const named = names.get(asked);
    const [, prefix, rest] = /^([a-z0-9]+)-(.+)$/s.exec(asked) ?? [];
    const name = prefix === undefined ? undefined : PREFIXES[prefix];
    const chosen = name === undefined ? undefined : providers.get(name);
    const { voice, defaultVoiceId } = chosen ?? fallback;
    const wanted = named ?? (name === undefined ? asked : chosen ? rest! : undefined);
    if (wanted !== undefined && voice.knows(wanted)) return { voice, voiceId: wanted };
    const builtIn = providers.get("offline")?.voice;
    if (name === undefined && builtIn?.knows(asked)) return { voice: builtIn, voiceId: asked };
    return { voice, voiceId: defaultVoiceId, instead: `${chosen ? name : defaultProvider}-${defaultVoiceId}` };
  };
  return {
    name: fallback.voice.name,
    knows: (voiceId) => names.has(voiceId) || isKnownVoice(voiceId),
    spokenInstead: (voiceId) => select(voiceId).instead,
    speak(sentence, options, signal) {
      const { voice, voiceId } = select(options.voiceId);
      return voice.speak(sentence, { ...options, voiceId }, signal);
    },
  } satisfies Voices;
}
