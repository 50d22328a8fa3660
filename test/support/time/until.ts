const LOOK_AGAIN_MS = 20;

/** Waits for a condition, looking again every 20 ms, but never for more than half of the time: what is waited for may need it. */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined | false>,
  withinMs = 60_000,
): Promise<T> {
  const end = Date.now() + withinMs;
  let last: unknown;
  for (;;) {
    const begin = performance.now();
    last = await look();
    if (last) return last as T;
    if (Date.now() > end) throw new Error(`never came true: ${what}`);
    const tookMs = performance.now() - begin;
    await new Promise((resolve) => setTimeout(resolve, Math.max(LOOK_AGAIN_MS, tookMs)));
  }
}
