/** What a provider may have to hear again: half a minute, 1 MB. Nobody speaks for longer without a word being recognised. */
const MAX_SAMPLES = 30 * 16_000;

/** The end of a stream of samples, counted from the stream's first: from what is not yet said for good to what was written last. */
export function unsettledAudio(maxSamples: number = MAX_SAMPLES) {
  const blocks: Int16Array[] = [];
  let [begin, end] = [0, 0];
  const settle = (until: number) => {
    while (begin < until) {
      const [block] = blocks;
      if (block === undefined) break;
      const dropped = Math.min(block.length, until - begin);
      if (dropped === block.length) blocks.shift();
      else blocks[0] = block.subarray(dropped);
      begin += dropped;
    }
  };
  return {
    begin: () => begin,
    end: () => end,
    add(samples: Int16Array): void {
      blocks.push(samples.slice());
      end += samples.length;
      settle(end - maxSamples);
    },
    /** What lies before is not needed any more. */
    settle(until: number): void {
      settle(Math.floor(until));
    },
    /** The samples from one place to another, as far as they are still there, in blocks. */
    between(from: number, to: number): Int16Array[] {
      const parts: Int16Array[] = [];
      let blockEnd = end;
      // From the end: mostly it is the newest that is wanted, and there may be half a minute before it.
      for (let index = blocks.length - 1; index >= 0 && blockEnd > from; index--) {
        const block = blocks[index]!;
        const blockBegin = blockEnd - block.length;
        const part = block.subarray(Math.max(0, from - blockBegin), Math.max(0, to - blockBegin));
        if (part.length > 0) parts.unshift(part);
        blockEnd = blockBegin;
      }
      return joined(parts);
    },
  };
}

/** A second of sound in one message, not in fifty; none is much shorter than the others. */
const MESSAGE_SAMPLES = 16_000;

function joined(parts: readonly Int16Array[]): Int16Array[] {
  const total = parts.reduce((sum, part) => sum + part.length, 0);
  const whole = new Int16Array(total);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  const messages = Math.ceil(total / MESSAGE_SAMPLES);
  const length = Math.ceil(total / messages);
  return Array.from({ length: messages }, (_, index) => whole.subarray(index * length, (index + 1) * length));
}
