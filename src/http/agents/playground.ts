import * as contract from "#contract/agents/playground.ts";
import type { BodyOf } from "#contract/values/operation.ts";
import { modelCost, sumOf } from "#domain/calls/cost.ts";
import { costOf } from "#domain/messaging/price.ts";
import { countSegments } from "#domain/messaging/segments.ts";
import { requireId } from "#domain/values/id.ts";
import { type Edge, route } from "#http/server/route.ts";
import { type Played, type PreviewedText, playTurn, previewAgent, type Tried } from "#operations/agents/try-agent.ts";
import type { Context } from "#operations/context.ts";

export function playgroundRoutes(edge: Edge): void {
  route(edge, contract.playTurn, async ({ ctx, caller, body, signal }) => {
    const input = {
      ...triedOf(body),
      objective: body.objective,
      canCall: body.can_call ?? false,
      history: body.history ?? [],
      text: body.text,
      extract: body.extract ?? true,
    };
    return { turn: turnView(ctx, await playTurn(ctx, caller, input, signal)) };
  });

  route(edge, contract.previewAgent, async ({ ctx, caller, body }) => {
    const { agentType, texts, variables } = await previewAgent(ctx, caller, triedOf(body));
    const view = ({ kind, day, text, missing }: PreviewedText) => {
      const size = text === null || agentType === "voice" ? undefined : countSegments(text);
      return {
        kind,
        day,
        text,
        missing_variable: missing,
        segments: size?.segments ?? null,
        encoding: size?.encoding ?? null,
      };
    };
    return { preview: { agent_type: agentType, texts: texts.map(view), variables } };
  });
}

export function triedOf({ agent_id, organization_id, draft, contact }: BodyOf<typeof contract.previewAgent>): Tried {
  return {
    agentId: agent_id === undefined ? undefined : requireId("agent", agent_id, "Agent"),
    organizationId:
      organization_id === undefined ? undefined : requireId("organization", organization_id, "Organization"),
    draft,
    contact: contact ?? {},
  };
}

function turnView({ callPrices, textPrices }: Context, { turn, agentType, model }: Played): object {
  const { extraction } = turn;
  const segments = agentType === "voice" ? null : turn.reply === null ? 0 : countSegments(turn.reply).segments;
  const cost = { model: modelCost(turn.usage, callPrices), texts: costOf(segments ?? 0, textPrices.segment) };
  return {
    agent_type: agentType,
    reply: turn.reply,
    actions: turn.actions,
    notes: turn.notes,
    prompt: turn.prompt,
    model,
    usage: usageView(turn.usage),
    latency_ms: Math.round(turn.latencyMs),
    segments,
    cost: { total: sumOf([cost.model, cost.texts]), ...cost },
    failure: turn.failure && { code: turn.failure.vendorCode, retryable: turn.failure.retryable },
    extraction: extraction && extractionView({ callPrices }, extraction),
  };
}

export const extractionView = (
  { callPrices }: Pick<Context, "callPrices">,
  extraction: NonNullable<Played["turn"]["extraction"]>,
) => ({
  extracted_fields: extraction.fields,
  evidence: Object.fromEntries(
    Object.entries(extraction.evidence).map(([field, { message, quote }]) => [field, { line: message, quote }]),
  ),
  lead_outcome: extraction.outcome,
  objective_met: extraction.objectiveMet,
  sentiment: extraction.sentiment,
  summary: extraction.summary,
  usage: usageView(extraction.usage),
  latency_ms: Math.round(extraction.latencyMs),
  cost: modelCost(extraction.usage, callPrices),
});

const usageView = ({ inputTokens, outputTokens }: { inputTokens: number; outputTokens: number }) => ({
  input_tokens: inputTokens,
  output_tokens: outputTokens,
});
