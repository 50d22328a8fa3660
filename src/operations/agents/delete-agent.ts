import { failure, notFound } from "#domain/values/errors.ts";
import { publicId, type Uuid } from "#domain/values/id.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as agents from "#store/agents/agents.ts";
import * as numbers from "#store/numbers/phone-numbers.ts";

/** Deletes an agent; 409 while a campaign that is not over uses it. Its conversations stay. */
export async function deleteAgent(ctx: Context, caller: Caller, id: Uuid): Promise<void> {
  const { tenantId } = caller;
  if (!(await agents.find(ctx.db, tenantId, id))) throw notFound("Agent");
  // A number of no organization may be linked to it.
  await ctx.tenantDb.transaction(async (tx) => {
    const agent = await agents.lock(tx, tenantId, id);
    if (!agent) throw notFound("Agent");
    const names = [publicId("agent", id)];
    if (agent.voice_agent_id) names.push(publicId("voiceAgent", agent.voice_agent_id));
    const campaign = await agents.usedBy(tx, tenantId, id, names);
    if (campaign !== undefined) throw failure("conflict", `The campaign ${campaign} uses this agent`);
    await numbers.unlink(tx, tenantId, id, ctx.now());
    await agents.remove(tx, tenantId, id, ctx.now());
  });
}
