import { FRAME_SAMPLES } from "#domain/calls/g711.ts";

/** The lowest and highest voice that is looked for: 66 and 200 Hz, as in G.711 Appendix I. */
const PITCH_MAX = 120;
const PITCH_MIN = 40;
/** Samples that are compared: 20 ms. */
const COMPARED = 160;
/** Three periods of the lowest voice and the quarter that smooths them. */
const HISTORY = 390;
/** After 10 ms of loss the sound falls by a fifth every 10 ms, and is gone at 60 ms: longer it would buzz. */
const STEP = 80;
const FADE_A_STEP = 0.2;
/** The crossing back into the real sound grows by 4 ms for each 10 ms lost, ... */
const RETURN_A_STEP = 32;
/** ... to no more than 10 ms. */
const RETURN_MAX = 80;

/** Fills in for frames that did not come; one a stream. Every frame of the stream passes through one of its two functions. */
export type Concealer = {
  /** Takes a frame that came. The first after a loss is crossed with what stood in for it, in place. */
  keep(frame: Int16Array): void;
  /** Writes a frame that stands in for a lost one: the voice's last periods, fading to silence within 60 ms. */
  conceal(into: Int16Array): void;
};

/** Waveform substitution after ITU-T G.711 Appendix I, without its delay of 3.75 ms: a step at the seam is spread over it instead. */
export function createConcealer(): Concealer {
  const history = new Int16Array(HISTORY);
  /** What is repeated: the last `periods` of the voice, at the end of the buffer. */
  const loop = new Float64Array(HISTORY);
  const crossing = new Float64Array(RETURN_MAX);
  let pitch = PITCH_MAX;
  let length = PITCH_MAX;
  let offset = 0;
  /** Steps of 10 ms that were lost in a row. */
  let lost = 0;

  const append = (frame: Int16Array) => {
    history.copyWithin(0, FRAME_SAMPLES);
    history.set(frame, HISTORY - FRAME_SAMPLES);
  };

  /** Lays out the last periods, the end crossed into what came before the beginning, so that they can go round. */
  const lay = (periods: number) => {
    length = pitch * periods;
    const quarter = pitch >> 2;
    for (let i = 0; i < HISTORY; i++) loop[i] = history[i] as number;
    const start = HISTORY - length;
    for (let i = 0; i < quarter; i++) {
      const weight = (i + 1) / (quarter + 1);
      const end = HISTORY - quarter + i;
      loop[end] = (history[end] as number) * (1 - weight) + (history[start - quarter + i] as number) * weight;
    }
  };

  const take = (): number => {
    const sample = loop[HISTORY - length + offset] as number;
    offset = offset + 1 === length ? 0 : offset + 1;
    return sample;
  };

  const gainAt = (sample: number): number => Math.max(0, 1 - (FADE_A_STEP * Math.max(0, sample - STEP)) / STEP);

  const begin = () => {
    pitch = findPitch(history);
    lay(1);
    offset = 0;
  };

  /** A longer piece to repeat sounds less like a machine; the old one is crossed into it. */
  const lengthen = (periods: number) => {
    const quarter = pitch >> 2;
    const at = offset;
    for (let i = 0; i < quarter; i++) crossing[i] = take();
    lay(periods);
    offset = at % length;
    for (let i = 0; i < quarter; i++) {
      const weight = (i + 1) / (quarter + 1);
      const place = HISTORY - length + ((offset + i) % length);
      loop[place] = (crossing[i] as number) * (1 - weight) + (loop[place] as number) * weight;
    }
  };

  return {
    keep(frame) {
      if (lost > 0) {
        const crossed = Math.min(RETURN_MAX, (pitch >> 2) + RETURN_A_STEP * (lost - 1));
        const from = lost * STEP;
        for (let i = 0; i < crossed; i++) {
          const weight = (i + 1) / (crossed + 1);
          const real = frame[i] as number;
          frame[i] = Math.round(real * weight + take() * gainAt(from + i) * (1 - weight));
        }
        lost = 0;
      }
      append(frame);
    },
    conceal(into) {
      if (gainAt(lost * STEP) === 0) {
        into.fill(0);
        lost += 2;
        append(into);
        return;
      }
      let seam = 0;
      if (lost === 0) {
        begin();
        // The period before the loss ended a little elsewhere than the sound did.
        seam = (history[HISTORY - 1] as number) - (history[HISTORY - 1 - pitch] as number);
      }
      const quarter = pitch >> 2;
      for (let half = 0; half < 2; half++, lost++) {
        if (lost === 1 || lost === 2) lengthen(lost + 1);
        for (let i = 0; i < STEP; i++) {
          const smooth = half === 0 && i < quarter ? seam * (1 - (i + 1) / (quarter + 1)) : 0;
          const sample = Math.round(take() * gainAt(lost * STEP + i) + smooth);
          into[half * STEP + i] = sample > 32_767 ? 32_767 : sample < -32_768 ? -32_768 : sample;
        }
      }
      // The periods are those from before the loss: the history stays unchanged until sound arrives again.
    },
  };
}

/** The lag at which the last 20 ms are most like what came before: every second sample, then every one around the best. */
function findPitch(history: Int16Array): number {
  let best = bestLag(history, PITCH_MIN, PITCH_MAX, 2);
  best = bestLag(history, Math.max(PITCH_MIN, best - 1), Math.min(PITCH_MAX, best + 1), 1);
  return best;
}

function bestLag(history: Int16Array, from: number, to: number, step: number): number {
  const first = HISTORY - COMPARED;
  let best = to;
  let bestLikeness = Number.NEGATIVE_INFINITY;
  for (let lag = from; lag <= to; lag += step) {
    let product = 0;
    // So that silence is not divided by, and faint noise is not a voice.
    let energy = COMPARED;
    for (let i = first; i < HISTORY; i += step) {
      const before = history[i - lag] as number;
      product += (history[i] as number) * before;
      energy += before * before;
    }
    const likeness = product / Math.sqrt(energy);
    if (likeness > bestLikeness) {
      bestLikeness = likeness;
      best = lag;
    }
  }
  return best;
}
