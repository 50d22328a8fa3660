import * as contract from "#contract/agents/script.ts";
import type { FieldKind } from "#domain/agents/field-kind.ts";
import type { AgentScript } from "#domain/agents/record.ts";
import { publicId, requireId } from "#domain/values/id.ts";
import { type Edge, route } from "#http/server/route.ts";
import { changeScript } from "#operations/agents/change-script.ts";
import { getScript } from "#operations/agents/read-agents.ts";

export function scriptRoutes(edge: Edge): void {
  route(edge, contract.getAgentScript, async ({ ctx, caller, params }) =>
    scriptView(await getScript(ctx, caller, requireId("agent", params.agent_id, "Agent"))),
  );

  route(edge, contract.putAgentScript, async ({ ctx, caller, params, body }) => {
    const questions = body.questions.map(({ rephrased = [], ...rest }) => ({ ...rest, rephrased }));
    return scriptView(await changeScript(ctx, caller, requireId("agent", params.agent_id, "Agent"), questions));
  });

  route(edge, contract.deleteAgentScript, async ({ ctx, caller, params }) =>
    scriptView(await changeScript(ctx, caller, requireId("agent", params.agent_id, "Agent"), [])),
  );
}

/** What the API calls by a plainer name. */
const TYPES: Partial<Record<FieldKind, string>> = { moment: "date_time", zip: "postal_code", text: "free" };

function scriptView({ agent, script: { questions, facts, offLimits } }: AgentScript): object {
  const edited = new Set(agent.config.questions?.map(({ field }) => field));
  return {
    agent_id: publicId("agent", agent.id),
    version: agent.version,
    script: {
      questions: questions.map(({ kind, isFirst, ...rest }) => ({
        ...rest,
        type: TYPES[kind] ?? kind,
        is_first: isFirst,
        is_edited: edited.has(rest.field),
      })),
      facts,
      off_limits: offLimits,
    },
  };
}
