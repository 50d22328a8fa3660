import type { TestResult } from "./batch.ts";
import type { Durations } from "./durations.ts";
import type { Batch, Piece } from "./pieces.ts";
import type { Ring } from "./rings.ts";
import { type BatchResult, runBatch } from "./run-batch.ts";

/** A batch that has ended. */
export type Ended = { batch: Batch; result: BatchResult; beganMs: number };

export type StageSettings = {
  environmentOf(ring: Ring): Readonly<Record<string, string>>;
  /** Processes at one time. */
  atOnce: number;
  /** Top-level tests by their names; all when there is none. */
  names?: string[];
  /** No batch begins after this moment of `performance.now()`, nor one that would not be through by then as it took the last time. */
  deadlineMs?: number;
  timeoutMs: number;
  durations: Durations;
  signal: AbortSignal;
  onTest?(test: TestResult): void;
  onOutput?(text: string): void;
  onEnd(ended: Ended): void;
};

/** Runs batches, the longest first, so many at one time. Resolves to the pieces for which there was no time. */
export async function runStage(batches: readonly Batch[], settings: StageSettings): Promise<Piece[]> {
  const waiting = batches.toSorted((a, b) => b.estimateMs - a.estimateMs);
  const running = new Map<Ring, number>();
  const left: Piece[] = [];
  const fits = ({ estimateMs }: Batch) =>
    performance.now() + estimateMs < (settings.deadlineMs ?? Number.POSITIVE_INFINITY);

  /** The next batch whose ring has a free place. */
  const take = (): Batch | undefined => {
    const at = waiting.findIndex(({ ring }) => (running.get(ring) ?? 0) < (ring.atOnce ?? settings.atOnce));
    return at < 0 ? undefined : waiting.splice(at, 1)[0];
  };
  await new Promise<void>((resolve, reject) => {
    let active = 0;
    const next = (): void => {
      while (active < settings.atOnce && !settings.signal.aborted) {
        const batch = take();
        if (batch === undefined) break;
        if (!fits(batch)) {
          left.push(...batch.pieces);
          continue;
        }
        active++;
        running.set(batch.ring, (running.get(batch.ring) ?? 0) + 1);
        runOne(batch, settings).then(() => {
          active--;
          running.set(batch.ring, running.get(batch.ring)! - 1);
          next();
        }, reject);
      }
      if (active === 0) resolve();
    };
    next();
  });
  return left;
}

async function runOne(batch: Batch, settings: StageSettings): Promise<void> {
  const { names, timeoutMs, signal, durations } = settings;
  const { ring, pieces } = batch;
  const beganMs = performance.now();
  const result = await runBatch({
    files: pieces.map(({ file }) => file),
    ...(names && { names }),
    env: {
      ...settings.environmentOf(ring),
      ...(pieces[0]!.only !== undefined && { PARLEY_TEST_ONLY: pieces[0]!.only }),
    },
    timeoutMs,
    signal,
    ...(settings.onTest && { onTest: settings.onTest }),
    ...(settings.onOutput && { onOutput: settings.onOutput }),
  });
  const loadingMs = Math.max(0, result.ms - sum(topLevel(result.tests))) / pieces.length;
  for (const piece of pieces) {
    const own = topLevel(result.tests).filter(({ file }) => file === piece.file);
    // Tests within a suite run at one time: what they took together is no file's time.
    const tookMs = own.length > 0 ? sum(own) + loadingMs : result.ms / pieces.length;
    if (names === undefined && !signal.aborted) durations.learn(piece, tookMs);
  }
  settings.onEnd({ batch, result, beganMs });
}

const topLevel = (tests: readonly TestResult[]) => tests.filter(({ path }) => path.length === 1);
const sum = (tests: readonly TestResult[]): number => tests.reduce((total, { ms }) => total + ms, 0);
