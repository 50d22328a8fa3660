import type { Agent } from "./agent.ts";

/** The voices of the built-in engine, by the names it knows them under. */
export const OFFLINE_VOICES = ["slt", "rms", "awb", "kal"] as const;

/** How speech providers name their voices: `11labs-Adrian`, `openai-Alloy`, `21m00Tcm4TlvDq8ikWAM`. */
const PROVIDER_VOICE = /^[A-Za-z0-9][A-Za-z0-9_:. -]{0,99}$/;

const OFFLINE_PREFIX = "offline-";

/** The same, as people choose one. */
export const BUILT_IN_VOICES: readonly { id: string; name: string; description: string }[] = [
  { id: "offline-slt", name: "SLT", description: "A woman's, American" },
  { id: "offline-rms", name: "RMS", description: "A man's, American" },
  { id: "offline-awb", name: "AWB", description: "A man's, Scottish" },
  { id: "offline-kal", name: "KAL", description: "A man's, American, plain as an old machine's" },
];

/** Warns of an agent whose voice another speaks for; `of` says whose voice it is, where it is not the request's own. */
export function voiceWarnings(
  config: Agent,
  voices: { spokenInstead(voiceId: string): string | undefined },
  of = "",
): string[] {
  if (config.agent_type !== "voice") return [];
  const { voice_id } = config;
  const instead = voices.spokenInstead(voice_id);
  if (instead === undefined) return [];
  return [`voice_id ${JSON.stringify(voice_id)}${of} is no voice that is configured here: ${instead} speaks instead`];
}

/**
 * Whether a voice may exist. Of the built-in ones (`slt`, `offline-slt`) this is certain; another well-formed name is
 * assumed to be a provider's voice, which only the provider can confirm.
 */
export function isKnownVoice(voiceId: string): boolean {
  if (!voiceId.startsWith(OFFLINE_PREFIX)) return PROVIDER_VOICE.test(voiceId);
  return OFFLINE_VOICES.some((voice) => voiceId === OFFLINE_PREFIX + voice);
}
