import { conceptsOf } from "#adapters/dialog-words/concepts.ts";
import { type OpeningHours, openingHoursIn } from "#adapters/dialog-words/opening-hours.ts";
import { renamedIn, stemsOf } from "#adapters/dialog-words/stems.ts";
import { STATES } from "#domain/phones/state.ts";
import { foldText } from "#domain/values/fold.ts";
import { statedIn } from "./sentences.ts";

/** What an agent can say of its own knowledge: sentences that state something, and what it must not speak of. */
export type Facts = { stated: readonly Sentence[]; forbidden: readonly Sentence[] };
export type Sentence = {
  text: string;
  stems: ReadonlySet<string>;
  /** What its words are about, with the word that says so. */
  concepts: ReadonlyMap<string, string>;
  /** Words that `stems` has under another. */
  raw: ReadonlySet<string>;
  topics: ReadonlySet<Topic>;
};

/** What people ask about in many words. */
export type Topic =
  | "fee"
  | "worth"
  | "rate"
  | "place"
  | "hours"
  | "source"
  | "since"
  | "length"
  | "promise"
  | "area"
  | "next"
  | "subject";

const TOPICS: readonly (readonly [Topic, RegExp])[] = [
  [
    "fee",
    /\b(?:charge|fees?|cost|costs|premium|commission|price|prices|priced|free|membership|deposit|dollars?|percent|expensive|pric(?:e)?y|cheap(?:er|est)?|rates? start|plans? starts?|starts? at|run (?:me|these|for|about|you)|paying|how much|catch|(?:your|ur|the) (?:cut|damage)|(?:that|it|this|all) (?:come|comes|add up|adds up) to|sets? me back|(?:money|cash|anything) down|cuanto cuesta|cobran|precio|costo)\b/,
  ],
  ["worth", /\b(?:worth|value|valued|sale price|sell for|get for|give me for|offer me|trade in|estimate|appraise)\b/],
  ["rate", /\b(?:rates?|apr|interest rate|interest|percentage)\b/],
  [
    "place",
    /\b(?:where|wheres|address|located|(?:job|store|shop|lot|clinic|practice|gym|office) is (?:in|at|on)|location|office is|our office|we are at|are you guys at|street|avenue|boulevard|po box|by mail|online at|donde|direccion|ubicad[oa]s?)\b/,
  ],
  [
    "hours",
    /\b(?:open|close|closed|closing|(?<!\b(?:\d+|one|two|three|four|five|six|seven|eight|ten|twelve|few|several|some|many) )hours|opening|what time (?:can|do|does|should|is) (?:i|we|you|u|it|they)|(?:what|which) days (?:are|do|can)|(?:do|are|can|will) (?:you|u|yall|you guys) (?:\w+ ){0,3}(?:on |at |in |sat |sun )?(?:the )?(?:weekends?|evenings?|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)$|(?:mon|tues|wednes|thurs|fri|satur|sun)days? (?:to|through|thru|and) (?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:between|from) \d{1,2}(?: \d\d)?(?: ?[ap]m)? (?:and|to) \d{1,2}|horario|abren|abiertos?|monday to|every day from)\b/,
  ],
  [
    "source",
    /\b(?:get|got|getting|have|has|had|find|found|gave|come by|came by) (?:you |u )?(?:my|your|the|this) (?:\w+ )?(?:number|info|information|name|contact|phone|details|cell)\b|\bnumber from\b|source of (?:the|your|my) number|number (?:is|was|comes|came) from|\bwhy we have your\b|\bhow did (?:you|u|yall) (?:get|find) (?:me|my)\b|\bwhere did (?:you|u|yall) get\b|\bleft your (?:number|card)\b|\bconsiguio mi numero\b|\bde donde (?:tienen?|saco|sacaron) mi\b/,
  ],
  [
    "since",
    /\b(?:how long have (?:you|u|yall|they)|been around|in business|been in business|since (?:19|20)\d\d|how old is (?:the|your) (?:company|business))\b/,
  ],
  [
    "length",
    /\b(?:how long|how much time|how (?:fast|quick\w*)|takes? (?:about|around|roughly|up to|at least|only|less|between|from|just|one|two|three|four|five|six|seven|eight|ten|half|an? (?:few|couple|minute|hour|day|week|month|year)|\d)|(?:does|will|would|do) (?:\w+ )?\w+ take|takes? (?:long|time)|minutes|half an? hour|one day|duration|lasts?|weeks?|months?|days?|years?|valid)\b/,
  ],
  [
    "promise",
    /\b(?:promise|guaranteed?|approved|for sure|definitely get|discounts?|deals?|price match|match|negotiat\w+|haggle|coupons?|promo\w*|knock off|cheaper|beat|save|\d+ (?:percent )?off)\b/,
  ],
  [
    "area",
    /\b(?:serve|area|come out to|licensed (?:in|to work in)|do (?:you|u) (?:guys )?(?:work|serve|go)(?: in)?|(?:which|what) (?:states?|cities|areas?))\b/,
  ],
  [
    "subject",
    /\bwhats? (?:is |s )?(?:the|this|that|an?) (?:\w+ ){1,3}(?:for|about)$|\b(?:is|are|was) (?:about|because|due to|caused by)\b/,
  ],
  [
    "next",
    /\b(?:what happens|happens next|next step|what now|and then what|after (?:that|the chat|this))\b|\b(?:then|within|sends?|calls those|confirms|will have|writes to you)\b/,
  ],
];

/** "Do you do Wyoming?" asks for the area, and "do you do gutters?" does not. */
const DO_STATE = new RegExp(
  `\\b(?:do|does) (?:you|u|yall|you guys|they) (?:also )?(?:do|cover) (?:${[...STATES.values()].map(({ name }) => foldText(name)).join("|")})\\b`,
);

export function topicsOf(folded: string): Set<Topic> {
  const found = new Set(TOPICS.filter(([, pattern]) => pattern.test(folded)).map(([topic]) => topic));
  if (DO_STATE.test(folded)) found.add("area");
  // "That is where we have your number from" names no place, and "how long have you been around" no time that something takes.
  if (found.has("source")) found.delete("place");
  if (found.has("since")) found.delete("length");
  if (/\bhow much (?:time|longer)\b/.test(folded)) found.delete("fee");
  return found;
}

const INSTRUCTS =
  /^(?:(?:and|then|also|please|first|always|only|just) )*(?:you are [a-z]+\b(?! patient| customer| member| client)|your (?:name|job|task|goal|role)|find out|ask|collect|gather|qualify|book|be|keep|if|use|say|tell|offer|confirm|speak|write|answer|make sure|try|let|get|learn|determine|screen|prepare|do|dont|stay|act|respond|reply|introduce|schedule|capture|obtain|remember|avoid|when (?:the|they|a|someone|asked)|once|end|start|thank|greet|respect|help|the goal|goal)\b/;
/** The task is named later in the sentence. */
const WITHIN =
  /\b(?:find out|ask (?:for|about|if|them|whether|the)|learn (?:which|what|whether|if|when|how)|thank them)\b/;
/** What a business knows for itself alone, whoever asks. */
const INTERNAL =
  /\b(?:lowest|margin|markup|internal|internally|confidential|secret|our cost|wholesale)\b|\b(?:minimum|maximum|at most)\b(?=.{0,40}\b(?:dollars?|percent|discount|off|offer|price)\b)|\b(?:dollars?|percent|discount|offer|price)\b.{0,40}\b(?:minimum|maximum|at most)\b/;
const FORBIDS = /\b(?:never|do not|dont|must not|may not|cannot promise|avoid)\b/;
/** What a business does not do is a fact, too: `We do not do gutters.` */
const OWN_LIMIT = /^(?:we|there is|there are|a|an|the|our) .*\b(?:do not|dont|no|not)\b/;
/** Instructions are read up to here; what matters stands near their beginning. */
const MAX_READ = 20_000;
const MAX_FACT = 220;

const remembered = new Map<string, Facts>();
const MOST_REMEMBERED = 50;

/** The facts of instructions. Remembered: an agent answers thousands with the same ones. */
export function factsOf(instructions: string): Facts {
  const before = remembered.get(instructions);
  if (before !== undefined) return before;
  const stated: Sentence[] = [];
  const forbidden: Sentence[] = [];
  for (const { text, about } of statedIn(instructions.slice(0, MAX_READ))) {
    const folded = foldText(text);
    if (folded === "" || text.length > MAX_FACT || /[{}<>]/.test(text) || INTERNAL.test(folded)) continue;
    const sentence = {
      text: spoken(text),
      stems: stemsOf(about),
      concepts: conceptsOf(about),
      raw: renamedIn(about),
      topics: topicsOf(foldText(about)),
    };
    if (FORBIDS.test(folded) && (!OWN_LIMIT.test(folded) || /\bnever\b/.test(folded))) forbidden.push(sentence);
    else if (!INSTRUCTS.test(folded) && !WITHIN.test(folded)) stated.push(sentence);
  }
  const facts = { stated, forbidden };
  if (remembered.size >= MOST_REMEMBERED) remembered.clear();
  remembered.set(instructions, facts);
  return facts;
}

/** What stands in instructions of the contact, said to the contact. */
const spoken = (text: string): string =>
  text
    .replace(/\b(?:the|our) (?:contact|lead|customer|client|prospect|caller|user)['’]s\b/gi, "your")
    .replace(/\b(?:the|a) (?:contact|lead|customer|client|prospect|caller|user)\b/gi, "you")
    .replace(
      /^they (?=(?:filled|asked|called|signed|left|wrote|gave|visited|requested|booked|scanned|came|sent|registered|entered)\b)/i,
      "You ",
    )
    .replace(/\b(?:are|is|do|does|did|was|were|have|has|would|could|should)nt\b/gi, (word) => `${word.slice(0, -2)}n't`)
    .replace(/\b(?:can|won)t\b/gi, (word) => `${word.slice(0, -1)}'t`)
    .replace(/(?<![.!?])$/, ".");

/** When somebody may come, with the sentence that states it: undefined where none does, or more than one. */
export function statedHours(instructions: string): (OpeningHours & { text: string }) | undefined {
  const stated = factsOf(instructions).stated.flatMap(({ text }) => {
    const hours = openingHoursIn(text);
    return hours === undefined ? [] : [{ ...hours, text }];
  });
  return stated.length === 1 ? stated[0] : undefined;
}

export type Found = { kind: "fact"; text: string } | { kind: "forbidden" } | { kind: "unknown" };

const TOTAL =
  /\b(?:gonna|going to|will|would|a month|per month|monthly|total|whole|all in|ballpark|run me|beat|knock off|the repair|new roof|how much (?:for|to|is|are|would|does it cost to|do you charge to) (?:an?|my|the|one|two|three|four|move|clean|fix|\d+)|(?:cost|price|charge)s? (?:to|for|of) (?:an?|my|the|take|get|do|have|fix|replace|put|build|clean|move))\b/;
/** What the business itself takes is another question than what the whole will come to. */
const OWN_FEE =
  /\b(?:you|u|yall|you guys) (?:guys )?(?:charge|take)$|\b(?:your|ur) (?:fee|fees|commission|cut)\b|\bcommission\b/;
const PRICED: ReadonlySet<Topic> = new Set(["fee", "worth", "rate", "promise"]);

const OWN_INSURANCE = /\b(?:my|our) (?:\w+ )?insurance\b|\binsurance (?:\w+ )?(?:covers?|pays?)\b/;
/** "We are licensed and insured." */
const INSURED = /\b(?:insured|bonded)\b/i;

/** How much a sentence has to have in common with a question to answer it. */
const ENOUGH = 1.5;
const TOPIC_WEIGHT = 1.5;
const STEM_WEIGHT = 2;
const AMOUNT_WEIGHT = 1;
/** What another word for the same thing is worth beside the very word. */
const ALIKE = 0.8;
const VERY_WORD = 0.3;
const HOW_MUCH = /\b(?:how much|what (?:does|do|would|is|are|s|d)|whats|whatd)\b/;
const AMOUNT = /\$\d|\d (?:dollars|cents|percent)\b/i;

/** The sentence that answers a question best, or that nothing may be said of it, or that nothing is known. */
export function answerTo(question: string, facts: Facts): Found {
  const asked = question.replace(/\bafter the \w+/i, "");
  const stems = joinedStems(asked, facts.stated);
  const topics = topicsOf(foldText(asked));
  // "Do you take cards" asks for no length of time, and "within" for no next step.
  if (
    !/\b(?:how (?:longs?|many|soon|fast|quick\w*|much time)|take long|long does|duration|quick)\b/.test(foldText(asked))
  )
    topics.delete("length");
  const isYesNo = /^(?:\w+[ ,.]+)?(?:can|do|does|is|are|am|would|could|should|was|will|did|have|u|you)\b/i.test(
    asked.trim(),
  );
  const wanted = { stems, concepts: conceptsOf(asked), raw: renamedIn(asked), topics };
  // "Will my insurance cover it" asks for the insurance of who asks.
  const isTheirs = OWN_INSURANCE.test(foldText(asked));
  const best = bestOf(
    isTheirs ? facts.stated.filter(({ text }) => !INSURED.test(text)) : facts.stated,
    wanted,
    isYesNo,
    topics.has("fee") && HOW_MUCH.test(foldText(asked)) && !/\banything\b/i.test(asked),
    topics.has("length") && !/\b(?:stay|there|come out|visit|call|appointment|consult\w*)\b/i.test(asked)
      ? "length"
      : topics.has("fee") && !/\b(?:anything|free|catch|charge me for)\b/i.test(asked)
        ? "fee"
        : undefined,
  );
  const barred = bestOf(facts.forbidden, wanted, isYesNo);
  // What all of it comes to is another question than what the first step costs.
  const total =
    TOTAL.test(foldText(question)) &&
    !OWN_FEE.test(foldText(question)) &&
    !/\b(?:anything|free)\b/i.test(question) &&
    facts.forbidden.some((one) => [...one.topics].some((topic) => PRICED.has(topic)));
  if (total && best.shared < 1 && (topics.has("fee") || topics.has("promise"))) return { kind: "forbidden" };
  if (barred.score >= ENOUGH && barred.score > best.score) return { kind: "forbidden" };
  if (barred.score >= ENOUGH && barred.score === best.score && (barred.shared >= 1 || topics.has("promise")))
    return { kind: "forbidden" };
  return best.score >= ENOUGH && best.text !== undefined ? { kind: "fact", text: best.text } : { kind: "unknown" };
}

/** What comes before the thing itself: who asks what that costs, or how long it takes, has no answer by "the estimate is free". */
const STEP_WEIGHT = { fee: 0.6, length: 0.3 };
/** "A 25 year warranty" is no answer to how long it takes, as long as there is another. */
const TAKES = /\b(?:takes?|lasts?|usually|done|finish\w*|complet\w+)\b/i;
const TAKES_WEIGHT = 0.5;
const FIRST_STEP =
  /^(?:(?:the|our|an?|your|each|every|first|initial|all) ){0,3}(?:\w+ )?(?:consult\w*|estimates?|inspections?|visits?|calls?|quotes?|appointments?|trials?|tours?|evaluations?|assessments?|checks?|reviews?|class|lesson|session|meeting|test|intake)\b/i;

const isFirstStep = (text: string): boolean => FIRST_STEP.test(text) && (/\bfree\b/i.test(text) || !AMOUNT.test(text));

/** "Met life" for MetLife: two words that are one in a fact are one. */
function joinedStems(question: string, facts: readonly Sentence[]): Set<string> {
  const stems = stemsOf(question);
  const words = foldText(question).split(" ");
  for (const [at, word] of words.entries()) {
    const next = words[at + 1];
    const [joined] = next === undefined || word.length + next.length < 6 ? [] : stemsOf(word + next);
    if (joined === undefined || !facts.some((fact) => fact.stems.has(joined))) continue;
    for (const part of [word, next!]) for (const one of stemsOf(part)) stems.delete(one);
    stems.add(joined);
  }
  return stems;
}

function bestOf(
  sentences: readonly Sentence[],
  { stems, concepts, raw, topics }: Omit<Sentence, "text">,
  isYesNo: boolean,
  wantsAmount = false,
  whole?: "fee" | "length",
): { score: number; text: string | undefined; shared: number } {
  let score = 0;
  let text: string | undefined;
  let most = 0;
  for (const sentence of sentences) {
    const exact = [...sentence.stems].filter((word) => stems.has(word));
    // Another word for the same thing, where the very word is not there.
    const alike = [...concepts].filter(
      ([concept, word]) => sentence.concepts.has(concept) && stems.has(word) && !sentence.stems.has(word),
    );
    const words = [...exact, ...new Set(alike.map(([, word]) => word))];
    const same = [...sentence.topics].filter((topic) => topics.has(topic)).length;
    // A word that every sentence has says little, and one word of several asks for something else.
    // "Do you take cats": a sentence of cats before one of dogs.
    const very = exact.length > 0 ? [...raw].filter((word) => sentence.raw.has(word)).length * VERY_WORD : 0;
    const covered = words.length * 2 - stems.size;
    const rarity =
      exact.reduce((sum, word) => sum + 1 / sentences.filter((one) => one.stems.has(word)).length, 0) +
      alike.reduce((sum, [concept]) => sum + ALIKE / sentences.filter((one) => one.concepts.has(concept)).length, 0);
    // "Are you insured if something breaks": a word that only one sentence has says enough of a yes or no.
    const isEnough = isYesNo && (covered === 0 || (covered === -1 && rarity >= 1));
    const shared = same > 0 || covered > 0 || isEnough ? words.length : 0;
    // "How much" is answered by an amount, where one is stated.
    const amount = wantsAmount && same > 0 && AMOUNT.test(sentence.text) ? AMOUNT_WEIGHT : 0;
    const step = whole !== undefined && shared === 0 && isFirstStep(sentence.text) ? STEP_WEIGHT[whole] : 0;
    const takes = whole === "length" && same > 0 && TAKES.test(sentence.text) ? TAKES_WEIGHT : 0;
    const weight =
      amount + takes - step + (shared > 0 ? Math.max(rarity, 0.75) + very : 0) * STEM_WEIGHT + same * TOPIC_WEIGHT;
    if (weight > score) {
      score = weight;
      text = sentence.text;
      most = shared;
    }
  }
  return { score, text, shared: most };
}
