import { promptAgain, replyPrompt } from "#conversation/agents/prompt.ts";
import { asModelError, DEFAULT_TIME_LIMIT_MS, withTimeLimit } from "#conversation/agents/time-limit.ts";
import { type AgentAction, actionsOf, type Powers, toolOffers } from "#conversation/agents/tools.ts";
import type { SmsAgent } from "#domain/agents/agent.ts";
import { wordingsOf } from "#domain/agents/script.ts";
import { optOutIntent } from "#domain/compliance/opt-out.ts";
import { isMediaNote } from "#domain/messaging/media.ts";
import { checkOutgoing, type GateRules, type OutputReason } from "#domain/messaging/output-gate.ts";
import { foldText } from "#domain/values/fold.ts";
import type { Conversation, HistoryMessage, LanguageModel, ModelUsage, ReplyRequest } from "#ports/language-model.ts";
import { askPatiently } from "./patience.ts";

export type TurnInput = Pick<Conversation, "contact" | "contactZone" | "now" | "history"> &
  Powers & {
    agent: SmsAgent;
    organization: string;
    goal?: string;
    /** Values of the agent's fields that are known already, from the contact or an earlier extraction. */
    known: Readonly<Record<string, string>>;
  };

export type TurnOptions = {
  signal: AbortSignal;
  timeLimitMs?: number;
  /** Whether a transient failure of the model is retried within seconds (patience.ts). False by default. */
  patient?: boolean;
  /** For the canary in the prompt; Math.random by default. */
  random?: () => number;
};

export type TurnOutcome = {
  /** What to answer, through the gate and ready to queue; null is silence. */
  text: string | null;
  actions: AgentAction[];
  /** What was dropped, refused or replaced, for the turn inspector. Holds no text of the conversation. */
  notes: string[];
  usage: ModelUsage;
  latencyMs: number;
  /** The agent passed a question on, or what the model wrote could not be used, twice: somebody has to look at what the contact wrote. */
  needsPerson: boolean;
  /** Set when the model could not answer: nothing is said then. The caller runs the turn again, or has a person answer. */
  failure?: { vendorCode: string; retryable: boolean; retryAfterMs?: number };
};

/** Stands in for an answer that cannot be used, at most once in a thread. It is true because the thread then waits for a person. */
export const FALLBACK_TEXT = "Thanks for your message. I've passed it on to our team.";

/** Models often call a tool and write nothing; these are then said with it, the first that fits. None promises a time. */
const SAID_WITH = {
  schedule_call: "Thanks, we'll call you then.",
  transfer_to_voice: "Thanks, we'll call you shortly.",
  ask_person: FALLBACK_TEXT,
} as const;

/** Four segments: what a person still reads on a phone. Longer answers pass up to the gate's ten, with a note. */
const MAX_CHARACTERS = 600;
const PREFERRED_SEGMENTS = 4;

/** Two machines that answer each other repeat themselves; a person who writes the same three times needs a person. */
const LOOP_LENGTH = 3;

const NO_USAGE: ModelUsage = { inputTokens: 0, outputTokens: 0 };

/**
 * One turn of an agent: reads the conversation, asks the model, and gives back what to say and to do. Stores and sends
 * nothing. The model is believed in nothing: tools are checked against what is on offer, the text goes through the output gate, and an
 * opt-out never reaches it. What the gate refuses is asked for once more.
 * Never fails for a model's sake; rejects only with the caller's own abort reason.
 */
export async function takeTurn(model: LanguageModel, input: TurnInput, options: TurnOptions): Promise<TurnOutcome> {
  const started = performance.now();
  const outcome = (text: string | null, more: Partial<TurnOutcome> = {}): TurnOutcome => ({
    text,
    actions: [],
    notes: [],
    usage: NO_USAGE,
    needsPerson: false,
    ...more,
    latencyMs: performance.now() - started,
  });

  const unanswered = textsToAnswer(input.history);
  if (unanswered.length === 0) return outcome(null, { notes: ["nothing to answer"] });
  if (unanswered.some((message) => optOutIntent(message.text))) {
    return outcome(null, { actions: [{ type: "do_not_message" }], notes: ["opt-out, the model was not asked"] });
  }
  if (isLoop(input.history)) return outcome(null, { notes: ["the same text again and again, not answered"] });

  const { request, guarded, canary } = requestOf(input, options.random ?? Math.random);
  const rules = gateRules(input, guarded, canary, model);
  const ask = async (asked: ReplyRequest) => {
    const once = () =>
      withTimeLimit(
        (signal) => model.reply(asked, signal),
        options.signal,
        options.timeLimitMs ?? DEFAULT_TIME_LIMIT_MS,
      );
    const result = await (options.patient ? askPatiently(once, options.signal, options.random) : once());
    return judge(result, asked, input.now, rules);
  };

  let answer: Judged;
  try {
    answer = await ask(request);
  } catch (error) {
    const { vendorCode, retryable, retryAfterMs } = asModelError(error, options.signal);
    const failure = { vendorCode, retryable, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
    return outcome(null, { notes: [`model failed: ${vendorCode}`], failure });
  }
  // Rules would write the same again.
  if (answer.refused !== undefined && !model.capabilities.local) answer = await onceMore(answer, ask, request, options);

  const { actions, notes, usage } = answer;
  const needsPerson = actions.some((action) => action.type === "ask_person");
  if (actions.some((action) => action.type === "do_not_message")) {
    return outcome(null, { actions: [{ type: "do_not_message" }], notes, usage });
  }
  if (answer.text === undefined) return outcome(fallback(input.history), { actions, notes, usage, needsPerson: true });
  if (answer.text !== null && repeats(answer.text, input.history)) {
    return outcome(null, { actions, notes: [...notes, "said twice before, not said again"], usage, needsPerson });
  }
  return outcome(answer.text, { actions, notes, usage, needsPerson });
}

/** What a model gave back, and what of it may be used: `text` as `wording` has it, `refused` why what it wrote may not leave. */
type Judged = {
  text: string | null | undefined;
  refused: OutputReason | undefined;
  actions: AgentAction[];
  notes: string[];
  usage: ModelUsage;
};

function judge(result: unknown, request: ReplyRequest, now: Date, rules: GateRules): Judged {
  const { text: written, silent, toolCalls, usage } = soundResult(result);
  const { actions, notes } = actionsOf(toolCalls, request.tools, now);
  if (actions.some((action) => action.type === "do_not_message")) {
    return { text: null, refused: undefined, actions, notes, usage };
  }
  if (silent) return { text: null, refused: undefined, actions, notes, usage };
  return { ...wording(written, actions, notes, rules), actions, notes, usage };
}

/** A refused answer is asked for once more, with the reason. Where that fails, the first stands as it was refused. */
async function onceMore(
  refused: Judged,
  ask: (request: ReplyRequest) => Promise<Judged>,
  request: ReplyRequest,
  { signal }: TurnOptions,
): Promise<Judged> {
  try {
    const again = await ask({ ...request, prompt: promptAgain(request.prompt, refused.refused!) });
    const usage = {
      inputTokens: refused.usage.inputTokens + again.usage.inputTokens,
      outputTokens: refused.usage.outputTokens + again.usage.outputTokens,
    };
    return { ...again, usage, notes: [...refused.notes, "asked once more", ...again.notes] };
  } catch (error) {
    const { vendorCode } = asModelError(error, signal);
    return { ...refused, notes: [...refused.notes, `asked once more, model failed: ${vendorCode}`] };
  }
}

function requestOf(input: TurnInput, random: () => number): { request: ReplyRequest; guarded: string; canary: string } {
  const { agent } = input;
  const canary = `ref-${random().toString(36).slice(2, 8)}${random().toString(36).slice(2, 8)}`;
  const conversation = {
    agent: {
      name: agent.agent_name,
      organization: input.organization,
      instructions: agent.prompt,
      ...(agent.questions ? { questions: agent.questions } : {}),
      ...(input.goal ? { goal: input.goal } : {}),
      ...(agent.model ? { model: agent.model } : {}),
      ...(agent.temperature === undefined ? {} : { temperature: agent.temperature }),
    },
    contact: input.contact,
    contactZone: input.contactZone,
    now: input.now,
    history: input.history,
    fields: agent.extraction_fields,
    known: input.known,
    tools: toolOffers(input),
    maxCharacters: MAX_CHARACTERS,
  };
  const { prompt, guarded } = replyPrompt(conversation, canary);
  return { request: { ...conversation, prompt }, guarded, canary };
}

/**
 * Where contact fields are concerned, only the contact's own address and number are known: notes may hold anyone's. Rules write nothing of
 * their own accord, and ask what the instructions ask in their words.
 */
function gateRules(input: TurnInput, guarded: string, canary: string, { capabilities }: LanguageModel): GateRules {
  const { contact, history, agent, organization } = input;
  const known = [
    agent.prompt,
    agent.starting_message ?? "",
    ...wordingsOf(agent),
    contact.email ?? "",
    contact.phone_number ?? "",
  ];
  const bySelf = history.filter(({ role }) => role === "contact").map(({ text }) => text);
  const authored = [agent.starting_message ?? "", ...agent.drip_schedule.map(({ message }) => message)];
  const instructions = { text: guarded, names: [agent.agent_name, organization], sayable: [...bySelf, ...authored] };
  return {
    allowedLinks: agent.allowed_links,
    ...(capabilities.local ? {} : { instructions }),
    promptCanaries: [canary],
    known: [...known, ...Object.values(input.known), ...history.map((message) => message.text)].join("\n"),
  };
}

/** The text that may be sent, null for a silence that is meant, undefined when what the model wrote cannot be used. */
function wording(
  written: string,
  actions: AgentAction[],
  notes: string[],
  rules: GateRules,
): Pick<Judged, "text" | "refused"> {
  const [, instead] = Object.entries(SAID_WITH).find(([type]) => actions.some((action) => action.type === type)) ?? [];
  if (written.trim() === "") {
    if (instead !== undefined) return { text: instead, refused: undefined };
    if (actions.length > 0) return { text: null, refused: undefined };
    notes.push("the model wrote nothing");
    return { text: undefined, refused: "empty" };
  }
  const verdict = checkOutgoing(written, rules);
  if (verdict.ok) {
    if (verdict.segments > PREFERRED_SEGMENTS) notes.push(`long answer: ${verdict.segments} segments`);
    return { text: verdict.text, refused: undefined };
  }
  notes.push(`answer refused: ${verdict.reason}`);
  return { text: instead ?? (actions.length > 0 ? null : undefined), refused: verdict.reason };
}

/** What a model gave back, whatever it is. */
function soundResult(result: unknown): {
  text: string;
  silent: boolean;
  toolCalls: { name: string; args: unknown }[];
  usage: ModelUsage;
} {
  const { text, silent, toolCalls, usage } = (result ?? {}) as Record<string, unknown>;
  const { inputTokens, outputTokens } = (usage ?? {}) as Record<string, unknown>;
  return {
    text: typeof text === "string" ? text : "",
    silent: silent === true && (text === "" || text === undefined),
    toolCalls: Array.isArray(toolCalls) ? toolCalls.filter((call) => typeof call === "object" && call !== null) : [],
    usage: { inputTokens: count(inputTokens), outputTokens: count(outputTokens) },
  };
}

const count = (given: unknown): number =>
  Number.isSafeInteger(given) && (given as number) >= 0 ? (given as number) : 0;

/** The contact's texts since anyone last answered. */
function textsToAnswer(history: readonly HistoryMessage[]): readonly HistoryMessage[] {
  return history.slice(history.findLastIndex((message) => message.role !== "contact") + 1);
}

function isLoop(history: readonly HistoryMessage[]): boolean {
  const last = history.filter((message) => message.role === "contact").slice(-LOOP_LENGTH);
  return (
    last.length === LOOP_LENGTH &&
    // Several pictures are one thought in pieces.
    !last.every((message) => isMediaNote(message.text)) &&
    new Set(last.map((message) => foldText(message.text) || message.text)).size === 1
  );
}

function repeats(text: string, history: readonly HistoryMessage[]): boolean {
  const folded = foldText(text);
  return history.filter((message) => message.role === "agent" && foldText(message.text) === folded).length >= 2;
}

function fallback(history: readonly HistoryMessage[]): string | null {
  return history.some((message) => message.role === "agent" && message.text === FALLBACK_TEXT) ? null : FALLBACK_TEXT;
}
