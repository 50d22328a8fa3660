import { type KeyPowers, type KeyScope, refuseGrant, SCOPES } from "./api-key.ts";

/** What a user may do: look on, work, or see to everything. */
export type Permission = "admin" | "member" | "viewer";

const SCOPES_OF: Record<Permission, readonly KeyScope[]> = {
  viewer: ["read"],
  member: ["read", "write", "send"],
  admin: SCOPES,
};

/** The scopes of whoever is signed in with this permission. */
export const scopesOf = (permission: Permission): readonly KeyScope[] => SCOPES_OF[permission];

/**
 * 403 unless the caller may make somebody a user of this permission, or take it from one. Whoever is signed in may turn to
 * live himself; a test key may not, so it may not do so by way of a user either.
 */
export function refusePermission(caller: KeyPowers & { isPerson: boolean }, permission: Permission): void {
  refuseGrant(caller, { mode: caller.isPerson ? caller.mode : "live", scopes: scopesOf(permission) });
}
