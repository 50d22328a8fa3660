import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "#test/support/source/source.ts";

export type Half = "open" | "kept";
export const HALVES: readonly Half[] = ["open", "kept"];

const LABELS = ["stop", "not_stop", "unclear"] as const;
const LANGUAGES = ["en", "es", "fr"] as const;
const CHANNELS = ["text", "call"] as const;

/** A line of data/revocation: what a contact wrote or said, and what a person takes it for. */
export type Row = {
  label: (typeof LABELS)[number];
  language: (typeof LANGUAGES)[number];
  channel: (typeof CHANNELS)[number];
  text: string;
};

export function readRows(half: Half): Row[] {
  const [head, ...lines] = readFileSync(join(root, `data/revocation/${half}.tsv`), "utf8")
    .trimEnd()
    .split("\n");
  if (head !== "label\tlanguage\tchannel\ttext") throw new Error(`data/revocation/${half}.tsv has another first line`);
  return lines.map((line, index) => {
    const [label, language, channel, text, ...rest] = line.split("\t");
    // By its number alone: a line of the kept half is not shown.
    const where = `line ${index + 2} of data/revocation/${half}.tsv`;
    if (!text || rest.length > 0) throw new Error(`${where} has not four cells`);
    return {
      label: oneOf(LABELS, label, where),
      language: oneOf(LANGUAGES, language, where),
      channel: oneOf(CHANNELS, channel, where),
      text,
    };
  });
}

function oneOf<T extends string>(known: readonly T[], value: string | undefined, where: string): T {
  const found = known.find((one) => one === value);
  if (found === undefined) throw new Error(`${where} has a word that is not one of ${known.join(", ")}`);
  return found;
}
