import { NO_PROMPT, promptAgain } from "#conversation/agents/prompt.ts";
import { asModelError } from "#conversation/agents/time-limit.ts";
import { guardedWords, voicePrompt } from "#conversation/agents/voice-prompt.ts";
import { type VoiceAction, voiceActionOf, voiceToolOffers } from "#conversation/agents/voice-tools.ts";
import { judgeOptOut } from "#conversation/messaging/judge-opt-out.ts";
import { mayBeAnsweredLater } from "#domain/agents/answer-retry.ts";
import { wordingsOf } from "#domain/agents/script.ts";
import { answererOf } from "#domain/calls/answerer.ts";
import { callbackWish } from "#domain/calls/callback-wish.ts";
import type { CallPlan } from "#domain/calls/plan.ts";
import { isPromiseHeard } from "#domain/calls/rules.ts";
import { isBadNews } from "#domain/compliance/bad-news.ts";
import { wishOf } from "#domain/compliance/opt-out.ts";
import type { GateRules, OutputReason } from "#domain/messaging/output-gate.ts";
import type { Instructions } from "#domain/messaging/recitation.ts";
import { renderTemplate } from "#domain/messaging/template.ts";
import { foldText } from "#domain/values/fold.ts";
import { findLinks } from "#domain/values/link.ts";
import type { CallDialog, CallDialogs, DialogPart } from "#ports/call-dialog.ts";
import {
  type AgentBrief,
  type ConverseLimits,
  type ConverseRequest,
  type HistoryMessage,
  type LanguageModel,
  type LanguageModels,
  ModelError,
} from "#ports/language-model.ts";
import { callMemory } from "./memory.ts";
import { modelSpeech } from "./model-speech.ts";
import { speakable } from "./speech.ts";
import { voiceLines } from "./voice-lines.ts";

export type DialogLimits = {
  /** Until a filler sentence is said. */
  slowMs: number;
  /** Until the first attempt is given up, and the second. */
  firstMs: number;
  retryMs: number;
  betweenMs: number;
  /** For a model that judges whether an unclear wish is an opt-out. */
  judgeMs: number;
};

/** People take two seconds for thinking and four for a lost connection. */
const LIMITS: DialogLimits = { slowMs: 2_000, firstMs: 5_000, retryMs: 4_000, betweenMs: 3_000, judgeMs: 2_500 };

export type DialogOptions = {
  /** The tenant's own time. */
  now: () => Date;
  /** For the canary in the prompt; Math.random by default. */
  random?: () => number;
  limits?: Partial<DialogLimits>;
  /** What has been said in the call already, oldest first; nothing by default. */
  spoken?: readonly { role: "contact" | "agent"; text: string }[];
};

/** The state of one turn's attempts. */
type Attempted = { spoken: number; covered: boolean; last: string; refused: OutputReason | undefined };

/** Reminders come after silences of the session's choosing; after this many nobody is there. */
const LAST_REMINDER = 3;
/** A provider that is away is most often back by then; the contact's own hours may put the call off further. */
const CALL_BACK_AFTER_MS = 1_800_000;
/** Screening services and menus speak first. */
const MACHINE_TURNS = 2;

const GOODBYES =
  /^(?:(?:ok|okay|alright|all right|well|great|perfect|cool|thanks|thank you|so much|very much|you too|no|yes|that is all|thats all|have a (?:good|great|nice) (?:one|day|evening|night|weekend)|i (?:have to|gotta|got to|must) go(?: now)?|talk to you (?:later|soon|then)|see you|gracias|merci) )*(?:bye|goodbye|good bye|bye bye|bye now|adios|hasta luego|au revoir|tschuss|see you|have a (?:good|great|nice) (?:one|day|evening|night|weekend)|take care|talk to you (?:later|soon|then))$/;
const ENDS_WITH_GOODBYE = /\b(?:good ?bye|bye(?:[ -]bye)?|bye now|adiós|au revoir)[\s.!]*$/i;
const WRONG_NUMBER =
  /\b(?:wrong|incorrect) (?:number|person)\b|\bnumero equivocado\b|\bmauvais numero\b|\bfaux numero\b/;
const KEY = "(\\d|zero|one|two|three|four|five|six|seven|eight|nine|star|pound)";
const OUT = "(?:opt out|stop|remov\\w+|unsubscrib\\w*|no more calls|off (?:our|the|this|your) list|not be called)";
const OPT_OUT_KEY = new RegExp(`\\bpress ${KEY}\\b.{0,40}\\b${OUT}\\b|\\b${OUT}\\b.{0,60}\\bpress ${KEY}\\b`);
const KEYS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    "zero one two three four five six seven eight nine".split(" ").map((word, key) => [word, `${key}`]),
  ),
  star: "*",
  pound: "#",
};

/** A dialog for each call, in its tenant's time. `now` is real time. */
export function callDialogs(models: LanguageModels, now: () => Date): CallDialogs {
  return (plan) =>
    callDialog(plan, models.forMode(plan.mode), { now: () => new Date(now().getTime() + plan.clockOffsetMs) });
}

/**
 * The dialog of one call. Wishes to be left alone are read by rules before a model sees them, as are the calls asked for and the goodbyes that it
 * misses; what the model says goes through the gate for speech, what it asks for is checked. It is never silent: a late or
 * failing model is covered by one sentence, then the second one is asked (or the same again), and then the agent takes its leave with a
 * promise to call back, which is scheduled.
 */
export function callDialog(plan: CallPlan, model: LanguageModel, options: DialogOptions): CallDialog {
  const { agent } = plan;
  const limits = { ...LIMITS, ...options.limits };
  const random = options.random ?? Math.random;
  const canary = `ref-${random().toString(36).slice(2, 8)}${random().toString(36).slice(2, 8)}`;
  const lines = voiceLines(agent.language);
  const memory = callMemory(plan, options.now);
  for (const { role, text } of options.spoken ?? []) {
    memory.beginTurn();
    if (role === "agent") memory.agentSays(text);
    else memory.contactSaid(text);
  }
  const tools = voiceToolOffers({ canTransfer: agent.transfer_to !== undefined });
  const links = findLinks(agent.prompt).flatMap(({ kind, text }) => (kind === "link" ? [text] : []));
  const usage = { inputTokens: 0, outputTokens: 0 };
  let begun: string | undefined;
  /** The agent has taken its leave; after an opt-out for good. */
  let over: "left" | "opted_out" | undefined;
  /** The words of the latest turn that promise a callback nobody asked for. */
  let promised: string | undefined;

  const introduction = lines.introduction({
    name: agent.agent_name,
    organization: plan.organization,
    outbound: plan.direction === "outbound",
  });

  function speak(text: string): DialogPart {
    memory.agentSays(text);
    return { kind: "sentence", text };
  }

  function* goodbye(text?: string): Generator<DialogPart> {
    over ??= "left";
    if (text !== undefined) yield speak(text);
    yield { kind: "goodbye" };
  }

  /** Committed by whoever takes the first part, before the next is asked for. */
  function* optOut(quote: string, said = quote): Generator<DialogPart> {
    over = "opted_out";
    yield { kind: "opt_out", quote };
    if (isBadNews(foldText(said))) yield speak(lines.sorryToHear);
    yield speak(WRONG_NUMBER.test(foldText(quote)) ? lines.wrongNumber : lines.optedOut);
    yield* goodbye(lines.goodbye);
  }

  /** The words that ask to be left alone. What is unclear is judged where a model can, and else means it. */
  async function wishIn(said: string, signal: AbortSignal): Promise<string | undefined> {
    const wish = wishOf(said);
    if (wish.wish === "none") return undefined;
    if (wish.wish === "stop" || model.capabilities.local) return wish.quote;
    const doubt = { text: said, doubtful: wish.quote, now: options.now() };
    const { isOptOut, quote } = await judgeOptOut(model, doubt, { signal, timeLimitMs: limits.judgeMs });
    return isOptOut ? quote : undefined;
  }

  function requestOf(
    limit: ConverseLimits,
    injected: string | undefined,
  ): { request: ConverseRequest; rules: GateRules } {
    const history = memory.history();
    const setting = {
      agent: {
        name: agent.agent_name,
        organization: plan.organization,
        instructions: agent.prompt,
        ...(agent.questions ? { questions: agent.questions } : {}),
        ...(plan.objective ? { goal: plan.objective } : {}),
        ...(agent.model ? { model: agent.model } : {}),
        ...(agent.temperature === undefined ? {} : { temperature: agent.temperature }),
      },
      contact: plan.contact,
      contactZone: plan.contactZone,
      now: options.now(),
      history,
      fields: agent.extraction_fields,
      known: plan.known,
      spokenFrom: memory.spokenFrom,
      ...(injected === undefined ? {} : { instruction: injected }),
      direction: plan.direction,
      recorded: agent.record,
      tools,
    };
    const prompt = model.capabilities.local ? NO_PROMPT : voicePrompt({ ...setting, language: agent.language }, canary);
    const own = [
      agent.prompt,
      agent.starting_message ?? "",
      ...wordingsOf(agent),
      plan.number,
      plan.contactPhone,
      injected ?? "",
    ];
    const contacts = [plan.contact.email ?? "", ...Object.values(plan.known), ...history.map(({ text }) => text)];
    const rules = {
      allowedLinks: links,
      ...(model.capabilities.local ? {} : { instructions: guardedBy(setting.agent, history) }),
      promptCanaries: [canary],
      known: [...own, ...contacts].join("\n"),
    };
    return { request: { ...setting, prompt, limits: limit }, rules };
  }

  /** The instructions, and what of them may be said: names, the author's own texts, what the contact has said. */
  function guardedBy(brief: AgentBrief, history: readonly HistoryMessage[]): Instructions {
    const bySelf = history.filter(({ role }) => role === "contact").map(({ text }) => text);
    const authored = [agent.starting_message ?? "", agent.voicemail_message ?? ""];
    return {
      text: guardedWords(brief),
      names: [agent.agent_name, plan.organization],
      sayable: [...bySelf, ...authored, introduction, lines.opening],
    };
  }

  /** One answer of the model, with whatever its failures make necessary. `said` is what it answers, if anything. */
  async function* think(said: string, injected: string | undefined, signal: AbortSignal): AsyncGenerator<DialogPart> {
    const state: Attempted = { spoken: 0, covered: false, last: "", refused: undefined };
    for (const [retry, firstMs] of [limits.firstMs, limits.retryMs].entries()) {
      try {
        yield* attempt(said, injected, { firstMs, again: retry > 0 }, state, signal);
        return;
      } catch (error) {
        if (signal.aborted) return;
        // The contact has heard an answer, if not all of it, and goes on.
        if (state.spoken > 0) return;
        if (!mayBeAnsweredLater(asModelError(error, signal))) break;
        if (retry > 0 || state.covered) continue;
        state.covered = true;
        yield speak(lines.sayAgain);
      }
    }
    // The provider works, but the gate refused what the model wrote.
    if (state.refused !== undefined) return yield speak(lines.cannotSay);
    yield* leaveForTrouble(said);
  }

  /** Where the contact named no time it is called back soon. A call that is a callback itself promises none: nobody is called again and again. */
  function* leaveForTrouble(said: string): Generator<DialogPart> {
    const wish = callbackWish(said, options.now(), plan.contactZone);
    if (wish === undefined && plan.purpose === "callback") return yield* goodbye(lines.technicalTrouble);
    const at = wish?.at ?? new Date(options.now().getTime() + CALL_BACK_AFTER_MS);
    const promise = { quote: lines.troubleCallBack, isPromise: true } as const;
    if (wish === undefined) promised = lines.troubleCallBack;
    yield { kind: "callback", at: at.toISOString(), ...(wish ? { quote: wish.quote } : promise) };
    yield* goodbye(lines.troubleCallBack);
  }

  async function* attempt(
    said: string,
    injected: string | undefined,
    { firstMs, again }: { firstMs: number; again: boolean },
    state: Attempted,
    signal: AbortSignal,
  ): AsyncGenerator<DialogPart> {
    const { request: first, rules } = requestOf({ firstMs, betweenMs: limits.betweenMs }, injected);
    const prompt = state.refused === undefined ? first.prompt : promptAgain(first.prompt, state.refused);
    const request = again ? { ...first, prompt, again } : first;
    const onUsage = ({ inputTokens, outputTokens }: typeof usage) => {
      usage.inputTokens += inputTokens;
      usage.outputTokens += outputTokens;
    };
    const actions: VoiceAction[] = [];
    const say = (text: string): DialogPart => {
      state.spoken++;
      state.last = text;
      return speak(text);
    };
    for await (const part of modelSpeech(model, request, { rules, slowAfterMs: limits.slowMs, onUsage }, signal)) {
      if (part.kind === "sentence") yield say(part.text);
      else if (part.kind === "slow" && !state.covered) {
        state.covered = true;
        yield speak(lines.oneMoment);
      } else if (part.kind === "refused" && state.spoken === 0) {
        // A model gets one more try, with the reason; offline rules would say the same again.
        if (again || model.capabilities.local) {
          yield say(lines.cannotSay);
          continue;
        }
        state.refused = part.reason;
        throw new ModelError("The model said what may not be said", { retryable: true, vendorCode: "refused" });
      } else if (part.kind === "tool") {
        const action = voiceActionOf(part.call, tools, request.now);
        if (action?.type === "do_not_call") return yield* optOut(said || memory.lastOfContact());
        if (action?.type === "press_digits") yield { kind: "dtmf", digits: action.digits };
        if (action !== undefined && !actions.some(({ type }) => type === action.type)) actions.push(action);
      }
      if (signal.aborted) return;
    }
    if (state.spoken === 0 && actions.length === 0) {
      throw new ModelError("The model asked for what is not there", { retryable: true, vendorCode: "empty" });
    }
    yield* conclude(said, actions, state.spoken > 0 ? undefined : say, () => state.last);
  }

  /** What follows the words: a call that was asked for, a transfer, the end. `say` where the model did it without a word. */
  function* conclude(
    said: string,
    actions: readonly VoiceAction[],
    say: ((text: string) => DialogPart) | undefined,
    lastWords: () => string,
  ): Generator<DialogPart> {
    const stored = actions.find((action) => action.type === "schedule_callback");
    const wish = stored ?? callbackWish(said, options.now(), plan.contactZone);
    if (wish) {
      if (stored && say) yield say(lines.callback);
      yield { kind: "callback", at: wish.at.toISOString(), quote: said.slice(0, 300) };
    }
    if (actions.some(({ type }) => type === "transfer_call")) {
      if (say) yield say(lines.transfer);
      yield { kind: "transfer", to: agent.transfer_to! };
      return;
    }
    const ends = actions.some(({ type }) => type === "end_call");
    const unsaid = say !== undefined && lastWords() === "";
    if (ends && unsaid) yield* goodbye(lines.goodbye);
    else if (ends || GOODBYES.test(foldText(said)) || ENDS_WITH_GOODBYE.test(lastWords())) yield* goodbye();
  }

  async function* turn(given: string, signal: AbortSignal): AsyncGenerator<DialogPart> {
    const said = given.trim();
    memory.contactSaid(said);
    memory.beginTurn();
    if (over) return yield* goodbye();
    if (memory.contactTurns() <= MACHINE_TURNS) {
      const answerer = answererOf(said);
      if (answerer === "call_screening") return yield* screened();
      // Only a model can find its way through a menu.
      if (answerer === "ivr" && model.capabilities.local) return yield* goodbye();
    }
    let quote: string | undefined;
    try {
      quote = await wishIn(said, signal);
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    if (quote !== undefined) return yield* optOut(quote, said);
    if (memory.isLoop()) return yield* goodbye(lines.goodbye);
    yield* think(said, undefined, signal);
  }

  function* screened(): Generator<DialogPart> {
    yield speak(introduction);
    const name = renderTemplate("{{first_name}}", plan.contact);
    if (name.problem === undefined && plan.direction === "outbound")
      yield speak(speakable(lines.callingFor(name.text)));
  }

  return {
    greeting() {
      begun ??= greetingOf(plan, plan.direction === "outbound" ? `${introduction} ${lines.opening}` : introduction);
      if (!memory.agentHasSpoken()) memory.agentSays(begun);
      return begun;
    },
    voicemailMessage: () => authored(agent.voicemail_message, plan),
    turn,
    async *prompted(why, signal) {
      memory.beginTurn();
      if (over) return yield* goodbye();
      switch (why.kind) {
        case "silence":
          if (why.reminder >= LAST_REMINDER) return yield* goodbye(lines.nobodyThere);
          if (!memory.agentHasSpoken()) return yield speak(introduction);
          return yield speak(why.reminder === 1 ? lines.stillThere : lines.canYouHear);
        case "injected":
          return yield* think("", why.text, signal);
        case "dtmf": {
          memory.contactSaid(`(pressed ${why.digits})`);
          const quote = optOutKey(memory.history().slice(memory.spokenFrom), why.digits);
          if (quote) return yield* optOut(quote);
          yield* think("", undefined, signal);
        }
      }
    },
    played(text) {
      memory.played(text);
      // They went on before they heard any of the goodbye, or all of its promise: it was never said, and all they say is answered.
      const isUnsaid = text.trim() === "" || (promised !== undefined && !isPromiseHeard(promised, text));
      if (isUnsaid && over === "left") over = undefined;
      promised = undefined;
    },
    usage,
  };
}

/**
 * The first words on answer: the disclosure of a recording, then the starting message. Without one, or without one of its variables that
 * has no fallback, the agent says who it is: an artificial voice has to (FCC 24-17), and at the start.
 */
function greetingOf(plan: CallPlan, introduction: string): string {
  const { agent } = plan;
  const disclosure = agent.record ? agent.recording_disclosure : undefined;
  const own = authored(agent.starting_message, plan) ?? introduction;
  return [disclosure === undefined ? "" : speakable(disclosure), own].join(" ").trim();
}

/** A template of the agent's author, filled with the contact's fields; undefined when one is missing. */
function authored(template: string | undefined, plan: CallPlan): string | undefined {
  if (template === undefined) return undefined;
  const rendered = renderTemplate(template, { ...plan.contact, phone_number: plan.contactPhone });
  return rendered.problem === undefined ? speakable(rendered.text) : undefined;
}

/** Whether the agent had offered this key as the way out: the words that did. */
function optOutKey(spoken: readonly { role: string; text: string }[], digits: string): string | undefined {
  for (const { role, text } of spoken) {
    const match = role === "agent" ? OPT_OUT_KEY.exec(foldText(text)) : null;
    const key = match?.[1] ?? match?.[2];
    if (key !== undefined && (KEYS[key] ?? key) === digits) return `pressed ${digits}`;
  }
  return undefined;
}
