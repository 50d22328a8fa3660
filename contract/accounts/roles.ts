import type { Operation, Scope } from "#contract/values/operation.ts";

/** What a user may be. Only an admin sees the whole tenant; the others see their organizations. */
export const ROLES = ["admin", "manager", "agent", "viewer"] as const;
export type Role = (typeof ROLES)[number];

type CalledByPeople = Pick<Operation, "scope" | "caller" | "tenantWide" | "byAgents">;

/**
 * A role by the word that a request has for it: a manager was called `member` before there were agents, and the word is still taken.
 */
export const roleOf = (word: Role | "member"): Role => (word === "member" ? "manager" : word);

const SCOPES_OF: Record<Role, readonly Scope[]> = {
  viewer: ["read"],
  agent: ["read"],
  manager: ["read", "write", "send"],
  admin: ["read", "write", "send", "admin"],
};

/** The scopes that a role has in whole; an agent has some operations of others beside. */
export const scopesOf = (role: Role): readonly Scope[] => SCOPES_OF[role];

/** Whether somebody who is signed in with this role may call an operation: the table of docs/permissions.md is made of this. */
export function roleMay(role: Role, operation: CalledByPeople): boolean {
  if (operation.caller !== undefined) return true;
  if (operation.tenantWide && role !== "admin") return false;
  return scopesOf(role).includes(operation.scope) || (role === "agent" && operation.byAgents === true);
}
