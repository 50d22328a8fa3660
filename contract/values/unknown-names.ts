import type { TSchema } from "typebox";
import { namesIn } from "./names.ts";

/** A name that a schema does not have, by its path as the caller wrote it; and the known name that it is a misspelling of. */
export type UnknownName = { field: string; meant: string | undefined };

/** Names of objects, and what is known of those inside them. A map whose names are free has none, nor has anything in it. */
type Known = { fields: Map<string, Known | undefined> | undefined; items: Known | undefined };

type Shape = {
  properties?: Record<string, Shape>;
  additionalProperties?: unknown;
  patternProperties?: unknown;
  anyOf?: Shape[];
  items?: Shape;
};

/** More help nobody, and keep a request of thousands of names cheap. */
const MAX_NAMES = 100;
/** No name of ours is longer. */
const MAX_LETTERS = 64;
/** Other words of so few letters are two letters away: `name` and `page`. */
const SHORT_LETTERS = 4;
const MAX_SHOWN = 100;

/** Compared with the key's own tenant wherever it comes, whether or not the operation's schema has it. */
const KNOWN_EVERYWHERE = "tenant_id";

/**
 * Finds the names in a request's part that its schema does not know, objects inside it included. At most 100. Names of `answer` are not taken for
 * misspelt: who has read a thing may send it back as it was, with `status` where only `state` can be set.
 */
export function unknownNames(schema: TSchema, answer?: TSchema): (value: unknown) => UnknownName[] {
  const known = knownOf(schema as Shape);
  if (known?.fields && !known.fields.has(KNOWN_EVERYWHERE)) known.fields.set(KNOWN_EVERYWHERE, undefined);
  const answered = new Set(answer ? namesIn(answer as Shape) : []);
  return (value) => {
    const found: UnknownName[] = [];
    if (known !== undefined) addUnknown(found, value, known, answered, "");
    return found;
  };
}

/** As `unknownNames`, in sentences for the answer of a request that was taken. */
export function warner(schema: TSchema, what: "field" | "parameter"): (value: unknown) => string[] {
  const find = unknownNames(schema);
  return (value) => find(value).map(({ field }) => `${field} is not a known ${what}: it was ignored`);
}

/** An answer with its warnings, if there are any. */
export const warned = <T extends object>(answer: T, warnings: readonly string[]): T | (T & { warnings: string[] }) =>
  warnings.length > 0 ? { ...answer, warnings: [...warnings] } : answer;

function knownOf(schema: Shape): Known | undefined {
  const branches = [schema, ...(schema.anyOf ?? [])];
  const isOpen = branches.some(
    ({ additionalProperties, patternProperties }) =>
      (additionalProperties ?? false) !== false || patternProperties !== undefined,
  );
  const named = isOpen ? [] : branches.flatMap(({ properties }) => (properties ? [Object.entries(properties)] : []));
  const fields = named.length > 0 ? new Map<string, Known | undefined>() : undefined;
  for (const [name, property] of named.flat()) fields!.set(name, fields!.get(name) ?? knownOf(property));
  const items = branches.map((branch) => branch.items && knownOf(branch.items)).find((found) => found !== undefined);
  return fields || items ? { fields, items } : undefined;
}

function addUnknown(
  found: UnknownName[],
  value: unknown,
  { fields, items }: Known,
  answered: ReadonlySet<string>,
  at: string,
): void {
  if (Array.isArray(value)) {
    if (!items) return;
    for (let i = 0; i < value.length && found.length < MAX_NAMES; i++)
      addUnknown(found, value[i], items, answered, `${at}[${i}]`);
    return;
  }
  if (!fields || typeof value !== "object" || value === null) return;
  for (const [name, content] of Object.entries(value)) {
    if (found.length === MAX_NAMES) return;
    const inside = fields.get(name);
    if (inside === undefined && fields.has(name)) continue;
    const field = `${at ? `${at}.` : ""}${name.slice(0, MAX_SHOWN) || '""'}`;
    if (inside) addUnknown(found, content, inside, answered, field);
    else found.push({ field, meant: answered.has(name) ? undefined : meantBy(name, fields.keys(), value) });
  }
}

/** The known name next to one that is not, among those that were not given besides. */
function meantBy(name: string, known: Iterable<string>, given: object): string | undefined {
  if (name.length > MAX_LETTERS) return undefined;
  const missing = [...known].filter((other) => !Object.hasOwn(given, other));
  const isShort = (other: string) => Math.min(name.length, other.length) <= SHORT_LETTERS;
  return (
    missing.find((other) => isWithin(name, other, 1)) ??
    missing.find((other) => !isShort(other) && isWithin(name, other, 2))
  );
}

/**
 * Whether so few edits turn one word into the other: a letter that is added, left out, changed, or swapped with the next one. The words' time
 * grows with their length alone: each edit is tried where they first differ, nowhere else.
 */
function isWithin(word: string, other: string, edits: number): boolean {
  if (Math.abs(word.length - other.length) > edits) return false;
  let same = 0;
  while (same < word.length && word[same] === other[same]) same++;
  const [a, b] = [word.slice(same), other.slice(same)];
  if (a === b) return true;
  if (edits === 0) return false;
  const isSwapped = a[0] === b[1] && a[1] === b[0];
  return (
    isWithin(a.slice(1), b.slice(1), edits - 1) ||
    isWithin(a.slice(1), b, edits - 1) ||
    isWithin(a, b.slice(1), edits - 1) ||
    (isSwapped && isWithin(a.slice(2), b.slice(2), edits - 1))
  );
}
