/**
 * Runs `ask` once for all concurrent callers, and for those within `keptMs` of the answer: however many they are, they
 * take one connection.
 */
export function sharedAnswer<T>(ask: () => Promise<T>, keptMs: number): () => Promise<T> {
  let answer: Promise<T> | undefined;
  let staleAt = Number.POSITIVE_INFINITY;
  return () => {
    if (answer && performance.now() < staleAt) return answer;
    staleAt = Number.POSITIVE_INFINITY;
    answer = ask().finally(() => {
      staleAt = performance.now() + keptMs;
    });
    return answer;
  };
}
