/** The line carries nothing above 4 kHz: what a microphone hears there would come back as a false tone, so it is taken away. */
const CUTOFF_HZ = 3_700;

/** A Hamming window of this length falls from full at 3.4 kHz to -50 dB at 4 kHz. */
const WINDOW_S = 0.0055;

/** Brings a stream of samples from one rate to another by a windowed sinc, exactly, whatever the two rates are. */
export class Resampler {
  /** The filter as it lies over the samples, for each place between two of them where one is asked for. */
  readonly #phases: Float32Array[];
  readonly #step: number;
  /** The newest samples, twice in a row: from any place on they can be read without turning round. */
  readonly #samples: Float32Array;
  #at = 0;
  #phase = 0;
  #missing: number;

  constructor(from: number, to: number) {
    const divisor = greatestDivisor(from, to);
    this.#step = from / divisor;
    const half = Math.ceil((WINDOW_S / 2) * from);
    const count = to / divisor;
    this.#phases = Array.from({ length: count }, (_, phase) => filter(from, half, phase / count));
    this.#samples = new Float32Array(4 * half);
    this.#missing = half + 1;
  }

  /** Takes a sample and emits those that it completes: none, one or several. */
  push(sample: number, emit: (sample: number) => void): void {
    const length = this.#samples.length / 2;
    this.#samples[this.#at] = sample;
    this.#samples[this.#at + length] = sample;
    this.#at = (this.#at + 1) % length;
    this.#missing--;
    while (this.#missing === 0) {
      emit(this.#filtered());
      this.#phase += this.#step;
      this.#missing = Math.floor(this.#phase / this.#phases.length);
      this.#phase %= this.#phases.length;
    }
  }

  #filtered(): number {
    const taps = this.#phases[this.#phase]!;
    let sum = 0;
    for (let i = 0; i < taps.length; i++) sum += taps[i]! * this.#samples[this.#at + i]!;
    return sum;
  }
}

function filter(rate: number, half: number, offset: number): Float32Array {
  const taps = Float32Array.from({ length: 2 * half }, (_, i) => {
    const seconds = (offset + half - 1 - i) / rate;
    const x = 2 * Math.PI * CUTOFF_HZ * seconds;
    const place = Math.max(-1, Math.min(1, (2 * seconds) / WINDOW_S));
    return (x === 0 ? 1 : Math.sin(x) / x) * (0.54 + 0.46 * Math.cos(Math.PI * place));
  });
  const sum = taps.reduce((all, tap) => all + tap, 0);
  return taps.map((tap) => tap / sum);
}

const greatestDivisor = (a: number, b: number): number => (b === 0 ? a : greatestDivisor(b, a % b));
