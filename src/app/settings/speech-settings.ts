import { OFFLINE_VOICES } from "#domain/agents/voice.ts";
import {
  anyText,
  httpUrl,
  integer,
  matching,
  oneOf,
  optional,
  type Parse,
  preset,
  SettingProblem,
  secret,
} from "./setting.ts";

const key = matching(/^\S+$/, "a key without spaces");
/** Characters that a voice's prefix allows, and that are safe in a URL. */
const VOICE_ID = /^[\w:.-]{1,100}$/;
const voiceId = matching(VOICE_ID, "a voice's id");

/** `11labs-Adrian=21m00Tcm4TlvDq8ikWAM,cartesia-Hailey=...` */
const voiceNames: Parse<ReadonlyMap<string, string>> = (text) => {
  const pairs = text.split(",").map((pair) => pair.split("=").map((part) => part.trim()));
  const isPair = ([name = "", id = "", more]: readonly string[]) =>
    more === undefined && /^[\w:. -]{1,100}$/.test(name) && VOICE_ID.test(id);
  if (!pairs.every(isPair)) throw new SettingProblem("must be a list of name=id, separated by commas");
  const names = new Map(pairs.map(([name, id]) => [name!, id!]));
  // Printed as it is written.
  return Object.assign(names, { toString: () => text });
};

/** Settings of speech-to-text and text-to-speech. */
export const SPEECH_SETTINGS = {
  voiceProvider: preset(
    "PARLEY_VOICE_PROVIDER",
    "offline",
    oneOf("offline", "openai", "deepgram", "elevenlabs", "cartesia"),
    "Whose voices speak where an agent's voice names no provider: `offline` (built in), `openai`, `deepgram`, `elevenlabs` or `cartesia`.",
  ),
  voiceFallback: preset(
    "PARLEY_VOICE_FALLBACK",
    "none",
    oneOf("none", "offline", "openai", "deepgram", "elevenlabs", "cartesia"),
    "Text-to-speech provider that is used when the first fails before any sound was played: `none`, or one of the providers.",
  ),
  voiceNames: optional(
    "PARLEY_VOICE_NAMES",
    voiceNames,
    "Ids of voices that agents know by name: `11labs-Adrian=21m00Tcm4TlvDq8ikWAM`, more after commas.",
  ),
  offlineVoice: preset(
    "PARLEY_OFFLINE_VOICE",
    "slt",
    oneOf(...OFFLINE_VOICES),
    "Built-in voice of agents that ask for one that is not there: `slt`, `rms`, `awb` or `kal`.",
  ),
  speechToTextProvider: preset(
    "PARLEY_SPEECH_TO_TEXT_PROVIDER",
    "offline",
    oneOf("offline", "openai", "deepgram", "assemblyai"),
    "Speech-to-text provider: `offline` (pocketsphinx when it is installed: for tests and demos), `openai`, `deepgram` or `assemblyai`.",
  ),
  speechToTextFallback: preset(
    "PARLEY_SPEECH_TO_TEXT_FALLBACK",
    "none",
    oneOf("none", "offline", "openai", "deepgram", "assemblyai"),
    "Speech-to-text provider that is used when the first fails, also in mid-call: `none`, or one of the providers.",
  ),
  offlineSpeechToTextCalls: preset(
    "PARLEY_OFFLINE_SPEECH_TO_TEXT_CALLS",
    "4",
    integer(0, 1_000),
    "Calls that one process transcribes at once with the offline speech-to-text, 0 for none; a core handles about four.",
  ),
  speechConnectTimeoutMs: preset(
    "PARLEY_SPEECH_CONNECT_TIMEOUT_MS",
    "3000",
    integer(50, 60_000),
    "Longest wait for a connection to a provider of speech, in milliseconds.",
  ),
  speechFirstTimeoutMs: preset(
    "PARLEY_SPEECH_FIRST_TIMEOUT_MS",
    "5000",
    integer(50, 120_000),
    "Longest wait for a sentence's first sound, or for the words of a stretch of speech, in milliseconds.",
  ),
  speechGapTimeoutMs: preset(
    "PARLEY_SPEECH_GAP_TIMEOUT_MS",
    "3000",
    integer(50, 120_000),
    "Longest wait between two pieces of a sentence's sound, in milliseconds.",
  ),
  openaiSpeechBaseUrl: optional(
    "PARLEY_OPENAI_SPEECH_BASE_URL",
    httpUrl,
    "OpenAI-compatible endpoint of speech and transcription, such as `https://api.openai.com/v1`. Unset: none.",
  ),
  openaiSpeechApiKey: secret("PARLEY_OPENAI_SPEECH_API_KEY", key, "Key of that endpoint, if it needs one."),
  openaiVoiceModel: preset("PARLEY_OPENAI_VOICE_MODEL", "gpt-4o-mini-tts", anyText, "Model that speaks there."),
  openaiVoice: preset("PARLEY_OPENAI_VOICE", "alloy", voiceId, "Voice that speaks there when none was named."),
  openaiSpeechToTextModel: preset(
    "PARLEY_OPENAI_SPEECH_TO_TEXT_MODEL",
    "whisper-1",
    anyText,
    "Speech-to-text model of that endpoint; whisper models return the times of words.",
  ),
  deepgramApiKey: secret("PARLEY_DEEPGRAM_API_KEY", key, "Key of Deepgram. Unset: it is not used."),
  deepgramBaseUrl: preset("PARLEY_DEEPGRAM_BASE_URL", "https://api.deepgram.com", httpUrl, "Address of Deepgram."),
  deepgramVoice: preset(
    "PARLEY_DEEPGRAM_VOICE",
    "aura-2-thalia-en",
    voiceId,
    "Voice of Deepgram that speaks when none was named.",
  ),
  deepgramSpeechToTextModel: preset(
    "PARLEY_DEEPGRAM_SPEECH_TO_TEXT_MODEL",
    "nova-3",
    voiceId,
    "Speech-to-text model of Deepgram.",
  ),
  elevenlabsApiKey: secret("PARLEY_ELEVENLABS_API_KEY", key, "Key of ElevenLabs. Unset: it is not used."),
  elevenlabsBaseUrl: preset(
    "PARLEY_ELEVENLABS_BASE_URL",
    "https://api.elevenlabs.io",
    httpUrl,
    "Address of ElevenLabs.",
  ),
  elevenlabsVoice: preset(
    "PARLEY_ELEVENLABS_VOICE",
    "JBFqnCBsd6RMkjVDRZzb",
    voiceId,
    "Voice of ElevenLabs that speaks when none was named.",
  ),
  elevenlabsModel: preset("PARLEY_ELEVENLABS_MODEL", "eleven_flash_v2_5", voiceId, "Model of ElevenLabs that speaks."),
  cartesiaApiKey: secret("PARLEY_CARTESIA_API_KEY", key, "Key of Cartesia. Unset: it is not used."),
  cartesiaBaseUrl: preset("PARLEY_CARTESIA_BASE_URL", "https://api.cartesia.ai", httpUrl, "Address of Cartesia."),
  cartesiaVoice: preset(
    "PARLEY_CARTESIA_VOICE",
    "a0e99841-438c-4a64-b679-ae501e7d6091",
    voiceId,
    "Voice of Cartesia that speaks when none was named.",
  ),
  cartesiaModel: preset("PARLEY_CARTESIA_MODEL", "sonic-3", voiceId, "Model of Cartesia that speaks."),
  assemblyaiApiKey: secret("PARLEY_ASSEMBLYAI_API_KEY", key, "Key of AssemblyAI. Unset: it is not used."),
  assemblyaiBaseUrl: preset(
    "PARLEY_ASSEMBLYAI_BASE_URL",
    "https://streaming.assemblyai.com",
    httpUrl,
    "Address of AssemblyAI's streaming.",
  ),
  assemblyaiModel: preset(
    "PARLEY_ASSEMBLYAI_MODEL",
    "universal-streaming-english",
    voiceId,
    "Speech-to-text model of AssemblyAI.",
  ),
} as const;

type Environment = Record<string, string | undefined>;

/** The setting that each provider needs, by the provider's name. */
const NEEDS: Readonly<Record<string, string>> = {
  openai: "PARLEY_OPENAI_SPEECH_BASE_URL",
  deepgram: "PARLEY_DEEPGRAM_API_KEY",
  elevenlabs: "PARLEY_ELEVENLABS_API_KEY",
  cartesia: "PARLEY_CARTESIA_API_KEY",
  assemblyai: "PARLEY_ASSEMBLYAI_API_KEY",
};

/** Providers chosen without the setting they need, and an API key without its endpoint. Each a sentence that starts with a setting's name. */
export function speechProblems(env: Environment): string[] {
  const choices = [
    "PARLEY_VOICE_PROVIDER",
    "PARLEY_VOICE_FALLBACK",
    "PARLEY_SPEECH_TO_TEXT_PROVIDER",
    "PARLEY_SPEECH_TO_TEXT_FALLBACK",
  ];
  const missing = choices.flatMap((choice) => {
    const provider = env[choice] ?? "";
    const needed = NEEDS[provider];
    if (needed === undefined || env[needed] || env[`${needed}_FILE`]) return [];
    return [`${needed} is needed with ${choice}=${provider}`];
  });
  const { PARLEY_OPENAI_SPEECH_API_KEY: direct, PARLEY_OPENAI_SPEECH_API_KEY_FILE: file } = env;
  const isIdle = (direct || file) && !env.PARLEY_OPENAI_SPEECH_BASE_URL;
  return isIdle
    ? [...missing, "PARLEY_OPENAI_SPEECH_API_KEY has no effect without PARLEY_OPENAI_SPEECH_BASE_URL"]
    : missing;
}
