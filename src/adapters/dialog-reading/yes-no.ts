import { conceptsOf } from "#adapters/dialog-words/concepts.ts";
import { isNoise } from "#adapters/dialog-words/noise.ts";
import { stem } from "#adapters/dialog-words/stems.ts";
import { foldText } from "#domain/values/fold.ts";
import { type ReadValue, type Said, whole } from "./said.ts";
import type { Slot } from "./slot.ts";

const NEGATES =
  /\b(?:not|no|dont|doesnt|didnt|havent|hasnt|isnt|arent|wasnt|never|aint|without|nope|nah|rent|renting|renter|rents|rented|lease|leasing|uninsured|used to|dropped|expired|ran out|no longer)\b/;
const OWNS =
  /\b(?:own|owner|homeowner|owned|bought (?:it|the house|this)|its mine|its ours|still (?:have|got|drive|driving) (?:it|one|her|him)|paid off|mortgage|my (?:own )?(?:house|home|place)|(?:es|tengo) (?:mi )?casa)\b/;
const RENTS =
  /\b(?:rent|renting|renter|rents|rental|lease|leasing|tenant|live with my|live w my|not my (?:house|place|roof)|landlord|apartment|parents own|my parents place|not ours|we sold it|sold (?:it|that|her|him|the \w+|my \w+|our \w+)|traded (?:it|that) in|got rid of it|totaled it|gave it away|dont have it (?:anymore|any more)|no longer (?:have|own)|(?:its|it is|that is|thats) (?:now )?my (?:ex\b|exs|ex \w+|\w+s) (?:car|house|home|place|truck|one|now)|(?:he|she|they|my \w+) (?:got|kept|took|has|have) it(?: now| in)?)\b/;
const FIRST_PERSON =
  /\b(?:please|pls|i|we|ive|weve|im|my|our|yes|yeah|yep|ya|its|it|got|there|have|already|had|roof|tengo|soy|tenemos)\b/;

/** Yes or no, `direct` to the very question; else a sentence that states it: `i own my home`, `we don't have insurance`. */
export function readYesNo(slot: Slot, said: Said, direct: boolean): ReadValue | undefined {
  const quote = whole(said.text);
  if (isOtherPet(slot, said) && !/^(?:(?:um|oh|well) )*(?:yes|yeah|yep|no|nope|nah)\b/.test(said.folded))
    return undefined;
  const stated = statedIn(slot, said, direct);
  if (stated !== undefined) return { value: stated ? "yes" : "no", quote };
  const hasNone = said.acts.has("no") && /\bhave (?:any|one|it)\b/.test(said.folded);
  if (!direct || (said.acts.has("declines") && !hasNone)) return undefined;
  const hinted = hintedAt(slot, said);
  if (hinted !== undefined) return { value: hinted ? "yes" : "no", quote };
  const done = doneIn(slot, said);
  if (done !== undefined) return { value: done ? "yes" : "no", quote };
  if (LIMITS.test(said.folded)) return undefined;
  // "Never played before" does not say whether there is one.
  if (NEVER_DID.test(said.folded) && !EVER_ASKED.test(aboutOf(slot))) return undefined;
  // "Ok, she's staying with my sister": it was heard, and is no yes.
  if (ONLY_HEARD.test(said.folded) && !AGREES.test(said.folded)) return undefined;
  const yes = said.acts.has("yes");
  const no = said.acts.has("no");
  if (said.acts.has("refuse")) return undefined;
  if (yes === no) return undefined;
  return { value: yes ? "yes" : "no", quote };
}

function statedIn(slot: Slot, { text, folded, acts }: Said, direct: boolean): boolean | undefined {
  if (slot.stems.has("insuranc") && INSURED_WITH.test(folded)) return !NEGATES.test(folded);
  if (slot.stems.has("own")) {
    if (RENTS.test(folded) && !acts.has("question")) return false;
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
  if (NONE_OF(slot, folded) || isNon(slot, folded)) return false;
  if (!text.includes("?") && hasAlike(slot, folded)) return true;
  for (const clause of text.split(/[.;!\n]|, | but | and /)) {
    const words = foldText(clause);
    if (words === "" || clause.includes("?")) continue;
    const stems = words.split(" ").map(stem);
    const shared = new Set(stems.filter((word) => isContent(word) && slot.stems.has(word)));
    if (shared.size === 0 || (!FIRST_PERSON.test(words) && !direct && shared.size < 2 && !neverDid(words, shared)))
      continue;
    // "My tree fell on the shed" does not say that it stands near a power line.
    const wanted = [...slot.stems].filter(isContent).length;
    if (!direct && wanted > 2 && shared.size * 2 < wanted) continue;
    if (!direct && acts.has("person")) continue;
    const isPlain = /^(?:yes|yeah|yep|no|nope|nah) (?:i|we|it|he|she|they) (?:can|will|would)\b/.test(words);
    if (!isPlain && /\b(?:if|whether|what|how|why|does|do you|do u|is my|will|can|would)\b/.test(words)) continue;
    const negates = NEGATES.test(words);
    // "It's not for me, it's my daughter's dress" says nothing of whether there is one.
    if (!direct && negates && !isNear(words, shared)) continue;
    return !negates;
  }
  return undefined;
}

/** Whether what denies stands by the word of the field. */
function isNear(words: string, shared: ReadonlySet<string>): boolean {
  const all = words.split(" ");
  const at = all.findIndex((word) => shared.has(stem(word)));
  const around = all.slice(Math.max(0, at - MOST_BEFORE), at + MOST_BEHIND).join(" ");
  return NEGATES.test(around);
}
const MOST_BEFORE = 4;
const MOST_BEHIND = 8;

const HABITS: readonly string[] = [
  "smok",
  "smoker",
  "drink",
  "drinker",
  "vap",
  "vape",
  "tobacco",
  "alcohol",
  "drug",
  "nicotin",
];
const GAVE_UP =
  /\b(?:quit|stopped|gave (?:it |that |them )?up|kicked (?:it|the habit)|used to|have ?nt (?:\w+ )?since|clean since|sober)\b/;
const STILL_DOES =
  /\b(?:(?:half )?a pack|packs?|socially|occasional(?:ly)?|sometimes|once in a while|now and then|every day|daily|a day|on weekends|cigars?|cigarettes?|vap(?:e|ing)|a (?:couple|few) (?:a|per) (?:day|week))\b/;
/** Fields about what somebody is behind with. */
const ARREARS: readonly string[] = [
  "behind",
  "ow",
  "owe",
  "owed",
  "back",
  "overdu",
  "past",
  "late",
  "debt",
  "arrear",
  "unpaid",
  "tax",
  "lien",
];
const ALL_PAID =
  /\b(?:paid (?:up|off|in full)|caught up|up to date|current on|on time|(?:all |were |im )current|owe (?:nothing|zero)|dont owe|nothing owed|always pay|never (?:late|behind|missed))\b/;
const NOT_ALL_PAID =
  /\b(?:\d+|one|two|three|four|a couple(?: of)?|a few|several) (?:months?|payments?|years?|bills?|of them|of the cards)\b|\b(?:we|i|still) owe\b|^(?:a little|a bit|slightly|just a little|only a little|a tad)\b|\bon (?:one|two|some|all|most|a few) of (?:them|it)\b|\bfell behind\b/;
const NEEDS_NONE =
  /^(?:(?:um|uh|oh|well|honestly|actually|i think|nah) )*(?:i |we )?(?:really |just )?(?:dont|do not|wont|wouldnt|didnt|cant) (?:really |think (?:i|we) |even )?(?:need|want|use|have|like|own|do|get)(?: (?:it|them|those|that|any|anything|one|so|these|this))?(?: (?:right now|yet|anymore|at all|really|sorry|thanks))*$/;
const SOMEWHAT =
  /^(?:(?:um|uh|oh|well|yeah|he|she|they|i|we|its|just) )*(?:a little(?: bit)?|kind ?of|kinda|sort ?of|sorta|somewhat|mostly|sometimes|occasionally|technically|for the most part|partly|partially|more or less|most of (?:it|them|the time)|all of (?:it|them)|both(?: of them)?|every (?:day|time))\b(?!.*\b(?:not|but|no)\b)/;

/** What is said instead of a yes or no: `quit 6 years ago`, `all paid up`, `two cats`, `a little`. */
function hintedAt(slot: Slot, { folded, text, acts }: Said): boolean | undefined {
  if (text.includes("?") || acts.has("question") || acts.has("yes") || acts.has("no")) return undefined;
  const { stems } = slot;
  if (HABITS.some((word) => stems.has(word))) {
    if (GAVE_UP.test(folded)) return false;
    if (STILL_DOES.test(folded) && !NEGATES.test(folded)) return true;
  }
  if (ARREARS.some((word) => stems.has(word))) {
    if (ALL_PAID.test(folded)) return false;
    if (NOT_ALL_PAID.test(folded) && !NEGATES.test(folded)) return true;
  }
  if (NEEDS_NONE.test(folded) || WISHES_IT.test(folded)) return false;
  if (WELCOMES.test(folded)) return true;
  for (const [about, isSo, isNot] of OPPOSITES) {
    if (!about.test(aboutOf(slot))) continue;
    if (isNot.test(folded)) return false;
    if (isSo.test(folded) && !NEGATES.test(folded)) return true;
  }
  if (OF_OTHERS.test(`${slot.words.join(" ")} ${slot.field.description ?? ""}`.toLowerCase())) {
    if (ALONE.test(folded)) return false;
    if (WITH_SOMEBODY.test(folded) && !NEGATES.test(folded)) return true;
  }
  if (SOMEWHAT.test(folded)) return true;
  // "Two cats and a dog" of pets; "a retriever".
  const own = conceptsOf(slot.words.join(" "));
  const isAlike = [...conceptsOf(folded)].some(([concept]) => KINDS_OF.has(concept) && own.has(concept));
  return isAlike && !NEGATES.test(folded) && folded.split(" ").length <= MOST_NAMED ? true : undefined;
}

const aboutOf = ({ words, field }: Slot): string => `${words.join(" ")} ${field.description ?? ""}`.toLowerCase();

/** "We have a cat" to who asked about a dog: the stems are the same, the animals are not. */
function isOtherPet(slot: Slot, { folded }: Said): boolean {
  const [dog, cat] = [/\b(?:dogs?|pupp(?:y|ies)|pups?)\b/, /\b(?:cats?|kitt(?:y|ies|ens?)|kittens?)\b/];
  const about = aboutOf(slot);
  if (/\bpets?\b|\banimals?\b/.test(about)) return false;
  const differs = (own: RegExp, other: RegExp): boolean =>
    own.test(about) && !other.test(about) && other.test(folded) && !own.test(folded);
  return differs(dog, cat) || differs(cat, dog);
}

/** `we'd love that`, `that would be great`. */
const WELCOMES =
  /^(?:(?:um|uh|oh|well|honestly|actually|ooh) )*(?:(?:i|we) ?d (?:really )?(?:love|like|prefer|appreciate|want) (?:that|it|to|one|them|those|this)|(?:that|it|this) ?(?:d|would|ll|will) be (?:so |really |very )?(?:great|nice|good|perfect|lovely|ideal|awesome|helpful|wonderful|amazing|best|cool)|(?:if )?(?:at all )?possible|ideally|preferably|hopefully)\b(?!.*\b(?:but|not|no|if)\b)/;
/** What is wished is not so. */
const WISHES_IT = /^(?:(?:um|uh|oh|haha|lol) )*(?:i|we) wish(?: lol| haha)?$/;

/** What is said of the opposite: people live in a house that is not vacant. */
const OPPOSITES: readonly (readonly [about: RegExp, isSo: RegExp, isNot: RegExp])[] = [
  [
    /\b(?:vacant|empty|unoccupied)\b/,
    /\b(?:empty|vacant|nobody|no one|moved out|move out|unoccupied)\b/,
    /\b(?:tenants?|renters?|occupied|liv(?:e|es|ing) (?:there|here|in (?:it|there))|people in (?:it|there)|furnished|in use)\b/,
  ],
  [
    /\b(?:occupied|lived in)\b/,
    /\b(?:tenants?|renters?|occupied|liv(?:e|es|ing) (?:there|here|in (?:it|there)))\b/,
    /\b(?:empty|vacant|nobody|no one|moved out|unoccupied)\b/,
  ],
  [
    /\bbirthday\b/,
    /\b(?:birthdays?|bday|b day)\b|\bturn(?:s|ing|ed)? (?:the big )?(?:\d{1,3}|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|one|two|three|four|five|six|seven|eight|nine|ten)\b)|\b\d{1,2}(?:st|nd|rd|th) birthday\b/,
    /\b(?:work thing|just for fun|just fun|anniversary|bachelor\w*|team building)\b/,
  ],
];

const ONLY_HEARD = /^(?:(?:oh|um|uh|well) )*(?:ok|okay|k|kk|alright) (?:\w+ ){2,}\w+/;
const AGREES =
  /\b(?:yes|yeah|yep|yup|sure|please|do it|lets|sounds|works|can do|will do|i do|we do|i have|we have|i can|we can|fine|good|great|no|not|dont|deal)\b/;

/** "I don't want to go over 200" turns nothing down. */
const LIMITS =
  /\b(?:dont|do not|wont|cant|rather not) (?:want to |wanna |really want to )?(?:go (?:over|above|past)|spend|pay) (?:more|over|\d|a|one|two|three|four|five|six|seven|eight|nine|\w+ hundred|\$)/;

const NEVER_DID =
  /^(?:(?:um|uh|oh|well|he|she|they|we|i|ive|hes|shes|weve|has|have) )*never (?!had|have|owned|own|again|mind|ever)\w+/;
const EVER_ASKED =
  /\b(?:ever|before|been|done|tried|visited|taken|worked|used|played|already|past|previous\w*|has|have|had)\b/;

const OF_OTHERS =
  /\b(?:anyone|anybody|someone|somebody|others?|else|co ?(?:owner|signer|applicant|borrower)|spouse|partner|joint)\b/;
const ALONE =
  /^(?:(?:um|uh|its|it is|nope|no|oh|well|i live) )*(?:just|only|all)? ?(?:me|myself|mine|alone|by myself|on my own)(?: only| alone)?$/;
const WITH_SOMEBODY =
  /^(?:(?:um|uh|its|it is|oh|well|me and|just) )*my (?:\w+ )?(?:wife|husband|spouse|partner|brother|sister|mom|mother|dad|father|son|daughter|ex|cousin|uncle|aunt|siblings?|parents|business partner)\b/;

/** Concepts whose words name what there is; of the others a word says only what is spoken of. */
const KINDS_OF: ReadonlySet<string> = new Set(["pet", "child", "event"]);
const MOST_NAMED = 10;

/** Whether something was ever done: `twice`, `in college`, `this would be my first time`. */
const EVER: readonly string[] = ["befor", "ever", "given", "been", "tri", "visit", "past", "had"];
const NEVER_YET = /\b(?:never|first (?:time|one|visit)|my first|not (?:ever|once|yet))\b/;
const OFTEN =
  /\b(?:once|twice|(?:one|two|three|four|five|a few|few|a couple|couple|many|several|lots of|tons of|a bunch of|bunch of|plenty of|\d+)(?: of)? times|(?:every|each|last|a|per) (?:year|month|summer|week)|all the time|regularly|often|years ago|long ago|a while (?:ago|back)|in (?:college|high school|school|the past|the army)|when i was|used to|i have|i did|we have|we did|i had|we had)\b/;
/** Which one there is, instead of a yes: `a baby grand`, `we inherited one`. */
const WHICH_ONE =
  /^(?:(?:um|uh|oh|well|just|only|its|we do|i do|theres|there is|we have|i have|weve got|ive got|we got|i got) )*(?:an?|one|two|my|our|his|her|some) (?:\w+ ){0,4}\w+$|\b(?:we|i|he|she|they)(?:ve)? (?:\w+ )?(?:inherited|bought|got|own|have|has|found|kept) (?:one|it|two|an? \w+|her|him)\b/;
const THROUGH =
  /\b(?:through|thru|via|from|at|with) (?:my |our |his |her |the )?(?:\w+ )?(?:work|job|employer|husband|wife|husbands|wifes|school|company|union|state|government|va|marketplace|parents)\b/;
const LOST = /\b(?:lost|dropped|canceled|cancelled|quit|ran out of|dont carry) (?:it|that|mine|ours|my \w+)\b/;

function doneIn({ stems, kind, field }: Slot, { folded, text, acts }: Said): boolean | undefined {
  if (kind !== "yes_no" || text.includes("?") || acts.has("question") || acts.has("yes") || acts.has("no"))
    return undefined;
  if (EVER.some((word) => stems.has(word)) || /\bbefore\b/i.test(field.description ?? "")) {
    if (NEVER_YET.test(folded)) return false;
    if (OFTEN.test(folded)) return true;
  }
  if (stems.has("insuranc") && !stems.has("claim")) {
    if (LOST.test(folded)) return false;
    if (
      THROUGH.test(folded) ||
      (/^(?:like i said )?[a-z]+(?: [a-z]+)?$/.test(folded.replace(SAID, "")) &&
        !isNoise(folded) &&
        !NEGATES.test(folded))
    )
      return true;
  }
  const owns = /\bhas|have|owns?\b/i.test(field.description ?? field.name);
  return owns && !NEGATES.test(folded) && WHICH_ONE.test(folded) && !WAITS.test(folded) ? true : undefined;
}

const SAID = /^(?:(?:like|as) i (?:said|told you) |(?:um|uh|its|just|oh|i think|the) )+/;

/** What fields about trouble are named by. */
const TROUBLES = [
  "problem",
  "injur",
  "affect",
  "damag",
  "pain",
  "symptom",
  "issu",
  "sick",
  "concern",
  "troubl",
  "ill",
  "accident",
];
/** A trouble that is described instead of a yes: `he limps a little`, `broke my wrist`, `my neck and my back`. */
const SYMPTOM =
  /\b(?:limp\w*|scratch\w*|itch\w*|cough\w*|sneez\w*|vomit\w*|throw(?:s|ing)? up|threw up|diarrhea|bleed\w*|bled|ache\w*|aching|sore|pain\w*|hurts?|hurting|swollen|swelling|bruis\w+|broken?|broke|fractur\w+|sprain\w*|whiplash|concussion|stitches|hospital|surgery|cut|cracked|leak\w*|smell\w*|noise|nois\w+|rattl\w+|lump|rash|fever|infection|infected|allerg\w+|losing (?:hair|weight|fur)|not eating|stopped eating|wont eat|isnt eating|lost weight|overweight|tired|lethargic|dizzy|numb|stiff|headaches?|stopped working|acting (?:weird|strange|funny|up|off)|fell|fallen|crash\w*|wreck\w*|rear ended|got hit|was hit|hit me|slipped|tripped|collision|run over)\b|^(?:yeah |yes |just )?my (?:neck|back|arm|leg|knee|head|shoulder|wrist|hand|foot|ankle|hip)s?\b/;
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
  return [...folded.matchAll(NONE)].some(([, noun]) => isContent(stem(noun!)) && stems.has(stem(noun!)));
}

/** `non smoker`, `never had a cpap`: a word of the field behind a word that denies it. */
const isNon = ({ stems, words }: Slot, folded: string): boolean =>
  [...folded.matchAll(DENIED)].some(([, noun]) => {
    const base = stem(noun!);
    return (
      isContent(base) && (stems.has(base) || words.some((word) => word.length > 4 && word.startsWith(base.slice(0, 4))))
    );
  });
const DENIED =
  /\b(?:non ?|never (?:had|used|owned|tried|been on|got|needed|worn|done) (?:an? |the |any |one of those )?)(\w{4,})/g;

const NONE =
  /\b(?:no|dont have any|do not have any|havent got any|without|without any|have no|havent filed any) (?!no\b)(\w+)\b/g;

/** `he's got all his shots` of vaccinations: another word for the thing, and that it is there. */
function hasAlike({ stems }: Slot, folded: string): boolean {
  const noun =
    /\b(?:has|have|had|got|gets|is|are) (?:all |both |up to date on )?(?:his|her|their|its|my|our|the|all) (\w+)$|\b(?:has|have|had|got) (?:all )?(?:his|her|their|its|my|our|the) (\w+)\b/.exec(
      folded,
    );
  const word = noun?.[1] ?? noun?.[2];
  if (word === undefined || NEGATES.test(folded)) return false;
  const own = conceptsOf([...stems].join(" "));
  return [...conceptsOf(word).keys()].some((concept) => own.has(concept));
}

/** `we own it but i don't know`: what is said before and after is not about it. */
const clauseWith = (pattern: RegExp, folded: string): string =>
  folded.split(/ (?:but|so|because|cause|though) /).find((clause) => pattern.test(clause)) ?? folded;

const UNINSURED =
  /\b(?:no|without|dont have|do not have|havent got|not got|lost (?:my|our))(?: any| dental| my| our)? (?:insurance|coverage)\b|\buninsured\b/;
const INSURED = /\b(?:i|we|have|got|ive got|with|under)(?: \w+){0,2} insurance\b/;
const INSURED_WITH =
  /\b(?:i have|ive got|i got|we have|weve got|we got|have|had|on|my|its|with|through|yes|yeah|covered by|tengo) (?:\w+ )?(?:delta dental|cigna|metlife|aetna|humana|guardian|anthem|blue cross|united healthcare|medicaid|medicare)\b/;

/** `never appealed`. */
function neverDid(words: string, shared: ReadonlySet<string>): boolean {
  const verb = /\bnever (\w+)/.exec(words)?.[1];
  return verb !== undefined && shared.has(stem(verb));
}

/** The words of a matter; `home` and `roof` are in too many sentences that say nothing of it. */
const isContent = (word: string): boolean =>
  word.length > 2 && !/^(?:home|roof|insuranc|dental|want|still|they|own|car|job|day)$/.test(word);

const LEANS_TO =
  /\b(?:might (?:be|sell|want|consider)|thinking (?:of|about)|thought about|considering|planning (?:to|on)|have to|need to|gotta|open to|maybe if|if the price|right price|would like to|want to|wanna|looking to|looking for|ready to|trying to|interested|quiero|me interesa|me gustaria)\b/;

/** What somebody lacks is no refusal by itself: "I don't have a license, is that ok". */
export const EXPLAINS =
  /^(?:(?:um|uh|oh|well|but|so) )*(?:i|we) (?:dont|do not|havent|didnt|cant) (?:have|know|see|understand|remember|get|even|got|drive|speak)\b/;

/** Whether the contact wants what the agent is about. */
export function readInterest(slot: Slot, said: Said, direct: boolean): ReadValue | undefined {
  const { acts, folded } = said;
  const quote = whole(said.text);
  // "I'm not keen on talking to a machine" is about the machine.
  if (acts.has("person") && !acts.has("refuse")) return undefined;
  if (LIMITS.test(folded)) return undefined;
  if (acts.has("refuse") || (direct && acts.has("no") && !acts.has("interest") && !EXPLAINS.test(folded)))
    return { value: "no", quote };
  if (acts.has("declines")) return undefined;
  if (direct && !said.text.includes("?") && NEEDS_NONE.test(folded) && /\b(?:need|want)\b/.test(folded))
    return { value: "no", quote };
  if (direct && slot.stems.has("own") && !said.text.includes("?") && RENTS.test(folded)) return { value: "no", quote };
  if (acts.has("interest") || (direct && !said.text.includes("?") && WELCOMES.test(folded)))
    return { value: "yes", quote };
  if (direct && acts.has("yes") && !acts.has("later")) return { value: "yes", quote };
  const about = folded.split(" ").some((word) => isContent(stem(word)) && slot.stems.has(stem(word)));
  if (about && LEANS_TO.test(folded) && !/\b(?:not|dont|never)\b/.test(folded) && !acts.has("question"))
    return { value: "yes", quote };
  return direct && LEANS_TO.test(folded) && !/\b(?:not|dont|never)\b/.test(folded) && !acts.has("question")
    ? { value: "yes", quote }
    : undefined;
}
