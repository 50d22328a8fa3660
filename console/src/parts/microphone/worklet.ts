import { encodeMuLaw, FRAME_SAMPLES, LINE_RATE } from "./mu-law.ts";
import { PlayoutBuffer } from "./playout-buffer.ts";
import { Resampler } from "./resampler.ts";

/** What the browser has where sound is made; TypeScript's own types leave it out. */
declare const sampleRate: number;
declare function registerProcessor(name: string, processor: new () => AudioWorkletProcessor): void;
declare class AudioWorkletProcessor {
  readonly port: MessagePort;
}

/** 20 ms from the microphone, and how loud they are: the root of the mean square. */
export type MicrophoneFrame = { frame: Uint8Array<ArrayBuffer>; level: number };

/** Between the browser's sound and the line's, both ways. */
class CallSound extends AudioWorkletProcessor {
  readonly #toLine = new Resampler(sampleRate, LINE_RATE);
  readonly #fromLine = new Resampler(LINE_RATE, sampleRate);
  readonly #playout = new PlayoutBuffer();
  #frame = new Uint8Array(FRAME_SAMPLES);
  #filled = 0;
  #power = 0;
  /** Made of a sample from the line, but for the next block. */
  readonly #ahead: number[] = [];

  constructor() {
    super();
    this.port.onmessage = ({ data }: MessageEvent<ArrayBuffer>) => this.#playout.add(new Uint8Array(data));
  }

  process([microphone]: Float32Array[][], [speaker]: Float32Array[][]): boolean {
    const out = speaker![0]!;
    const samples = microphone?.[0];
    // A microphone that was pulled out is silent: the line goes on.
    for (let i = 0; i < out.length; i++) this.#toLine.push(samples?.[i] ?? 0, this.#toMicrophoneFrame);
    while (this.#ahead.length < out.length) this.#fromLine.push(this.#playout.next(), this.#say);
    out.set(this.#ahead.splice(0, out.length));
    return true;
  }

  readonly #say = (sample: number) => {
    this.#ahead.push(sample);
  };

  readonly #toMicrophoneFrame = (sample: number) => {
    this.#frame[this.#filled++] = encodeMuLaw(sample);
    this.#power += sample * sample;
    if (this.#filled < FRAME_SAMPLES) return;
    const message: MicrophoneFrame = { frame: this.#frame, level: Math.sqrt(this.#power / FRAME_SAMPLES) };
    this.port.postMessage(message, [this.#frame.buffer]);
    this.#frame = new Uint8Array(FRAME_SAMPLES);
    this.#filled = 0;
    this.#power = 0;
  };
}

registerProcessor("call-sound", CallSound);
