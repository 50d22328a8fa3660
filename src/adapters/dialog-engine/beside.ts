import { actsIn } from "#adapters/dialog-reading/acts.ts";
import type { Said } from "#adapters/dialog-reading/said.ts";
import type { Slot } from "#adapters/dialog-reading/slot.ts";
import { readValue } from "#adapters/dialog-reading/values.ts";
import { foldText } from "#domain/values/fold.ts";
import type { Learned } from "./state.ts";

type Read = Learned & { quote: string };

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
  const rest = restOf(said.text, own, found);
  if (rest === undefined) return undefined;
  const isAfterYes = /^(?:yes|true)$/.test(own.value);
  if (next.kind === "text" && !(isAfterYes ? NAMES_A_THING : CUED).test(rest)) return undefined;
  const { folded, acts } = actsIn(rest);
  const read = readValue(next, { ...said, text: rest, folded, acts }, true);
  return read === undefined || !said.text.includes(read.quote) ? undefined : { slot: next, ...read };
}

function restOf(text: string, own: Read, found: readonly Read[]): string | undefined {
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
  const at = parts.findIndex((part) => foldText(part).includes(foldText(own.quote)));
  const rest = at < 0 ? undefined : parts[at + 1];
  return rest === undefined || found.some(({ quote }) => quote.includes(rest) || rest.includes(quote))
    ? undefined
    : rest;
}
