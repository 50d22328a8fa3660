import { type Static, type TObject, Type } from "typebox";
import { Value } from "typebox/value";
import { outcomeLabel, parseZonedTime } from "#domain/agents/extraction.ts";
import type { ToolCall, ToolName, ToolOffer } from "#ports/language-model.ts";

/** What a turn asks the service to do. Each is about the thread's own contact; none says whom, where or at what price. */
export type AgentAction =
  | { type: "end_conversation"; outcome: string }
  | { type: "do_not_message" }
  | { type: "ask_person" }
  | { type: "schedule_call"; at: Date }
  | { type: "transfer_to_voice" };

/** What may be done in this thread: a voice agent and a number must stand ready for the calls. */
export type Powers = { canScheduleCall: boolean; canTransferToVoice: boolean };

const EndConversation = Type.Object({
  outcome: Type.String({
    minLength: 1,
    maxLength: 200,
    description: "A short label of how it ended: qualified, not_interested, call_scheduled ...",
  }),
});
const ScheduleCall = Type.Object({
  time: Type.String({
    maxLength: 64,
    description: "When to call, ISO 8601 with the contact's offset, for example 2026-11-24T15:00:00-07:00",
  }),
});
const Nothing = Type.Object({});

const TOOLS: Record<ToolName, { description: string; schema: TObject }> = {
  end_conversation: {
    description: "The conversation has come to its end; nothing is left to ask.",
    schema: EndConversation,
  },
  do_not_message: { description: "The contact does not want any more messages.", schema: Nothing },
  ask_person: {
    description:
      "The contact wants to know what you do not know or may not say, or wants a person: a colleague is told and will answer. Say that you pass it on.",
    schema: Nothing,
  },
  schedule_call: {
    description: "The contact asked to be called at a time that is still to come.",
    schema: ScheduleCall,
  },
  transfer_to_voice: { description: "The contact asked to be called now.", schema: Nothing },
};

/** A call asked for by text is within this, or was misread. */
const MAX_CALL_AHEAD_MS = 90 * 86_400_000;

/** There are five tools, each useful once; a model that asks for more has lost its way. */
const MAX_TOOL_CALLS = 8;

export function toolOffers(powers: Powers): ToolOffer[] {
  const names: ToolName[] = ["end_conversation", "do_not_message", "ask_person"];
  if (powers.canScheduleCall) names.push("schedule_call");
  if (powers.canTransferToVoice) names.push("transfer_to_voice");
  return names.map((name) => ({ name, description: TOOLS[name].description, parameters: { ...TOOLS[name].schema } }));
}

/**
 * The actions that a model's tool calls come to. Taken: tools on offer, each once, with arguments of the right shape. Everything else
 * (another tool, another argument, a time that has passed) is dropped, and `notes` says so.
 */
export function actionsOf(
  calls: readonly ToolCall[],
  offers: readonly ToolOffer[],
  now: Date,
): { actions: AgentAction[]; notes: string[] } {
  const actions = new Map<ToolName, AgentAction>();
  const notes: string[] = [];
  for (const call of calls.slice(0, MAX_TOOL_CALLS)) {
    const offer = offers.find((candidate) => candidate.name === call?.name);
    if (offer === undefined) {
      notes.push(`tool ${shown(call?.name)}: not on offer`);
      continue;
    }
    const { schema } = TOOLS[offer.name];
    const given = call.args ?? {};
    const known = Object.keys(schema.properties);
    const args = onlyKnown(given, known);
    if (args === undefined || !Value.Check(schema, args)) {
      notes.push(`tool ${offer.name}: wrong arguments`);
      continue;
    }
    if (Object.keys(given).length > Object.keys(args).length) notes.push(`tool ${offer.name}: extra arguments dropped`);
    const action = actionOf(offer.name, args, now);
    if (typeof action === "string") notes.push(`tool ${offer.name}: ${action}`);
    else if (!actions.has(offer.name)) actions.set(offer.name, action);
  }
  if (calls.length > MAX_TOOL_CALLS) notes.push(`${calls.length - MAX_TOOL_CALLS} more tool calls dropped`);
  return { actions: [...actions.values()], notes };
}

function onlyKnown(given: unknown, known: readonly string[]): Record<string, unknown> | undefined {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return undefined;
  return Object.fromEntries(Object.entries(given).filter(([name]) => known.includes(name)));
}

function actionOf(name: ToolName, args: Record<string, unknown>, now: Date): AgentAction | string {
  switch (name) {
    case "do_not_message":
    case "ask_person":
    case "transfer_to_voice":
      return { type: name };
    case "end_conversation":
      return { type: name, outcome: outcomeLabel((args as Static<typeof EndConversation>).outcome) };
    case "schedule_call": {
      const at = parseZonedTime((args as Static<typeof ScheduleCall>).time);
      if (at === undefined) return "not a time with its zone";
      const ahead = at.getTime() - now.getTime();
      return ahead > 0 && ahead <= MAX_CALL_AHEAD_MS ? { type: name, at } : "not within the next 90 days";
    }
  }
}

const shown = (name: unknown): string => JSON.stringify(String(name).slice(0, 40));
