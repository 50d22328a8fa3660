import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import type { ByteRange } from "#domain/values/byte-range.ts";
import { failure, invalidField, notFound } from "#domain/values/errors.ts";
import { monoWav } from "#media/recording/mono-wav.ts";
import type { Context } from "#operations/context.ts";
import { SpeechError } from "#ports/speech-to-text.ts";

export type SoundFile = { bytes: number; etag: string; fileName: string; read(range?: ByteRange): Promise<Readable> };

/** A sentence of three hundred characters is spoken in half of this time, at half the speed. */
const MAX_SOUND_MS = 120_000;

/**
 * A sentence spoken as in calls of this service: for a voice of a provider that is not configured the default voice, as in calls. 404 for a voice
 * that cannot exist, 400 for a text that the voice cannot speak; `unavailable` when the voice fails.
 */
export async function sampleVoice(
  ctx: Context,
  { voiceId, text, speed }: { voiceId: string; text: string; speed: number },
  signal: AbortSignal,
): Promise<SoundFile> {
  if (!ctx.voice.knows(voiceId)) throw notFound("Voice");
  const pieces: Int16Array[] = [];
  let rate = 0;
  let spokenMs = 0;
  try {
    for await (const sound of ctx.voice.speak(text, { voiceId, language: "en-US", speed, temperature: 1 }, signal)) {
      rate = sound.sampleRate;
      pieces.push(sound.samples);
      spokenMs += (sound.samples.length / rate) * 1_000;
      if (spokenMs > MAX_SOUND_MS) break;
    }
  } catch (error) {
    if (!(error instanceof SpeechError)) throw error;
    ctx.log.warn({ voiceId, vendorCode: error.vendorCode }, "a voice could not be sampled");
    throw failure("unavailable", "The voice could not speak; try again, or another one");
  }
  if (spokenMs === 0) throw invalidField("text", "has nothing that this voice can say");
  const file = Buffer.from(monoWav(pieces, rate).buffer);
  return {
    bytes: file.length,
    etag: `"${createHash("sha256").update(file).digest("base64url").slice(0, 22)}"`,
    fileName: "voice.wav",
    read: async (range) => Readable.from([range ? file.subarray(range.start, range.end) : file]),
  };
}
