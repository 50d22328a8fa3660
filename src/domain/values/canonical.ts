/** JSON with its keys in order: two bodies that say the same have the same text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, it) =>
    isPlain(it) ? Object.fromEntries(Object.entries(it).sort(([a], [b]) => (a < b ? -1 : 1))) : it,
  );
}

const isPlain = (it: unknown): it is Record<string, unknown> =>
  typeof it === "object" && it !== null && !Array.isArray(it);
