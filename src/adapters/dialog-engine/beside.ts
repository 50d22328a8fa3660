import { actsIn } from "#adapters/dialog-reading/acts.ts";
import type { Said } from "#adapters/dialog-reading/said.ts";
import type { Slot } from "#adapters/dialog-reading/slot.ts";
import { isClause, wantsThing } from "#adapters/dialog-reading/things.ts";
import { readValue } from "#adapters/dialog-reading/values.ts";
import { foldText } from "#domain/values/fold.ts";
import { trimEndOf } from "#domain/values/trim-end.ts";
import { isWithin, type Read } from "./parts.ts";

/** What asks for something else than to go on. */
const ELSE = [
  "question",
  "call",
  "later",
  "refuse",
  "declines",
  "no",
  "hostile",
  "distress",
  "other_person",
  "person",
  "corrects",
  "goodbye",
] as const;
const KINDS: ReadonlySet<string> = new Set(["text", "number", "money", "choice", "name", "first_name"]);
/** Longer ones say more than two fields. */
const MOST_WORDS = 14;

const YES =
  /^\W*(?:(?:um|uh|oh|well|hi) )*(?:yes|yeah|yep|yup|sure|ok|okay|definitely|absolutely)\b[\s,.!]*(?:(?:please|sure|definitely)\b[\s,.!]*)?/i;
/** How somebody goes on who names a thing after a yes; what else follows one is about the yes. */
const NAMES_A_THING =
  /^(?:it'?s for |for |needs? (?!it\b|to\b|one\b|this\b|that\b|you\b)|i want an? |we want an? |i need an? |we need an? |i'?d like an? |mostly |mainly |my |\p{L}{3,}ing\b|about \d|maybe an? )/iu;

/** Of a list, only what says that it is for something: "two, my wife and me" names no insurer. */
const CUED = /^(?:it'?s for |for |needs? )(?!it\b|to\b|one\b|me\b|us\b|this\b|that\b|you\b)/i;

/** `yes! for Daisy`, `8th grade, needs help with science`: what is said beside the answer is for the next field that is open. */
export function readBeside(
  slots: readonly Slot[],
  said: Said,
  asked: Slot | undefined,
  found: readonly Read[],
  isKnown: (slot: Slot) => boolean,
): Read | undefined {
  const own = found.find(({ slot }) => slot === asked);
  if (asked === undefined || own === undefined || ELSE.some((act) => said.acts.has(act))) return undefined;
  if (said.text.includes("?") || said.folded.split(" ").length > MOST_WORDS) return undefined;
  const next = slots
    .slice(slots.indexOf(asked) + 1)
    .find((slot) => !isKnown(slot) && !found.some((other) => other.slot === slot));
  if (next === undefined || !KINDS.has(next.kind)) return undefined;
  const rest = restOf(said.text, own, found, next.kind === "text" && !wantsThing(next), next.kind !== "text");
  if (rest === undefined || found.some(({ slot, value }) => slot.kind === "choice" && isWithin(value, rest)))
    return undefined;
  const isAfterYes = /^(?:yes|true)$/.test(own.value);
  if (next.kind === "text" && !(isAfterYes ? NAMES_A_THING : CUED).test(rest) && (isAfterYes || !isLeftFor(next, rest)))
    return undefined;
  const { folded, acts } = actsIn(rest);
  const read = readValue(next, { ...said, text: rest, folded, acts }, true);
  return read === undefined || !said.text.includes(read.quote) ? undefined : { slot: next, ...read };
}

/** `32 thousand, all credit cards`; `repair. it won't open`: a thing for a field that wants one, a sentence for one that wants to hear what is wrong. */
function isLeftFor(next: Slot, rest: string): boolean {
  const { folded, acts } = actsIn(rest);
  const words = folded.split(" ").length;
  if (acts.size > 0 || GOES_ON.test(folded)) return false;
  if (wantsThing(next)) return words <= MOST_OF_A_THING && !isClause(rest);
  return words >= 2;
}

const MOST_OF_A_THING = 5;
/** What goes on about the value before it, or is about the conversation. */
const GOES_ON =
  /^(?:but|if|because|cause|cuz|since|unless|so|which|that|thats|although|though|maybe|or|give|more|less|at least|at most|max|tops|negotiable|flexible|asap|whatever|what|how|any|not|no|yes|please|thank|thanks|too|as well|give or take|depends|depending|i think|i guess|roughly|probably|preferably|ideally|hopefully|sorry|why|ok|okay|right|again|lol|haha|tbh|just|only|also|early|late|later|before|after|around|about|until|till|from|in|on|at|by|each|every|per|a month|a year|total|altogether|all together|including|plus|minus)\b/;

function restOf(
  text: string,
  own: Read,
  found: readonly Read[],
  isStory: boolean,
  isCount: boolean,
): string | undefined {
  if (/^(?:yes|true)$/.test(own.value)) {
    const yes = YES.exec(text)?.[0];
    const rest = yes === undefined ? "" : text.slice(yes.length).trim();
    return NAMES_A_THING.test(rest) && !found.some((other) => other !== own && rest.includes(other.quote))
      ? rest
      : undefined;
  }
  const parts = text
    .split(/[,;\n]+|\.(?=\s|$)| and (?=it'?s |he |she |they |we |needs? )/)
    .map((part) => part.trim())
    .filter((part) => part !== "");
  const holding = (words: string): number => parts.findIndex((part) => foldText(part).includes(foldText(words)));
  const quoted = holding(own.quote);
  // A choice is quoted by the whole text; its own word says where it stands.
  const at = quoted < 0 ? holding(own.value) : quoted;
  const isFree = (part: string): boolean =>
    !found.some(({ quote }) => quote.length < text.trim().length && (quote.includes(part) || part.includes(quote)));
  const first = at < 0 ? -1 : parts.findIndex((part, index) => index > at && isFree(part));
  if (first < 0 || (first > at + 1 && !isStory)) return undefined;
  // A number beside a text that answers as a whole is part of that answer: "three of us, 2 adults 1 baby, no pets".
  if (isCount && found.some(({ quote }) => quote.includes(parts[first]!))) return undefined;
  if (!isStory) return parts[first];
  // What is wrong is said in more than one part: "won't open, I think the spring broke".
  const last = parts.findIndex((part, index) => index > first && !isFree(part));
  const from = text.indexOf(parts[first]!);
  const to = last < 0 ? text.length : text.indexOf(parts[last]!, from);
  return trimEndOf(text.slice(from, to), " \n\t,;.");
}
