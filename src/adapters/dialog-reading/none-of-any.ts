import { stemsOf } from "#adapters/dialog-words/stems.ts";
import { foldText } from "#domain/values/fold.ts";
import { type ReadValue, type Said, whole } from "./said.ts";
import type { Slot } from "./slot.ts";

/** `any allergies`, `any special needs`: a field of which there may be none. */
export const mayBeNone = ({ kind, field, words }: Slot): boolean =>
  kind === "text" && (/^any\b/i.test(field.description ?? "") || words[0] === "any");

const NOTHING =
  /^(?:(?:um|uh|oh|well|hm+|i think|honestly|lol|haha|nah|no|nope) )*(?:no|nope|nah|none|nothing|nada|zero|not really|not at all|not any|not that (?:i|we|im|were) (?:know|can think|aware|think)(?: of)?|not as far as (?:i|we) know|none that (?:i|we) know(?: of)?|(?:i|we) (?:dont|do not) (?:have|think so|think we do|think i do)(?: any| one)?|dont have any|nothing (?:comes to mind|special|like that|at all|really|i can think of|that i know(?: of)?|to worry about|else)|ninguna?|no tengo|no tenemos|nada especial)(?: (?:at all|thanks|thank you|really|sorry|right now|currently|that i know(?: of)?|of (?:those|that|them)|nothing|none|i think|here|thank god|gracias|luckily|lol|sir|maam))*$/;
/** "No they're healthy": a no, and why. */
const NO_AND_WHY =
  /^(?:(?:um|uh|oh|well) )*(?:no|nope|nah) (?:everyone|everybody|everything|we|we re|i|im|i m|he|hes|she|shes|they|theyre|its|it|all|thats|were|weve)\b/;
const YET =
  /\b(?:but|except|only|although|though|allerg\w*|cant|cannot|have an?|has an?|need|needs|until|unless|know|sure|idea)\b/;

/** `none`, `not that i know of`, `no special needs`: that there is none is the answer. */
export function readNone(slot: Slot, said: Said): ReadValue | undefined {
  const { folded, text, acts } = said;
  if (text.includes("?") || acts.has("question")) return undefined;
  const named =
    /^(?:(?:um|uh|oh|well|nope|nah|i have|we have|theres|there are|have|got) )*(?:no|zero|without) (?:\w+ ){0,2}(\w{3,})$/.exec(
      folded,
    )?.[1];
  const isNamed = named !== undefined && [...stemsOf(named)].some((stem) => stemsOf(slot.words.join(" ")).has(stem));
  // Of a text of two sentences the first answers: "No. What time is it?" has been left above.
  const first = foldText(text.split(/[.!\n,]/)[0] ?? "");
  const isNone =
    isNamed ||
    NOTHING.test(folded) ||
    ((NOTHING.test(first) || NO_AND_WHY.test(folded)) && !YET.test(folded) && folded.split(" ").length <= MOST_WORDS);
  return isNone ? { value: "none", quote: whole(text) } : undefined;
}
const MOST_WORDS = 9;
