import { normaliseExtractionFields } from "#domain/agents/extraction-field.ts";
import type { ConverseRequest, ToolCall, VoiceToolName } from "#ports/language-model.ts";
import { moveOf } from "./moves.ts";
import { questionsOf } from "./questions.ts";
import { spokenDate } from "./reply.ts";
import type { Channel, Move } from "./say.ts";
import { stateOf } from "./walk.ts";

const GOODBYE = "Goodbye.";
/** Nobody listens to more at once. */
const MAX_SENTENCES = 2;

/** An operator's instruction, as in "tell them that we have a new offer": the words to say follow it. */
const INSTRUCTED =
  /^\s*(?:please )?(?:say|tell|let|inform)(?: (?:him|her|them|the (?:contact|lead|customer|caller)))?(?: know)?(?: that)?\s*[:,]?\s*/i;

/** One to ask, as in "ask for their postal code" or "ask whether they own it": what to ask follows it. */
const TO_ASK = /^\s*(?:please )?ask (?:(?:him|her|them|the (?:contact|lead|customer|caller))[:,]? )?(?:for |about )?/i;

/** What the agent says next in a call, by the rules by which it writes; the call ends when nothing is left. */
export function speechFor(request: ConverseRequest): { text: string; toolCalls: ToolCall[] } {
  if (request.instruction !== undefined) return { text: instructed(request.instruction), toolCalls: [] };
  const state = stateOf(request, request.known);
  const offers = (name: VoiceToolName) => request.tools.some((tool) => tool.name === name);
  const own = request.history.slice(request.spokenFrom).filter(({ role }) => role === "agent");
  const channel: Channel = {
    spoken: true,
    canSchedule: offers("schedule_callback"),
    canTransfer: offers("transfer_call"),
    recorded: request.recorded,
    lastWords: own.at(-1)?.text,
    isFirst: own.length === 0,
    introduction: introductionOf(request, state.language),
    when: (at) => spokenDate(at, request.contactZone).replace(":00 ", " "),
  };
  const move = moveOf(request, state, channel);
  return { text: spokenText(move), toolCalls: toolsOf(move) };
}

function instructed(instruction: string): string {
  const asked = instruction.replace(TO_ASK, "").trim();
  const isToAsk = TO_ASK.test(instruction) && !/[.!?]\s/.test(asked);
  if (!isToAsk) return instruction.replace(INSTRUCTED, "").trim();
  const [field] = normaliseExtractionFields([{ name: "asked", description: asked }]);
  return questionsOf(field!, "text", asked)[0]!;
}

function introductionOf({ agent, direction }: ConverseRequest, language: "english" | "spanish"): string {
  if (language === "spanish") return `Soy ${agent.name}, un asistente automatizado de ${agent.organization}.`;
  const doing = direction === "outbound" ? "calling for" : "answering for";
  return `I'm ${agent.name}, an automated assistant ${doing} ${agent.organization}.`;
}

function spokenText({ sentences, question, does, ends }: Move): string {
  const said = sentences
    .join(" ")
    .split(/(?<=[.!?])\s+/)
    .filter((sentence) => sentence !== "");
  const few = said.slice(0, question === undefined && ends === undefined ? MAX_SENTENCES + 1 : MAX_SENTENCES);
  const last = question ?? (ends !== undefined && does !== "opt_out" ? GOODBYE : undefined);
  return [...few, ...(last === undefined ? [] : [last])].join(" ");
}

function toolsOf({ does, ends, question }: Move): ToolCall[] {
  const calls: ToolCall[] = [];
  const call = (name: VoiceToolName, args: Record<string, unknown> = {}) => calls.push({ name, args });
  if (does === "opt_out") call("do_not_call");
  else if (does === "transfer") call("transfer_call");
  else if (does !== undefined) call("schedule_callback", { time: does.schedule.toISOString() });
  if (ends !== undefined && question === undefined) call("end_call");
  return calls;
}
