import { pocketsphinxInstalled, pocketsphinxSpeechToText } from "#adapters/offline-speech/speech-to-text.ts";
import { fliteVoice } from "#adapters/offline-speech/voice.ts";
import { assemblyAiSpeechToText } from "#adapters/speech-providers/assemblyai-speech-to-text.ts";
import { cartesiaVoice } from "#adapters/speech-providers/cartesia-voice.ts";
import { deepgramSpeechToText } from "#adapters/speech-providers/deepgram-speech-to-text.ts";
import { deepgramVoice } from "#adapters/speech-providers/deepgram-voice.ts";
import { elevenLabsVoice } from "#adapters/speech-providers/elevenlabs-voice.ts";
import { speechToTextWithFallback } from "#adapters/speech-providers/fallback-speech-to-text.ts";
import { voiceWithFallback } from "#adapters/speech-providers/fallback-voice.ts";
import { openAiSpeechToText } from "#adapters/speech-providers/openai-speech-to-text.ts";
import { openAiVoice } from "#adapters/speech-providers/openai-voice.ts";
import { type ProviderVoices, voicesByPrefix } from "#adapters/speech-providers/voices.ts";
import type { Config } from "#app/settings/config.ts";
import type { SpeechToText } from "#ports/speech-to-text.ts";
import type { Voices } from "#ports/text-to-speech.ts";

/**
 * Text-to-speech and speech-to-text of calls with audio. `speechToText` is undefined where none is available: simulated handsets then report
 * their own words (adapters/simulator/handset-speech-to-text.ts), and live calls cannot be held. One for each process.
 */
export type Speech = { voice: Voices; speechToText: SpeechToText | undefined; close(): Promise<void> };

type Closable = { close(): void | Promise<void> };

/** Makes the configured text-to-speech and speech-to-text. Nothing is connected or started before it is used. */
export function speechOf(config: Config): Speech {
  const opened: Closable[] = [];
  return {
    voice: makeVoice(config, opened),
    speechToText: makeSpeechToText(config),
    close: async () => {
      await Promise.all(opened.map((closable) => closable.close()));
    },
  };
}

/** Lines for `parley doctor`: text-to-speech, speech-to-text, and what to do and what works where there is none. */
export function describeSpeech(config: Config): string[] {
  const fallback = (name: string) => (name === "none" ? "" : `, or ${name} when that fails`);
  const others = [...makeProviders(config, []).keys()].filter((name) => name !== config.voiceProvider);
  const choice = others.length > 0 ? `; by the name of an agent's voice also ${others.join(", ")}` : "";
  const missing =
    [config.speechToTextProvider, config.speechToTextFallback].includes("offline") && !pocketsphinxInstalled();
  return [
    `     voice: ${config.voiceProvider}${fallback(config.voiceFallback)}${choice}`,
    `     speech-to-text: ${config.speechToTextProvider}${fallback(config.speechToTextFallback)}${
      missing
        ? " (offline: pocketsphinx is not installed; on Debian: apt-get install pocketsphinx pocketsphinx-en-us)"
        : ""
    }`,
    ...(callsTranscribed(config) === 0
      ? [
          "     simulated calls: the phones report their own words to the agent (handset); live calls cannot be transcribed",
        ]
      : []),
  ];
}

/** Calls that one process can transcribe at once: 0 without speech-to-text, unlimited for providers. Takes some milliseconds. */
export function callsTranscribed({
  speechToTextProvider,
  speechToTextFallback,
  offlineSpeechToTextCalls,
}: Config): number {
  const transcribedBy = (provider: Config["speechToTextProvider"] | Config["speechToTextFallback"]): number => {
    if (provider === "none") return 0;
    if (provider !== "offline") return Number.POSITIVE_INFINITY;
    return pocketsphinxInstalled() ? offlineSpeechToTextCalls : 0;
  };
  return Math.max(transcribedBy(speechToTextProvider), transcribedBy(speechToTextFallback));
}

function makeVoice(config: Config, opened: Closable[]): Voices {
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

function makeSpeechToText(config: Config): SpeechToText | undefined {
  const first = speechToTextOf(config, config.speechToTextProvider);
  const second =
    config.speechToTextFallback === config.speechToTextProvider
      ? undefined
      : speechToTextOf(config, config.speechToTextFallback);
  return first && second ? speechToTextWithFallback(first, second) : (first ?? second);
}

function speechToTextOf(
  config: Config,
  provider: Config["speechToTextProvider"] | Config["speechToTextFallback"],
): SpeechToText | undefined {
  const limits = limitsOf(config);
  switch (provider) {
    case "none":
      return undefined;
    case "offline":
      return config.offlineSpeechToTextCalls > 0 && pocketsphinxInstalled()
        ? pocketsphinxSpeechToText({ maxCalls: config.offlineSpeechToTextCalls })
        : undefined;
    case "openai":
      return openAiSpeechToText({
        baseUrl: config.openaiSpeechBaseUrl!,
        apiKey: config.openaiSpeechApiKey,
        model: config.openaiSpeechToTextModel,
        limits,
      });
    case "deepgram":
      return deepgramSpeechToText({
        baseUrl: config.deepgramBaseUrl,
        apiKey: config.deepgramApiKey!,
        model: config.deepgramSpeechToTextModel,
        limits,
      });
    case "assemblyai":
      return assemblyAiSpeechToText({
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
