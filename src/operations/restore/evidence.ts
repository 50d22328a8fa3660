import { timeOfId, type Uuid } from "#domain/values/id.ts";
import type { JournalEntry } from "#ports/journal.ts";

/** A node writes its first entry once it has its place, when a backup may already list it; and the clocks of two machines differ. */
const SLACK_MS = 60_000;
/** A broken disk makes many unreadable lines; these are enough to find it. */
const MOST_PLACES = 20;

/**
 * Collects evidence that the journals reach back to `asOf`, and that those of the nodes that ran then are among them. Machines that only serve the
 * API are in no register: whether their journals are there cannot be known.
 */
export function evidence(asOf: Date | undefined, nodes: readonly Uuid[]) {
  const places: string[] = [];
  /** By node; "" for entries that name no node. */
  const first = new Map<Uuid | "", Date>();
  const saw = (who: Uuid | "", at: Date) => {
    const known = first.get(who);
    if (!known || at < known) first.set(who, at);
  };
  const reaches = (at: Date | undefined) => at !== undefined && at.getTime() <= asOf!.getTime() + SLACK_MS;
  return {
    unreadable: (where: string): void => void places.push(where),
    /** Only entries in real time count: a tenant's clock may be ahead of it. */
    add(entry: JournalEntry): void {
      if (entry.kind === "alive") saw(entry.nodeId, new Date(entry.at));
      else if (entry.kind === "sends") for (const { ref } of entry.texts.slice(0, 1)) saw(entry.nodeId, timeOfId(ref));
      else if (entry.kind === "do_not_call" || entry.kind === "campaign") saw("", new Date(entry.at));
    },
    missing(): string[] {
      const unread = places.slice(0, MOST_PLACES).map((where) => `${where} cannot be read`);
      if (places.length > MOST_PLACES) unread.push(`${places.length - MOST_PLACES} more lines cannot be read`);
      if (asOf === undefined) return ["it is not known to when the database was put back (--as-of)", ...unread];
      const oldest = [...first.values()].reduce<Date | undefined>((a, b) => (a && a < b ? a : b), undefined);
      const began = oldest === undefined ? "there is no entry" : `the oldest entry is of ${oldest.toISOString()}`;
      const short = reaches(oldest) ? [] : [`no journal reaches back to ${asOf.toISOString()}: ${began}`];
      const absent = nodes
        .filter((id) => !reaches(first.get(id)))
        .map((id) => `the node ${id} ran at ${asOf.toISOString()}, and no journal has an entry of it from then`);
      return [...short, ...absent, ...unread];
    },
  };
}
