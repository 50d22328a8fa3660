import { notFound } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as tenants from "#store/accounts/tenants.ts";
import type { StoredAgent } from "#store/agents/agents.ts";
import * as agents from "#store/agents/agents.ts";

/**
 * Restores an agent's earlier version, as a new version: no version is lost, and running campaigns keep theirs. 404 for an agent or a version that is
 * not there. What was valid once is not checked again.
 */
export async function restoreAgent(
  ctx: Context,
  caller: Caller,
  id: Uuid,
  version: number | undefined,
): Promise<StoredAgent> {
  const { tenantId } = caller;
  return ctx.db.transaction(async (tx) => {
    const old = await agents.lock(tx, tenantId, id);
    if (!old) throw notFound("Agent");
    const past = version === undefined ? undefined : await agents.findVersionOfAgent(tx, tenantId, id, version);
    if (!past) throw notFound("Version");
    const at = await tenants.tenantNow(tx, tenantId, ctx.now());
    const next = { version: old.version + 1, config: past.config, at };
    await agents.change(tx, tenantId, id, next);
    return { ...old, version: next.version, config: past.config, updated_at: next.at };
  });
}
