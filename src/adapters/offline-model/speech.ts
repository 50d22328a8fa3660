import type { ConverseRequest, ToolCall, VoiceToolName } from "#ports/language-model.ts";
import { asideIn } from "./aside.ts";
import { CALL_TIME_QUESTION, LATER_QUESTION, type Progress, progressOf } from "./progress.ts";
import { MAX_CALL_AHEAD_MS, named, nextQuestion, PASSED_ON, spokenDate, thanksFor } from "./reply.ts";

export type OfflineSpeech = { text: string; toolCalls: ToolCall[] };

const GOODBYE = "Goodbye.";
const CLOSING = "That's all I need for now. Someone from our team will be in touch.";
const NOT_HEARD = "Sorry, I didn't catch that.";

/** Who wants to speak to a person: the first, and after it the second; or the third alone. */
const TALK = /\b(?:talk|speak|chat|put me through|transfer me|connect me)\b/;
const TO_A_PERSON = /\b(?:person|human|someone|somebody|agent|representative|manager|supervisor|operator|your team)\b/;
const A_PERSON = /\b(?:live agent|real person|real human|representative|operator)\b/;
/** An operator's instruction, as in "tell them that we have a new offer": the words to say follow it. */
const INSTRUCTED =
  /^\s*(?:please )?(?:say|tell|ask|let|inform)(?: (?:him|her|them|the (?:contact|lead|customer|caller)))?(?: know)?(?: that)?\s*[:,]?\s*/i;

function wantsPerson(folded: string): boolean {
  const talk = folded.search(TALK);
  return A_PERSON.test(folded) || (talk >= 0 && TO_A_PERSON.test(folded.slice(talk)));
}

/** What the agent says next in a call, by the rules by which it writes: one thing at a time, and the call ends when nothing is left. */
export function offlineSpeech(request: ConverseRequest): OfflineSpeech {
  const progress = progressOf(request, request.known);
  if (request.instruction !== undefined) return say(request.instruction.replace(INSTRUCTED, ""));
  const { said } = progress;
  if (said === undefined) return say(nextQuestion(progress) ?? "");
  if (progress.optedOut) return { text: "", toolCalls: [call("do_not_call")] };

  const { meaning } = said;
  const { folded } = meaning;
  const onTo = nextQuestion(progress) ?? "";
  if (wantsPerson(folded)) {
    if (offers(request, "transfer_call")) {
      return { text: "Sure, I'll put you through now.", toolCalls: [call("transfer_call")] };
    }
    return say(`I can't put you through, but someone from our team can call you. ${CALL_TIME_QUESTION}`);
  }
  const aside = asideIn(folded);
  if (aside === "recorded") return say(`${recorded(request)} ${onTo}`);
  if (aside === "about" || meaning.whoAreYou) return say(introduction(request, onTo));
  if (aside === "repeat") return say(typeof progress.pending === "object" ? onTo : (lastOwnWords(request) ?? onTo));
  if (aside === "still_there") {
    return say(isFirst(request) ? introduction(request, onTo) : `Yes, I'm here. ${onTo}`);
  }
  if (aside === "hold") return say("Sure, take your time.");
  if (folded === "") return say(`${NOT_HEARD} ${onTo}`);

  const again = callAgain(request, progress);
  if (again) return again;
  const turnedDown = progress.interest === "no" && (meaning.notInterested || meaning.no);
  if (turnedDown) return end(`No problem${named(progress)}, thanks for your time. ${GOODBYE}`);
  if (meaning.goodbye && progress.learned.size === 0) return end(`Thanks for your time. ${GOODBYE}`);
  return carryOn(request, progress, onTo);
}

const call = (name: VoiceToolName, args: Record<string, unknown> = {}): ToolCall => ({ name, args });
const say = (text: string): OfflineSpeech => ({ text: text.trim(), toolCalls: [] });
const end = (text: string, ...before: ToolCall[]): OfflineSpeech => ({
  text,
  toolCalls: [...before, call("end_call")],
});
const offers = (request: ConverseRequest, name: VoiceToolName): boolean =>
  request.tools.some((tool) => tool.name === name);

const recorded = (request: ConverseRequest): string =>
  request.recorded ? "Yes, this call is recorded." : "No, this call is not recorded.";

function introduction({ agent, direction }: ConverseRequest, onTo: string): string {
  const doing = direction === "outbound" ? "calling for" : "answering for";
  return `I'm ${agent.name}, an automated assistant ${doing} ${agent.organization}. ${onTo}`;
}

const isFirst = ({ history, spokenFrom }: ConverseRequest): boolean =>
  !history.slice(spokenFrom).some(({ role }) => role === "agent");

const lastOwnWords = ({ history, spokenFrom }: ConverseRequest): string | undefined =>
  history.slice(spokenFrom).findLast(({ role }) => role === "agent")?.text;

/** A wish to be called at another time: noted when it has one, else asked for, once. */
function callAgain(request: ConverseRequest, progress: Progress): OfflineSpeech | undefined {
  const { said, pending } = progress;
  if (said === undefined) return undefined;
  const { meaning, time } = said;
  const asked = pending === "call_time" || (typeof pending === "object" && pending.kind === "call_time");
  const wanted = meaning.wantsCall || (meaning.later && progress.learned.size === 0);
  if (!wanted && !(asked && (time !== undefined || meaning.no || meaning.declined))) return undefined;
  if (!offers(request, "schedule_callback")) return end(`No problem, I'll pass that on to our team. ${GOODBYE}`);
  if (time === undefined) {
    if (asked) return end(`No problem, I'll leave it there. Thanks for your time. ${GOODBYE}`);
    return say(meaning.wantsCall ? `Sure. ${CALL_TIME_QUESTION}` : `No problem. ${LATER_QUESTION}`);
  }
  if (time.at.getTime() - request.now.getTime() > MAX_CALL_AHEAD_MS) {
    return end(`Thanks, I'll pass that on to our team. ${GOODBYE}`);
  }
  const when = spokenDate(time.at, request.contactZone).replace(":00 ", " ");
  const noted = call("schedule_callback", { time: time.at.toISOString() });
  return end(`Great${named(progress)}, we'll call you on ${when}. Talk to you then. ${GOODBYE}`, noted);
}

/** Thanks for what was learned, and the next question; the end when there is none. */
function carryOn(request: ConverseRequest, progress: Progress, onTo: string): OfflineSpeech {
  const { said, learned, next, fields, interest } = progress;
  const { meaning } = said!;
  if (next !== undefined) {
    if (learned.size > 0) return say(`${thanksFor(request, progress)} ${onTo}`);
    if (meaning.question) return say(`${PASSED_ON} ${onTo}`);
    if (progress.declined) return say(`No problem. ${onTo}`);
    if (isFirst(request)) return say(introduction(request, onTo));
    if (meaning.no) return say(`No problem. ${onTo}`);
    return say(`${next.times > 0 ? NOT_HEARD : thanksFor(request, progress)} ${onTo}`);
  }
  if (fields.length > 0) return end(`Thanks${named(progress)}. ${CLOSING} ${GOODBYE}`);
  if (meaning.question) return say(PASSED_ON);
  if (interest === "yes") {
    return offers(request, "schedule_callback")
      ? say(`Great! ${CALL_TIME_QUESTION}`)
      : end(`Great${named(progress)}. ${CLOSING} ${GOODBYE}`);
  }
  const asked = request.history.slice(request.spokenFrom).some(({ text }) => onTo !== "" && text.includes(onTo));
  return asked ? end(`Thanks for your time. ${CLOSING} ${GOODBYE}`) : say(introductionOr(request, onTo));
}

const introductionOr = (request: ConverseRequest, onTo: string): string =>
  isFirst(request) ? introduction(request, onTo) : onTo;
