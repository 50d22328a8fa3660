import { isObject } from "./lead.ts";

/** The response to a repeated request whose first response can no longer be returned. */
const ERASED = { success: true, erased: true };

/**
 * A kept answer without a person: items of its lists that name it by one of these words are left out; an answer that is
 * about the person alone is replaced. `null` stands for one that is too long to be read.
 */
export function withoutPerson(body: string | null, words: readonly string[]): string {
  const value = body === null ? undefined : (JSON.parse(body) as unknown);
  const poweredBy = isObject(value) ? { powered_by: value.powered_by } : {};
  const left = reduced(value, words);
  return JSON.stringify(left === undefined ? { ...ERASED, ...poweredBy } : left);
}

/** Undefined for what names the person outside of any list. */
function reduced(value: unknown, words: readonly string[]): unknown {
  if (typeof value === "string") return words.some((word) => value.includes(word)) ? undefined : value;
  if (Array.isArray(value)) return value.map((item) => reduced(item, words)).filter((item) => item !== undefined);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([name, item]) => [name, reduced(item, words)] as const);
  return entries.some(([, item]) => item === undefined) ? undefined : Object.fromEntries(entries);
}
