import { checkExtraction, parseZonedTime } from "#domain/agents/extraction.ts";
import { normaliseExtractionFields } from "#domain/agents/extraction-field.ts";
import type {
  Conversation,
  HistoryMessage,
  LanguageModel,
  ToolCall,
  ToolName,
  VoiceToolName,
} from "#ports/language-model.ts";
import type { Dialogue } from "./dialogue.ts";

/** A tool by its name in a dialogue; `at` is the time of a scheduled call. */
export type CalledTool = { name: string; at?: Date };

/** The agent's answer to one turn. `failure` is what the model threw. `known` is what can be known after the turn. */
export type Answer = {
  text: string;
  tools: CalledTool[];
  ms: number;
  known: Readonly<Record<string, string>>;
  failure?: string;
};

/** A dialogue as it went: an answer for each turn, and what was extracted at the end. */
export type Played = { dialogue: Dialogue; answers: Answer[]; fields: Readonly<Record<string, string>> };

export const ZONE = "America/Denver";
/** A Friday, eight in the morning in Denver. */
const BEGIN = new Date("2026-11-20T15:00:00Z");
const MINUTE_MS = 60_000;
/** As the service asks for, which cuts a text off there. */
const MAX_CHARACTERS = 600;
const LIMITS = { firstMs: 5_000, betweenMs: 3_000 };

/** A dialogue's names of the tools, for each channel. */
const TEXT_TOOLS: Readonly<Record<string, ToolName>> = {
  opt_out: "do_not_message",
  end: "end_conversation",
  schedule: "schedule_call",
  transfer: "transfer_to_voice",
};
const CALL_TOOLS: Readonly<Record<string, VoiceToolName>> = {
  opt_out: "do_not_call",
  end: "end_call",
  schedule: "schedule_callback",
  transfer: "transfer_call",
};
const NEUTRAL = new Map([TEXT_TOOLS, CALL_TOOLS].flatMap(Object.entries).map(([neutral, name]) => [name, neutral]));

/**
 * Plays a dialogue to its last turn, whatever the model answers: one that ended too early goes wrong in the turns that follow. As in the
 * service a text is answered with what was extracted after the one before, and a call only with what was said in it.
 */
export async function play(dialogue: Dialogue, model: LanguageModel): Promise<Played> {
  const history: HistoryMessage[] = [{ id: "start", role: "agent", text: dialogue.agent.start, at: BEGIN }];
  const answers: Answer[] = [];
  for (const [index, { say }] of dialogue.turns.entries()) {
    const at = new Date(BEGIN.getTime() + index * MINUTE_MS);
    history.push({ id: `c${index}`, role: "contact", text: say, at });
    const began = performance.now();
    const { text, toolCalls, failure } = await answerTo(dialogue, model, {
      ...conversationOf(dialogue, history, at),
      known: dialogue.channel === "sms" ? (answers.at(-1)?.known ?? {}) : {},
    });
    const ms = performance.now() - began;
    if (text !== "") history.push({ id: `a${index}`, role: "agent", text, at });
    // For the rules: a figure of the agent's may be what it understood in words, and may be corrected later.
    const known = await extracted(model, conversationOf(dialogue, history, at));
    answers.push({ text, tools: toolCalls.map(calledTool), ms, ...known, failure: failure ?? known.failure });
  }
  return { dialogue, answers, fields: answers.at(-1)?.known ?? {} };
}

function conversationOf({ agent }: Dialogue, history: readonly HistoryMessage[], now: Date): Conversation {
  const { name, organization, instructions } = agent;
  return {
    agent: { name, organization, instructions },
    contact: { first_name: "Ann" },
    contactZone: ZONE,
    now,
    history: [...history],
    fields: normaliseExtractionFields(agent.fields),
  };
}

type Reply = { text: string; toolCalls: readonly ToolCall[]; failure?: string };

async function answerTo(
  dialogue: Dialogue,
  model: LanguageModel,
  conversation: Conversation & { known: Answer["known"] },
): Promise<Reply> {
  const { signal } = new AbortController();
  const prompt = { system: "", messages: [] };
  try {
    if (dialogue.channel === "sms") {
      const tools = offersOf(TEXT_TOOLS, dialogue);
      const request = { ...conversation, tools, maxCharacters: MAX_CHARACTERS, prompt };
      const { text, toolCalls } = await model.reply(request, signal);
      return { text: text.trim(), toolCalls };
    }
    const call = { spokenFrom: 0, direction: "outbound", recorded: true, limits: LIMITS } as const;
    const request = { ...conversation, ...call, tools: offersOf(CALL_TOOLS, dialogue), prompt };
    const toolCalls: ToolCall[] = [];
    let text = "";
    for await (const part of model.converse(request, signal)) {
      if (part.kind === "text") text += part.text;
      else if (part.kind === "tool") toolCalls.push(part.call);
    }
    return { text: text.trim(), toolCalls };
  } catch (error) {
    return { text: "", toolCalls: [], failure: String(error) };
  }
}

function offersOf<Name extends string>(names: Readonly<Record<string, Name>>, { tools }: Dialogue) {
  const offered = Object.entries(names).filter(
    ([tool]) => tool === "opt_out" || tool === "end" || tools.includes(tool),
  );
  return offered.map(([, name]) => ({ name, description: name, parameters: {} }));
}

function calledTool({ name, args }: ToolCall): CalledTool {
  const time = typeof args === "object" && args !== null && "time" in args ? parseZonedTime(args.time) : undefined;
  return { name: NEUTRAL.get(name) ?? name, ...(time ? { at: time } : {}) };
}

async function extracted(model: LanguageModel, conversation: Conversation): Promise<Pick<Answer, "known" | "failure">> {
  try {
    const request = { ...conversation, known: {}, prompt: { system: "", messages: [] } };
    const { value } = await model.extract(request, new AbortController().signal);
    const facts = { doNotMessage: false, callTransferred: false };
    const checked = checkExtraction(value, conversation.fields, conversation.history, facts);
    return { known: checked.extraction.extracted_fields };
  } catch (error) {
    return { known: {}, failure: String(error) };
  }
}
