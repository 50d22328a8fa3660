/**
 * What each pattern of a schema asks for, in the words of an error about a value that does not have its form. A pattern that the contract uses and that is
 * not here fails a test.
 */
const FORMS: ReadonlyMap<string, string> = new Map([
  ["", "must not be empty"],
  ["\\S", "must not be empty"],
  ["^\\S+$", "must not have spaces"],
  ["^[^\\s@]+@[^\\s@]+$", "must be an e-mail address"],
  ["^(\\d{4}-\\d{2}-\\d{2})?$", "must be a date, as in 1980-02-29"],
  [
    "^\\d{1,7}(\\.\\d{1,6})?$",
    "must be an amount of dollars, as in 250.00, of at most 7 digits before the point and 6 after it",
  ],
  ["^[0-9*#A-D]$", "must be one key of a phone: a digit, *, # or A to D"],
  ["^[0-9]{2,15}$", "must be 2 to 15 digits"],
  ["^\\d{1,10}$", "must be 1 to 10 digits"],
  ["^\\d{3}$", "must be 3 digits"],
  ["^(\\d{3})?$", "must be 3 digits"],
  ["^([A-Za-z]{2})?$", "must be 2 letters"],
  ["^[A-Z]{2}$", "must be 2 capital letters, as in US"],
  ["^[a-z-]+$", "must be small letters and hyphens"],
  ["^[A-Za-z0-9_-]+$", "must be letters, digits, hyphens and underscores (base64url)"],
  ["^[A-Za-z0-9_.:-]+$", "must be letters of a to z, digits, and any of . _ : -"],
  ["^[A-Za-z0-9-]+(\\.[A-Za-z0-9-]+)+$", "must be the name of a domain, as in example.com"],
  ["^[\\x21\\x23-\\x5b\\x5d-\\x7e]{1,100}$", "must be 1 to 100 characters without spaces, quotes and backslashes"],
  ["^AC[0-9a-fA-F]{32}$", "must be AC and 32 hexadecimal digits"],
]);

/** Undefined for a pattern that is not known. One that has commas takes several, whatever each may be. */
export const formOf = (pattern: string): string | undefined =>
  FORMS.get(pattern) ??
  (pattern.includes("(,") && pattern.endsWith(")*$")
    ? "must be one of the kinds that are listed in the reference, or several with commas between"
    : undefined);
