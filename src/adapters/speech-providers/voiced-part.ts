/** A frame of speech on a quiet line is ten times as loud; its noise a third. As a root mean square of 16-bit samples. */
const LOUD = 150;
const FRAME_MS = 20;
/** Words begin and end softly, outside the loud frames. */
const MARGIN_MS = 300;

/** The range that contains sound, with a margin; undefined when all is quiet. */
export function voicedPart(samples: Int16Array, sampleRate: number): { from: number; to: number } | undefined {
  const frame = (sampleRate * FRAME_MS) / 1_000;
  const margin = (sampleRate * MARGIN_MS) / 1_000;
  let [first, last] = [-1, -1];
  for (let at = 0; at + frame <= samples.length; at += frame) {
    let energy = 0;
    for (let index = at; index < at + frame; index++) energy += samples[index]! ** 2;
    if (energy / frame < LOUD ** 2) continue;
    if (first < 0) first = at;
    last = at + frame;
  }
  if (first < 0) return undefined;
  return { from: Math.max(0, first - margin), to: Math.min(samples.length, last + margin) };
}
