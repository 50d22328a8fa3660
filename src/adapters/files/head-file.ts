import { appendFileSync, createReadStream, existsSync } from "node:fs";
import { createInterface } from "node:readline";
import type { JournalEntry, ReadJournals } from "#ports/journal.ts";

export type HeadEntry = Extract<JournalEntry, { kind: "chain_head" }>;

/** Where the ends of the hash chains are written down once a day: kept when journals of that day are gone. */
export const appendHeads = (file: string, heads: readonly HeadEntry[]): void => {
  if (heads.length > 0)
    appendFileSync(file, heads.map((head) => `${JSON.stringify(head)}\n`).join(""), { mode: 0o600, flush: true });
};

/** What is in it, as journals are read; a line that was cut off is passed over. */
export const readHeads = (file: string): ReadJournals =>
  async function* ({ unreadable }) {
    if (!existsSync(file)) return;
    let at = 0;
    for await (const line of createInterface({ input: createReadStream(file) })) {
      at++;
      const head = parse(line);
      if (head?.kind === "chain_head") yield head;
      else unreadable(`${file}, line ${at}`);
    }
  };

function parse(line: string): HeadEntry | undefined {
  try {
    return (JSON.parse(line) as HeadEntry | null) ?? undefined;
  } catch {
    return undefined;
  }
}
