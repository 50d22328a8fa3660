import { decodeUlaw } from "#domain/calls/g711.ts";
import type { WavFormat } from "./wav.ts";

/** One point of the waveform: fine enough for a screen, and 36,000 in an hour. */
export const PEAK_MS = 100;
const SAMPLES = PEAK_MS * 8;
/** A minute; it doubles as the call goes on. */
const FIRST_ROOM = 600;

/** The waveform of a recording for a screen: the loudest sample of each 100 ms and side, 0 to 255. */
export type Peaks = { contact: Uint8Array; agent: Uint8Array };

export type PeakMeter = {
  /** The same span of both sides; any length. */
  push(contact: Int16Array, agent: Int16Array): void;
  peaks(): Peaks;
};

export function createPeakMeter(): PeakMeter {
  let contactPeaks = new Uint8Array(FIRST_ROOM);
  let agentPeaks = new Uint8Array(FIRST_ROOM);
  let count = 0;
  let filled = 0;
  let [contactMost, agentMost] = [0, 0];

  const keep = () => {
    if (count === contactPeaks.length) {
      contactPeaks = grown(contactPeaks);
      agentPeaks = grown(agentPeaks);
    }
    contactPeaks[count] = contactMost >> 7;
    agentPeaks[count] = agentMost >> 7;
    count += 1;
    filled = 0;
    contactMost = 0;
    agentMost = 0;
  };

  return {
    push(contact, agent) {
      for (let i = 0; i < contact.length; i++) {
        // 32,768 is one too many for the scale.
        const left = Math.min(32_767, Math.abs(contact[i] as number));
        const right = Math.min(32_767, Math.abs(agent[i] as number));
        if (left > contactMost) contactMost = left;
        if (right > agentMost) agentMost = right;
        filled += 1;
        if (filled === SAMPLES) keep();
      }
    },
    peaks() {
      if (filled > 0) keep();
      return { contact: contactPeaks.slice(0, count), agent: agentPeaks.slice(0, count) };
    },
  };
}

/** The waveform of the sound of a file of ours, from behind its header on; `bytes` come in pieces of any length. */
export async function peaksOfSound(
  { coding, bytesPerFrame }: WavFormat,
  bytes: AsyncIterable<Uint8Array>,
): Promise<Peaks> {
  const meter = createPeakMeter();
  let rest = new Uint8Array(0);
  for await (const piece of bytes) {
    const whole = rest.length === 0 ? piece : joined(rest, piece);
    const frames = Math.floor(whole.length / bytesPerFrame);
    const used = frames * bytesPerFrame;
    rest = whole.slice(used);
    const samples = new Int16Array(2 * frames);
    if (coding === "ulaw") decodeUlaw(whole.subarray(0, used), samples);
    else for (let i = 0; i < samples.length; i++) samples[i] = whole[2 * i]! | (whole[2 * i + 1]! << 8);
    const contact = new Int16Array(frames);
    const agent = new Int16Array(frames);
    for (let i = 0; i < frames; i++) {
      contact[i] = samples[2 * i]!;
      agent[i] = samples[2 * i + 1]!;
    }
    meter.push(contact, agent);
  }
  return meter.peaks();
}

/** No more points than `most`, each the loudest of as many as it stands for. */
export function fewerPeaks({ contact, agent }: Peaks, most: number): Peaks & { peakMs: number } {
  const each = Math.max(1, Math.ceil(contact.length / most));
  const loudest = (side: Uint8Array) =>
    Uint8Array.from({ length: Math.ceil(side.length / each) }, (_, i) =>
      Math.max(...side.subarray(i * each, (i + 1) * each)),
    );
  return { contact: loudest(contact), agent: loudest(agent), peakMs: each * PEAK_MS };
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

function grown(peaks: Uint8Array): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(2 * peaks.length);
  larger.set(peaks);
  return larger;
}
