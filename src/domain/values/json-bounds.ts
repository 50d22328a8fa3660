import { failure } from "./errors.ts";

/** The deepest body that makes sense, an agent with a schema in a schema, has a dozen levels. What walks a value may recurse. */
const MAX_DEPTH = 64;
/**
 * 100,000 leads of 48 fields each; an object or array in a list counts twice. The dearest of them (objects with a number for a
 * name) take 110 bytes a value once they are parsed, half of the heap that they are parsed in (app/bulk/bulk.ts).
 */
export const MAX_VALUES = 5_000_000;
/**
 * Fifty times what one lead may have. Each name is kept for all objects, and each object of other names than the last has a form
 * of its own: 100,000 leads of 40 names that come once took the thread for a minute.
 */
export const MAX_NAMES = 10_000;

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
// Brackets and braces differ in this bit and are alike in the others: [ and {, ] and }.
const [CURLY, OPENING, CLOSING] = [0x20, 0x7b, 0x7d];

/**
 * Refuses bytes of JSON that are small but not once they are parsed: three bytes of text can be 64 of heap, and a heap that is
 * full ends the whole process. 400 past MAX_DEPTH levels, 413 past MAX_VALUES values or MAX_NAMES names. Looks at each byte once,
 * at names twice: 30 MB in about 100 ms, a third of what parsing them takes. Whether it is JSON at all is for the parser.
 */
export function refuseHuge(bytes: Uint8Array): void {
  const countName = nameCounter(bytes);
  let [depth, values, start, end] = [0, 1, 0, 0];
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!;
    if (byte === QUOTE) {
      start = i + 1;
      end = i = endOfString(bytes, start);
    } else if (byte === COMMA) values++;
    else if (byte === COLON) {
      if (countName(start, end) > MAX_NAMES) throw tooLarge(`different field names than ${MAX_NAMES}`);
    } else if ((byte | CURLY) === OPENING) {
      values++;
      if (++depth > MAX_DEPTH) throw failure("invalid_request", `The body is nested deeper than ${MAX_DEPTH} levels`);
    } else if ((byte | CURLY) === CLOSING) depth--;
  }
  if (values > MAX_VALUES) throw tooLarge(`values than ${MAX_VALUES}`);
}

const tooLarge = (what: string) => failure("payload_too_large", `The body has more ${what}`);

/** The place of the quote that ends the string. */
function endOfString(bytes: Uint8Array, start: number): number {
  let i = start;
  while (i < bytes.length && bytes[i] !== QUOTE) i += bytes[i] === BACKSLASH ? 2 : 1;
  return i;
}

/** With four places a name hardly any is taken; so many in a row are names that were made to meet. */
const MOST_TAKEN = 32;

/** Counts the names that differ, each given by its bytes. Names that were made to meet in its table count as too many. */
function nameCounter(bytes: Uint8Array): (start: number, end: number) => number {
  // A name and its value take four bytes at least.
  const size = 1 << Math.ceil(Math.log2(Math.min(4 * MAX_NAMES, bytes.length) + 1));
  const starts = new Uint32Array(size);
  let count = 0;
  return (start, end) => {
    let at = hashOf(bytes, start, end) & (size - 1);
    for (let taken = 0; starts[at] !== 0; taken++) {
      if (isSame(bytes, starts[at]!, start, end)) return count;
      if (taken === MOST_TAKEN) return Number.POSITIVE_INFINITY;
      at = (at + 1) & (size - 1);
    }
    starts[at] = start;
    return ++count;
  };
}

/** FNV-1a, its upper half mixed into the lower, which chooses the place. */
function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ bytes[i]!, 0x01000193);
  return hash ^ (hash >>> 15);
}

/** With the quote that ends it, so that none is the beginning of another. */
function isSame(bytes: Uint8Array, other: number, start: number, end: number): boolean {
  for (let i = start; i <= end; i++) if (bytes[other + i - start] !== bytes[i]) return false;
  return true;
}
