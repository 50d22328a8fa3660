import type { Act } from "#adapters/dialog-reading/acts.ts";
import { isMeasure, NAMES_NOTHING } from "#adapters/dialog-reading/free-words.ts";
import type { Said } from "#adapters/dialog-reading/said.ts";
import type { Slot } from "#adapters/dialog-reading/slot.ts";
import { isNoise } from "#adapters/dialog-words/noise.ts";
import { foldText } from "#domain/values/fold.ts";
import type { Read } from "./parts.ts";

/** What asks for something else than to go on, or says that no answer comes. */
const ELSE: readonly Act[] = [
  "question",
  "repeat",
  "hold",
  "still_there",
  "greets",
  "who",
  "robot",
  "about",
  "source",
  "recorded",
  "later",
  "call",
  "person",
  "other_person",
  "hostile",
  "distress",
  "refuse",
  "goodbye",
];
/** Read wrongly these are worse than asked twice, and whether somebody wants it at all is asked before anything else. */
const ASKED_AGAIN: ReadonlySet<string> = new Set(["zip", "email", "phone", "interest"]);
const STALLS =
  /^(?:(?:um|uh|oh|well|hm+|ok|okay|yeah|yes|sorry|im sorry) )*(?:(?:that|it) (?:all )?depends|depends|good question|let me|lemme|give me|say (?:that |it )?again|you (?:are |re )?(?:cut|cutting|broke|breaking)|youre (?:cutting|breaking)|speak up|i cant hear)\b/;
/** "That's more than I thought": about what the agent said. */
const COMMENTS =
  /^(?:(?:oh|wow|um|uh|well|hm+|ok|okay|yikes|ouch|huh|geez|jeez) )*(?:thats|that is|thats kinda|its) (?:more|less|a lot|a bit|not bad|pretty|quite|kind of|kinda|way|too|so|really|very)? ?(?:more|less|much|cheap|cheaper|expensive|pricey|steep|reasonable|crazy|high|low|good to know|a lot|fair)\b/;
/** Words that answer nothing by themselves. */
const FILLERS: ReadonlySet<string> = new Set(
  "um uh oh well hm hmm hmmm ok okay k kk yes yeah yea yep yup sure no nope nah lol haha lmao thanks thank you please pls so and but just like i im its it is the a an this that maybe actually fine good great cool seriously sorry hi hello hey really guess then at on in for of to by with sometime around about were we my our would be need want anyway".split(
    " ",
  ),
);

/**
 * Whether a text answers the question before it in words that no rule reads. Who asks the same again shows that nobody listened: the agent notes
 * it for people and goes on. In dialogues that nothing was tuned for, most unread texts are such answers.
 */
export function isUnread(
  asked: Slot,
  { folded, acts }: Said,
  learned: readonly Read[],
  isKnown: (slot: Slot) => boolean,
): boolean {
  if (ASKED_AGAIN.has(asked.kind) || STALLS.test(folded) || COMMENTS.test(folded) || isNoise(folded)) return false;
  // A measure answers no question of words, and a word about the conversation answers none.
  if (NAMES_NOTHING.test(folded) || (asked.kind === "text" && isMeasure(folded))) return false;
  if (ELSE.some((act) => acts.has(act))) return false;
  // A correction is of what was said before, and what was asked is still to be answered.
  if (acts.has("corrects") || learned.some(({ slot }) => isKnown(slot))) return false;
  // "No, this is the first time": a no is about all of the text.
  if (learned.length > 0 && learned.every(({ slot }) => slot.kind === "yes_no" || slot.kind === "interest"))
    return false;
  let rest = folded;
  for (const { quote } of learned) rest = rest.replace(foldText(quote), " ");
  return rest.split(" ").some((word) => word !== "" && !FILLERS.has(word));
}
