import { join } from "node:path";
import { openOpus } from "#adapters/sip-audio/opus.ts";
import { isWideband, soundCoding } from "#adapters/sip-audio/sound-coding.ts";
import type { Codec } from "#adapters/sip-messages/formats.ts";
import { decodeUlaw, encodeUlaw } from "#domain/calls/g711.ts";
import { createResampler, outputRoom } from "#domain/calls/resample.ts";
import { createAmbient } from "#media/audio/ambient.ts";
import { createEnergyVad } from "#media/audio/energy-vad.ts";
import { createJitterBuffer } from "#media/audio/jitter-buffer.ts";
import { loadSilero, type Silero } from "#media/audio/silero.ts";
import { createSpeechGate } from "#media/audio/speech-gate.ts";
import { createToneDetector } from "#media/audio/tones.ts";
import { WIDE_FRAME_SAMPLES } from "#media/audio/wide-sound.ts";
import { createRecorder } from "#media/recording/recorder.ts";
import { createScheduler, LATENESS_MS, systemClock } from "#media/scheduler.ts";
import type { Bench } from "../suite.ts";

const FRAME = 160;

/** A call's sound and all that is done with it in 20 ms, both ways. */
type Call = { frame(nowMs: number): void; frames(): number; close(): Promise<void> };

/**
 * How many calls one core can hold by the CPU time of a second of them, part by part and all together; then calls on the real clock, at 300 a
 * core, and how late their frames are. The baseline of the detector is one run a call.
 */
export async function run(bench: Bench): Promise<void> {
  const calls = bench.small ? 20 : 300;
  const seconds = bench.small ? 1 : 5;
  const speech = voice();
  const silero = await loadSilero();
  try {
    const alone = await judged(silero, speech, Math.min(calls, 64), seconds, 1);
    const batched = await judged(silero, speech, Math.min(calls, 64), seconds, 64);
    bench.figure({ name: "silero, calls a core", value: batched, unit: "calls", baseline: alone });
    bench.figure({
      name: "codec and jitter buffer, calls a core",
      value: perCore(seconds, codec(speech)),
      unit: "calls",
      baseline: null,
    });
    const narrow = perCore(seconds, await coded("PCMU", speech));
    for (const [name, codec] of [
      ["G.722", "G722"],
      ["Opus", "opus"],
    ] as const) {
      bench.figure({
        name: `${name} and jitter buffer both ways, calls a core`,
        value: perCore(seconds, await coded(codec, speech)),
        unit: "calls",
        baseline: narrow,
      });
    }
    bench.figure({
      name: "resample 16k to 8k, calls a core",
      value: perCore(seconds, resampling()),
      unit: "calls",
      baseline: null,
    });
    bench.figure({
      name: "tones, calls a core",
      value: perCore(seconds, tones(speech)),
      unit: "calls",
      baseline: null,
    });
    await together(bench, silero, speech, calls, bench.small ? 2 : 20);
  } finally {
    await silero.close();
  }
}

/** Calls whose second takes a second of CPU. `frame` is run for so many seconds of one call. */
function perCore(seconds: number, frame: () => void): number {
  const frames = seconds * 50 * 20;
  for (let i = 0; i < 200; i++) frame();
  const begin = process.cpuUsage();
  for (let i = 0; i < frames; i++) frame();
  return frames / 50 / cpuSeconds(begin);
}

function cpuSeconds(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1e6;
}

function codec(speech: Int16Array): () => void {
  const jitter = createJitterBuffer();
  const payload = new Uint8Array(FRAME);
  const frame = new Int16Array(FRAME);
  let index = 0;
  return () => {
    encodeUlaw(piece(speech, index), payload);
    jitter.push(index & 0xffff, (index * FRAME) >>> 0, payload, index * 20);
    jitter.pop(frame, index * 20 + 10);
    decodeUlaw(payload, frame);
    index += 1;
  };
}

/** A frame each way as the RTP leg has it: from the session's mu-law to the codec's, and what comes from there into the jitter buffer. */
async function coded(codec: Codec, speech: Int16Array): Promise<() => void> {
  const coding = soundCoding(codec === "opus" ? await openOpus() : undefined);
  coding.shape({ fec: true });
  const jitter = createJitterBuffer(isWideband(codec) ? new Int16Array(WIDE_FRAME_SAMPLES) : undefined);
  const payload = new Uint8Array(FRAME);
  const packet = new Uint8Array(FRAME);
  const frame = new Int16Array(FRAME);
  let index = 0;
  return () => {
    encodeUlaw(piece(speech, index), payload);
    const bytes = coding.encode(codec, payload, packet, 0);
    coding.decode(codec, index & 0xffff, packet.subarray(0, bytes), (_, sound, wide) =>
      jitter.push(index & 0xffff, (index * FRAME) >>> 0, sound, index * 20, wide),
    );
    jitter.pop(frame, index * 20 + 10);
    index += 1;
  };
}

function resampling(): () => void {
  const resample = createResampler(16_000, 8_000);
  const from = new Int16Array(2 * FRAME).fill(1_000);
  const into = new Int16Array(outputRoom(from.length, 16_000, 8_000));
  return () => {
    resample(from, into);
  };
}

function tones(speech: Int16Array): () => void {
  const detector = createToneDetector();
  let index = 0;
  return () => {
    detector.push(piece(speech, index++));
  };
}

async function judged(
  silero: Silero,
  speech: Int16Array,
  calls: number,
  seconds: number,
  together: number,
): Promise<number> {
  const streams = Array.from({ length: calls }, () => silero.open(() => undefined));
  const begin = process.cpuUsage();
  for (let index = 0; index < seconds * 50; index++) {
    for (let at = 0; at < calls; at += together) {
      for (const stream of streams.slice(at, at + together)) stream.push(piece(speech, index));
      await silero.run();
    }
  }
  const used = cpuSeconds(begin);
  for (const stream of streams) stream.close();
  return (calls * seconds) / used;
}

/** All on the real clock: incoming sound by buffer, detectors and the rate of speech-to-text, outgoing with ambient, both recorded. */
async function together(
  bench: Bench,
  silero: Silero,
  speech: Int16Array,
  count: number,
  seconds: number,
): Promise<void> {
  const scheduler = createScheduler(systemClock);
  const calls = await Promise.all(
    Array.from({ length: count }, (_, i) => aCall(silero, speech, join(bench.folder, `${i}.wav`), i / count)),
  );
  for (const call of calls) scheduler.add((nowMs) => call.frame(nowMs));
  // The windows of a group's calls are judged right after its turn.
  const judge = setInterval(() => void silero.run(), 5);
  await pause(1_000);
  scheduler.lateness(true);
  const framesBefore = calls.reduce((sum, call) => sum + call.frames(), 0);
  const begin = process.cpuUsage();
  await pause(seconds * 1_000);
  const used = cpuSeconds(begin);
  const { counts, ticks } = scheduler.lateness();
  const frames = calls.reduce((sum, call) => sum + call.frames(), 0) - framesBefore;
  clearInterval(judge);
  scheduler.stop();
  await silero.run();
  await Promise.all(calls.map((call) => call.close()));

  bench.figure({
    name: "a call with everything, of a core",
    value: (100 * used) / (frames / 50),
    unit: "%",
    baseline: null,
  });
  bench.figure({
    name: `frames of ${count} calls late, p99 at most`,
    value: quantileOf(counts, ticks, 0.99),
    unit: "ms",
    baseline: 20,
  });
  const { rss } = process.memoryUsage();
  bench.figure({ name: "resident memory", value: rss / 1e6, unit: "MB", baseline: null });
}

async function aCall(silero: Silero, speech: Int16Array, path: string, phase: number): Promise<Call> {
  const jitter = createJitterBuffer();
  const gate = createSpeechGate();
  const energy = createEnergyVad();
  const stream = silero.open((probability, endMs) => gate.push(probability, endMs - 32, endMs));
  const detector = createToneDetector();
  const downsample = createResampler(24_000, 8_000);
  const ambient = createAmbient("coffee-shop", 1, phase);
  const recorder = await createRecorder(path, phase);
  const [payload, sent] = [new Uint8Array(FRAME), new Uint8Array(FRAME)];
  const [incoming, spoken] = [new Int16Array(FRAME), new Int16Array(FRAME)];
  const fine = new Int16Array(3 * FRAME);
  const back = new Int16Array(FRAME + 2);
  const first = Math.floor(phase * 100);
  let index = first;
  return {
    frame(nowMs) {
      encodeUlaw(piece(speech, index), payload);
      jitter.push(index & 0xffff, (index * FRAME) >>> 0, payload, nowMs);
      jitter.pop(incoming, nowMs);
      energy.push(incoming);
      stream.push(incoming);
      detector.push(incoming);
      // As if the agent spoke all the time, by a voice of 24 kHz.
      downsample(fine, back);
      spoken.set(piece(speech, index + 250));
      ambient(spoken);
      encodeUlaw(spoken, sent);
      recorder.push(incoming, spoken);
      index += 1;
    },
    frames: () => index - first,
    async close() {
      stream.close();
      await recorder.finish();
    },
  };
}

function quantileOf(counts: readonly number[], total: number, share: number): number {
  let sum = 0;
  for (let i = 0; i < counts.length; i++) {
    sum += counts[i]!;
    if (sum >= share * total) return Math.min(LATENESS_MS[i]!, 1_000);
  }
  return 1_000;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Ten seconds of something like speech: pulses through a resonance, by syllables, with pauses. */
function voice(): Int16Array {
  let [last, before, phase] = [0, 0, 0];
  return Int16Array.from({ length: 80_000 }, (_, n) => {
    const at = n / 8_000;
    phase += (120 + 15 * Math.sin(2 * Math.PI * 2 * at)) / 8_000;
    const pulse = phase >= 1 ? 1 : 0;
    phase -= pulse;
    const next = pulse + 2 * 0.97 * Math.cos((2 * Math.PI * 700) / 8_000) * last - 0.97 ** 2 * before;
    before = last;
    last = next;
    const isOn = Math.sin(2 * Math.PI * 3.5 * at) > -0.5 && at % 5 < 3;
    return isOn ? Math.round(2_500 * next) : 0;
  });
}

function piece(speech: Int16Array, index: number): Int16Array {
  const at = (index * FRAME) % speech.length;
  return speech.subarray(at, at + FRAME);
}
