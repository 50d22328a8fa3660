import { analyseCall } from "#conversation/calls/analyse-call.ts";
import { callDialog } from "#conversation/calls/dialog.ts";
import type { VoiceAgent } from "#domain/agents/agent.ts";
import type { CallPlan } from "#domain/calls/plan.ts";
import type { CallReport, ContactRequests, Utterance } from "#domain/calls/report.ts";
import { NO_ID } from "#domain/values/id.ts";
import type { DialogPart } from "#ports/call-dialog.ts";
import type { LanguageModel } from "#ports/language-model.ts";
import {
  type Line,
  type Rehearsal,
  type RehearsedAction,
  type RehearsedExtraction,
  type RehearsedTurn,
  timesOf,
} from "./rehearsal.ts";

/** What a call needs besides and nobody reads here: it has no number, and is no recipient's. */
const NOWHERE = {
  callId: NO_ID,
  tenantId: NO_ID,
  ref: NO_ID,
  mode: "test",
  direction: "outbound",
  purpose: "single",
  n: 0,
  number: "",
  campaign: "",
} as const;

/** A turn of a call, in words; without words of the contact the agent's greeting. */
export async function rehearseCall(
  model: LanguageModel,
  rehearsal: Rehearsal<VoiceAgent>,
  signal: AbortSignal,
): Promise<Omit<RehearsedTurn, "prompt">> {
  const started = performance.now();
  const plan = planOf(rehearsal);
  const spoken = rehearsal.history.map(({ role, text }) => ({
    role: role === "contact" ? role : ("agent" as const),
    text,
  }));
  const dialog = callDialog(plan, model, { now: () => rehearsal.now, spoken });
  const said: string[] = [];
  const actions: RehearsedAction[] = [];
  const requests: ContactRequests = {};
  if (rehearsal.text === undefined) said.push(dialog.greeting());
  else {
    for await (const part of dialog.turn(rehearsal.text, signal)) {
      if (part.kind === "sentence") said.push(part.text);
      else actions.push(actionOf(part));
      if (part.kind === "opt_out") requests.optOut = { quote: part.quote };
    }
    signal.throwIfAborted();
  }
  const reply = said.join(" ").trim() || null;
  const latencyMs = performance.now() - started;
  const turn = { reply, actions, notes: [], usage: { ...dialog.usage }, latencyMs, failure: null };
  if (rehearsal.text === undefined || !rehearsal.extract) return { ...turn, extraction: null };
  const all: Line[] = [...rehearsal.history, { role: "contact", text: rehearsal.text }];
  const lines = reply === null ? all : [...all, { role: "agent" as const, text: reply }];
  return { ...turn, ...(await judgeCall(model, plan, reportOf(lines, rehearsal.now, requests), signal)) };
}

/** What a made-up call has come to, by its words. */
export async function judgeCall(
  model: LanguageModel,
  plan: CallPlan,
  report: CallReport,
  signal: AbortSignal,
): Promise<{ extraction: RehearsedExtraction | null; notes: string[] }> {
  const started = performance.now();
  const { analysis, notes, usage } = await analyseCall(model, { plan, report }, { signal });
  if (analysis === null) return { extraction: null, notes: notes.map((note) => `extraction: ${note}`) };
  const evidence = Object.entries(analysis.evidence).map(
    ([field, { utterance, quote }]) => [field, { message: utterance, quote }] as const,
  );
  return {
    notes: [],
    extraction: {
      fields: analysis.extractedFields,
      evidence: Object.fromEntries(evidence),
      outcome: null,
      objectiveMet: analysis.successful,
      sentiment: analysis.sentiment,
      summary: analysis.summary,
      usage,
      latencyMs: performance.now() - started,
    },
  };
}

/** The plan of a call that nobody places. */
export const planOf = ({
  agent,
  organization,
  objective,
  contact,
  contactPhone,
  contactZone,
  now,
}: Pick<
  Rehearsal<VoiceAgent>,
  "agent" | "organization" | "objective" | "contact" | "contactPhone" | "contactZone" | "now"
>): CallPlan => ({
  ...NOWHERE,
  agent,
  organization,
  ...(objective ? { objective } : {}),
  contact,
  contactPhone,
  contactZone,
  history: [],
  known: {},
  now: now.toISOString(),
  clockOffsetMs: 0,
});

/** The call so far, as if it ended here. */
function reportOf(lines: readonly Line[], now: Date, requests: ContactRequests): CallReport {
  const times = timesOf(lines.length, now);
  const answered = times[0]!;
  const utterances = lines.map(({ role, text }, index): Utterance => {
    const startMs = times[index]!.getTime() - answered.getTime();
    return { role: role === "contact" ? role : "agent", text, startMs, endMs: startMs + 1, words: [] };
  });
  return {
    status: "ended",
    reason: "user_hangup",
    dialedAt: answered.toISOString(),
    answeredAt: answered.toISOString(),
    endedAt: now.toISOString(),
    // A call of one line lasts, too: one of no length was not answered.
    durationMs: now.getTime() - answered.getTime() + 1,
    inVoicemail: false,
    voicemailLeft: false,
    utterances,
    latencies: [],
    requests,
    usage: { voiceCharacters: 0, speechToTextMs: 0, inputTokens: 0, outputTokens: 0 },
  };
}

function actionOf(part: Exclude<DialogPart, { kind: "sentence" }>): RehearsedAction {
  switch (part.kind) {
    case "goodbye":
      return { type: "end_call" };
    case "opt_out":
      return { type: "do_not_call", quote: part.quote };
    case "callback":
      return { type: "schedule_callback", at: part.at, quote: part.quote };
    case "transfer":
      return { type: "transfer_call", to: part.to };
    case "dtmf":
      return { type: "press_digits", digits: part.digits };
  }
}
