import type { SpokenTime } from "#domain/calls/spoken-time.ts";
import type { Conversation, ReplyRequest, ToolCall, ToolName } from "#ports/language-model.ts";
import { CALL_TIME_QUESTION, LATER_QUESTION, type Progress, progressOf, WHEN_IT_SUITS } from "./progress.ts";

export type OfflineReply = { text: string; toolCalls: ToolCall[] };

const THANKS = ["Thanks", "Got it", "Great", "Perfect", "Thank you"];
const CLOSING = "that's all I need for now. Someone from our team will be in touch.";
const FAREWELL = "Have a great day!";
const LET_KNOW = `thanks for letting me know. ${FAREWELL}`;
const TALK_THEN = "Talk to you then!";
const WELCOME = `You're welcome. ${FAREWELL}`;
/** After one of these the agent asks nothing more of its own accord. */
const ENDINGS = [CLOSING, TALK_THEN, FAREWELL];
export const PASSED_ON = "Good question, I'll pass it on to our team.";
/** Calls further ahead are not taken by the service; a person has to note them. */
export const MAX_CALL_AHEAD_MS = 90 * 86_400_000;
const YES_QUESTION = "Would you like to hear more about it?";

/** The agent's next text, by rules, in the order in which a considerate person would react. */
export function offlineReply(request: ReplyRequest): OfflineReply {
  const progress = progressOf(request, request.known);
  const { said } = progress;
  if (said === undefined) return { text: "", toolCalls: [] };
  if (progress.optedOut) return { text: "", toolCalls: [call("do_not_message")] };

  const { meaning } = said;
  if (meaning.whoAreYou) return introduce(request, progress);
  const byPhone = answerCall(request, progress);
  if (byPhone) return byPhone;
  if (progress.interest === "no" && (meaning.notInterested || meaning.no)) {
    return end(`No problem${named(progress)}, ${LET_KNOW}`, "not_interested");
  }
  if (meaning.later && progress.learned.size === 0) return postpone(progress);
  return carryOn(request, progress);
}

const call = (name: ToolName, args: Record<string, unknown> = {}): ToolCall => ({ name, args });
const end = (text: string, outcome: string): OfflineReply => ({
  text,
  toolCalls: [call("end_conversation", { outcome })],
});
const offers = (request: ReplyRequest, name: ToolName): boolean => request.tools.some((tool) => tool.name === name);

/** Honest about what it is, then back to the matter. */
function introduce({ agent }: ReplyRequest, progress: Progress): OfflineReply {
  const who = `I'm ${agent.name}, an automated assistant for ${agent.organization}.`;
  return { text: `${who} ${nextQuestion(progress) ?? "Reply STOP and I won't text you again."}`, toolCalls: [] };
}

/** A wish to be called: at a time when one was named, now when that is possible, else when? */
function answerCall(request: ReplyRequest, progress: Progress): OfflineReply | undefined {
  const { said, pending } = progress;
  const asked = pending === "call_time" || (typeof pending === "object" && pending.kind === "call_time");
  if (said === undefined || (!said.meaning.wantsCall && !asked)) return undefined;
  if (said.time) {
    const tooFar = said.time.at.getTime() - request.now.getTime() > MAX_CALL_AHEAD_MS;
    if (tooFar || !offers(request, "schedule_call")) return passedOn(progress);
    return scheduled(said.time, request, progress);
  }
  if (!said.meaning.wantsCall) return undefined;
  const later = said.meaning.later || /\b(?:tomorrow|another day)\b/.test(said.meaning.folded);
  if (offers(request, "transfer_to_voice") && !later) {
    return { text: "Sure, you'll get a call from us shortly.", toolCalls: [call("transfer_to_voice")] };
  }
  if (offers(request, "schedule_call")) return { text: `Sure. ${CALL_TIME_QUESTION}`, toolCalls: [] };
  return passedOn(progress);
}

function scheduled(time: SpokenTime, request: ReplyRequest, progress: Progress): OfflineReply {
  const toolCalls = [call("schedule_call", { time: time.at.toISOString() })];
  const when = `Great${named(progress)}, we'll call you on ${spokenDate(time.at, request.contactZone)}.`;
  const question = progress.next?.asked.question;
  if (question) return { text: `${when} One more thing: ${question}`, toolCalls };
  return {
    text: `${when} ${TALK_THEN}`,
    toolCalls: [...toolCalls, call("end_conversation", { outcome: "call_scheduled" })],
  };
}

function passedOn(progress: Progress): OfflineReply {
  const question = progress.next?.asked.question;
  const text = "Thanks, I'll pass that on to our team.";
  return question ? { text: `${text} ${question}`, toolCalls: [] } : end(text, "call_requested");
}

function postpone({ said, pending }: Progress): OfflineReply {
  if (said?.time) return { text: "No problem, talk to you then!", toolCalls: [] };
  if (pending === "call_time") return { text: `No problem, ${WHEN_IT_SUITS}.`, toolCalls: [] };
  return { text: `No problem. ${LATER_QUESTION}`, toolCalls: [] };
}

/** Thanks for what was learned, and the next question; the end when there is none. */
function carryOn(request: ReplyRequest, progress: Progress): OfflineReply {
  const { said, learned, fields, next, interest } = progress;
  const meaning = said!.meaning;
  const ending = request.history.findLast((message) => message.role === "agent")?.text ?? "";
  if (ENDINGS.some((text) => ending.includes(text)) && !meaning.interested) {
    if (meaning.question) return { text: PASSED_ON, toolCalls: [] };
    const polite = (meaning.thanks || meaning.goodbye) && !ending.includes(WELCOME);
    return end(polite ? WELCOME : "", outcomeOf(progress));
  }
  // Whoever takes leave is not asked what is still missing.
  if (meaning.goodbye && learned.size === 0 && !meaning.question) {
    return end(meaning.thanks ? WELCOME : FAREWELL, outcomeOf(progress));
  }
  if (next) {
    const { question } = next.asked;
    if (learned.size > 0) return { text: `${thanksFor(request, progress)} ${question}`, toolCalls: [] };
    if (meaning.question) return { text: `${PASSED_ON} ${question}`, toolCalls: [] };
    if (progress.declined) return { text: `No problem. ${question}`, toolCalls: [] };
    const lead = next.times > 0 ? "Sorry, I didn't get that." : thanksFor(request, progress);
    return { text: `${lead} ${question}`, toolCalls: [] };
  }
  if (fields.length > 0) return end(`Thanks${named(progress)}, ${CLOSING}`, outcomeOf(progress));
  if (meaning.question) return { text: PASSED_ON, toolCalls: [] };
  if (interest === "yes") {
    if (offers(request, "schedule_call")) return { text: `Great! ${CALL_TIME_QUESTION}`, toolCalls: [] };
    return end(`Great${named(progress)}, ${CLOSING}`, "interested");
  }
  const asked = request.history.some((message) => message.text.includes(YES_QUESTION));
  return asked
    ? end(`Thanks${named(progress)}, ${CLOSING}`, "in_conversation")
    : { text: `Thanks for your message. ${YES_QUESTION}`, toolCalls: [] };
}

/** What to come back to after a question or an aside. */
export function nextQuestion({ next, fields }: Progress): string | undefined {
  return next?.asked.question ?? (fields.length === 0 ? YES_QUESTION : undefined);
}

/** Not the same word of thanks twice in a row. */
export function thanksFor(request: Pick<Conversation, "history">, progress: Progress): string {
  const turns = request.history.filter((message) => message.role === "agent").length;
  return `${THANKS[turns % THANKS.length]}${named(progress)}!`;
}

/** `, Ana` when the contact has just said the name, so that it is not in every text. */
export function named({ fields, known, learned }: Progress): string {
  const field = fields.find(({ kind }) => kind === "first_name" || kind === "name")?.field.name;
  const name = field !== undefined && learned.has(field) ? known.get(field)?.value.split(/\s+/)[0] : undefined;
  return name && /^[\p{L}'’-]{2,20}$/u.test(name) ? `, ${name}` : "";
}

function outcomeOf({ fields, known, interest, call: wished }: Progress): string {
  if (interest === "no") return "not_interested";
  if (wished?.time) return "call_scheduled";
  return fields.length > 0 && fields.every(({ field }) => known.has(field.name)) ? "qualified" : "in_conversation";
}

const FORMATS = new Map<string, Intl.DateTimeFormat>();

/** `Tuesday, November 24 at 3:00 PM`, in the contact's zone. */
export function spokenDate(at: Date, zone: string): string {
  let format = FORMATS.get(zone);
  if (format === undefined) {
    const parts = { weekday: "long", month: "long", day: "numeric", hour: "numeric", minute: "2-digit" } as const;
    format = new Intl.DateTimeFormat("en-US", { ...parts, timeZone: zone });
    FORMATS.set(zone, format);
  }
  return format.format(at).replaceAll("\u202f", " ");
}
