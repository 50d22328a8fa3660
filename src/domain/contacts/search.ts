/** What is looked for: the beginning of a number in E.164 or its end, or the beginning of names, as patterns of LIKE in small letters. */
export type ContactSearch =
  | { kind: "number"; pattern: string }
  /** Also the end of a number in E.164 of the US: seven to nine digits of its ten. */
  | { kind: "local"; pattern: string; digits: string }
  | { kind: "name"; pattern: string }
  /** Of the first word, of all of them, of the last, and of all after the first. */
  | { kind: "names"; patterns: readonly [string, string, string, string] };

const NUMBER_CHARACTERS = /^[+\d\s().\-/]+$/;

/** A number of the US without its area code, or with a part of it: an exchange begins with 2 to 9. */
const LOCAL = /^\d{0,2}[2-9]\d{6}$/;

/** Of what numbers are written with, and a digit after the last `+`. */
const isNumber = (text: string): boolean =>
  NUMBER_CHARACTERS.test(text) && /\d/.test(text.slice(text.lastIndexOf("+") + 1));

/**
 * Reads what somebody typed to find a contact: the beginning of a phone number, in any form and of the US unless it
 * begins with `+`, or the end of a US number without the area code; the beginning of a first or last name; or of both, in either order. Undefined for spaces.
 */
export function contactSearch(text: string): ContactSearch | undefined {
  const words = text.trim().toLowerCase().split(/\s+/);
  const [first = "", ...rest] = words;
  if (first === "") return undefined;
  if (isNumber(text)) {
    const digits = text.replace(/\D/g, "");
    // No area code begins with a 1: it is the country's.
    const isWhole = text.trim().startsWith("+") || digits.startsWith("1");
    if (isWhole) return { kind: "number", pattern: `+${digits}` };
    const pattern = `+1${digits}`;
    return LOCAL.test(digits) ? { kind: "local", pattern, digits } : { kind: "number", pattern };
  }
  if (rest.length === 0) return { kind: "name", pattern: beginning(first) };
  return {
    kind: "names",
    patterns: [beginning(first), beginning(words.join(" ")), beginning(rest.at(-1)!), beginning(rest.join(" "))],
  };
}

const beginning = (text: string): string => `${text.replace(/[\\%_]/g, "\\$&")}%`;
