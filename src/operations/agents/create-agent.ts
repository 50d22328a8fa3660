import { refuseForeign } from "#domain/accounts/organization.ts";
import { checkedAgent, type NewAgent } from "#domain/agents/record.ts";
import { notFound } from "#domain/values/errors.ts";
import { publicId, type Uuid } from "#domain/values/id.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as organizations from "#store/accounts/organizations.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as users from "#store/accounts/users.ts";
import type { StoredAgent } from "#store/agents/agents.ts";
import * as agents from "#store/agents/agents.ts";

/**
 * Makes an agent, with its first version. Fails with 400 for wrong fields, 404 for an unknown organization or user, and `voice_configuration_failed`
 * for a voice that does not exist.
 */
export async function createAgent(
  ctx: Context,
  caller: Caller,
  owner: { organizationId: Uuid; userId: Uuid },
  input: NewAgent,
): Promise<StoredAgent> {
  const { tenantId } = caller;
  const config = checkedAgent(input);
  const [organization, user] = await Promise.all([
    organizations.find(ctx.db, tenantId, owner.organizationId),
    users.find(ctx.db, tenantId, owner.userId),
  ]);
  if (!organization) throw notFound("Organization");
  if (!user) throw notFound("User");
  refuseForeign(owner.organizationId, { user_id: user });
  const isVoice = config.agent_type === "voice";
  const now = await tenants.tenantNow(ctx.db, tenantId, ctx.now());
  const agent: StoredAgent = {
    id: caller.newId(),
    organization_id: owner.organizationId,
    user_id: owner.userId,
    type: config.agent_type,
    version: 1,
    voice_agent_id: isVoice ? caller.newId() : null,
    voice_llm_id: isVoice ? caller.newId() : null,
    config,
    created_at: now,
    updated_at: now,
  };
  ctx.audit.note({
    object: { kind: "agent", id: publicId("agent", agent.id) },
    organizationId: owner.organizationId,
    before: null,
    after: config,
  });
  await ctx.db.transaction((tx) => agents.insert(tx, tenantId, agent));
  return agent;
}
