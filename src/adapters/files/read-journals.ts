import { createReadStream, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { JournalEntry, JournalKind, ReadJournals } from "#ports/journal.ts";
import { NAME } from "./journal.ts";

const KINDS: Record<JournalKind, true> = {
  sends: true,
  opt_out: true,
  opt_in: true,
  consent_revoked: true,
  do_not_call: true,
  erased: true,
  campaign: true,
  organization: true,
  sending: true,
  number_rest: true,
  demo_removed: true,
  chain_head: true,
  alive: true,
};

/**
 * Every entry of these folders' files, file by file. The last line of a file may have been cut off by a crash: it was never acknowledged.
 * Any other line that cannot be read, or is of a newer version, may be an entry that was. A folder that is not there has none. `role`: only
 * of processes of that role.
 */
export const readJournals = (folders: readonly string[], role = ""): ReadJournals =>
  async function* ({ since, unreadable }) {
    const first = since?.toISOString().slice(0, 10) ?? "";
    for (const folder of folders) {
      if (!existsSync(folder)) continue;
      for (const name of readdirSync(folder).sort()) {
        const day = NAME.exec(name)?.[1];
        if (day === undefined || day < first || !name.startsWith(`${day}.${role}`)) continue;
        let torn: string | undefined;
        let at = 0;
        for await (const line of createInterface({ input: createReadStream(join(folder, name)) })) {
          if (torn !== undefined) unreadable(torn);
          const here = `${join(folder, name)}, line ${++at}`;
          const entry = parse(line);
          torn = entry === undefined && !isJoined(line) ? here : undefined;
          if (entry && Object.hasOwn(KINDS, entry.kind)) yield entry;
          else if (torn === undefined) unreadable(here);
        }
      }
    }
  };

function parse(line: string): JournalEntry | undefined {
  try {
    const entry = JSON.parse(line) as Partial<JournalEntry> | null;
    return entry?.kind === undefined ? undefined : (entry as JournalEntry);
  } catch {
    return undefined;
  }
}

/** Half an entry with a whole one behind it, as former versions wrote it after a full disk. */
const isJoined = (line: string): boolean => line.lastIndexOf('{"kind":') > 0;
