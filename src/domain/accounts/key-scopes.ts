/** What a key may do everywhere. `send` covers campaigns, calls and messages; `admin` keys, users and organizations. */
export const SCOPES = ["read", "write", "send", "admin"] as const;
export type KeyScope = (typeof SCOPES)[number];

/** Whether a scope that is to be given is within those that somebody has: `contacts:read` is within `read`. */
export function isCovered(scopes: readonly string[], wanted: string): boolean {
  const [, scope] = wanted.split(":");
  return scopes.includes(wanted) || (scope !== undefined && scopes.includes(scope));
}
