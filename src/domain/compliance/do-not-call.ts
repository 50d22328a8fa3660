import { normalizePhone } from "#domain/phones/phone.ts";

/** `NPA,NXXXXXX`, as the national registry writes it, or ten plain digits. */
const REGISTRY_LINE = /^\s*([2-9]\d\d),?(\d{7})\s*$/;

/** How a number came to be listed: by somebody in the console, by an API key, with a file or array, or back from the journal. */
export type DoNotCallSource = "person" | "api" | "import" | "journal";

export type ReadPhones = {
  /** In E.164, sorted, each once. */
  phones: string[];
  /** What could not be read, by its place in the caller's list, or its line in the file; 0 is the first. */
  invalid: { index: number; error: string }[];
};

/** The lines of a registry's file. Blank ones keep their place and are passed over when read. Splits by no expression, which takes three times as long. */
export const linesOf = (file: string): string[] => file.replaceAll("\r\n", "\n").replaceAll("\r", "\n").split("\n");

/**
 * Reads phone numbers in any form that normalizePhone takes, and the registry's own. Blank items say nothing. `offset` is
 * the place of the first in the whole list.
 */
export function readPhones(items: readonly string[], offset = 0): ReadPhones {
  const phones = new Set<string>();
  const invalid: ReadPhones["invalid"] = [];
  for (const [index, item] of items.entries()) {
    if (item.trim() === "") continue;
    const normal = normalizePhone(item.replace(REGISTRY_LINE, "+1$1$2"));
    if ("phone" in normal) phones.add(normal.phone);
    else invalid.push({ index: offset + index, error: normal.problem });
  }
  return { phones: [...phones].sort(), invalid };
}
