import { type AgentPatch, patchedAgent } from "#domain/agents/record.ts";
import { notFound } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as tenants from "#store/accounts/tenants.ts";
import type { StoredAgent } from "#store/agents/agents.ts";
import * as agents from "#store/agents/agents.ts";

/**
 * Changes an agent's fields that are in the patch, as a new version; running campaigns keep theirs. 400 when the result would be invalid, or for what
 * cannot be changed: its type and owners.
 */
export async function updateAgent(ctx: Context, caller: Caller, id: Uuid, patch: AgentPatch): Promise<StoredAgent> {
  const { tenantId } = caller;
  return ctx.db.transaction(async (tx) => {
    const old = await agents.lock(tx, tenantId, id);
    if (!old) throw notFound("Agent");
    const config = patchedAgent(old, patch);
    const next = { version: old.version + 1, config, at: await tenants.tenantNow(tx, tenantId, ctx.now()) };
    await agents.change(tx, tenantId, id, next);
    ctx.audit.note({ organizationId: old.organization_id, before: old.config, after: config });
    return { ...old, version: next.version, config, updated_at: next.at };
  });
}
