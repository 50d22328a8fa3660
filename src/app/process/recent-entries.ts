import type { RecentEntries } from "#operations/restore/vouch.ts";
import type { Journal, JournalEntry } from "#ports/journal.ts";

/** More is written between two steps of a process only when the database is away, and then nothing is committed that could be missing. */
const MOST = 200_000;

/** A journal that remembers what was written last, once it is asked: where the database is another server than before, that is looked for there. */
export function withRecent<T extends Journal>(journal: T): { journal: T; recent: RecentEntries } {
  let entries: JournalEntry[] = [];
  let first = 0;
  let isAsked = false;
  return {
    journal: {
      ...journal,
      append(entry) {
        if (isAsked) entries.push(entry);
        if (entries.length > 2 * MOST) {
          first += entries.length - MOST;
          entries = entries.slice(-MOST);
        }
        return journal.append(entry);
      },
    },
    recent: {
      list: () => entries,
      here() {
        isAsked = true;
        return first + entries.length;
      },
      forget(before) {
        entries = entries.slice(Math.max(0, before - first));
        first = Math.max(first, before);
      },
    },
  };
}
