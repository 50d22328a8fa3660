import { isNoise } from "#adapters/dialog-words/noise.ts";
import { foldText } from "#domain/values/fold.ts";
import { trimEndOf } from "#domain/values/trim-end.ts";
import type { ReadValue, Said } from "./said.ts";
import type { Slot } from "./slot.ts";

const LEAD =
  /^(?:(?:um|uh|oh|well|hi|hey|yea|so|like|lame|damn|dang|bummer|shoot|nice|cool|wow|ugh|alright|great|perfect|then|lol|haha|good|thinking|prob|i think|i guess|just|sure|yes|yeah|yep|ok|okay|hmm|honestly|mostly|mainly|probably|maybe|nothing but|nothing just|nothing except|sweet|awesome|gotcha|no worries|its|it's|it is|that's|thats|it would be for|it would be|it'd be|would be|i'm|im|i am|i have|i've got|ive got|i got|i want|i need|i'd like|id like|i wanna|i want to|want to|wanna|we want|we need|with|using|through|for|to|it's for|its for|looking for|looking to|currently|right now|we have|we are with|were with|trying to|need to|because|my goal is to|my goal is|hoping to|a good|quiero|para|es para)[,.]? +)+/i;
/** What people add at the end, and what is no part of the value. */
const TRAILING: ReadonlySet<string> = new Set(
  "then|please|pls|honestly|to be honest|really|lol|haha|tbh|i guess|i think|probably|maybe|thanks|idk|i dont know|i don't know|not sure|or something|or so".split(
    "|",
  ),
);
const MOST_TRAILING = 3;

function withoutTrail(text: string): string {
  const words = text.split(" ");
  let end = words.length;
  for (let length = MOST_TRAILING; length > 0 && end > 1; ) {
    const last = words
      .slice(Math.max(1, end - length), end)
      .join(" ")
      .toLowerCase();
    if (end - length >= 1 && TRAILING.has(trimEndOf(last, ".!, "))) {
      end -= length;
      length = MOST_TRAILING;
    } else length--;
  }
  return end === words.length ? text : trimEndOf(words.slice(0, end).join(" "), ",. ");
}
/** What somebody says who names nothing. */
export const NAMES_NOTHING =
  /^(?:(?:oh|well|aw|ah|um|uh) )*(?:thats|that is) (?:(?:a|too|so|really|very|such a) )*(?:shame|pity|bummer|bad|sad|fine|ok|okay|great|good|nice|cool|annoying|weird|crazy|funny)\b|^(?:that|it|this) ?(?:d|would|ll|will) be (?:great|nice|good|fine|perfect|lovely|ideal|awesome|helpful|wonderful)\b|\bjust (?:looking|browsing|curious|checking)\b|^you (?:dont|do not|do|guys|cant|wont|never) |^(?:i|we) (?:thought|was|were|was told|were told)\b|\b(?:before i|need (?:a|the) (?:number|price|quote)|told (?:you|your)|already (?:told|said|gave|answered))\b/;
/** `add that one`: what it points to stands in another text. */
const POINTS_BACK =
  /^(?:(?:ok|okay|yes|yeah|sure|then|lets|just|please|id|ill|we|i|add|take|do|want|get|need|have|with|go|pick|like) )*(?:that|this|these|those|it|them)(?: ones?| thing| too| as well| please| then| also)*$/;
const MAX_FREE = 80;
const COUNT_WORD =
  "(?:\\d+|once|twice|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|a couple|a few|zero|none|oh|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand)";
/** `two or three`, `monday 5pm`, `nope she is great`: the answer to another question. */
const OF_ANOTHER_KIND = new RegExp(
  `^(?:(?:maybe|about|around|like|only|at|or|and|to|times?|a|per|week|day|month|year|please|i|guess|think|${COUNT_WORD}) ?)*$|^(?:(?:next|this|on|maybe|or|and|at|the|in|of) )*(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|tomorrow|today|tonight|(?:january|february|march|april|may|june|july|august|september|october|november|december) \\d+)\\b(?: (?:mornings?|afternoons?|evenings?|at|or|\\d+|am|pm|\\d+[ap]m))*$|^(?:nope|yep|yeah|yes|nah|no) (?:s?he|it|they|i|we) (?:is|are|do|does|can|s|its)\\b`,
);

const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(" "));
const NUMBER_WORDS = wordSet(
  "once twice zero none oh one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth",
);
/** What stands beside a number that only measures. */
const MEASURE_WORDS = wordSet(
  "gosh oh um uh well no honestly prob probably its it s is shes hes she he im i id say maybe about around like roughly some or so almost nearly just turned the a an and by to x point half guess think feet foot ft square sq year years yrs old month months week weeks day days hour hours pound pounds lb lbs mile miles dollars bucks percent grade grader k kids people guests windows session sessions right now today per quarter acre acres inch inches cm tops max",
);
const IN_THE_LOW =
  /^(?:id say |maybe |probably |somewhere |its )?(?:somewhere )?in the (?:low|mid|middle|high|upper|lower) /;

/** `stay under 1200`: a limit. */
const LIMIT =
  /^(?:stay |keep it |be )?(?:under|below|less than|no more than|not more than|at most|up to) (?:\w+ )?\d+$/;

/** `twenty by thirty feet`, `in the low eights`, `tenth grade`, `he's three right now`: a measure, whatever it is of. */
export function isMeasure(plain: string): boolean {
  if (IN_THE_LOW.test(plain) || LIMIT.test(plain)) return true;
  const words = plain.split(" ");
  const isNumber = (word: string): boolean => /^\d/.test(word) || NUMBER_WORDS.has(word);
  return words.some(isNumber) && words.every((word) => isNumber(word) || MEASURE_WORDS.has(word));
}

/** A time alone, or that there is none. */
export const ONLY_WHEN =
  /^(?:any (?:day|time)\b.*|(?:asap|soon|as soon as possible|right away|immediately|any ?time|whenever|today|tomorrow|tonight|next (?:week|month|year)|this (?:week|month)|mornings?|afternoons?|evenings?|(?:nobody|no one|none|nothing)(?: right now| yet| currently| at the moment| really)?))$/;
/** "Let me look it says", "who do we have it's": said to oneself before the answer. */
const UNSURE_AT_LAST =
  /^(?!i |im |we |no |not |dont |really |well |um |uh |oh |honestly )(?:\w+ ){2,6}(?:idk|i dont know|not sure)$/;
export const ASIDE =
  /^(?:(?:um|uh|oh|well|okay|ok),? )*(?:let me (?:look|see|think|check)(?: here)?|(?:who|what|which one) (?:do|did|is|was|are) (?:i|we|it|that)(?: (?:have|use|got|using|again|now|called)){0,2}),? (?=it'?s |it says |that'?s |i think |oh )(?:it says |oh )?/i;
/** A long story that ends with what it comes to. */
const CONCLUSION = /^.{40,} so (?:maybe |probably )?((?:an?|some) [^.,;!?]{3,50})$/i;

/** Free words, only in answer to the question and only where they can be one: short, and nothing else is done with them. */
export function readFree(said: Said): ReadValue | undefined {
  const { acts, folded } = said;
  const other = [
    "declines",
    "repeat",
    "who",
    "robot",
    "about",
    "source",
    "hold",
    "still_there",
    "hostile",
    "distress",
    "call",
    "person",
    "refuse",
    "later",
    "other_person",
    "goodbye",
    "greets",
  ] as const;
  // "Somewhere warm, idk" names something all the same.
  const isUnsure = acts.has("declines") && UNSURE_AT_LAST.test(folded);
  if (
    folded === "" ||
    NAMES_NOTHING.test(folded) ||
    POINTS_BACK.test(folded) ||
    other.some((act) => acts.has(act) && !(isUnsure && act === "declines")) ||
    said.text.includes("?") ||
    acts.has("question")
  )
    return undefined;
  const text = withoutTrail(trimEndOf(said.text.trim().replace(ASIDE, ""), ".,! "));
  if (/\b(?:hold on|hang on|let me|one sec|one second|one moment)\b/.test(foldText(text))) return undefined;
  const conclusion = CONCLUSION.exec(text)?.[1];
  if (conclusion !== undefined) return { value: conclusion, quote: conclusion };
  const first = trimEndOf(text.replace(LEAD, ""), ".,!? ");
  const bare = trimEndOf(first.split(/[.!?\n]| btw |, but | but /)[0]!, ".,!? ");
  const plain = foldText(bare);
  if (/^you (?:dont|do|guys|cant|wont|never)\b|^(?:it|them) (?:\w+ed|done|back|gone|fixed)\b/.test(plain))
    return undefined;
  if (plain === "" || bare.length > MAX_FREE || isNoise(plain) || OF_ANOTHER_KIND.test(plain)) return undefined;
  if (isMeasure(plain) || ONLY_WHEN.test(plain)) return undefined;
  return { value: bare, quote: bare };
}

const PURPOSE =
  /\b(?:for|to|para) ((?:a |an |the |my |our |some )?(?:new )?(?!(?:me|you|it|this|that|sure|real|now|about|around|like|an?|the|my|our|tomorrow|monday|tuesday|wednesday|thursday|friday|sell|know|be|talk|say|speak|call|hear|buy or)\b)\p{L}[\p{L}'’]*(?: (?!and\b|but\b|i\b|can\b|please\b|my email\b|its\b|we\b|is\b)\p{L}[\p{L}'’]*){0,5})/iu;
const VEHICLE =
  /\b((?:(?:used|new|small|big|cheap|reliable|red|black|white|blue|silver|older|4wd|electric|hybrid|compact|family|good|decent|full size|mid ?size|four door|4 door|20\d\d) ){0,3}(?:(?:honda|toyota|ford|chevy|chevrolet|subaru|jeep|nissan|mazda|hyundai|kia|bmw|audi|tesla|dodge|ram|gmc|lexus|volkswagen|vw|volvo|buick) ?)?(?:suvs?|pickups?(?: truck)?|trucks?|sedans?|minivans?|vans?|hatchbacks?|coupes?|convertibles?|crossovers?|wagons?|(?:camry|corolla|civic|accord|crv|cr-v|rav4|f ?-?150|silverado|outback|forester|wrangler|tacoma|tundra|altima|rogue|escape|explorer|highlander|prius|ev|camaro|mustang|hybrid|subaru|honda|toyota|jeep|tesla|ford)s?))\b/i;
const GOAL =
  /\b((?:to )?(?:lose|losing|drop|build|building|gain|gaining|get|getting|tone|be|run|stay|staying|put on|train|training|improve) (?:some |a |more |about |my |up |in |back |for |like |the |\d+ |ten |twenty |fifteen |thirty )*(?:weight|muscles?|pounds|lbs|shape|stronger|strength|fit|toned?|healthy|healthier|marathon|endurance|cardio|mass|flexib\w+|active|belly))\b/i;
const INSURER =
  /\b(geico|state farm|progressive|allstate|usaa|farmers|liberty mutual|nationwide|american family|travelers|esurance|the general|mercury|intact|aviva|belair(?:direct)?|safeco|root|lemonade)\b/i;

/** `my goal is less back pain`: what follows a word of the slot is its value. */
function namedIn({ words }: Slot, { text, acts }: Said): ReadValue | undefined {
  if (acts.has("question")) return undefined;
  const lower = text.toLowerCase();
  if (lower.length !== text.length) return undefined;
  for (const word of words) {
    const cue = [`my ${word} is `, `my ${word} right now is `, `my current ${word} is `, `our ${word} is `].find(
      (words) => lower.includes(words),
    );
    if (cue === undefined) continue;
    const at = lower.indexOf(cue);
    const quote = trimEndOf(text.slice(at + cue.length).split(/[.,;!?\n]| and | but | so(?: |$)/)[0]!, " ")
      .slice(0, MAX_FREE)
      .trim();
    if (quote !== "" && !isNoise(foldText(quote))) return { value: quote, quote };
  }
  return undefined;
}

const ASKS_WHY = /^(?:why|reason|what for)\b|\breasons?$/i;
const BECAUSE =
  /\b(?:because|because of|bc|cuz|coz|cause|since|so that|so i can|so we can) ((?:i|we|my|our|he|she|they|the|its?|of)\b[^.,;!?\n]{4,70})/i;

/** `Spanish bc my inlaws only speak it`: why, whatever was asked. */
function whyIn(slot: Slot, { text, acts }: Said): ReadValue | undefined {
  const asksWhy = ASKS_WHY.test(slot.field.description ?? "") || ASKS_WHY.test(slot.words.join(" "));
  if (!asksWhy || acts.has("question") || acts.has("refuse") || acts.has("no") || acts.has("later")) return undefined;
  const quote = trimEndOf(BECAUSE.exec(text)?.[1] ?? "", " ");
  return quote.split(" ").length < 3 ? undefined : { value: quote, quote };
}

/** Words that can be read unasked, since they can be nothing else. */
export function readUnasked(slot: Slot, said: Said): ReadValue | undefined {
  const about = `${slot.words.join(" ")} ${slot.field.description ?? ""}`.toLowerCase();
  const pattern = /purpose|is for/.test(about)
    ? PURPOSE
    : /\bcars?\b|vehicle/.test(about)
      ? VEHICLE
      : /goal/.test(about)
        ? GOAL
        : /insurer|insurance company/.test(about)
          ? INSURER
          : undefined;
  const named = namedIn(slot, said);
  if (named !== undefined) return named;
  const why = whyIn(slot, said);
  if (why !== undefined) return why;
  if (
    pattern === undefined ||
    (pattern === PURPOSE && ["question", "call", "person"].some((act) => said.acts.has(act as "call")))
  )
    return undefined;
  // "It was X but we switched to Y": what is behind the turn is what holds.
  const turn = / but /i.exec(said.text);
  const isBefore = turn !== null && /\b(?:was|were|used to|wanted|had|thought)\b/i.test(said.text.slice(0, turn.index));
  const later = isBefore ? pattern.exec(said.text.slice(turn.index)) : null;
  if (later !== null) return { value: trimEndOf(later[1]!, " .,").trim(), quote: trimEndOf(later[1]!, " .,").trim() };
  const match = pattern.exec(said.text);
  const behind = match === null ? "" : said.text.slice(match.index + match[0].length);
  // What they drive now is not what they look for.
  if (pattern === VEHICLE && match !== null && /\bmy (?:\w+ )?$/i.test(said.text.slice(0, match.index)))
    return undefined;
  const second = pattern === VEHICLE ? /^ or (?:an? )?(?:\p{L}[\p{L}\d-]*)(?: truck)?/u.exec(behind)?.[0] : undefined;
  const quote = trimEndOf((match?.[1] ?? "") + (second ?? ""), " .,").trim();
  return quote === "" || isNoise(foldText(quote)) ? undefined : { value: quote, quote };
}
