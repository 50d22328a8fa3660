/** Waits for a condition, looking again every 20 ms. Fails with what it last saw. */
export async function until<T>(
  what: string,
  look: () => Promise<T | undefined | false>,
  withinMs = 20_000,
): Promise<T> {
  const end = Date.now() + withinMs;
  let last: unknown;
  for (;;) {
    last = await look();
    if (last) return last as T;
    if (Date.now() > end) throw new Error(`never came true: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
