/** Every answered call has a recording whose length is within this share of the call's duration. */
const MAY_BE_OFF = 0.02;
/** Of a short call 2 % are a few frames: what passes between the answer and the first of them is more. */
const TOLERATED_MS = 500;

export const RECORDING_PROBLEMS = ["missing", "length"] as const;
/** There is none; or it is longer or shorter than the call was. */
export type RecordingProblem = (typeof RECORDING_PROBLEMS)[number];

/** What is wrong with the recording of a call that was to be recorded, milliseconds each; undefined: nothing. */
export function recordingProblem(call: {
  durationMs: number;
  recordedMs: number | undefined;
}): RecordingProblem | undefined {
  const { durationMs, recordedMs } = call;
  if (recordedMs === undefined) return durationMs > TOLERATED_MS ? "missing" : undefined;
  const isWhole = Math.abs(recordedMs - durationMs) <= Math.max(TOLERATED_MS, durationMs * MAY_BE_OFF);
  return isWhole ? undefined : "length";
}
