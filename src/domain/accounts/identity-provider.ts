import type { Uuid } from "#domain/values/id.ts";

/** More than a tenant needs, and a bound on what is read at each sign-in. */
export const MOST_PROVIDERS = 5;

type Role = "admin" | "manager" | "agent" | "viewer";

/** What members of a group at the provider are here. */
export type GroupRole = { group: string; permission: Role; organization_ids: readonly Uuid[] };

/** How roles and organizations follow from what a provider says. */
export type GroupRules = {
  groups_claim: string | null;
  group_roles: readonly GroupRole[];
  permission: Role | null;
  organization_ids: readonly Uuid[];
};

/** From the highest to the lowest. */
const RANKS: readonly Role[] = ["admin", "manager", "agent", "viewer"];

/**
 * What somebody with these groups is: the highest role of them, in the organizations of all of them. Without any, what the provider's users are.
 * Undefined: nobody here.
 */
export function standingOf(
  { group_roles, permission, organization_ids }: GroupRules,
  groups: readonly string[],
): { permission: Role; organizationIds: Uuid[] } | undefined {
  const own = group_roles.filter(({ group }) => groups.includes(group));
  const highest = RANKS.find((role) => own.some((each) => each.permission === role)) ?? permission;
  if (highest === null) return undefined;
  const theirs = [...new Set(own.flatMap((each) => each.organization_ids))];
  return { permission: highest, organizationIds: theirs.length > 0 ? theirs : [...organization_ids] };
}

/** Whether one role is above another. */
export const isHigher = (role: Role, than: Role): boolean => RANKS.indexOf(role) < RANKS.indexOf(than);

/** More are nobody's. */
const MOST_GROUPS = 1_000;

/** The groups in a claim: a list of texts, or one text. */
export function groupsOf(claims: Readonly<Record<string, unknown>>, claim: string | null): string[] {
  const value = claim === null ? undefined : claims[claim];
  const all = Array.isArray(value) ? value.slice(0, MOST_GROUPS) : [value];
  return all.filter((group) => typeof group === "string");
}

/** What providers call a sign-in by more than one factor: RFC 8176, OpenID's EAP ACR values, PAPE, and REFEDS. */
const FACTOR_METHOD = "mfa";
const FACTOR_CLASSES: readonly unknown[] = [
  "phr",
  "phrh",
  "http://schemas.openid.net/pape/policies/2007/06/multi-factor",
  "https://refeds.org/profile/mfa",
];

/** Whether the provider says that a second factor was shown there. */
export const saysSecondFactor = ({ amr, acr }: Readonly<Record<string, unknown>>): boolean =>
  (Array.isArray(amr) && amr.includes(FACTOR_METHOD)) || FACTOR_CLASSES.includes(acr);

/** Entra ID's word for a verified domain, which it writes in each of these ways. */
const ENTRA_VERIFIED: readonly unknown[] = [true, 1, "1", "true"];

/** Whether a provider says that somebody's address is verified; undefined where it says neither. */
export function isVerified({ email_verified, xms_edov }: Readonly<Record<string, unknown>>): boolean | undefined {
  if (email_verified !== undefined) return email_verified === true || email_verified === "true";
  return xms_edov === undefined ? undefined : ENTRA_VERIFIED.includes(xms_edov);
}

/** The domain of an address, in lower case. */
export const domainOf = (email: string): string => email.slice(email.lastIndexOf("@") + 1).toLowerCase();

/** Where a provider's secret stands, which it is sealed under. */
export const clientSecretPlace = (tenantId: Uuid, id: Uuid) => ({
  ...{ table: "identity_providers", tenantId },
  ...{ row: id, column: "client_secret" },
});

// What is hashed of the browser's secret says what it is for. `state` makes each sign-in's its own.
export const nonceText = (browser: string, state: string): string => `sign-on nonce ${browser} ${state}`;
export const verifierText = (browser: string, state: string): string => `sign-on verifier ${browser} ${state}`;
