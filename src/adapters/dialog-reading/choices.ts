import { foldText } from "#domain/values/fold.ts";
import { actsIn } from "./acts.ts";
import { frequenciesIn } from "./frequencies.ts";
import { type ReadValue, type Said, whole } from "./said.ts";
import type { Slot } from "./slot.ts";

const NUMBERED = /\b\d{1,2}(?:st|nd|rd|th)\b/g;
const ORDINALS = "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split(" ");
const TURNED_DOWN =
  /\b\w+ (?:(?:are|is|would be|might be|will be) (?:no good|out|bad|hard|tough|not good|impossible|too \w+)|is a lot|costs too much)\b|\b\w+ (?:dont|doesnt|wont) work\b|\bnot an? \w+ person\b/;
const TURNS_DOWN =
  /\b(?:not|cant|hates?|dislikes?|(?:dont|doesnt|didnt|wouldnt) (?:\w+ )?(?:like|want|love)|(?:sick|tired) of|instead of|rather than) (?:\w+ ){0,2}$/;
const CANT =
  /\b(?:cant|cannot|hates?|dislikes?|(?:dont|doesnt|didnt|wouldnt) (?:\w+ )?(?:like|want|love)|(?:sick|tired) of|wont|not|anything but|no) (?:\w+ )?$/;
const UNDECIDED = /\b(?:either|both(?! ways)|whichever|any ?time|no preference|doesnt matter|dont care|neither)\b/;
const MEANS: ReadonlyMap<string, readonly string[]> = new Map([
  ["morning", ["am", "a m", "mornin", "early", "before noon", "manana", "before lunch"]],
  ["afternoon", ["pm", "p m", "after lunch", "tarde", "after noon"]],
  ["evening", ["after work", "night", "nights", "noche", "pm", "after dinner"]],
  ["day", ["days", "daytime", "mornings", "first shift", "dia"]],
  ["night", ["nights", "overnight", "overnights", "graveyard", "noche", "third shift"]],
  ["once", ["one time", "just once", "one off", "single", "just the once", "this one time"]],
  ["monthly", ["a month", "every month", "per month", "each month"]],
  ["indoors", ["inside", "indoor", "in doors", "under a roof"]],
  ["outdoors", ["outside", "outdoor", "out doors", "open air"]],
  ["dogs", ["puppies", "pups", "puppy"]],
  ["cats", ["kittens", "kitties", "kitty"]],
  ["manual", ["stick", "stick shift", "five speed", "a clutch"]],
  [
    "lower payment",
    ["pay less", "paying less", "smaller payment", "payment down", "lower monthly", "cheaper", "payment"],
  ],
  ["weekly", ["a week", "every week", "per week", "each week"]],
  [
    "buy",
    [
      "buying",
      "buyin",
      "purchase",
      "looking for",
      "need a",
      "comprar",
      "get a",
      "get something",
      "something newer",
      "buyer",
      "shopping",
    ],
  ],
  ["sell", ["selling", "sellin", "get rid of", "trade", "vender", "unload", "seller"]],
]);

/** Said for a choice by who was asked for it; anywhere else the words may be of anything. */
const MEANS_ASKED: ReadonlyMap<string, readonly string[]> = new Map(
  `
interior: inside
one way: just there, only there, there only, one direction
round trip: both ways, there and back, and back, return, roundtrip, two way
exterior: outside
full: whole thing, all of it, everything, all at once, entire, the total
pay in full: whole thing, all of it, everything, all at once, the lot, one payment
payment plan: installments, monthly, a month, in parts, bit by bit, over time
beginner: none, zero, from scratch, new to, newbie, no experience, just starting, starting out, never, first time, basic, basics
intermediate: a little, rusty, so so, conversational
advanced: fluent, expert, very good, pro
self: me, myself, my own, for me, just me, mine
myself: me, my own, for me, just me, mine
someone else: my wife, my husband, my mom, my mother, my dad, my father, my son, my daughter, my partner, my brother, my sister, my parents, my kid, my friend, my grandma, my grandpa, my aunt, my uncle, a friend, him, her
somebody else: my wife, my husband, my mom, my mother, my dad, my father, my son, my daughter, my partner, my brother, my sister, my parents, my kid, my friend
own: homeowner, homeowners, owner, owners, owned, bought it, ours, belongs to me, belongs to us, have a mortgage, paid off
rent: renter, renters, renting, tenant, leasing, lease, landlord
home: my place, my house, our house, my own bed
clinic: come in, come by, come there, your place, your office, the office, in person
delivered: bring it, ship, shipped, drop it off, deliver, delivery, dropped off, to my house, to the house
pick up: pick it up, picking it up, picking up, come get it, come and get it, swing by, get it myself
hardwood: real wood, solid wood, oak, maple, wood
residential: my house, my home, our house, our home, home, house, apartment, condo
commercial: business, office, store, shop, warehouse, restaurant
in person: face to face, on site, in the classroom, come in, come by
online: virtual, remote, zoom, video, from home, over the computer
full time: fulltime, forty hours, 40 hours
part time: parttime, few hours, twenty hours, 20 hours
new: brand new
used: second hand, pre owned, preowned
repair: fix, fixed, patch, repaired
replace: new one, replacement, replaced, swap
gas: propane, natural gas
electric: electricity, plug in, e bike, ebike
email: mail me, e mail
text: message, sms
phone: call, call me
single: just me, by myself, alone, not married
family: kids, wife and, husband and, all of us
weekdays: monday, tuesday, wednesday, thursday, friday, during the week, week days
weekends: saturday, sunday, saturdays, sundays, weekend
pickup: pick it up, pick up, come get it
delivery: deliver, delivered, bring it, ship, shipped, drop it off
`
    .trim()
    .split("\n")
    .map((line) => [line.split(": ")[0]!, line.split(": ")[1]!.split(", ")]),
);

/** Where "both" is a choice, it is no wish to leave it open. */
const BOTH =
  /\bboth\b(?! (?:of us|the|my|our)\b)|\binside and out(?:side)?\b|\b(?:the works|the whole thing|all of it|everything)\b/;

/** The sentences of a text that do not ask, if there are others beside them. */
function withoutQuestions(said: Said): Said | undefined {
  const parts = said.text
    .split(/(?<=[.!?\n])\s+/)
    .map((text) => ({ text, ...actsIn(text) }))
    .filter(({ folded }) => folded !== "");
  const own = parts.filter(({ acts }) => !acts.has("question"));
  if (own.length === 0 || own.length === parts.length) return undefined;
  const text = own.map((part) => part.text).join(" ");
  return { ...said, text, ...actsIn(text) };
}

/** One of the choices, by its words or by another word for it. Two of them are none. */
export function readChoice(slot: Slot, said: Said, direct: boolean): ReadValue | undefined {
  const { field } = slot;
  const folded = ` ${said.folded.replace(NUMBERED, (digits) => ORDINALS[Number.parseInt(digits, 10)] ?? digits)} `;
  // "Ten years old, gas": a choice that stands alone between commas.
  const alone = /[,.!\n]/.test(said.text)
    ? said.text
        .split(/[,;.!\n]/)
        .map(foldText)
        .filter((part) => !part.includes(" "))
    : [];
  // "How early do you open" chooses nothing, and of "shoulder. how long do they last" what comes before.
  const asks = said.acts.has("question");
  const own = direct && asks ? withoutQuestions(said) : undefined;
  const beforeIt = own === undefined ? undefined : readChoice(slot, own, direct);
  if (beforeIt !== undefined) return { ...beforeIt, quote: whole(said.text) };
  // "Is it in person or": asked, and not answered.
  if (direct && asks && !/[,.!\n]./s.test(said.text.trim()) && ASKS_BACK.test(said.folded)) return undefined;
  const isAlone = alone.some((part) =>
    field.choices.some((choice) => foldText(choice) === part || isTypo(part, foldText(choice))),
  );
  if (!direct && asks && !isAlone && !/\b(?:buy|sell)/.test(folded)) return undefined;
  const often = asks && !direct ? [] : frequenciesIn(field.choices, said.folded);
  if (often.length > 1 && !said.acts.has("corrects")) return undefined;
  if (often.length === 1 && !UNDECIDED.test(said.folded)) return { value: often[0]!, quote: whole(said.text) };
  const both = direct && !asks ? field.choices.find((choice) => foldText(choice) === "both") : undefined;
  if (both !== undefined && BOTH.test(said.folded)) return { value: both, quote: whole(said.text) };
  const found = field.choices
    .map((choice) => ({
      choice,
      at: placeOf(
        foldText(choice),
        folded,
        direct || alone.some((part) => part === foldText(choice) || isTypo(part, foldText(choice))),
        asks && !isAlone,
        rareWordsOf(choice, field.choices),
      ),
    }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at || b.choice.length - a.choice.length);
  if (found.length === 0) return direct ? (inPerson(field.choices, said) ?? byOrder(field.choices, said)) : undefined;
  // "Mornings are no good so after lunch": what is turned down is no choice.
  const down = TURNED_DOWN.exec(folded);
  if (down !== null && found.length > 1)
    found.splice(found.findIndex(({ at }) => at >= down.index - 1 && at <= down.index + 1) >>> 0, 1);
  const [first, second] = found;
  // "Morning, no wait, afternoon"; but "days, no nights".
  const between = second === undefined ? "" : folded.slice(first!.at, second.at + 1);
  if (/\b(?:no|wait|actually|i mean|scratch)\b/.test(between)) {
    return { value: /\b(?:no|not) $/.test(between) ? first!.choice : found.at(-1)!.choice, quote: whole(said.text) };
  }
  if (second !== undefined && !foldText(first!.choice).includes(foldText(second.choice))) {
    // "not mornings, evenings": what is turned down is no choice.
    const left = found.filter(
      ({ at }) =>
        !/\b(?:not|no|cant|dont|doesnt|hates?|dislikes?|(?:sick|tired) of|instead of|rather than|never) (?:\w+ ){0,2}$/.test(
          folded.slice(0, at + 1),
        ),
    );
    return left.length === 1 ? { value: left[0]!.choice, quote: whole(said.text) } : undefined;
  }
  const prefers = /\b(?:prefer|rather|lean|leaning)\b/.test(said.folded);
  if ((isUndecided(first!.choice, said, direct) && !prefers) || TURNS_DOWN.test(folded.slice(0, first!.at + 1)))
    // Of two, the one that is not turned down: "I can't do nights".
    return direct && field.choices.length === 2 && CANT.test(folded.slice(0, first!.at + 1))
      ? { value: field.choices.find((choice) => choice !== first!.choice)!, quote: whole(said.text) }
      : undefined;
  return { value: first!.choice, quote: whole(said.text) };
}

/** "11 both of them. aligners": of what was not asked, the sentence that names it says whether both would do. */
function isUndecided(choice: string, { text, folded }: Said, direct: boolean): boolean {
  if (direct || !UNDECIDED.test(folded)) return UNDECIDED.test(folded);
  const words = foldText(choice).split(" ");
  const own = text
    .split(/[.!?\n]+/)
    .map(foldText)
    .filter((part) => words.some((word) => part.includes(word)));
  return own.length === 0 || own.some((part) => UNDECIDED.test(part));
}

const FROM_AFAR = /^(?:online|virtual(?:ly)?|remote(?:ly)?|video|zoom|phone|by phone)$/;
const IN_PERSON =
  /\b(?:in person|face to face|(?:ill|i will|id|we ?ll|we|can|rather|could) (?:\w+ )?(?:come|go|drive) (?:over|in|by|there|to you|down)|at your (?:place|office|studio|shop))\b/;

/** `in person`, where one of two is online: the other one, whatever it is called. */
function inPerson(choices: readonly string[], { folded, text, acts }: Said): ReadValue | undefined {
  const near = choices.filter((choice) => !FROM_AFAR.test(foldText(choice)));
  const isOne = near.length === 1 && choices.length === 2 && IN_PERSON.test(folded);
  return isOne && !acts.has("question") && !/\b(?:not|cant|dont|never)\b/.test(folded)
    ? { value: near[0]!, quote: whole(text) }
    : undefined;
}

const ASKS_BACK =
  /^(?:(?:hm+|hey|but|also|um|uh|oh|ok|okay|so|well|and|wait) )*(?:is|are|does|do you|whats|what is|what are|how|why)\b/;

/** "The first one", "the latter": by its place among them. */
function byOrder(choices: readonly string[], { folded, text }: Said): ReadValue | undefined {
  const word =
    /^(?:(?:um|uh|oh|well|ok|okay|yes|probably|maybe|id say|i think|lets do|lets go with|ill take|go with) )*(?:the )?(first|second|third|last|latter|former)(?: (?:one|option|choice))?(?: please| i think| i guess)?$/.exec(
      folded,
    )?.[1];
  if (word === undefined) return undefined;
  const at = { first: 0, former: 0, second: 1, third: 2, last: choices.length - 1, latter: choices.length - 1 }[word];
  const value = at === undefined ? undefined : choices[at];
  return value === undefined ? undefined : { value, quote: whole(text) };
}

const SMALL: ReadonlySet<string> = new Set(
  "the and for not any all our per out off own you your with from one two yet now can use get way job day".split(" "),
);

/** The words of a choice of several words that no other choice has: `side` of "side dish". */
function rareWordsOf(choice: string, choices: readonly string[]): readonly string[] {
  const words = foldText(choice).split(" ");
  if (words.length < 2) return [];
  // Of "a repair or a new door" the door is what is spoken of either way.
  const isOfOneThing = /^(?:new|used|other|another|different|same|old) \w+$/.test(foldText(choice));
  if (isOfOneThing && choices.some((other) => other !== choice && !other.includes(" "))) return [words[0]!];
  return words.filter(
    (word) =>
      word.length > 2 &&
      !SMALL.has(word) &&
      choices.every((other) => other === choice || !foldText(other).split(" ").includes(word)),
  );
}

function placeOf(choice: string, folded: string, direct: boolean, asks: boolean, rare: readonly string[] = []): number {
  if (/^[a-z]{1,2}$/.test(choice)) return letterAt(choice, folded, direct);
  const singular = choice.replace(/s$/, "");
  // "Third" for "third grade": the first word of a choice that no other has would do, where it is an ordinal.
  const ordinal = direct ? ORDINALS.find((word) => choice.startsWith(`${word} `)) : undefined;
  const spellings = [choice, singular, `${singular}s`, ...(ordinal === undefined ? [] : [ordinal])];
  // A short choice stands in other words ("day" in "what a day") and needs its question.
  if (direct || singular.length > 3 || choice.includes(" ") || (singular.length === 3 && ofThing(singular, folded))) {
    for (const spelling of spellings) {
      const at = folded.indexOf(` ${spelling} `);
      if (at >= 0) return at;
    }
  }
  if (!direct && singular.length <= 3 && /^(?:day|night)$/.test(singular)) {
    const at = folded.search(singular === "day" ? / days? shift / : / nights? shift /);
    if (at >= 0) return at;
  }
  // "Inground" and "in ground" for "in the ground".
  if (choice.includes(" ")) {
    const at = squashedAt(choice, folded);
    if (at >= 0) return at;
  }
  // "Aligners if possible" for "clear aligners": a long word that no other choice has.
  if (!direct && !asks) {
    const words = folded.split(" ");
    // "The clear ones": a word that is short, with what stands for the rest of it.
    const at = words.findIndex(
      (word, index) =>
        rare.includes(word) &&
        (word.length > 6 || (/^ones?$/.test(words[index + 1] ?? "") && words[index - 1] === "the")),
    );
    if (at >= 0) return words.slice(0, at).join(" ").length;
  }
  if (direct) {
    // "Cash" for "cash out", "auto" for "automatic".
    const words = folded.split(" ");
    const at = words.findIndex(
      (word) =>
        rare.some((own) => own === word || (own.length > 4 && isTypo(word, own))) ||
        (word.length > 3 && choice.startsWith(word) && !choice.includes(" ")) ||
        (word.length === 3 && !SMALL.has(word) && choice === `${word}ing`),
    );
    if (at >= 0) return words.slice(0, at).join(" ").length;
  }
  if (direct && singular.length > 3) {
    const at = folded.split(" ").findIndex((word) => isTypo(word, singular));
    if (at >= 0) return folded.split(" ").slice(0, at).join(" ").length;
  }
  for (const other of asks && singular !== "buy" ? [] : (MEANS.get(singular) ?? MEANS.get(choice) ?? [])) {
    const at = folded.indexOf(` ${other} `);
    if (at >= 0 && (direct || other.length > 3) && !(other === "mornings" && !direct)) return at;
  }
  for (const other of direct && !asks ? (MEANS_ASKED.get(choice) ?? []) : []) {
    const at = folded.indexOf(` ${other} `);
    if (at >= 0) return at;
  }
  return -1;
}

/** `2 cords of oak`: a short word is a choice by itself only where something is of it. */
const ofThing = (word: string, folded: string): boolean =>
  !SMALL.has(word) && (folded.includes(` of ${word} `) || folded.includes(` go with ${word} `));

/** `type a`, `o negative`, `i'm a b`: letters that name a kind, and no article. */
function letterAt(choice: string, folded: string, direct: boolean): number {
  const joined = folded.replace(/\ba b\b/, "ab").replace(/\b(?:oh|zero|0) (?=pos|neg|plus|minus)/, "o ");
  const words = joined.trim().split(" ");
  const at = words.findIndex(
    (word, index) =>
      word === choice &&
      (/^(?:type|group|kind|grade|plan|option|unit|size)$/.test(words[index - 1] ?? "") ||
        (direct &&
          (index === words.length - 1 ||
            /^(?:pos|positive|neg|negative|plus|minus|type|please|i|so|but)$/.test(words[index + 1] ?? "")))),
  );
  return at < 0 ? -1 : words.slice(0, at).join(" ").length;
}

const ARTICLES: ReadonlySet<string> = new Set(["the", "a", "an", "of", "to"]);

/** Where a choice of several words stands with its words written together, or without what is small between them. */
function squashedAt(choice: string, folded: string): number {
  const wanted = choice
    .split(" ")
    .filter((word) => !ARTICLES.has(word))
    .join("");
  const words = folded.trim().split(" ");
  const lengths = [1, 2, choice.split(" ").length];
  for (const [at] of words.entries()) {
    for (const length of lengths) {
      const said = words.slice(at, at + length).filter((word) => !ARTICLES.has(word));
      if (wanted.length > 4 && said.join("") === wanted) return words.slice(0, at).join(" ").length;
    }
  }
  return -1;
}

/** `mornin`, `mornign`, `vynil`, `softer`: its beginning, a letter or two off, or more of it. */
function isTypo(word: string, choice: string): boolean {
  if (word.length < 4) return false;
  if (word.length >= 5 && choice.startsWith(word.replace(/s$/, ""))) return true;
  if (
    choice.length > 3 &&
    word.startsWith(choice) &&
    /^(?:e?r|e?st|ish|ly|y|s|es|ing|ed)$/.test(word.slice(choice.length))
  )
    return true;
  const most = choice.length > 6 ? 2 : 1;
  if (word.length >= 5 && word.length === choice.length && lettersOf(word) === lettersOf(choice)) return true;
  return word[0] === choice[0] && Math.abs(word.length - choice.length) <= most && distance(word, choice, most) <= most;
}

const lettersOf = (word: string): string => [...word].sort().join("");

/** How many letters are added, left out, exchanged or swapped with the next; above `most` it does not matter how many. Short words only. */
function distance(one: string, other: string, most: number): number {
  if (one.length > MOST_LETTERS || other.length > MOST_LETTERS) return most + 1;
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let at = 1; at <= one.length; at++) {
    const next = [at];
    for (let to = 1; to <= other.length; to++) {
      const same = one[at - 1] === other[to - 1];
      const swapped = at > 1 && to > 1 && one[at - 1] === other[to - 2] && one[at - 2] === other[to - 1];
      const least = Math.min(row[to]! + 1, next[to - 1]! + 1, row[to - 1]! + (same ? 0 : 1));
      next.push(swapped ? Math.min(least, before[to - 2]! + 1) : least);
    }
    before = row;
    row = next;
  }
  return row[other.length]!;
}

const MOST_LETTERS = 20;
