import { decodeMuLaw } from "./mu-law.ts";

/** Frames that have to be there before any is heard: 60 ms, by which the network may be late. */
const FIRST_FRAMES = 3;
/** More than 200 ms behind, an answer seems slow: the oldest are left out. */
const MAX_FRAMES = 10;

/** Evens out when frames arrive: what is heard is steady, and silence where nothing came. */
export class PlayoutBuffer {
  readonly #frames: Uint8Array[] = [];
  #at = 0;
  #isPlaying = false;

  add(frame: Uint8Array): void {
    this.#frames.push(frame);
    if (this.#frames.length > MAX_FRAMES) this.#leave();
  }

  /** The next sample to be heard, at the line's rate. */
  next(): number {
    this.#isPlaying = this.#frames.length >= (this.#isPlaying ? 1 : FIRST_FRAMES);
    const frame = this.#frames[0];
    if (!this.#isPlaying || frame === undefined) return 0;
    const sample = decodeMuLaw(frame[this.#at++]!);
    if (this.#at === frame.length) this.#leave();
    return sample;
  }

  #leave(): void {
    this.#frames.shift();
    this.#at = 0;
  }
}
