import { type Numeral, numeralsIn } from "#adapters/dialog-words/numerals.ts";
import type { ReadValue, Said } from "./said.ts";
import type { Slot } from "./slot.ts";
import { unitOfSlot } from "./units.ts";

const ALONE =
  /^(?:(?:um|uh|its|it s|it is|thats|well|oh|nah|no|only) )*(?:(?:just|only)? ?(?:me|myself|solo|alone|by myself|one driver)(?: only| myself| driving)?$|(?:just|only) me\b(?! and))/;
const TWO =
  /\b(?:me and my (?:wife|husband|spouse|partner|girlfriend|boyfriend|gf|bf|fiancee?|son|daughter|mom|dad|sister|brother|friend|roommate)|me and (?:the )?(?:wife|wifey|husband|hubby|missus|hubs)|(?:my )?(?:wife|husband|spouse|partner) and (?:me|i|myself)|(?:the )?(?:two|2|both) of us|a couple of us)\b(?! and)/i;
export const isPeople = ({ stems }: Slot): boolean =>
  [
    "driver",
    "peopl",
    "person",
    "guest",
    "adult",
    "attende",
    "employe",
    "employees",
    "occupant",
    "resident",
    "staff",
    "passeng",
    "passenger",
    "player",
    "worker",
    "travel",
    "traveler",
  ].some((word) => stems.has(word));

const RELATIVES =
  /\b(?:wife|husband|spouse|partner|son|daughter|teen|teenager|mom|mother|dad|father|brother|sister|roommate|girlfriend|boyfriend|friend)\b/g;

/** `me my wife and our daughter`, `me plus three`. */
function personsIn(folded: string): number | undefined {
  if (
    !/\b(?:me|myself|i)\b/.test(folded) ||
    /\b(?:kids|children|sons|daughters|friends|only|just|off|without|not|no)\b/.test(folded)
  )
    return undefined;
  const plus = /\bme (?:and|plus) (\w+)(?: others?| more)?$/.exec(folded)?.[1];
  const more = plus === undefined ? undefined : numeralsIn(plus)[0]?.value;
  if (more !== undefined) return more + 1;
  const others = folded.match(RELATIVES)?.length ?? 0;
  return others >= 2 && numeralsIn(folded).length === 0 ? others + 1 : undefined;
}

const ADULTS = /^(?:adults?|grown|grownups?|men|women|ladies|seniors?|parents)$/;
const CHILDREN =
  /^(?:kids?|child|children|toddlers?|teens?|teenagers?|bab(?:y|ies)|infants?|boys?|girls?|sons?|daughters?|little|grandkids|grandchildren)$/;

/** Of whom a field or a number speaks, where it says so. */
export const groupOf = (words: readonly string[]): "adults" | "children" | undefined =>
  words.some((word) => ADULTS.test(word))
    ? "adults"
    : words.some((word) => CHILDREN.test(word))
      ? "children"
      : undefined;

/** "3 kids" are no adults. */
export const isOfOthers = (slot: Slot, { after }: Numeral): boolean => {
  const [wanted, said] = [groupOf(slot.words), groupOf([after])];
  return wanted !== undefined && said !== undefined && wanted !== said;
};

/** `2 adults and 3 kids`: who asks for all of them wants the sum. */
function partyIn(slot: Slot, text: string): ReadValue | undefined {
  if (groupOf(slot.words) !== undefined) return undefined;
  const [first, second, more] = numeralsIn(text).filter(({ after }) => groupOf([after]) !== undefined);
  if (first === undefined || second === undefined || more !== undefined || first.after === second.after)
    return undefined;
  const between = text.slice(first.to, second.from).replace(/^ ?[\p{L}-]+/u, "");
  if (!JOINS.test(between)) return undefined;
  const quote = text.slice(first.from, second.to);
  return { value: String(first.value + second.value), quote };
}
const JOINS = /^(?:ups?)?,? ?(?:and|n|&|\+|plus|with|y)? ?$/i;

/** `we have twins`, where children are counted. */
const AT_ONE_BIRTH = /\b(?:(twins)|triplets)\b/i;
function bornTogether(slot: Slot, { text, acts }: Said): ReadValue | undefined {
  const match = groupOf(slot.words) === "children" && !acts.has("question") ? AT_ONE_BIRTH.exec(text) : null;
  if (match === null || numeralsIn(text).length > 0) return undefined;
  return { value: match[1] === undefined ? "3" : "2", quote: match[0] };
}

const SPOUSE = /\b(?:wife|husband|spouse|partner|girlfriend|boyfriend)\b/;
const HOUSEHOLD =
  /\b(?:(\d{1,2}|two|three|four|five|six) )(?:\w+ )?(?:kids|children|teenagers|teens|sons|daughters|boys|girls|roommates)\b/;

/** `me my wife and our two teenagers`. */
function householdIn(slot: Slot, folded: string): number | undefined {
  // Children drive no car, as far as anybody says.
  if (slot.stems.has("driver") && !/\b(?:teenagers|teens)\b/.test(folded)) return undefined;
  const more = numeralsIn(HOUSEHOLD.exec(folded)?.[1] ?? "")[0]?.value;
  if (more === undefined || !/\b(?:me|myself|i)\b/.test(folded) || numeralsIn(folded).length > 1) return undefined;
  return 1 + (SPOUSE.test(folded) ? 1 : 0) + more;
}

/** `my wife and me and our two boys`: the adults of it. */
function couplesIn(folded: string): number | undefined {
  if (!/\b(?:me|myself|i)\b/.test(folded) || !SPOUSE.test(folded)) return undefined;
  return /\b(?:mom|mother|dad|father|brother|sister|friends?|parents)\b/.test(folded) ? undefined : 2;
}

const PAIR =
  /\b(?:me|myself|i) (?:and|plus|\+|&) (?:my |the )?(?:wife|husband|spouse|partner|girlfriend|boyfriend)\b|\b(?:wife|husband|spouse|partner|girlfriend|boyfriend) (?:and|plus|\+|&) (?:me|myself|i)\b/i;

/** How many people there are, by who they are: `just me`, `2 adults and 3 kids`, `me my wife and our daughter`. */
export function peopleIn(slot: Slot, said: Said, direct: boolean): ReadValue | undefined {
  const { text, folded } = said;
  const people = isPeople(slot);
  // Tickets and seats are for people, too.
  const isForPeople = people || (direct && unitOfSlot(slot) === undefined);
  const party = (isForPeople ? partyIn(slot, text) : undefined) ?? bornTogether(slot, said);
  if (party !== undefined) return party;
  if (people && direct && ALONE.test(folded)) return { value: "1", quote: text.trim() };
  if (
    people &&
    !said.acts.has("other_person") &&
    householdIn(slot, folded) === undefined &&
    !/\b(?:son|daughter|kid|three|3)\b/.test(folded.replace(TWO, "")) &&
    TWO.test(folded)
  )
    return { value: "2", quote: TWO.exec(text)?.[0] ?? text.trim() };
  const group = groupOf(slot.words);
  const named =
    people && direct && group === undefined
      ? (householdIn(slot, folded) ?? personsIn(folded))
      : group === "adults" && direct
        ? couplesIn(folded)
        : undefined;
  if (named !== undefined)
    return { value: String(named), quote: group === undefined ? text.trim() : (PAIR.exec(text)?.[0] ?? text.trim()) };
  return undefined;
}
