import { failure } from "#domain/values/errors.ts";
import { parseId, type Uuid } from "#domain/values/id.ts";

/**
 * 403 when a body or query names another tenant than the key's own. A `tenant_id` is never trusted: it may only
 * repeat what the key already says.
 */
export function refuseOtherTenant(tenantId: Uuid, ...parts: unknown[]): void {
  for (const part of parts) {
    const named = part !== null && typeof part === "object" ? (part as { tenant_id?: unknown }).tenant_id : undefined;
    if (typeof named === "string" && parseId("tenant", named) !== tenantId) {
      throw failure("wrong_tenant", "tenant_id is not the tenant of this API key");
    }
  }
}
