/** One line of a national file: a number, and whether a change list adds or deletes it. */
export type ListedNumber = {
  /** Area code and exchange: 212555. */
  prefix: number;
  /** The last four digits, 0 to 9999. */
  line: number;
  /** Undefined in a full list, whose lines only name a number. */
  change: "add" | "delete" | undefined;
};

/** `NPA,NXXXXXX`, ten digits, or eleven with the 1; a change list has more fields, the last of them A or D. */
const LINE = /^"?(?:\+?1)?\(?([2-9]\d\d)\)?"?[ ,.-]*"?(\d{3})[ .-]?(\d{4})"?\s*(?:,(.*))?$/;
const CHANGE = /(?:^|,)\s*"?(a|d|add|delete)"?\s*$/i;

/** Reads one line; null for a blank one, undefined for one that cannot be read. */
export function readListLine(text: string): ListedNumber | null | undefined {
  const trimmed = text.trim();
  if (trimmed === "") return null;
  const match = LINE.exec(trimmed);
  if (!match) return undefined;
  const [, areaCode, exchange, line, rest] = match;
  const flag = rest === undefined ? undefined : CHANGE.exec(rest)?.[1]?.[0]?.toLowerCase();
  return {
    prefix: Number(areaCode! + exchange!),
    line: Number(line),
    change: flag === undefined ? undefined : flag === "a" ? "add" : "delete",
  };
}

export const areaCodeOf = (prefix: number): number => Math.floor(prefix / 1000);

/** A prefix's ten thousand numbers as bits: number n is bit n%8 of byte n/8, as PostgreSQL's get_bit counts. */
export const PREFIX_BYTES = 1_250;

/** What a piece of a file does to one prefix: the numbers that it sets, and those that it clears. */
export type PrefixChange = { set: Uint8Array; cleared: Uint8Array | undefined };

export const newPrefixChange = (): PrefixChange => ({ set: new Uint8Array(PREFIX_BYTES), cleared: undefined });

/** Notes one line; of two about the same number the later counts. */
export function noteLine(prefix: PrefixChange, { line, change }: ListedNumber): void {
  const byte = line >> 3;
  const bit = 1 << (line & 7);
  if (change === "delete") {
    prefix.cleared ??= new Uint8Array(PREFIX_BYTES);
    prefix.cleared[byte]! |= bit;
    prefix.set[byte]! &= ~bit;
  } else {
    prefix.set[byte]! |= bit;
    if (prefix.cleared) prefix.cleared[byte]! &= ~bit;
  }
}

/** The bits after a change, from those before (none for a new prefix). */
export function applied(before: Uint8Array | undefined, { set, cleared }: PrefixChange): Uint8Array {
  if (!before) return set;
  return set.map((bits, i) => ((before[i] ?? 0) & ~(cleared?.[i] ?? 0)) | bits);
}
