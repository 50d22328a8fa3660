/** What a provider may have to hear again: half a minute, 0.5 MB. Nobody speaks for longer without a word being recognised. */
const MAX_SAMPLES = 30 * 8_000;
/** A quarter of a second: frames that were each kept by themselves took twice their samples' memory. */
const BLOCK = 2_000;
/** A second of sound in one message, not in fifty; none is much shorter than the others. */
const MESSAGE_SAMPLES = 8_000;

/** The end of a stream of samples, counted from the stream's first: from what is not yet said for good to what was written last. */
export function unsettledAudio(maxSamples: number = MAX_SAMPLES) {
  const blocks: Int16Array[] = [];
  /** The stream's sample that the first block begins with. */
  let first = 0;
  let [begin, end] = [0, 0];
  const settle = (until: number) => {
    begin = Math.max(begin, Math.min(until, end));
    for (; first + BLOCK <= begin; first += BLOCK) blocks.shift();
  };
  return {
    begin: () => begin,
    end: () => end,
    add(samples: Int16Array): void {
      for (let at = 0; at < samples.length; ) {
        const place = end - first;
        const index = Math.floor(place / BLOCK);
        blocks[index] ??= new Int16Array(BLOCK);
        const part = samples.subarray(at, at + BLOCK - (place % BLOCK));
        blocks[index].set(part, place % BLOCK);
        at += part.length;
        end += part.length;
      }
      settle(end - maxSamples);
    },
    /** What lies before is not needed any more. */
    settle(until: number): void {
      settle(Math.floor(until));
    },
    /** The samples from one place to another, as far as they are still there, in messages; copied. */
    between(from: number, to: number): Int16Array[] {
      const [start, stop] = [Math.max(from, begin), Math.min(to, end)];
      const total = Math.max(0, stop - start);
      const messages = Math.ceil(total / MESSAGE_SAMPLES);
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
      const block = blocks[Math.floor(place / BLOCK)]!;
      const part = block.subarray(place % BLOCK, (place % BLOCK) + to - at);
      whole.set(part, at - from);
      at += part.length;
    }
    return whole;
  }
}
