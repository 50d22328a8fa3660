import type { Statement } from "#store/database/db.ts";

// Statements of tests alone: those that the service writes are looked through, all of them, by others in the same process.

export const statement = (name: string, text: string): Statement => ({
  name,
  text,
  over: "tenant",
  changes: "nothing",
});
export const crossTenant = (name: string, text: string): Statement => ({ name, text, over: "all", changes: "nothing" });
export const crossTenantChanging = (name: string, text: string): Statement => ({
  ...crossTenant(name, text),
  changes: "returned",
});
