import type { SoundRate } from "#ports/speech-to-text.ts";

/** Audio that may have to be sent to a provider again: half a minute, 0.5 MB at 8 kHz. Nobody speaks for longer without a word being recognised. */
const MAX_SECONDS = 30;

/** The last part of a stream of samples, from the first one without a final transcript. Positions count from the stream's first sample. */
export function unsettledAudio(sampleRate: SoundRate, maxSeconds: number = MAX_SECONDS) {
  const maxSamples = maxSeconds * sampleRate;
  /** A quarter of a second: keeping each frame by itself took twice the memory. */
  const blockSamples = sampleRate / 4;
  /** One second of sound per message; messages are of about equal length. */
  const messageSamples = sampleRate;
  const blocks: Int16Array[] = [];
  /** The position of the first block's first sample. */
  let first = 0;
  let [begin, end] = [0, 0];
  const settle = (until: number) => {
    begin = Math.max(begin, Math.min(until, end));
    for (; first + blockSamples <= begin; first += blockSamples) blocks.shift();
  };
  return {
    begin: () => begin,
    end: () => end,
    add(samples: Int16Array): void {
      for (let at = 0; at < samples.length; ) {
        const place = end - first;
        const index = Math.floor(place / blockSamples);
        blocks[index] ??= new Int16Array(blockSamples);
        const part = samples.subarray(at, at + blockSamples - (place % blockSamples));
        blocks[index].set(part, place % blockSamples);
        at += part.length;
        end += part.length;
      }
      settle(end - maxSamples);
    },
    /** Samples before this are no longer needed. */
    settle(until: number): void {
      settle(Math.floor(until));
    },
    /** A copy of the samples between two positions, as far as they are still kept, split into messages. */
    between(from: number, to: number): Int16Array[] {
      const [start, stop] = [Math.max(from, begin), Math.min(to, end)];
      const total = Math.max(0, stop - start);
      const messages = Math.ceil(total / messageSamples);
      const length = Math.ceil(total / messages);
      return Array.from({ length: messages }, (_, index) =>
        copied(start + index * length, Math.min(stop, start + (index + 1) * length)),
      );
    },
  };

  function copied(from: number, to: number): Int16Array {
    const whole = new Int16Array(to - from);
    for (let at = from; at < to; ) {
      const place = at - first;
      const part = blocks[Math.floor(place / blockSamples)]!;
      const piece = part.subarray(place % blockSamples, (place % blockSamples) + to - at);
      whole.set(piece, at - from);
      at += piece.length;
    }
    return whole;
  }
}
