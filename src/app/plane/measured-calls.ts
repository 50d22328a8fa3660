import type { Silero } from "#media/audio/silero.ts";

/** Streams of sound that are judged together, as many as the detector takes at once. */
const STREAMS = 64;
/** Frames of each: some for the runtime to warm up, and those that count. About 50 ms of work. */
const [WARM_UP, MEASURED] = [8, 16];
const SAMPLES = 160;
/** Windows of 32 ms in a second of speech. */
const WINDOWS_A_SECOND = 1_000 / 32;
/** All that a call takes beside the detector (codecs, recording, the turn, the agent's voice), as a multiple of it: by `npm run bench -- calls` and `-- media`. */
const CALL_BY_DETECTOR = 3.3;
/** Of a core; the rest is for moments in which many speak. */
const SHARE = 0.7;

/**
 * How many calls a core of this machine holds, by the CPU time of the voice detector, which is a fixed part of a call's. By CPU time, so that what
 * else the machine does at this moment matters little. `cpuMicros`: the CPU time of this process so far.
 */
export async function measuredCalls(silero: Silero, cpuMicros: () => number): Promise<number> {
  // No speech, but loud enough that the detector runs.
  const sound = Int16Array.from({ length: SAMPLES }, (_, i) => 8_000 * Math.sin(i / 3) + 2_000 * Math.sin(i * 1.7));
  const streams = Array.from({ length: STREAMS }, () => silero.open(() => {}));
  const judge = async (frames: number): Promise<number> => {
    let windows = 0;
    for (let frame = 0; frame < frames; frame++) {
      for (const stream of streams) stream.push(sound);
      windows += await silero.run();
    }
    return windows;
  };
  await judge(WARM_UP);
  const before = cpuMicros();
  const windows = await judge(MEASURED);
  const used = cpuMicros() - before;
  for (const stream of streams) stream.close();
  const callMicros = (used / windows) * WINDOWS_A_SECOND * CALL_BY_DETECTOR;
  return Math.floor((SHARE * 1_000_000) / callMicros);
}
