/** Does the work for each, `most` of them at a time, begun in their order. */
export async function atOnce<T>(most: number, items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = items[Symbol.iterator]();
  const one = async () => {
    for (const item of waiting) await work(item);
  };
  await Promise.all(Array.from({ length: most }, one));
}
