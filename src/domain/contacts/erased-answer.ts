import { isObject } from "./lead.ts";

/** The response to a repeated request whose first response can no longer be returned. */
const ERASED = { success: true, erased: true };

/** What can be one of the words: a number in E.164 with all digits that follow it, or the id of a contact. */
const NAME = /\+[0-9]{7,15}|lead_[0-9a-z]{26}/g;
const MIN_NUMBER = 8;

/**
 * A kept answer without a person: items of its lists that name it by one of these words (numbers in E.164, ids of contacts) are
 * left out; an answer that is about the person alone is replaced. `null` stands for one that is too long to be read.
 */
export function withoutPerson(body: string | null, words: ReadonlySet<string>): string {
  const value = body === null ? undefined : (JSON.parse(body) as unknown);
  const poweredBy = isObject(value) ? { powered_by: value.powered_by } : {};
  const left = reduced(value, words);
  return JSON.stringify(left === undefined ? { ...ERASED, ...poweredBy } : left);
}

/** Undefined for what names the person outside of any list. */
function reduced(value: unknown, words: ReadonlySet<string>): unknown {
  if (typeof value === "string") return names(value, words) ? undefined : value;
  if (Array.isArray(value)) return value.map((item) => reduced(item, words)).filter((item) => item !== undefined);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([name, item]) => [name, reduced(item, words)] as const);
  return entries.some(([, item]) => item === undefined) ? undefined : Object.fromEntries(entries);
}

/** There can be thousands of words: the text is read once for all of them. */
function names(text: string, words: ReadonlySet<string>): boolean {
  for (const [name] of text.matchAll(NAME)) {
    if (words.has(name)) return true;
    // Other digits may follow a number.
    for (let end = MIN_NUMBER; name.startsWith("+") && end < name.length; end++)
      if (words.has(name.slice(0, end))) return true;
  }
  return false;
}
