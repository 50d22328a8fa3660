import { foldText } from "#domain/values/fold.ts";
import { trimEndOf } from "#domain/values/trim-end.ts";
import { isNoise } from "./noise.ts";
import { type ReadValue, type Said, whole } from "./said.ts";
import type { Slot } from "./slot.ts";
import { stem } from "./stems.ts";

const NEGATES =
  /\b(?:not|no|dont|doesnt|didnt|havent|hasnt|isnt|arent|wasnt|never|aint|without|nope|nah|rent|renting|renter|rents|rented|lease|leasing|uninsured|used to|dropped|expired|ran out|no longer)\b/;
const OWNS =
  /\b(?:own|owner|homeowner|owned|bought (?:it|the house|this)|its mine|paid off|mortgage|my (?:own )?(?:house|home|place)|(?:es|tengo) (?:mi )?casa)\b/;
const RENTS =
  /\b(?:rent|renting|renter|rents|rental|lease|leasing|tenant|live with my|live w my|not my (?:house|place|roof)|landlord|apartment|parents own|my parents place|not ours|we sold it|sold it)\b/;
const FIRST_PERSON =
  /\b(?:i|we|ive|weve|im|my|our|yes|yeah|yep|ya|its|it|got|there|have|already|had|roof|tengo|soy|tenemos)\b/;

/** Yes or no, `direct` to the very question; else a sentence that states it: `i own my home`, `we don't have insurance`. */
export function readYesNo(slot: Slot, said: Said, direct: boolean): ReadValue | undefined {
  const quote = whole(said.text);
  const stated = statedIn(slot, said, direct);
  if (stated !== undefined) return { value: stated ? "yes" : "no", quote };
  const hasNone = said.acts.has("no") && /\bhave (?:any|one|it)\b/.test(said.folded);
  if (!direct || (said.acts.has("declines") && !hasNone)) return undefined;
  const yes = said.acts.has("yes");
  const no = said.acts.has("no");
  if (said.acts.has("refuse")) return undefined;
  if (yes === no) return undefined;
  return { value: yes ? "yes" : "no", quote };
}

function statedIn(slot: Slot, { text, folded }: Said, direct: boolean): boolean | undefined {
  if (slot.stems.has("insuranc") && INSURED_WITH.test(folded)) return !NEGATES.test(folded);
  if (slot.stems.has("own")) {
    if (RENTS.test(folded)) return false;
    const owning = OWNS.test(folded) && !text.includes("?") ? clauseWith(OWNS, folded) : undefined;
    if (owning !== undefined)
      return !NEGATES.test(owning) || (/\bown\b/.test(owning) && /\bno mortgage\b/.test(owning));
    if (/\b(?:soy|somos) duen[oa]s?\b|\b(?:casa|es) (?:es )?(?:propia|mia)\b/.test(folded)) return true;
  }
  if (slot.stems.has("insuranc") && !slot.stems.has("claim")) {
    if (
      direct &&
      /^(?:(?:yes|yeah|yep|its|with|i have|we have) )*(?:delta|cigna|metlife|aetna|humana|guardian|anthem|blue (?:cross|shield)|united|kaiser|tricare|medicaid|medicare)(?: dental)?$/.test(
        folded,
      )
    )
      return true;
    if (UNINSURED.test(folded)) return false;
    if (INSURED.test(folded) && !text.includes("?") && !NEGATES.test(folded)) return true;
  }
  if (
    slot.stems.has("damag") &&
    (direct || !/^its (?:ok|okay|fine)\b/.test(folded)) &&
    /\b(?:roofs?|everythings?|its|it is)(?: is| looks)? (?:fine|good|ok|okay|great|perfect|brand new)\b/.test(folded)
  )
    return false;
  if (slot.stems.has("damag") && DAMAGED.test(folded) && !NEGATES.test(folded) && !text.includes("?")) return true;
  if (direct && TROUBLES.some((word) => slot.stems.has(word)) && !text.includes("?")) {
    if (NO_TROUBLE.test(folded)) return false;
    if (SYMPTOM.test(folded) && !NEGATES.test(folded)) return true;
  }
  if (direct && HAS_IT.test(folded) && !NEGATES.test(folded) && !text.includes("?") && !WAITS.test(folded)) return true;
  if (NONE_OF(slot, folded)) return false;
  for (const clause of text.split(/[.;!\n]|, | but | and /)) {
    const words = foldText(clause);
    if (words === "" || clause.includes("?")) continue;
    const stems = words.split(" ").map(stem);
    const shared = new Set(stems.filter((word) => isContent(word) && slot.stems.has(word)));
    if (shared.size === 0 || (!FIRST_PERSON.test(words) && !direct && shared.size < 2)) continue;
    const isPlain = /^(?:yes|yeah|yep|no|nope|nah) (?:i|we|it|he|she|they) (?:can|will|would)\b/.test(words);
    if (!isPlain && /\b(?:if|whether|what|how|why|does|do you|do u|is my|will|can|would)\b/.test(words)) continue;
    return !NEGATES.test(words);
  }
  return undefined;
}

/** What fields about trouble are named by. */
const TROUBLES = ["problem", "injur", "affect", "damag", "pain", "symptom", "issu", "sick", "concern", "troubl", "ill"];
/** A trouble that is described instead of a yes: `he limps a little`, `broke my wrist`, `my neck and my back`. */
const SYMPTOM =
  /\b(?:limp\w*|scratch\w*|itch\w*|cough\w*|sneez\w*|vomit\w*|throw(?:s|ing)? up|threw up|diarrhea|bleed\w*|bled|ache\w*|aching|sore|pain\w*|hurts?|hurting|swollen|swelling|bruis\w+|broken?|broke|fractur\w+|sprain\w*|whiplash|concussion|stitches|hospital|surgery|cut|cracked|leak\w*|smell\w*|noise|nois\w+|rattl\w+|lump|rash|fever|infection|infected|allerg\w+|losing (?:hair|weight|fur)|not eating|stopped eating|wont eat|isnt eating|lost weight|overweight|tired|lethargic|dizzy|numb|stiff|headaches?|stopped working|acting (?:weird|strange|funny|up|off))\b|^(?:yeah |yes |just )?my (?:neck|back|arm|leg|knee|head|shoulder|wrist|hand|foot|ankle|hip)s?\b/;
const NO_TROUBLE =
  /\b(?:is|are|was|were|s|hes|shes|im|theyre|its|were|doing|been|seems|feels|feeling|looks) (?:all |totally |perfectly |just |doing |both |pretty )*(?:fine|great|healthy|good|okay|ok|perfect|well|unhurt|uninjured)\b|^(?:no |nope |nah )?(?:all |totally |perfectly )?(?:fine|healthy|good)$|^(?:no|nope|nah)\b.{0,30}\b(?:only|just) the (?:car|truck|van|bike)\b|\b(?:not that (?:i|we) know|nothing (?:wrong|serious|major|really|new|at all))\b|^nothing\b/;
/** `she got it last week`, `i do have one`. */
const HAS_IT =
  /^(?:(?:yes|yeah|oh|well|um|uh) )*(?:i|we|he|she|they|ive|weve|hes|shes) (?:just |already |do |does |did |have |has )*(?:have|has|got|had|own|passed|did|gotten|signed|filed|sent) (?:it|one|that|them|some|mine|his|hers)\b/;
const WAITS = /\b(?:will|gonna|going to|next|soon|until|would|might|could|if)\b/;

const DAMAGED =
  /\b(?:leak(?:s|ing|ed)?|(?:shingles?|tiles?) (?:\w+ )?(?:missing|gone|off|loose|blew|came)|missing (?:\w+ )?(?:shingles?|tiles?)|tore (?:it )?up|torn|got hit|holes?|dents?|dented|cracked|beat (?:it )?up|banged up|messed (?:it )?up)\b/;

/** `no pets`, `we don't have any claims`: none of what is asked about. */
function NONE_OF({ stems }: Slot, folded: string): boolean {
  const found = /\b(?:no|dont have any|do not have any|havent got any|without|have no|havent filed any) (\w+)\b/.exec(
    folded,
  )?.[1];
  return found !== undefined && isContent(stem(found)) && stems.has(stem(found));
}

/** `we own it but i don't know`: what is said before and after is not about it. */
const clauseWith = (pattern: RegExp, folded: string): string =>
  folded.split(/ (?:but|so|because|cause|though) /).find((clause) => pattern.test(clause)) ?? folded;

const UNINSURED =
  /\b(?:no|without|dont have|do not have|havent got|not got|lost (?:my|our))(?: any| dental| my| our)? (?:insurance|coverage)\b|\buninsured\b/;
const INSURED = /\b(?:i|we|have|got|ive got|with|under)(?: \w+){0,2} insurance\b/;
const INSURED_WITH =
  /\b(?:i have|ive got|i got|we have|weve got|we got|have|had|on|my|its|with|through|yes|yeah|covered by|tengo) (?:\w+ )?(?:delta dental|cigna|metlife|aetna|humana|guardian|anthem|blue cross|united healthcare|medicaid|medicare)\b/;

/** The words of a matter; `home` and `roof` are in too many sentences that say nothing of it. */
const isContent = (word: string): boolean =>
  word.length > 2 && !/^(?:home|roof|insuranc|dental|want|still|they|own|car|job|day)$/.test(word);

const LEANS_TO =
  /\b(?:might (?:be|sell|want|consider)|thinking (?:of|about)|thought about|considering|planning (?:to|on)|have to|need to|gotta|open to|maybe if|if the price|right price|would like to|want to|wanna|looking to|looking for|ready to|trying to|interested|quiero|me interesa|me gustaria)\b/;

/** Whether the contact wants what the agent is about. */
export function readInterest(slot: Slot, said: Said, direct: boolean): ReadValue | undefined {
  const { acts, folded } = said;
  const quote = whole(said.text);
  // "I'm not keen on talking to a machine" is about the machine.
  if (acts.has("person") && !acts.has("refuse")) return undefined;
  if (acts.has("refuse") || (direct && acts.has("no") && !acts.has("interest"))) return { value: "no", quote };
  if (acts.has("declines")) return undefined;
  if (acts.has("interest")) return { value: "yes", quote };
  if (direct && acts.has("yes") && !acts.has("later")) return { value: "yes", quote };
  const about = folded.split(" ").some((word) => isContent(stem(word)) && slot.stems.has(stem(word)));
  if (about && LEANS_TO.test(folded) && !/\b(?:not|dont|never)\b/.test(folded) && !acts.has("question"))
    return { value: "yes", quote };
  return direct && LEANS_TO.test(folded) && !/\b(?:not|dont|never)\b/.test(folded) && !acts.has("question")
    ? { value: "yes", quote }
    : undefined;
}

const NUMBERED = /\b\d{1,2}(?:st|nd|rd|th)\b/g;
const ORDINALS = "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split(" ");
const TURNED_DOWN =
  /\b\w+ (?:(?:are|is|would be|might be|will be) (?:no good|out|bad|hard|tough|not good|impossible|too \w+)|is a lot|costs too much)\b|\b\w+ (?:dont|doesnt|wont) work\b|\bnot an? \w+ person\b/;
const UNDECIDED = /\b(?:either|both|whichever|any ?time|no preference|doesnt matter|dont care|neither)\b/;
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

/** One of the choices, by its words or by another word for it. Two of them are none. */
export function readChoice({ field }: Slot, said: Said, direct: boolean): ReadValue | undefined {
  const folded = ` ${said.folded.replace(NUMBERED, (digits) => ORDINALS[Number.parseInt(digits, 10)] ?? digits)} `;
  // "How early do you open" chooses nothing.
  const asks = said.acts.has("question");
  if (!direct && asks && !/\b(?:buy|sell)/.test(folded)) return undefined;
  // "Ten years old, gas": a choice that stands alone between commas.
  const parts = said.text.includes(",") ? said.text.split(/[,;.\n]/).map(foldText) : [];
  const found = field.choices
    .map((choice) => ({
      choice,
      at: placeOf(
        foldText(choice),
        folded,
        direct || parts.includes(foldText(choice)),
        asks,
        rareWordsOf(choice, field.choices),
      ),
    }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at || b.choice.length - a.choice.length);
  if (found.length === 0) return undefined;
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
      ({ at }) => !/\b(?:not|no|cant|dont|hate|instead of|never) (?:\w+ ){0,2}$/.test(folded.slice(0, at + 1)),
    );
    return left.length === 1 ? { value: left[0]!.choice, quote: whole(said.text) } : undefined;
  }
  const prefers = /\b(?:prefer|rather|lean|leaning)\b/.test(said.folded);
  if (
    (UNDECIDED.test(said.folded) && !prefers) ||
    /\b(?:not|cant|hate) (?:\w+ ){0,2}$/.test(folded.slice(0, first!.at + 1))
  )
    return undefined;
  return { value: first!.choice, quote: whole(said.text) };
}

/** The words of a choice of several words that no other choice has: `side` of "side dish". */
function rareWordsOf(choice: string, choices: readonly string[]): readonly string[] {
  const words = foldText(choice).split(" ");
  if (words.length < 2) return [];
  return words.filter(
    (word) =>
      word.length > 3 && choices.every((other) => other === choice || !foldText(other).split(" ").includes(word)),
  );
}

function placeOf(choice: string, folded: string, direct: boolean, asks: boolean, rare: readonly string[] = []): number {
  const singular = choice.replace(/s$/, "");
  // "Third" for "third grade": the first word of a choice that no other has would do, where it is an ordinal.
  const ordinal = direct ? ORDINALS.find((word) => choice.startsWith(`${word} `)) : undefined;
  const spellings = [choice, singular, `${singular}s`, ...(ordinal === undefined ? [] : [ordinal])];
  // A short choice stands in other words ("day" in "what a day") and needs its question.
  if (direct || singular.length > 3 || choice.includes(" ")) {
    for (const spelling of spellings) {
      const at = folded.indexOf(` ${spelling} `);
      if (at >= 0) return at;
    }
  }
  if (!direct && singular.length <= 3 && /^(?:day|night)$/.test(singular)) {
    const at = folded.search(singular === "day" ? / days? shift / : / nights? shift /);
    if (at >= 0) return at;
  }
  if (direct) {
    // "Cash" for "cash out", "auto" for "automatic".
    const words = folded.split(" ");
    const at = words.findIndex(
      (word) => rare.includes(word) || (word.length > 3 && choice.startsWith(word) && !choice.includes(" ")),
    );
    if (at >= 0) return words.slice(0, at).join(" ").length;
  }
  if (direct && singular.length > 5) {
    const at = folded.split(" ").findIndex((word) => isTypo(word, singular));
    if (at >= 0) return folded.split(" ").slice(0, at).join(" ").length;
  }
  for (const other of asks && singular !== "buy" ? [] : (MEANS.get(singular) ?? MEANS.get(choice) ?? [])) {
    const at = folded.indexOf(` ${other} `);
    if (at >= 0 && (direct || other.length > 3) && !(other === "mornings" && !direct)) return at;
  }
  return -1;
}

/** `mornin`, `mornign`: its beginning, or its letters in another order. */
const isTypo = (word: string, choice: string): boolean =>
  word.length >= 5 &&
  (choice.startsWith(word.replace(/s$/, "")) || [...word].sort().join("") === [...choice].sort().join(""));

const LEAD =
  /^(?:(?:um|uh|oh|well|so|like|just|sure|yes|yeah|yep|ok|okay|hmm|honestly|mostly|mainly|probably|maybe|its|it's|it is|that's|thats|it would be|would be|i'm|im|i am|i have|i've got|ive got|i got|i want|i need|i'd like|id like|i wanna|i want to|want to|wanna|we want|we need|with|using|through|for|to|it's for|its for|looking for|looking to|currently|right now|we have|we are with|were with|trying to|need to|because|my goal is to|my goal is|hoping to|a good|quiero|para|es para)[,.]? +)+/i;
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
  "its it s is shes hes she he im i id say maybe about around like roughly some or so almost nearly just turned the a an and by to x point half guess think feet foot ft square sq year years yrs old month months week weeks day days hour hours pound pounds lb lbs mile miles dollars bucks percent grade grader k kids people guests windows session sessions right now today per quarter acre acres",
);
const IN_THE_LOW =
  /^(?:id say |maybe |probably |somewhere |its )?(?:somewhere )?in the (?:low|mid|middle|high|upper|lower) /;

/** `twenty by thirty feet`, `in the low eights`, `tenth grade`, `he's three right now`: a measure, whatever it is of. */
function isMeasure(plain: string): boolean {
  if (IN_THE_LOW.test(plain)) return true;
  const words = plain.split(" ");
  const isNumber = (word: string): boolean => /^\d/.test(word) || NUMBER_WORDS.has(word);
  return words.some(isNumber) && words.every((word) => isNumber(word) || MEASURE_WORDS.has(word));
}

/** A time alone, or that there is none. */
const ONLY_WHEN =
  /^(?:(?:asap|soon|as soon as possible|right away|immediately|any ?time|whenever|today|tomorrow|tonight|next (?:week|month|year)|this (?:week|month)|mornings?|afternoons?|evenings?|(?:nobody|no one|none|nothing)(?: right now| yet| currently| at the moment| really)?))$/;
/** "Let me look it says", "who do we have it's": said to oneself before the answer. */
const ASIDE =
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
  if (folded === "" || other.some((act) => acts.has(act)) || said.text.includes("?") || acts.has("question"))
    return undefined;
  const text = said.text.trim().replace(ASIDE, "");
  if (/\b(?:hold on|hang on|let me|one sec|one second|one moment)\b/.test(foldText(text))) return undefined;
  const conclusion = CONCLUSION.exec(text)?.[1];
  if (conclusion !== undefined) return { value: conclusion, quote: conclusion };
  const first = trimEndOf(text.replace(LEAD, ""), ".,!? ");
  const bare = trimEndOf(first.split(/[.!?\n]| btw |, but | but /)[0]!, ".,!? ");
  const plain = foldText(bare);
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
    const cue = `my ${word} is `;
    const at = lower.indexOf(cue);
    if (at < 0) continue;
    const quote = trimEndOf(text.slice(at + cue.length).split(/[.,;!?\n]| and | but /)[0]!, " ")
      .slice(0, MAX_FREE)
      .trim();
    if (quote !== "" && !isNoise(foldText(quote))) return { value: quote, quote };
  }
  return undefined;
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
