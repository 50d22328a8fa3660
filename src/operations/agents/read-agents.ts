import type { AgentScript, AgentVersion } from "#domain/agents/record.ts";
import { notFound } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";
import { type TextPageRequest, textPageOf } from "#domain/values/page-key.ts";
import { type Page, type PageRequest, pageOf } from "#domain/values/paging.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as organizations from "#store/accounts/organizations.ts";
import type { StoredAgent } from "#store/agents/agents.ts";
import * as agents from "#store/agents/agents.ts";

/** The agents of an organization, newest first. 404 without it. */
export async function listAgents(
  ctx: Context,
  caller: Caller,
  organizationId: Uuid,
  page: PageRequest & { type: string | undefined },
): Promise<Page<StoredAgent>> {
  const { tenantId } = caller;
  if (!(await organizations.find(ctx.db, tenantId, organizationId))) throw notFound("Organization");
  return pageOf(await agents.list(ctx.db, tenantId, organizationId, page), page.limit);
}

export async function getAgent(ctx: Context, caller: Caller, id: Uuid): Promise<StoredAgent> {
  const found = await agents.find(ctx.db, caller.tenantId, id);
  if (!found) throw notFound("Agent");
  return found;
}

/** What the agent asks and answers by where no model does. 404 for a deleted agent. */
export async function getScript(ctx: Context, caller: Caller, id: Uuid): Promise<AgentScript> {
  const agent = await getAgent(ctx, caller, id);
  return { agent, script: ctx.script.read(agent.config) };
}

/** An agent's versions, newest first; `page.after` is the number of the version before which the page begins. 404 for a deleted agent. */
export async function listVersions(
  ctx: Context,
  caller: Caller,
  id: Uuid,
  page: TextPageRequest,
): Promise<Page<AgentVersion>> {
  const { tenantId } = caller;
  if (!(await agents.find(ctx.db, tenantId, id))) throw notFound("Agent");
  const before = page.after === undefined ? undefined : Number(page.after[0]);
  const rows = await agents.versionsOf(ctx.db, tenantId, id, { before, limit: page.limit });
  return textPageOf(rows, page.limit, ({ version }) => [String(version)]);
}
