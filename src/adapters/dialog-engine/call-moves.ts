import type { Conversation } from "#ports/language-model.ts";
import { asking, type Channel, type Move, onTo, texts } from "./say.ts";
import type { State, Together } from "./state.ts";
import { fresh } from "./wording.ts";

/** Calls further ahead are not taken by the service; a person has to note them. */
const MAX_CALL_AHEAD_MS = 90 * 86_400_000;

export function person(state: State, { acts }: Together, channel: Channel): Move | undefined {
  if (!acts.has("person")) return undefined;
  if (channel.canTransfer)
    return { sentences: texts(state, channel.spoken ? "put_through" : "calls_shortly"), does: "transfer" };
  if (!channel.canSchedule && !channel.spoken) return passedOn(state, true);
  return { sentences: texts(state, "cannot_put_through"), ...asking(state, "ask_call") };
}

/** A wish to be called: at a time when one was named, now when that is possible, else when? */
export function callMe({ now }: Conversation, state: State, said: Together, channel: Channel): Move | undefined {
  const { acts, time } = said;
  const { pending } = state;
  const asked =
    pending === "call_time" ||
    (pending === "later" && !acts.has("yes") && !acts.has("interest")) ||
    (typeof pending === "object" && pending.kind === "call_time");
  const parks = pending === "call_time" || pending === "later";
  const wants =
    acts.has("call") ||
    (channel.spoken &&
      acts.has("later") &&
      !acts.has("declines") &&
      state.learned.every(({ slot }) => slot.kind === "call_time"));
  if (!wants && !(asked && (time !== undefined || (parks && (acts.has("no") || acts.has("declines"))))))
    return undefined;
  if (acts.has("refuse") && !acts.has("call")) return undefined;
  if (time !== undefined) {
    const tooFar = time.at.getTime() - now.getTime() > MAX_CALL_AHEAD_MS;
    if (tooFar || !channel.canSchedule || (!time.hasTime && !acts.has("call") && !time.hasDate))
      return passedOn(state, acts.has("call") || parks);
    return scheduled(time.at, state, channel, acts.has("call") || parks);
  }
  if (!wants)
    return {
      sentences: texts(state, channel.spoken ? "leave_it" : "when_it_suits"),
      ...(channel.spoken ? { ends: "in_conversation" } : {}),
    };
  if (acts.has("call") && channel.canTransfer && !channel.spoken && !acts.has("later"))
    return { sentences: texts(state, "calls_shortly"), does: "transfer" };
  if (!channel.canSchedule) return passedOn(state, true);
  if (asked && parks && channel.spoken) return { sentences: texts(state, "leave_it"), ends: "in_conversation" };
  return acts.has("later") && !acts.has("call")
    ? { sentences: texts(state, "no_problem"), ...asking(state, "ask_later") }
    : { sentences: texts(state, "sure"), ...asking(state, "ask_call") };
}

/** Who wants to be called instead is not asked on. */
function scheduled(at: Date, state: State, channel: Channel, instead: boolean): Move {
  const booked = fresh(state, "call_booked", channel.when(at));
  const rest = channel.spoken || instead ? {} : onTo(state);
  const sentences = [...(booked === undefined ? texts(state, "sure") : [booked])];
  if (rest.question !== undefined) return { sentences, ...rest, does: { schedule: at } };
  return { sentences: [...sentences, ...texts(state, "talk_then")], does: { schedule: at }, ends: "call_scheduled" };
}

function passedOn(state: State, instead: boolean): Move {
  const next = instead ? undefined : onTo(state).question;
  const sentences = texts(state, "passed_on");
  return next === undefined ? { sentences, ends: "call_requested" } : { sentences, question: next };
}

/** Busy: a time that is named is kept, else it is asked for, once. */
export function notNow(state: State, { acts, time, folded }: Together, { spoken }: Channel): Move | undefined {
  const vague = state.pending === "later" && state.learned.length === 0 && (time !== undefined || VAGUELY.test(folded));
  if (vague && !acts.has("yes") && !acts.has("interest") && !acts.has("question"))
    return { sentences: texts(state, "until_then") };
  if (
    !acts.has("later") ||
    state.learned.length > 0 ||
    acts.has("refuse") ||
    (acts.has("declines") && typeof state.pending === "object")
  )
    return undefined;
  if (acts.has("goodbye") && !acts.has("question")) return undefined;
  // A day that is weeks ahead nobody would remember: people get to know of it.
  if (IN_WEEKS.test(folded) && !spoken) return { sentences: texts(state, "weeks_ahead"), needsPerson: true };
  if (time !== undefined && !spoken) return { sentences: texts(state, "until_then") };
  if (state.pending === "later" || state.pending === "call_time")
    return { sentences: texts(state, spoken ? "leave_it" : "when_it_suits") };
  const asked = asking(state, "ask_later");
  return asked.question === undefined
    ? { sentences: texts(state, "when_it_suits") }
    : { sentences: texts(state, "no_problem"), ...asked };
}

/** "Hit me up in May": nobody has to ask when. */
const IN_WEEKS =
  /\b(?:in|around|after|until|maybe|perhaps|try|this|next) (?:in )?(?:early |late |mid )?(?:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|(?:the )?(?:spring|summer|fall|winter|new year))\b|\b(?:next (?:week|month|year)|in (?:an?|one|two|three|four|six|a few|a couple(?: of)?|\d+) (?:weeks?|months?))\b/;
const VAGUELY =
  /\b(?:next|later|week|month|year|spring|summer|fall|winter|holidays|weekend|soon|tomorrow|tonight|evenings?|mornings?|afternoons?)\b/;
