import { remembering } from "#domain/values/remembering.ts";
import type { ReplyRequest, ToolCall, ToolName } from "#ports/language-model.ts";
import { moveOf } from "./moves.ts";
import type { Channel, Move } from "./say.ts";
import { stateOf } from "./walk.ts";
import { namesPerson } from "./wording.ts";

/** A text of this length is read on a phone at a glance. */
const MAX_TEXT = 300;

/** The agent's next text. */
export function replyTo(request: ReplyRequest): { text: string; silent?: true; toolCalls: ToolCall[] } {
  const state = stateOf(request, request.known);
  const offers = (name: ToolName) => request.tools.some((tool) => tool.name === name);
  const { name, organization } = request.agent;
  const channel: Channel = {
    spoken: false,
    canSchedule: offers("schedule_call"),
    canTransfer: offers("transfer_to_voice"),
    recorded: false,
    lastWords: undefined,
    isFirst: false,
    introduction:
      state.language === "spanish"
        ? `Soy ${name}, un asistente automatizado de ${organization}.`
        : `I'm ${name}, an automated assistant for ${organization}.`,
    when: (at) => spokenDate(at, request.contactZone),
  };
  const move = moveOf(request, state, channel);
  const text = textOf(move, Math.min(MAX_TEXT, request.maxCharacters));
  return { text, ...(text === "" ? { silent: true } : {}), toolCalls: toolsOf(move, offers) };
}

/** The question always stays; of the rest, what fits. */
export function textOf({ sentences, question }: Move, limit: number): string {
  let room = limit - (question?.length ?? 0);
  const kept: string[] = [];
  for (const sentence of sentences) {
    if (sentence.length + 1 > room) continue;
    kept.push(sentence);
    room -= sentence.length + 1;
  }
  return [...kept, ...(question === undefined ? [] : [question])].join(" ");
}

function toolsOf({ sentences, does, ends, needsPerson }: Move, offers: (name: ToolName) => boolean): ToolCall[] {
  const calls: ToolCall[] = [];
  const call = (name: ToolName, args: Record<string, unknown> = {}) => calls.push({ name, args });
  if (does === "opt_out") call("do_not_message");
  else if (does === "transfer") call("transfer_to_voice");
  else if (does !== undefined) call("schedule_call", { time: does.schedule.toISOString() });
  if ((needsPerson || sentences.some(namesPerson)) && offers("ask_person")) call("ask_person");
  if (ends !== undefined) call("end_conversation", { outcome: ends });
  return calls;
}

const PARTS = { weekday: "long", month: "long", day: "numeric", hour: "numeric", minute: "2-digit" } as const;
const formatIn = remembering((zone: string) => new Intl.DateTimeFormat("en-US", { ...PARTS, timeZone: zone }));

/** `Tuesday, November 24 at 3:00 PM`, in the contact's zone. */
export function spokenDate(at: Date, zone: string): string {
  return formatIn(zone).format(at).replaceAll("\u202f", " ");
}
