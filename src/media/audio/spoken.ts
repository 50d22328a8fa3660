import { G711_RATE } from "#domain/calls/g711.ts";
import { createResampler, outputRoom, type Rate } from "#domain/calls/resample.ts";
import type { SpeakOptions, SpokenPiece, TextToSpeech } from "#ports/text-to-speech.ts";

/**
 * A sentence's pieces at the telephone's rate, as one stream: the first one says what theirs is. What comes out may be the piece's own samples,
 * and is not to be written into.
 */
export function atTelephoneRate(): (piece: SpokenPiece) => Int16Array {
  let resample: ReturnType<typeof createResampler> | undefined;
  return ({ samples, sampleRate }) => {
    if (sampleRate === G711_RATE) return samples;
    const rate = sampleRate as Rate;
    resample ??= createResampler(rate, G711_RATE);
    const into = new Int16Array(outputRoom(samples.length, rate, G711_RATE));
    return into.subarray(0, resample(samples, into));
  };
}

/** A sentence as a whole, linear at 8 kHz, and the times of its words where the voice knows them. Rejects as the voice does. */
export async function spokenWhole(
  voice: TextToSpeech,
  sentence: string,
  options: SpeakOptions,
  signal: AbortSignal,
): Promise<{ samples: Int16Array; words: NonNullable<SpokenPiece["words"]> }> {
  const convert = atTelephoneRate();
  const pieces: Int16Array[] = [];
  const words: NonNullable<SpokenPiece["words"]>[number][] = [];
  for await (const piece of voice.speak(sentence, options, signal)) {
    pieces.push(convert(piece));
    words.push(...(piece.words ?? []));
  }
  const whole = new Int16Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return { samples: whole, words };
}
