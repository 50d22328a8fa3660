import type { Area, KeyScope } from "#contract/accounts/key-scopes.ts";

/** What a scope of one area is for, in the words of the navigation. */
export const AREAS: readonly { value: Area; label: string }[] = [
  { value: "agents", label: "Agents and the playground" },
  { value: "campaigns", label: "Campaigns and analytics" },
  { value: "messaging", label: "Conversations and texts" },
  { value: "calls", label: "Calls" },
  { value: "contacts", label: "Contacts and lists" },
  { value: "compliance", label: "Consent and do-not-call" },
  { value: "numbers", label: "Numbers and carriers" },
  { value: "simulator", label: "The simulator" },
  { value: "accounts", label: "Organizations and users" },
  { value: "system", label: "Events, requests and the system" },
];

type Verb = "read" | "write" | "send" | "admin";

/** The scopes of some powers: everywhere, or in some areas. */
export const scopesOf = (verbs: readonly Verb[], areas: readonly Area[]): KeyScope[] =>
  areas.length === 0
    ? [...verbs]
    : verbs.flatMap((verb) => (verb === "admin" ? [] : areas.map((area): KeyScope => `${area}:${verb}`)));

/** What a key may do, in one line: "read, write" or "read, send in calls, contacts". */
export function powersOf(scopes: readonly string[]): string {
  const everywhere = scopes.filter((scope) => !scope.includes(":"));
  const byArea = Map.groupBy(
    scopes.filter((scope) => scope.includes(":")),
    (scope) => scope.slice(0, scope.indexOf(":")),
  );
  const verbsOf = (of: readonly string[]) => of.map((scope) => scope.slice(scope.indexOf(":") + 1)).join(", ");
  const byVerbs = Map.groupBy(byArea.keys(), (area) => verbsOf(byArea.get(area)!));
  const inAreas = [...byVerbs].map(([verbs, areas]) => `${verbs} in ${areas.join(", ")}`);
  return [...(everywhere.length > 0 ? [everywhere.join(", ")] : []), ...inAreas].join("; ");
}

/** For how long a key works, in days; empty: until it is revoked. */
export const LIFETIMES = [
  { value: "", label: "Never" },
  { value: "7", label: "In a week" },
  { value: "30", label: "In 30 days" },
  { value: "90", label: "In 90 days" },
  { value: "365", label: "In a year" },
] as const;

/** How long the old key works beside the new one, in seconds. */
export const OVERLAPS = [
  { value: "0", label: "Not at all: it ends at once" },
  { value: "3600", label: "For an hour" },
  { value: "86400", label: "For a day" },
  { value: "604800", label: "For a week" },
  { value: "2592000", label: "For 30 days" },
] as const;
