import type { TurnLatency } from "./report.ts";

/** How one stage of a call's answers did over all of them, milliseconds: the shape of Retell's `latency`. */
export type LatencySummary = {
  p50: number;
  p90: number;
  p95: number;
  p99: number;
  min: number;
  max: number;
  num: number;
  values: number[];
};

/** Retell's names: speech-to-text is `asr`, the model `llm`, text-to-speech `tts`, and the total from the end of speech `e2e`. */
const STAGES = {
  e2e: "totalMs",
  endpointing: "endpointingMs",
  asr: "speechToTextMs",
  llm: "modelMs",
  tts: "voiceMs",
} as const satisfies Record<string, keyof TurnLatency>;

/** Sums up the turns of a call. A stage that no turn passed is left out. */
export function latencySummary(turns: readonly TurnLatency[]): Record<string, LatencySummary> {
  const stages = Object.entries(STAGES).map(([stage, name]) => {
    const values = turns.map((turn) => turn[name]).filter((value) => value !== undefined);
    return [stage, values] as const;
  });
  return Object.fromEntries(
    stages.filter(([, values]) => values.length > 0).map(([stage, values]) => [stage, summaryOf(values)]),
  );
}

function summaryOf(values: number[]): LatencySummary {
  const sorted = values.toSorted((a, b) => a - b);
  // The nearest rank: a value that was really measured, also of few.
  const at = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!;
  return {
    p50: at(0.5),
    p90: at(0.9),
    p95: at(0.95),
    p99: at(0.99),
    min: sorted[0]!,
    max: sorted.at(-1)!,
    num: values.length,
    values,
  };
}
