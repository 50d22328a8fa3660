import { foldText } from "#domain/values/fold.ts";
import type { Conversation } from "#ports/language-model.ts";
import { answerTo, factsOf, topicsOf } from "./facts.ts";
import { noted } from "./noted.ts";
import { type Channel, type Move, onTo } from "./say.ts";
import type { State, Together } from "./state.ts";
import { fresh, wasSaid } from "./wording.ts";

/** The contact's own questions, each answered once, and on with ours. */
export function questions(
  conversation: Conversation,
  state: State,
  said: Together,
  channel: Channel,
): Move | undefined {
  const { acts } = said;
  if (!["who", "robot", "about", "source", "question"].some((act) => acts.has(act as "who"))) return undefined;
  // "Can you come Tuesday?", "how about 3?" names a value in the form of a question.
  const offers =
    state.learned.some(({ slot }) => slot.kind !== "yes_no" && slot.kind !== "interest") &&
    !acts.has("who") &&
    !acts.has("robot") &&
    !acts.has("source") &&
    !isAsking(said) &&
    !asksBeside(state, said);
  if (offers) return undefined;
  const sentences = answers(conversation, state, said, channel.introduction);
  const acknowledged = channel.spoken ? [] : noted(state).slice(0, 1);
  return {
    sentences: [...acknowledged.filter((text) => (text + sentences.join(" ")).length < 200), ...sentences],
    ...(acts.has("goodbye") ? {} : onTo(state)),
  };
}

/** `filter is clogged. Also can you open it?`: a sentence asks, and holds no value. */
function asksBeside({ learned, known }: State, { text }: Together): boolean {
  const quotes = learned.map(({ slot }) => known.get(slot.field.name)?.quote ?? "");
  const asking = text
    .split(/(?<=[.!?])\s+|\n|, (?=(?:do|does|is|are|can|could|will|would|how|what|where|who)\b)/)
    .filter((part) => part.trim().endsWith("?"));
  return (
    asking.length > 0 &&
    asking.some(
      (part) => part.length < text.trim().length && !quotes.some((quote) => quote !== "" && part.includes(quote)),
    )
  );
}

const isAsking = ({ folded }: Together): boolean =>
  /\b(?:what|whats|how|why|where|wheres|when (?:are|do|does|will|is)|which|who|do (?:you|u|i|they)|does|is there|are (?:you|u|there|they)|is (?:it|the|this|that)|can i|can (?:you|u) (?:fix|do|beat|knock|give|guarantee)|will|cuanto|donde|cuando)\b/.test(
    folded,
  );

/** The sentences that answer a text, two at most. */
export function answers(
  conversation: Conversation,
  state: State,
  { text, acts }: Together,
  introduction: string | undefined,
): string[] {
  const found: string[] = [];
  if (introduction !== undefined && (acts.has("who") || acts.has("robot") || acts.has("about"))) {
    found.push(
      wasSaid(state, introduction)
        ? introduction.replace(/^I'm /, "As I said, I'm ").replace(/^Soy /, "Como dije, soy ")
        : introduction,
    );
  }
  for (const part of questionParts(text)) {
    if (found.length >= 2) break;
    if (/\b(?:who|robot|bot|real person|human|qui[eé]n)\b/i.test(part) && found.length > 0) continue;
    if (acts.has("about") && found.length > 0) {
      const why = openingOf(conversation) ?? sourceOf(conversation, state);
      if (why !== undefined) found.push(why);
      continue;
    }
    // "I don't remember asking for that" wants to hear where the number is from.
    const source =
      acts.has("source") && !topicsOf(foldText(part)).has("source") ? sourceOf(conversation, state) : undefined;
    const fact = source ?? factFor(conversation, state, part);
    if (fact !== undefined && !found.includes(fact)) found.push(fact);
  }
  return found;
}

/** Each question of a text by itself; a text without a mark is one. */
function questionParts(text: string): string[] {
  const parts = text
    .split(
      /(?<=\?)|(?<=[.!])\s|[\n;]| and (?=how|what|when|where|do|is|are|can)|, (?=how|what|when|where|do|is|are|can|any)/i,
    )
    .map((part) => part.trim())
    .filter((part) => /\p{L}/u.test(part));
  const asking = parts.filter(
    (part) =>
      part.includes("?") ||
      /\b(?:what|how|when|where|who|why|which|whats|do (?:you|u|i)|does|is it|are (?:you|u|they)|can i|can (?:you|u))\b/i.test(
        part,
      ),
  );
  return (asking.length > 0 ? asking : [text]).slice(0, 3);
}

export function factFor(conversation: Conversation, state: State, question: string): string | undefined {
  const facts = factsOf(`${conversation.agent.instructions}\n${conversation.agent.goal ?? ""}`);
  const found = answerTo(question, facts);
  if (found.kind === "forbidden") return fresh(state, "forbidden");
  const opening =
    found.kind === "unknown" && /\b(?:what (?:time|day|date)|when)\b/i.test(question)
      ? timeIn(conversation)
      : undefined;
  if (opening !== undefined && !wasSaid(state, `As I wrote, ${opening}`)) return `As I wrote, ${opening}`;
  if (found.kind === "unknown") return fresh(state, "pass_on");
  return wasSaid(state, found.text) ? `As I said, ${withinSentence(found.text)}` : found.text;
}

/** `Our fee is ...` -> `our fee is ...`; a name keeps its capital. */
const withinSentence = (text: string): string =>
  text.replace(
    /^(?:Our|We|You|Your|The|A|An|It|Its|They|There|This|That|These|Those|All|Every|Each|Most|Some|No|One|Is|In|On|At|If|When|After|Before|With|For)\b/,
    (word) => word.toLowerCase(),
  );

/** What the first text stated, for whoever asks what it is about. */
function openingOf({ history, agent }: Conversation): string | undefined {
  const first = history.find(({ role }) => role === "agent")?.text ?? "";
  const stated = first
    .split(/(?<=[.!?])\s+/)
    .find((sentence) => !sentence.includes("?") && !sentence.includes(agent.name) && sentence.length > 15);
  if (stated !== undefined) return `As I wrote, ${withinSentence(stated)}`;
  const about = /\babout ((?:your|the|a|an) [^.?!]{3,80})/.exec(first)?.[1];
  return about === undefined ? undefined : `It is about ${about}.`;
}

/** What the first text said of a day and a time, for whoever asks when it is. */
function timeIn({ history, agent }: Conversation): string | undefined {
  const first = history.find(({ role }) => role === "agent")?.text ?? "";
  const stated = first
    .split(/(?<=[.!?])\s+/)
    .find((text) => !text.includes("?") && !text.includes(agent.name) && /\d ?(?:[ap]m|:\d\d)/i.test(text));
  return stated === undefined ? undefined : withinSentence(stated);
}

function sourceOf(conversation: Conversation, state: State): string | undefined {
  const { stated } = factsOf(conversation.agent.instructions);
  const source = stated.find(({ topics }) => topics.has("source")) ?? stated.find(({ text }) => /^You /.test(text));
  return source === undefined || wasSaid(state, source.text) ? undefined : source.text;
}
