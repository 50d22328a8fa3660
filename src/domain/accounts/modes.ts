import type { Uuid } from "#domain/values/id.ts";

declare const live: unique symbol;

/** The id of a tenant in live mode. Only these have accounts with carriers, so that a test key cannot name one. */
export type LiveTenantId = Uuid & { readonly [live]: true };

/** The tenant as one in live mode; undefined in test mode. The one place that makes the type. */
export const liveTenant = ({ tenantId, mode }: { tenantId: Uuid; mode: "live" | "test" }): LiveTenantId | undefined =>
  mode === "live" ? (tenantId as LiveTenantId) : undefined;
