import { failure } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";

declare const live: unique symbol;

/** The id of a tenant in live mode. Only these have accounts with carriers, so that a test key cannot name one. */
export type LiveTenantId = Uuid & { readonly [live]: true };

/** The tenant as one in live mode; undefined in test mode. The one place that makes the type. */
export const liveTenant = ({ tenantId, mode }: { tenantId: Uuid; mode: "live" | "test" }): LiveTenantId | undefined =>
  mode === "live" ? (tenantId as LiveTenantId) : undefined;

/** The same, 403 in test mode. */
export function requireLive(tenant: { tenantId: Uuid; mode: "live" | "test" }): LiveTenantId {
  const live = liveTenant(tenant);
  if (live === undefined) throw failure("live_key_required", "Accounts with carriers are of live mode: use a live key");
  return live;
}
