import { type KeyMode, type KeyPowers, type KeyScope, refuseGrant, SCOPES } from "./api-key.ts";

/** What a user may do: look on, work, or see to everything. */
export type Permission = "admin" | "member" | "viewer";

const SCOPES_OF: Record<Permission, readonly KeyScope[]> = {
  viewer: ["read"],
  member: ["read", "write", "send"],
  admin: SCOPES,
};

/** The scopes of whoever is signed in with this permission. */
export const scopesOf = (permission: Permission): readonly KeyScope[] => SCOPES_OF[permission];

/** The mode of a session: a viewer sends nothing, so there is nothing that could be real. */
export const modeOf = (permission: Permission, mode: KeyMode): KeyMode => (permission === "viewer" ? "test" : mode);

/**
 * 403 unless the caller may make somebody a user of this permission, or take it from one. Whoever is signed in may turn to
 * live himself; a test key may not, so it may not do so by way of a user either.
 */
export function refusePermission(caller: KeyPowers & { isPerson: boolean }, permission: Permission): void {
  const mode = caller.isPerson ? caller.mode : modeOf(permission, "live");
  refuseGrant(caller, { mode, scopes: scopesOf(permission) });
}
