import * as contract from "#contract/agents/agents.ts";
import { warned } from "#contract/values/unknown-names.ts";
import type { Agent } from "#domain/agents/agent.ts";
import { agentRecord, versionNumber, versionRecord, voiceIds } from "#domain/agents/record.ts";
import { settingWarnings } from "#domain/agents/setting-warnings.ts";
import { voiceWarnings } from "#domain/agents/voice.ts";
import { publicId, requireId } from "#domain/values/id.ts";
import { textPageRequest } from "#domain/values/page-key.ts";
import { pageRequest } from "#domain/values/paging.ts";
import { pageAnswer } from "#http/server/page.ts";
import { type Edge, route } from "#http/server/route.ts";
import { createAgent } from "#operations/agents/create-agent.ts";
import { deleteAgent } from "#operations/agents/delete-agent.ts";
import { getAgent, listAgents, listVersions } from "#operations/agents/read-agents.ts";
import { restoreAgent } from "#operations/agents/restore-agent.ts";
import { updateAgent } from "#operations/agents/update-agent.ts";
import type { Caller, Context } from "#operations/context.ts";

/** Where the next page of versions begins. */
const VERSION = /^[1-9]\d{0,8}$/;

export function agentRoutes(edge: Edge): void {
  route(edge, contract.createAgent, async ({ ctx, caller, body }) => {
    const organizationId = requireId("organization", body.organization_id, "Organization");
    const userId = requireId("user", body.user_id, "User");
    const made = await createAgent(ctx, caller, { organizationId, userId }, body);
    const answer = {
      agent_id: publicId("agent", made.id),
      agent_type: made.type,
      agent_name: made.config.agent_name,
      ...voiceIds(made),
    };
    return warned(answer, warningsOf(ctx, caller, body, made.config));
  });

  route(edge, contract.listAgents, async ({ ctx, caller, query }) => {
    const organizationId = requireId("organization", query.organization_id, "Organization");
    const page = await listAgents(ctx, caller, organizationId, { ...pageRequest(query), type: query.agent_type });
    return pageAnswer("agents", page, agentRecord);
  });

  route(edge, contract.getAgent, async ({ ctx, caller, params }) => {
    const id = requireId("agent", params.agent_id, "Agent");
    return { agent: agentRecord(await getAgent(ctx, caller, id)) };
  });

  route(edge, contract.updateAgent, async ({ ctx, caller, params, body }) => {
    const id = requireId("agent", params.agent_id, "Agent");
    const agent = await updateAgent(ctx, caller, id, body);
    return warned({ agent: agentRecord(agent) }, warningsOf(ctx, caller, body, agent.config));
  });

  route(edge, contract.deleteAgent, async ({ ctx, caller, params }) => {
    await deleteAgent(ctx, caller, requireId("agent", params.agent_id, "Agent"));
    return { agent_id: params.agent_id };
  });

  route(edge, contract.listAgentVersions, async ({ ctx, caller, params, query }) => {
    const id = requireId("agent", params.agent_id, "Agent");
    return pageAnswer(
      "versions",
      await listVersions(ctx, caller, id, textPageRequest(query, [VERSION])),
      versionRecord,
    );
  });

  route(edge, contract.restoreAgentVersion, async ({ ctx, caller, params }) => {
    const id = requireId("agent", params.agent_id, "Agent");
    const agent = await restoreAgent(ctx, caller, id, versionNumber(params.version));
    return warned({ agent: agentRecord(agent) }, warningsOf(ctx, caller, {}, agent.config));
  });
}

/** What of an agent will not be as its request says. */
const warningsOf = (ctx: Context, { mode }: Caller, given: object, config: Agent): string[] => [
  ...voiceWarnings(config, ctx.voice),
  ...settingWarnings(given, config, ctx.models.forMode(mode).capabilities),
];
