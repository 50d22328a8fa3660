import type { RecentEntries } from "#operations/restore/vouch.ts";
import type { Journal, JournalEntry } from "#ports/journal.ts";

/** More is written between two steps of a process only when the database is away, and then nothing is committed that could be missing. */
const MOST = 200_000;

/** A journal that remembers what was written last: where the database is another server than before, it is asked whether it has that. */
export function withRecent<T extends Journal>(journal: T): { journal: T; recent: RecentEntries } {
  let entries: JournalEntry[] = [];
  let first = 0;
  return {
    journal: {
      ...journal,
      append(entry) {
        if (entries.length === MOST) {
          entries.shift();
          first++;
        }
        entries.push(entry);
        return journal.append(entry);
      },
    },
    recent: {
      list: () => entries,
      here: () => first + entries.length,
      forget(before) {
        entries = entries.slice(Math.max(0, before - first));
        first = Math.max(first, before);
      },
    },
  };
}
