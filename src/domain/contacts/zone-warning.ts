import { ownZone, writtenZone } from "#domain/phones/place.ts";
import type { Lead } from "./lead.ts";

/** So many are named: enough to find the fault in a file. */
const MOST_NAMED = 5;
const MAX_SHOWN = 40;

/**
 * Contacts of a request whose own time zone is none that there is, in a sentence; none where there are no such contacts. Their hours would go by another
 * zone than the caller meant. Made for 100,000.
 */
export function zoneWarning(given: readonly Lead[], field: string): string[] {
  let count = 0;
  const first: string[] = [];
  for (const { index, fields } of given) {
    const zone = writtenZone(fields);
    if (zone === "" || ownZone(zone)) continue;
    count++;
    if (first.length < MOST_NAMED) first.push(`${field}[${index}] (${zone.slice(0, MAX_SHOWN)})`);
  }
  if (count === 0) return [];
  const who = count === 1 ? "1 contact has" : `${count} contacts have`;
  const others = count > first.length ? ` and ${count - first.length} more` : "";
  return [
    `${who} a time_zone that is not the name of a place's zone, such as America/New_York; hours go by the address or the number instead: ${first.join(", ")}${others}`,
  ];
}
