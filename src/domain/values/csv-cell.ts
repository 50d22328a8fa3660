/** What makes a spreadsheet take a cell for a formula (OWASP, "CSV injection"). */
const FORMULA = /^[=+\-@\t\r]/;
/** A phone number in E.164 begins like a formula and is none: all that comes of it is the number. */
const PHONE = /^\+\d{7,15}$/;

/** A text as a cell of a file that people open in a spreadsheet: what would be run as a formula is shown instead. */
export const shownCell = (text: string): string => (FORMULA.test(text) && !PHONE.test(text) ? `'${text}` : text);

/** The text that was meant: our own files can be read in again. */
export const meantCell = (cell: string): string => (/^'[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell);

const DELIMITERS = [",", ";", "\t", "|"] as const;
export type Delimiter = (typeof DELIMITERS)[number];

/** The delimiter of a file by its first line: the one that is there most often outside of quotes; a comma if none is. */
export function delimiterOf(text: string): Delimiter {
  const counts = new Map<string, number>(DELIMITERS.map((delimiter) => [delimiter, 0]));
  let quoted = false;
  for (const char of text) {
    if (char === '"') quoted = !quoted;
    else if (!quoted && (char === "\n" || char === "\r")) break;
    else if (!quoted && counts.has(char)) counts.set(char, counts.get(char)! + 1);
  }
  return DELIMITERS.reduce((best, delimiter) => (counts.get(delimiter)! > counts.get(best)! ? delimiter : best));
}
