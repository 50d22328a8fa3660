import { isNoise } from "#adapters/dialog-words/noise.ts";
import { foldText } from "#domain/values/fold.ts";
import { trimEndOf } from "#domain/values/trim-end.ts";
import type { ReadValue, Said } from "./said.ts";

const LEADS_TO_NAME =
  /^(?:(?:um|uh|oh|well|yes|yeah|sure|okay|ok|so|it's|its|it is|that's|thats|his|her|their|the|my|name's|names|name|is|called|named|for|we call (?:him|her|them)|he's|hes|she's|shes)[,.!]? )+/i;
const NO_CALLED =
  /^(?:one|two|three|four|five|six|a|an|my|our|the)\b|\b(?:kids?|children|boys?|girls?|actually)$|^(?:uh|um|oh|ah|hm+|sweet|great|cool|nice|awesome|perfect|ok|okay|sure|wow|haha|lol|good|fine|well|hey|hi)$|\b(?:sorry|turned|turns|right|now|time|full|part|he|she|it|we|they|i|you|don'?t|doesn'?t|not|no|yes|maybe|is|are|was|has|have|days?|weeks?|years?|months?|old|today|tomorrow|later|about|around|please|thanks|what|why|need|want|the|mid|early|late|next|january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b/i;

/** The name of a child, a pet, anybody: `her name's penelope`, `it's mia m i a`, `Rex`. */
export function readCalled(said: Said): ReadValue | undefined {
  if (
    ["question", "declines", "later", "refuse", "call", "person", "other_person"].some((act) =>
      said.acts.has(act as "call"),
    )
  )
    return undefined;
  const [first = "", ...others] = said.text
    .trim()
    .split(/[.,;!?\n]|\bthat'?s\b|\bspelled\b/i)
    .filter((part) => part.trim() !== "");
  // "Sweet. Zoe, 8": further on only what is written as a name.
  const written = others
    .slice(0, 2)
    .filter((part) => /^\s*\p{Lu}\p{L}+(?: (?:and )?\p{Lu}\p{L}+){0,2}\s*$/u.test(part));
  return calledIn(first) ?? written.map(calledIn).find((read) => read !== undefined);
}

function calledIn(first: string): ReadValue | undefined {
  const bare = trimEndOf(first.trim().replace(LEADS_TO_NAME, ""), ".,! ");
  // The letters after it spell it.
  const words = bare.split(" ");
  const name = words.slice(0, words.findLastIndex((word) => word.length > 1) + 1).join(" ");
  if (!NAME.test(name) || name.split(" ").length > 3 || NO_CALLED.test(name) || isNoise(foldText(name)))
    return undefined;
  return { value: name, quote: name };
}

/** `his name's duke`, `she's called Mia`: said of somebody, whatever was asked. */
const NAMED =
  /\b(?:his|her|its|their|(?:the|my|our) \p{L}+'?s?) name(?:'?s| is) (\p{L}[\p{L}'’-]+)|\b(?:he|she|it)(?:'?s| is) (?:called|named) (\p{L}[\p{L}'’-]+)/iu;

/** `our agent is Paula Reyes`, of the agent's name: the word of the field and then a name as names are written. */
const IS_CALLED =
  /\b(?:my|our|the|his|her|their) (?:\p{L}+ )?(\p{L}{3,})(?:['’]s name)?(?:['’]s| is) (\p{Lu}[\p{L}'’-]+(?: \p{Lu}[\p{L}'’-]+){0,2})/gu;

export function readNamed(said: Said, words: readonly string[]): ReadValue | undefined {
  if (said.acts.has("question")) return undefined;
  const own = [...said.text.matchAll(IS_CALLED)].find(([, word]) => words.includes(word!.toLowerCase()))?.[2];
  if (own !== undefined && !NO_CALLED.test(own)) return { value: own, quote: own };
  const match = NAMED.exec(said.text);
  const name = match?.[1] ?? match?.[2];
  return name === undefined || NO_CALLED.test(name) ? undefined : { value: name, quote: name };
}

const INTRODUCED =
  /\b(?:my name(?:'s| is)|name(?:'s| is)|i'm|i am|this is|it's|call me|me llamo|soy)\s+(\p{Lu}[\p{L}'’-]+(?:\s+\p{Lu}[\p{L}'’.-]*){0,3})/u;
const INTRODUCED_PLAINLY = /\b(?:my name(?:'s| is)|name(?:'s| is)|me llamo)\s+([\p{L}'’-]+(?:\s+[\p{L}'’.-]+){0,2})/iu;
const NAME = /^[\p{L}][\p{L}'’.-]*(?:\s+[\p{L}][\p{L}'’.-]*){0,3}$/u;
const NO_NAME =
  /\b(?:sure|okay|thanks|why|what|not|dont|interested|later|busy|stop|hello|hi|hey|yes|no|maybe|good|fine|hm+|well|selling|buying|looking)\b/;

export function readName(
  kind: "name" | "first_name" | "last_name",
  said: Said,
  direct: boolean,
): ReadValue | undefined {
  const introduced = matched(INTRODUCED.exec(said.text), 1) ?? matched(INTRODUCED_PLAINLY.exec(said.text), 1);
  const bare = trimEndOf(said.text.trim().replace(/^(?:sure|yes|ok|okay|it's|its|um|uh|yeah)[,.!]?\s+/i, ""), ".,!");
  const { acts } = said;
  const other = ["no", "declines", "question", "later", "hostile", "refuse", "call"] as const;
  const isAnswer = direct && NAME.test(bare) && !other.some((act) => acts.has(act)) && !NO_NAME.test(foldText(bare));
  const full = introduced ?? (isAnswer ? { value: bare, quote: bare } : undefined);
  if (full === undefined) return undefined;
  const parts = full.value.split(/\s+/);
  if (kind === "first_name") return { value: parts[0]!, quote: full.quote };
  if (kind === "last_name")
    return parts.length > 1 || isAnswer ? { value: parts.at(-1)!, quote: full.quote } : undefined;
  return full;
}

function matched(match: RegExpExecArray | null, group: number): ReadValue | undefined {
  const quote = trimEndOf(match?.[group] ?? "", ".,!?").trim();
  return quote ? { value: quote, quote } : undefined;
}
