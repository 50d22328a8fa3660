/** JSON with its keys in order: two bodies that say the same have the same text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, part) =>
    isPlain(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part,
  );
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
