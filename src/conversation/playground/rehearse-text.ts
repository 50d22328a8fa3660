import type { AgentAction } from "#conversation/agents/tools.ts";
import { extractFields } from "#conversation/messaging/extract.ts";
import { takeTurn } from "#conversation/messaging/turn.ts";
import type { SmsAgent } from "#domain/agents/agent.ts";
import { renderTemplate } from "#domain/messaging/template.ts";
import type { HistoryMessage, LanguageModel } from "#ports/language-model.ts";
import { type Line, type Rehearsal, type RehearsedAction, type RehearsedTurn, timesOf } from "./rehearsal.ts";

type Turn = Omit<RehearsedTurn, "prompt">;

const NO_USAGE = { inputTokens: 0, outputTokens: 0 };

/** A turn of a text conversation; without a text of the contact the agent's first one. */
export async function rehearseText(
  model: LanguageModel,
  rehearsal: Rehearsal<SmsAgent>,
  signal: AbortSignal,
): Promise<Turn> {
  const turn =
    rehearsal.text === undefined ? firstText(rehearsal) : await answer(model, rehearsal, rehearsal.text, signal);
  if (!rehearsal.extract || rehearsal.text === undefined) return turn;
  const said: Line[] = [...rehearsal.history, { role: "contact", text: rehearsal.text }];
  const all: Line[] = turn.reply === null ? said : [...said, { role: "agent", text: turn.reply }];
  const at = turn.actions.find(({ type }) => type === "schedule_call")?.at;
  const { extraction, notes, usage, latencyMs } = await extractFields(
    model,
    {
      ...settingOf(rehearsal),
      history: messagesOf(all, rehearsal.now),
      facts: {
        doNotMessage: turn.actions.some(({ type }) => type === "do_not_message"),
        callTransferred: false,
        ...(at ? { callScheduledAt: new Date(at) } : {}),
      },
    },
    { signal },
  );
  if (extraction === null) return { ...turn, notes: [...turn.notes, ...notes.map((note) => `extraction: ${note}`)] };
  const evidence = Object.entries(extraction.evidence).map(
    ([field, { message_id, quote }]) => [field, { message: Number(message_id), quote }] as const,
  );
  return {
    ...turn,
    extraction: {
      fields: extraction.extracted_fields,
      evidence: Object.fromEntries(evidence),
      outcome: turn.actions.find(({ outcome }) => outcome)?.outcome ?? extraction.lead_outcome,
      objectiveMet: extraction.objective_met,
      sentiment: null,
      summary: null,
      usage,
      latencyMs,
    },
  };
}

function firstText({ agent, contact, contactPhone }: Rehearsal<SmsAgent>): Turn {
  const rendered = renderTemplate(agent.starting_message ?? "", { ...contact, phone_number: contactPhone });
  const notes =
    rendered.problem === undefined
      ? []
      : [
          rendered.problem === "missing_variable"
            ? `first text not sent: the contact has no ${rendered.name}`
            : "the agent has no first text",
        ];
  const reply = rendered.problem === undefined ? rendered.text : null;
  return { reply, actions: [], notes, usage: NO_USAGE, latencyMs: 0, failure: null, extraction: null };
}

async function answer(
  model: LanguageModel,
  rehearsal: Rehearsal<SmsAgent>,
  text: string,
  signal: AbortSignal,
): Promise<Turn> {
  const outcome = await takeTurn(
    model,
    {
      ...settingOf(rehearsal),
      history: messagesOf([...rehearsal.history, { role: "contact", text }], rehearsal.now),
      known: {},
      canScheduleCall: rehearsal.canCall,
      canTransferToVoice: rehearsal.canCall,
    },
    { signal },
  );
  return {
    reply: outcome.text,
    actions: outcome.actions.map(actionOf),
    notes: outcome.notes,
    usage: outcome.usage,
    latencyMs: outcome.latencyMs,
    failure: outcome.failure ?? null,
    extraction: null,
  };
}

const settingOf = ({ agent, organization, objective, contact, contactZone, now }: Rehearsal<SmsAgent>) => ({
  agent,
  organization,
  ...(objective ? { goal: objective } : {}),
  contact,
  contactZone,
  now,
});

/** The id of a line is its place. */
function messagesOf(lines: readonly Line[], now: Date): HistoryMessage[] {
  const times = timesOf(lines.length, now);
  return lines.map(({ role, text }, index) => ({ id: String(index), role, text, at: times[index]! }));
}

const actionOf = (action: AgentAction): RehearsedAction =>
  action.type === "schedule_call" ? { type: action.type, at: action.at.toISOString() } : action;
