import { pocketsphinxEars, pocketsphinxInstalled } from "#adapters/offline-speech/ears.ts";
import { fliteVoice } from "#adapters/offline-speech/voice.ts";
import { assemblyAiEars } from "#adapters/speech-providers/assemblyai-ears.ts";
import { cartesiaVoice } from "#adapters/speech-providers/cartesia-voice.ts";
import { deepgramEars } from "#adapters/speech-providers/deepgram-ears.ts";
import { deepgramVoice } from "#adapters/speech-providers/deepgram-voice.ts";
import { elevenLabsVoice } from "#adapters/speech-providers/elevenlabs-voice.ts";
import { earsWithFallback } from "#adapters/speech-providers/fallback-ears.ts";
import { voiceWithFallback } from "#adapters/speech-providers/fallback-voice.ts";
import { openAiEars } from "#adapters/speech-providers/openai-ears.ts";
import { openAiVoice } from "#adapters/speech-providers/openai-voice.ts";
import { type ProviderVoices, voicesByPrefix } from "#adapters/speech-providers/voices.ts";
import type { Config } from "#app/settings/config.ts";
import type { SpeechToText } from "#ports/speech-to-text.ts";
import type { TextToSpeech } from "#ports/text-to-speech.ts";

/** What calls with sound speak and hear with. `ears` is undefined where nothing can hear. One for each process. */
export type Speech = { voice: TextToSpeech; ears: SpeechToText | undefined; close(): Promise<void> };

type Closable = { close(): void | Promise<void> };

/** Makes the configured voices and ears. Nothing is connected or started before it is used. */
export function speechOf(config: Config): Speech {
  const opened: Closable[] = [];
  return {
    voice: makeVoice(config, opened),
    ears: makeEars(config),
    close: async () => {
      await Promise.all(opened.map((it) => it.close()));
    },
  };
}

/** One line each for `parley doctor`: who speaks and who hears, and what to do where nobody does. */
export function describeSpeech(config: Config): string[] {
  const fallback = (name: string) => (name === "none" ? "" : `, or ${name} when that fails`);
  const others = [...makeProviders(config, []).keys()].filter((name) => name !== config.voiceProvider);
  const choice = others.length > 0 ? `; by the name of an agent's voice also ${others.join(", ")}` : "";
  const installed = pocketsphinxInstalled();
  const missing = [config.earsProvider, config.earsFallback].includes("offline") && !installed;
  return [
    `     voice: ${config.voiceProvider}${fallback(config.voiceFallback)}${choice}`,
    `     ears: ${config.earsProvider}${fallback(config.earsFallback)}${
      missing
        ? " (offline: pocketsphinx is not installed; on Debian: apt-get install pocketsphinx pocketsphinx-en-us)"
        : ""
    }`,
  ];
}

/** Calls that one process can listen to at once: 0 where nothing can hear, without a limit for providers. Takes some milliseconds. */
export function callsHeard({ earsProvider, earsFallback, offlineEarsCalls }: Config): number {
  const heardBy = (provider: Config["earsProvider"] | Config["earsFallback"]): number => {
    if (provider === "none") return 0;
    if (provider !== "offline") return Number.POSITIVE_INFINITY;
    return pocketsphinxInstalled() ? offlineEarsCalls : 0;
  };
  return Math.max(heardBy(earsProvider), heardBy(earsFallback));
}

function makeVoice(config: Config, opened: Closable[]): TextToSpeech {
  const providers = makeProviders(config, opened);
  const second = providers.get(config.voiceFallback);
  const all = new Map(
    [...providers].map(([name, { voice, defaultVoiceId }]): [string, ProviderVoices] => {
      if (!second || second.voice === voice) return [name, { voice, defaultVoiceId }];
      return [name, { voice: voiceWithFallback(voice, second.voice, second.defaultVoiceId), defaultVoiceId }];
    }),
  );
  return voicesByPrefix(all, config.voiceProvider, config.voiceNames ?? new Map());
}

/** Every provider that is configured, by name. What is to be closed is added to `opened`. */
function makeProviders(config: Config, opened: Closable[]): Map<string, ProviderVoices> {
  const limits = limitsOf(config);
  const flite = fliteVoice();
  opened.push(flite);
  const providers = new Map<string, ProviderVoices>([
    ["offline", { voice: flite, defaultVoiceId: config.offlineVoice }],
  ]);
  if (config.openaiSpeechBaseUrl) {
    const voice = openAiVoice({
      baseUrl: config.openaiSpeechBaseUrl,
      apiKey: config.openaiSpeechApiKey,
      model: config.openaiVoiceModel,
      limits,
    });
    providers.set("openai", { voice, defaultVoiceId: config.openaiVoice });
  }
  if (config.deepgramApiKey) {
    const voice = deepgramVoice({ baseUrl: config.deepgramBaseUrl, apiKey: config.deepgramApiKey, limits });
    providers.set("deepgram", { voice, defaultVoiceId: config.deepgramVoice });
  }
  if (config.elevenlabsApiKey) {
    const voice = elevenLabsVoice({
      baseUrl: config.elevenlabsBaseUrl,
      apiKey: config.elevenlabsApiKey,
      model: config.elevenlabsModel,
      limits,
    });
    providers.set("elevenlabs", { voice, defaultVoiceId: config.elevenlabsVoice });
  }
  if (config.cartesiaApiKey) {
    const voice = cartesiaVoice({
      baseUrl: config.cartesiaBaseUrl,
      apiKey: config.cartesiaApiKey,
      model: config.cartesiaModel,
      limits,
    });
    opened.push(voice);
    providers.set("cartesia", { voice, defaultVoiceId: config.cartesiaVoice });
  }
  return providers;
}

function makeEars(config: Config): SpeechToText | undefined {
  const first = earsOf(config, config.earsProvider);
  const second = config.earsFallback === config.earsProvider ? undefined : earsOf(config, config.earsFallback);
  return first && second ? earsWithFallback(first, second) : (first ?? second);
}

function earsOf(config: Config, provider: Config["earsProvider"] | Config["earsFallback"]): SpeechToText | undefined {
  const limits = limitsOf(config);
  switch (provider) {
    case "none":
      return undefined;
    case "offline":
      return pocketsphinxInstalled() ? pocketsphinxEars({ maxCalls: config.offlineEarsCalls }) : undefined;
    case "openai":
      return openAiEars({
        baseUrl: config.openaiSpeechBaseUrl!,
        apiKey: config.openaiSpeechApiKey,
        model: config.openaiEarsModel,
        limits,
      });
    case "deepgram":
      return deepgramEars({
        baseUrl: config.deepgramBaseUrl,
        apiKey: config.deepgramApiKey!,
        model: config.deepgramEarsModel,
        limits,
      });
    case "assemblyai":
      return assemblyAiEars({
        baseUrl: config.assemblyaiBaseUrl,
        apiKey: config.assemblyaiApiKey!,
        model: config.assemblyaiModel,
        limits,
      });
  }
}

const limitsOf = (config: Config) => ({
  connectMs: config.speechConnectTimeoutMs,
  firstMs: config.speechFirstTimeoutMs,
  gapMs: config.speechGapTimeoutMs,
});
