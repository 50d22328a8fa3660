import type { SpokenWord } from "#domain/calls/report.ts";
import type { Playback, SentenceSink } from "#media/audio/playback.ts";
import { atTelephoneRate } from "#media/audio/spoken.ts";
import type { SpeakOptions, SpokenPiece, TextToSpeech } from "#ports/text-to-speech.ts";

/** Sentences synthesised at the same time: the next is ready when one has been played, and a cut-off wastes little. */
const AHEAD = 2;

export type Speaker = {
  /** Synthesises a sentence ahead that will be said soon. One at a time. */
  prepare(sentence: string): void;
  /**
   * Has a sentence spoken after those there are. Resolves when its sound is there as a whole, or was cut off; rejects with SpeechError. A third
   * sentence is begun when one of two is whole.
   */
  say(sentence: string): Promise<void>;
  /** Drops everything not yet played, in synthesis and in playback. */
  cut(): void;
  /** Characters that were given to the voice. */
  readonly characters: number;
};

/** Synthesises sentences for playback at 8 kHz. One for each call. */
export function speaker(voice: TextToSpeech, options: SpeakOptions, playback: Playback): Speaker {
  let current = new AbortController();
  let characters = 0;
  /** The oldest first; each resolves when its sentence has been made. */
  let making: Promise<unknown>[] = [];

  let prepared: { sentence: string; sound: Promise<SpokenPiece[]> } | undefined;

  const gather = async (sentence: string, signal: AbortSignal) => {
    const pieces: SpokenPiece[] = [];
    for await (const piece of voice.speak(sentence, options, signal)) pieces.push(piece);
    return pieces;
  };

  /** The sentence's sound: what was prepared, or made now, also when the preparing failed. */
  async function* soundOf(sentence: string, signal: AbortSignal): AsyncIterable<SpokenPiece> {
    const ready = prepared?.sentence === sentence ? await prepared.sound.catch(() => undefined) : undefined;
    prepared = undefined;
    if (ready) yield* ready;
    else yield* voice.speak(sentence, options, signal);
  }

  const make = async (sentence: string, sink: SentenceSink, signal: AbortSignal) => {
    const convert = atTelephoneRate();
    try {
      characters += sentence.length;
      for await (const piece of soundOf(sentence, signal)) {
        sink.push(convert(piece), piece.words as SpokenWord[] | undefined);
        if (signal.aborted) return;
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      sink.end();
    }
  };

  return {
    prepare(sentence) {
      const sound = gather(sentence, current.signal);
      sound.catch(() => {});
      prepared = { sentence, sound };
    },
    async say(sentence) {
      const { signal } = current;
      // Takes the sentence's place in the playback queue now, so that sentences keep their order whichever is synthesised first.
      const sink = playback.say(sentence);
      const before = making.at(-AHEAD);
      const made = (async () => {
        await before?.catch(() => {});
        if (signal.aborted) return sink.end();
        await make(sentence, sink, signal);
      })();
      making = [...making.slice(-AHEAD), made];
      await made;
    },
    cut() {
      current.abort();
      current = new AbortController();
      making = [];
      playback.cut();
    },
    get characters() {
      return characters;
    },
  };
}
