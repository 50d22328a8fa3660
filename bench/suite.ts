/** A figure; `baseline` is what it is held against, measured in the same run, or null where there is no such thing. */
export type Figure = { name: string; value: number; unit: string; baseline: number | null };

/** What a suite is handed. */
export type Bench = {
  /** A quick smoke that proves the suite, not the speed. */
  small: boolean;
  /** Thrown away at the end. */
  folder: string;
  /** Where processes leave their CPU profiles, if they are to be taken. */
  profile: string | undefined;
  figure(figure: Figure): void;
};

export type Suite = (bench: Bench) => Promise<void>;

/** The value below which a share of all lies, 0 to 1. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** How long `work` takes, in seconds, and what it returned. */
export async function timed<T>(work: () => Promise<T>): Promise<{ seconds: number; result: T }> {
  const begin = performance.now();
  const result = await work();
  return { seconds: (performance.now() - begin) / 1000, result };
}
