import { spelled } from "./words.ts";

const SOURCES: Readonly<Record<string, string>> = {
  keyword: "Texted STOP or the like",
  free_text: "Asked for it in a text",
  agent: "Asked the agent for it",
  call: "Asked for it on the phone",
  carrier: "The carrier said so",
  operator: "Somebody here entered it",
  journal: "Restored after a backup",
  other_mode: "Opted out in the other mode (live or test)",
  import: "Came with an import",
  person: "Added in the console",
  api: "Added over the API",
  start: "Texted START",
};

/** How an opt-out, a consent or a do-not-call entry came here, in words. */
export const sourceOf = (source: string | null): string =>
  source === null ? "–" : (SOURCES[source] ?? spelled(source));

const BASES: Readonly<Record<string, string>> = {
  express_written: "Consent in writing",
  express: "Consent",
  existing_business_relationship: "A customer (18 months from the purchase)",
  inquiry: "Asked us (3 months from the inquiry)",
  none: "No consent on record",
};

/** What a consent rests on, in words. */
export const basisOf = (basis: string): string => BASES[basis] ?? spelled(basis);
