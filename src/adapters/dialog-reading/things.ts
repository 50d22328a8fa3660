import { foldText } from "#domain/values/fold.ts";
import { trimEndOf } from "#domain/values/trim-end.ts";
import { actsIn } from "./acts.ts";
import { ASIDE, NAMES_NOTHING, readFree } from "./free-words.ts";
import type { ReadValue, Said } from "./said.ts";
import type { Slot } from "./slot.ts";

/** Fields that are answered with a sentence: why, what is wrong, what they want to reach. */
const OF_A_STORY =
  /\b(?:why|reasons?|problems?|wrong|issues?|happen\w*|goals?|descri\w+|concerns?|notes?|comments?|details?|message|needs?|injur\w+|symptoms?|help|situation|purpose|is for|story|motivat\w+|feel\w*|questions?|hop\w+|bothers?|looking for|wants?|do|plans?|availability|preferences?|request\w*|condition|damage\w*|how)\b/i;

/** Whether a field is answered with the name of a thing, and with no sentence. */
export const wantsThing = ({ words, field }: Slot): boolean =>
  /^who\b/i.test(field.description ?? "") || !OF_A_STORY.test(`${words.join(" ")} ${field.description ?? ""}`);

const SUBJECT =
  /^(?:(?:um|uh|oh|well|so|and|but|then|ok|okay) )*(?:i|im|ive|id|ill|we|weve|wed|he|hes|she|shes|they|theyre|theyve|you|youre|u|ur|it|this is|that|thats|there|theres|everyone|everybody|nobody|somebody|someone)\b(?! (?:it|guess|think)$)/;
const NO_THING =
  /^(?:(?:um|uh|oh|well|so|and|but|then) )*(?:getting (?:married|engaged|divorced|back|out|ready)|going|being|having|did|do|does|dont|doesnt|didnt|went|goes|had|havent|hasnt|lost|thx|thanks|thank|ty|nope|nah|no|not|never|cant|cannot|wont|already|hope|sorry|bye|let|wait|hold|stop|please|pls|is|are|was|were|can|could|will|would|whats|what|how|hows|when|where|who|why|which|depends|same|still|only if|because|cause|cuz|since|if|whatever|anything|everything|nothing|yes|yeah|yep|ok|okay|sure|good|great|fine|cool|nice|perfect|bummer|damn|wow|hi|hello|hey|lol|haha|later|maybe later)\b/;
/** A subject with its verb further on: `Mondays I'm closed`, `this is her cell`. */
const CLAUSE_WITHIN =
  /\b(?:i|im|ive|ill|weve|hes|shes|theyre|youre)\b (?!guess\b|think\b|believe\b|suppose\b)\w+|\b(?:we|he|she|they|you|u) (?:are|is|was|were|have|has|had|do|does|did|dont|doesnt|didnt|can|cant|could|will|wont|would|want|need|got|go|just|already|never|decided)\b|(?<!\b(?:my|our|his|her|their) \w+ )\b(?:is|are|was|were) (?:not |just |now |already )?\w{3,}ing\b/;

/** Whether words are a sentence of their own, and no name of a thing. */
export function isClause(text: string): boolean {
  const folded = foldText(text).replace(SPELLED, "x");
  return SUBJECT.test(folded) || NO_THING.test(folded) || CLAUSE_WITHIN.test(folded);
}

/** `u s a a`, `i phone`: letters, and nobody who speaks. */
const SPELLED = /\b\w(?: \w\b){2,}|\b[iu] (?:phones?|pads?|macs?|pods?|watch|robot|haul|s bank|s\b)/g;

/** How somebody begins who names the thing: `its westgate`, `we use quickbooks`, `picking up an ioniq`. */
const NAMES_IT =
  /^(?:(?:um|uh|oh|ohh|yeah|yes|well|so|hi|hey|ok|okay|i think|i guess|i believe|actually)[,.]? +)*(?:(?:it|that)(?:'?s| is| was|'?d be| would be| will be)|(?:i|we|he|she|they)(?:'?ve|'?m|'?re|'?s|'?d)? (?:(?:just|currently|still|already|do|mostly|mainly|actually|both) )?(?:(?:have|has|got|need|want|like)(?! (?:to|out|back|off|up|down|in|no)\b)|(?:do|does|make|makes|sell|sells|teach|teaches|study|studies|work (?:in|at|for|as)|works (?:in|at|for|as)|take|takes|chose|choose|tried|live in|went to|bought)(?! (?:it|that|this|not|so|the same|you|any|all)\b)|use|uses|using|drive|drives|driving|run|runs|own|owns|play|plays|speak|picked|chose|go with|went with|go to|getting|picking up|are with|am with|with|rent from|bank with)|(?:he|she|they)(?:'?s|'?re| is| are)(?= an? | the | my )|(?:picking up|getting|currently|mostly|mainly|using|driving|called|named)|(?:my|our|his|her|their|the) (?:\p{L}+ ){1,2}is|name(?:'?s| is))(?: (?:called|named|from|through|with|for|uh|um|like|probably|actually|mostly|an?|the))*[ ,]+/iu;

const CLAUSES =
  /\n|(?<![.!?;])[.!?;]{1,5}(?=\s|$)|, | but | and (?:uh |um )?(?=(?:it|he|she|they|we|i)(?:'(?:s|ve|re|m|d|ll))? )| (?=(?:shes|hes|theyre) )| (?=i (?:think|guess|hear|heard|see|saw|believe|mean) (?!it|so|about)\w)| (?=(?:he|she|they) (?:just|got|had|needs?|wants?|lives?|turned|turns|\w+ed)\b)| (?=(?:he|she|they|it|we|i)(?:'s|'re|'m| is| are| am| has| have| was| were)\b)/i;
const MOST_CLAUSES = 6;
const MAX_THING = 60;
const FILLERS = /\b(?:uh|um|like|you know),? +/gi;

/** The part of an answer that names a thing, where the whole of it is a story: first what is named outright. */
export function readThing(said: Said): ReadValue | undefined {
  const text = said.text.replace(ASIDE, "");
  if (said.acts.has("question") && !/[.!?\n]./s.test(text.trim())) return undefined;
  const parts = text
    .split(CLAUSES)
    .map((part) => part.trim())
    .filter((part) => part !== "");
  if (parts.length > MOST_CLAUSES) return undefined;
  const named = parts.map((part) => thingIn(part, said, NAMES_IT.exec(part)?.[0])).find((found) => found !== undefined);
  if (named !== undefined || parts.length === 1) return named;
  for (const part of parts) {
    const read = part.includes("?") || isClause(part) ? undefined : thingIn(part, said, "");
    if (read !== undefined) return read;
  }
  return undefined;
}

const STARTS_WITH_COUNT =
  /^(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\p{L}+teen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)\b/iu;

function thingIn(part: string, said: Said, lead: string | undefined): ReadValue | undefined {
  if (lead === undefined || /\?$/.test(part) || NAMES_NOTHING.test(foldText(part))) return undefined;
  const text = trimEndOf(part.slice(lead.length), ".,!? ").trim();
  if (text === "" || text.length > MAX_THING || isClause(text.replace(FILLERS, ""))) return undefined;
  if (STARTS_WITH_COUNT.test(text) || /^(?:married|engaged|divorced|back|out|ready|there)\b/i.test(text))
    return undefined;
  const { folded, acts } = actsIn(text);
  if (acts.has("question") || acts.has("thanks")) return undefined;
  return readFree({ ...said, text, folded, acts });
}
