/** Above this the peaks are bent instead of cut: two voices at once are rarely louder. */
const KNEE = 24_000;
const FULL = 32_767;

/** A sum of samples brought back into 16 bits: unchanged up to three quarters of full scale, then bent towards it, never past. */
export function softClip(sum: number): number {
  const size = sum < 0 ? -sum : sum;
  if (size <= KNEE) return sum;
  const over = size - KNEE;
  const room = FULL - KNEE;
  const bent = KNEE + (room * over) / (over + room);
  return sum < 0 ? -bent : bent;
}

/** Adds a loop by a gain to `frame`, in place, without wrapping: from its sample `at` on, and round. */
export function mixInto(frame: Int16Array, loop: Int16Array, gain: number, at = 0): void {
  let place = at;
  for (let i = 0; i < frame.length; i++) {
    frame[i] = Math.round(softClip((frame[i] as number) + gain * (loop[place] as number)));
    place = place + 1 === loop.length ? 0 : place + 1;
  }
}
