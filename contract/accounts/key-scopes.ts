import type { Operation, Scope } from "#contract/values/operation.ts";

/** Parts of the service that a key's scope may be for alone, each with the tags of its operations. */
const TAGS = {
  accounts: ["API keys", "Organizations and users", "Console sessions"],
  agents: ["Agents", "Extractions", "Playground"],
  calls: ["Calls"],
  campaigns: ["Analytics", "Overview", "SMS campaigns", "Voice campaigns"],
  compliance: ["Consent", "Contactability", "Do not call"],
  contacts: ["Contacts"],
  messaging: ["Conversations", "Sending"],
  numbers: ["10DLC brands", "10DLC campaigns", "Carriers", "Number look-ups", "Phone numbers"],
  simulator: ["Demo data", "Phone simulator"],
  system: ["Events", "Request log", "System"],
} as const satisfies Record<string, readonly string[]>;

export type Area = keyof typeof TAGS;
export const AREAS = Object.keys(TAGS) as readonly Area[];

/** Everywhere, or in one area alone. Keys, users and the tenant itself are nobody's in part. */
const EVERYWHERE = ["read", "write", "send", "admin"] as const satisfies readonly Scope[];
const IN_AN_AREA = ["read", "write", "send"] as const satisfies readonly Scope[];
export type KeyScope = Scope | `${Area}:${(typeof IN_AN_AREA)[number]}`;

export const KEY_SCOPES: readonly KeyScope[] = [
  ...EVERYWHERE,
  ...AREAS.flatMap((area) => IN_AN_AREA.map((scope) => `${area}:${scope}` as const)),
];

const AREA_OF = new Map<string, Area>(AREAS.flatMap((area) => TAGS[area].map((tag) => [tag, area] as const)));

/** The area that an operation belongs to. One whose tag is in none is opened by scopes for everywhere alone. */
export const areaOf = ({ tag }: Pick<Operation, "tag">): Area | undefined => AREA_OF.get(tag);

/** Whether scopes allow an operation: by its scope itself, or by that of its area, as `contacts:read`. */
export const hasScope = (scopes: readonly string[], { scope, tag }: Pick<Operation, "scope" | "tag">): boolean =>
  scopes.includes(scope) || scopes.includes(`${areaOf({ tag })}:${scope}`);

type CalledByKeys = Pick<Operation, "scope" | "tag" | "tenantWide" | "forEveryKey">;

/** Whether an API key may call an operation. `isLimited` is one that has `organization_ids`. */
export function keyMay(key: { scopes: readonly string[]; isLimited: boolean }, operation: CalledByKeys): boolean {
  if (operation.forEveryKey) return true;
  return hasScope(key.scopes, operation) && !(operation.tenantWide && key.isLimited);
}
