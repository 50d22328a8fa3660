import { statfs } from "node:fs/promises";
import { COMMIT, VERSION } from "#app/process/release.ts";
import type { Config } from "#app/settings/config.ts";
import { callsTranscribed } from "#app/speech.ts";
import type { NumberPlan } from "#domain/phones/number-plan.ts";
import type { SystemFacts } from "#operations/system/read-system.ts";

const NO_SPEECH_TO_TEXT =
  "Live calls cannot be transcribed, nor what is said into a microphone: pocketsphinx is not installed (on Debian: apt-get install pocketsphinx pocketsphinx-en-us), and no other speech-to-text provider is configured. Simulated phones report their own words to the agent.";

/** What this node was started with, without its secrets, for whoever looks after it. */
export function aboutThis(config: Config, plan: NumberPlan, startedAt: Date): SystemFacts {
  const or = (name: string, fallback: string) => (fallback === "none" ? name : `${name}, else ${fallback}`);
  return {
    version: VERSION,
    commit: COMMIT,
    startedAt,
    modelHost: config.llmBaseUrl ? new URL(config.llmBaseUrl).host : null,
    modelFallback: config.llmFallbackBaseUrl
      ? { name: config.llmFallbackModel!, host: new URL(config.llmFallbackBaseUrl).host }
      : null,
    speech: {
      voice: or(config.voiceProvider, config.voiceFallback),
      transcription: or(config.speechToTextProvider, config.speechToTextFallback),
      problem: callsTranscribed(config) === 0 ? NO_SPEECH_TO_TEXT : null,
    },
    database: config.databaseUrl ? "external" : "embedded",
    journalDays: config.journalDays,
    areaCodes: new Set(plan.areaCodes.map(({ areaCode }) => areaCode)).size,
    async disk() {
      const found = await statfs(config.dataDir).catch(() => undefined);
      return found ? { freeBytes: found.bavail * found.bsize, totalBytes: found.blocks * found.bsize } : null;
    },
  };
}
