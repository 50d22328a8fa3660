import type { Said } from "./said.ts";
import type { Slot } from "./slot.ts";

const KIN =
  "sisters?|brothers?|neighbou?rs?|friends?|cousins?|cowork\\w+|colleagues?|buddy|buddies|in ?-?laws?|(?:mother|father|sister|brother|son|daughter) in law|aunt|uncle|ex|roommate|boss";
/** Somebody else, and what that person has or does, right before the value. */
const THEIRS = new RegExp(
  `\\b(?:my|our|his|her|their|a) (?:\\p{L}+ )?(?:${KIN})(?: (?:only|just|always|used to|usually|already))? (?:pays?|paid|gets?|got|makes?|made|spends?|spent|charges?|charged|has|had|uses?|used|wants?|wanted|sold|bought|said|says|takes?|took|found|offered|quoted)(?: (?:me|like|about|around|only|just|it|one|theirs|his|hers|for|at|over|under))*[ $€£]*$`,
  "iu",
);

const IS_OF_KIN = new RegExp(`\\b(?:${KIN})\\b`, "i");

/** "My sister pays 15": what somebody else pays is no answer, unless the field is about that person. */
export function isOfKin({ kind, words, field }: Slot, quote: string, { text }: Said): boolean {
  if (kind !== "money" && kind !== "number") return false;
  const at = text.indexOf(quote);
  const clause = text
    .slice(Math.max(0, at - MOST_OF_KIN), Math.max(0, at))
    .split(/[.,;!?\n]/)
    .at(-1)!;
  return THEIRS.test(clause) && !IS_OF_KIN.test(`${words.join(" ")} ${field.description ?? ""}`);
}
const MOST_OF_KIN = 70;

/** "And if there's two colors on it", "if my brother comes we'd be 4": what would be is no answer. */
const SUPPOSES =
  /\b(?:if|unless|suppose|supposing|in case|what about when)\b(?! (?:i (?:had|have) to (?:guess|say)|i (?:remember|recall)|im not (?:mistaken|wrong)|i'm not (?:mistaken|wrong)|you (?:mean|count)|it (?:helps|matters)|possible|anything|that'?s|not))/i;

/** Whether what stands at a place of a text is in a clause that supposes something. */
export function isSupposed(text: string, at: number): boolean {
  const clause = text
    .slice(Math.max(0, at - MOST_AHEAD), at)
    .split(/[.,;!?\n]| but | otherwise | so | then /i)
    .at(-1)!;
  return SUPPOSES.test(clause);
}
const MOST_AHEAD = 80;
