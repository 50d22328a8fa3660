import { type AnalysedPlan, analyseCall } from "#conversation/calls/analyse-call.ts";
import type { VoiceAgent } from "#domain/agents/agent.ts";
import { historyOf } from "#domain/agents/history.ts";
import { type CallAnalysis, NOTHING_SAID } from "#domain/calls/analysis.ts";
import { type CallCost, callCost } from "#domain/calls/cost.ts";
import type { CallReport } from "#domain/calls/report.ts";
import { contactZone, placeOf } from "#domain/phones/place.ts";
import { NO_ID, type Uuid } from "#domain/values/id.ts";
import { piecesOf } from "#domain/values/pieces.ts";
import type { Context } from "#operations/context.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as agents from "#store/agents/agents.ts";
import * as extractions from "#store/agents/extractions.ts";
import * as callAnalyses from "#store/calls/analyses.ts";
import * as queue from "#store/database/queue.ts";
import * as messages from "#store/messaging/messages.ts";

/** One statement's worth; a transcript is some kilobytes. */
const BATCH = 100;
/** How many calls one process has analysed at once by models elsewhere, and by its own rules, which hold up the process for some milliseconds each. */
const AT_ONCE = 8;
const BY_RULES_AT_ONCE = 25;
/** As for the jobs that drain a lane: a run that reaches this time ends and enqueues itself again. */
const ANALYSE_FOR_MS = 10_000;
/** An unavailable model is called again after this long, unless it says when. */
const ASK_AGAIN_MS = 30_000;
const NO_USAGE = { voiceCharacters: 0, speechToTextMs: 0, inputTokens: 0, outputTokens: 0 };

type Analysed = { id: Uuid; analysis: CallAnalysis; cost: CallCost };

/**
 * Analyses every call that has ended: sentiment, success, fields with evidence, a summary, its cost. A call for which the model could not be reached
 * is left for the next run. Safe to repeat and to run in parallel: a call is analysed once.
 */
export function analyseCalls(ctx: Context, { tenantId }: { tenantId: Uuid }, signal: AbortSignal): Promise<void> {
  const job = { job: "analyse-calls" as const, payload: { tenantId } };
  return queue.runOnce(ctx.process.runs, ctx.db, job, async () => {
    const runAt = await work(ctx, tenantId, signal);
    if (runAt) await queue.enqueue(ctx.db, [{ ...job, runAt }]);
  });
}

/** When there is more to do, or undefined. */
async function work(ctx: Context, tenantId: Uuid, signal: AbortSignal): Promise<Date | undefined> {
  const until = performance.now() + ANALYSE_FOR_MS;
  let again: Date | undefined;
  for (let after: Uuid = NO_ID; ; ) {
    const calls = await callAnalyses.unanalysed(ctx.db, tenantId, after, BATCH);
    const agentOf = agentsOf(ctx, tenantId);
    const isByRules = calls.every((call) => modelFor(ctx, call).capabilities.local);
    for (const piece of piecesOf(calls, isByRules ? BY_RULES_AT_ONCE : AT_ONCE)) {
      if (signal.aborted) return ctx.now();
      const taskOf = (call: callAnalyses.UnanalysedCall) => ({ tenantId, kind: "call_analysis", id: call.id }) as const;
      const judged = piece.filter((call) => !ctx.watch.isSetAside(taskOf(call)));
      const outcomes = await Promise.all(
        judged.map((call) => ctx.watch.run(taskOf(call), () => judge(ctx, tenantId, call, agentOf, signal))),
      );
      const now = await tenants.tenantNow(ctx.db, tenantId, ctx.now());
      await callAnalyses.save(
        ctx.db,
        tenantId,
        outcomes.flatMap((outcome) => outcome.done ?? []),
        now,
      );
      const soonest = Math.min(...outcomes.map((outcome) => outcome.askAgainMs ?? Number.POSITIVE_INFINITY));
      const at = ctx.now().getTime() + soonest;
      // A call of a later batch that waits longer does not delay the others.
      if (Number.isFinite(at) && (again === undefined || at < again.getTime())) again = new Date(at);
    }
    if (calls.length < BATCH) return again;
    if (performance.now() > until) return ctx.now();
    after = calls.at(-1)!.id;
  }
}

const modelFor = ({ models }: Context, { carrier }: callAnalyses.UnanalysedCall) =>
  models.forMode(carrier === "simulator" ? "test" : "live");

type AgentOf = (call: callAnalyses.UnanalysedCall) => Promise<VoiceAgent>;

/** The agents that calls had, each read once: those of a batch are mostly of one campaign. */
function agentsOf(ctx: Context, tenantId: Uuid): AgentOf {
  const read = new Map<string, Promise<VoiceAgent>>();
  return ({ agent_id, agent_version }) => {
    const key = `${agent_id} ${agent_version}`;
    const agent = read.get(key) ?? (agents.configOf(ctx.db, tenantId, agent_id, agent_version) as Promise<VoiceAgent>);
    read.set(key, agent);
    return agent;
  };
}

async function judge(
  ctx: Context,
  tenantId: Uuid,
  call: callAnalyses.UnanalysedCall,
  agentOf: AgentOf,
  signal: AbortSignal,
): Promise<{ done?: Analysed; askAgainMs?: number }> {
  const report = reportOf(call);
  const plan = await planOf(ctx, tenantId, call, await agentOf(call));
  const outcome = await analyseCall(modelFor(ctx, call), { plan, report }, { signal });
  if (outcome.failure?.retryable) return { askAgainMs: outcome.failure.retryAfterMs ?? ASK_AGAIN_MS };
  if (outcome.failure) ctx.log.warn({ tenantId, callId: call.id, failure: outcome.failure }, "a call was not analysed");
  const { usage } = report;
  const spent = {
    ...usage,
    inputTokens: usage.inputTokens + outcome.usage.inputTokens,
    outputTokens: usage.outputTokens + outcome.usage.outputTokens,
  };
  const cost = callCost({ durationMs: report.durationMs, usage: spent }, ctx.callPrices);
  return { done: { id: call.id, analysis: outcome.analysis ?? NOTHING_SAID, cost } };
}

async function planOf(
  ctx: Context,
  tenantId: Uuid,
  call: callAnalyses.UnanalysedCall,
  agent: VoiceAgent,
): Promise<AnalysedPlan> {
  const fields = call.fields ?? {};
  const thread = call.channel === "sms" ? call.thread_id : null;
  const texts = thread ? await messages.ofThread(ctx.db, tenantId, call.campaign_id, thread) : [];
  const known = thread ? await extractions.find(ctx.db, tenantId, call.campaign_id, thread) : undefined;
  return {
    agent,
    organization: call.organization,
    ...(call.objective ? { objective: call.objective } : {}),
    contact: { ...fields, phone_number: call.phone },
    contactZone: contactZone(placeOf({ phone: call.phone, fields }, ctx.numberPlan)),
    history: historyOf(texts).map(({ id, role, text, at }) => ({ id, role, text, at: at.toISOString() })),
    known: known?.fields ?? {},
    direction: call.direction,
  };
}

const reportOf = (call: callAnalyses.UnanalysedCall): CallReport => ({
  status: call.status,
  reason: call.reason,
  dialedAt: call.dialed_at.toISOString(),
  ...(call.answered_at ? { answeredAt: call.answered_at.toISOString() } : {}),
  endedAt: call.end_at.toISOString(),
  durationMs: call.duration_ms,
  ...(call.answerer ? { answerer: call.answerer } : {}),
  inVoicemail: call.in_voicemail,
  voicemailLeft: call.voicemail_left ?? false,
  utterances: call.utterances ?? [],
  latencies: [],
  requests: {},
  usage: call.usage ?? NO_USAGE,
});
