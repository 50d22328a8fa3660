import type { FieldKind } from "#domain/agents/field-kind.ts";
import type { Said } from "./said.ts";

/** What an agent's last text asked for, as far as it matters to what an answer implies. */
export type Asked = FieldKind | "opening" | undefined;

/** It is done, or bought, somewhere else. */
const ELSEWHERE =
  /\b(?:ask|bought|ordered|booked|hired|found|picked|chose|got|getting|signed|went|going|switched|listed|did|used|using|have|had|made|trimmed|topped|fixed) (?:\w+ ){0,4}(?:instead|elsewhere|somewhere else|already|online|another (?:\w+ )?(?:guy|place|company|agent|school|shop|office|doctor|caterer|provider|firm)|(?:someone|somebody) else|a different (?:one|place|guy|company)|(?:on|from|off) (?:amazon|ebay|craigslist|costco|walmart|facebook|marketplace)|at the mall|with (?:another|someone|somebody))\b|\bwent to (?:\w+ ){1,4}(?:for (?:that|it|this)|already|instead)\b/;
/** The matter is over, or was none. */
const OVER =
  /\blost interest\b|\b(?:not|dont|doesnt|didnt|wont|no) (?:\w+ ){0,5}(?:anymore|any more|any longer)\b|\bchanged (?:my|our|his|her|their) minds?\b|\b(?:by mistake|my mistake)\b|\bdecided (?:not|against|to (?:just )?(?:stay|keep|wait|hold|pass|skip|stick|hang on))\b|\bstaying (?:put|home|where)\b|\b(?:called|calling) (?:it|the \w+|everything) off\b|\bcalled off (?:the|our|my)\b|\bfell through\b|\b(?:go|going|look|looking|try|trying) (?:elsewhere|somewhere else)\b|\b(?:he|she|they|i|we) (?:dont|doesnt|do not|does not) want to\b|\bcant afford\b|\b(?:its|thats|is|are|way) too (?:far|expensive|pricey|steep|much money|rich)\b|\bnot worth (?:it|the)\b|\btaken care of\b|\b(?:got|have|had) (?:it|that|them|this|everything) (?:handled|fixed|covered|sorted|done)\b|\b(?:fixed|did|doing|do) it (?:myself|ourselves|himself|herself)\b|\b(?:happy|satisfied|sticking|staying|content) with (?:what|who|our|my|the|where|current)\b|\bcancel(?:l?ed)? (?:the|our|my) \w+\b|\bno (?:longer|more) (?:own|have|live|work|need)\b|\bbut (?:no|nah|nope)(?: thanks| thank you| sorry)?$|^(?:(?:sorry|oh|um|uh|well|thats|its|ok|okay|way|a bit|kinda) )*too (?:far|expensive|pricey|steep|much|late)(?: away| for (?:me|us|my \w+)| then| sorry| thanks)*$|\btoo (?:pricey|expensive|steep|rich|much) for (?:me|us)\b|\b(?:wont|will not|dont|no longer) be needing\b|\b(?:i|we) wont need\b|\bdeal ?breaker\b|^(?:(?:oh|um|uh|sorry) )*never ?mind(?: then| thanks| sorry| (?:i|we) .*)?$|\b(?:gave|giving) (?:it|them|everything|that) (?:all )?away\b|\bi dont think (?:i|we) can (?:anymore|now|do (?:it|this)|make it|afford)\b/;
/** Somebody else has it already, or there is none of it any more. */
const ALREADY =
  /\balready (?:\w+ ){0,2}?(?:booked|have|had|got|hired|found|bought|ordered|signed|paid|done|did|using|use|chose|picked|scheduled|replaced|fixed|took|went|sold|gave|renewed|enrolled|joined|made) (?:with |for )?(?:someone|somebody|one|it|mine|ours|another|that|this|them)\b|^(?:(?:sorry|oh|um|uh|hi|no|nope|actually) )*(?:i |we |ive |weve )?(?:just |already )?(?:sold|scrapped|donated|junked|traded in|gave away|got rid of|returned|canceled|cancelled) (?:it|that|them|the|my|our|mine|ours)\b|\b(?:i|we) sold (?:it|that|the|our|my)\b|^(?:(?:sorry|oh|um|uh|hi) )*(?:already (?:booked|hired|bought|found|sold|done|taken care))\b/;

/** All is well as it is, or it cannot be. Only to who asks whether something is wanted. */
const NO_NEED =
  /\b(?:is|are|im|i am|were|see|sees|hear|hears|feel|feels|works?|doing|sleep|sleeps) (?:\w+ )?(?:just|perfectly|all|totally|pretty) (?:fine|great|good|well)\b|\b(?:my|our) (?:\w+ ){1,2}(?:is|are) (?:still )?(?:fine|great|good|ok|okay|new)\b|\ballergic\b|\btoo (?:busy|old|sick|scared|young|broke)\b|\b(?:have|got|use|see|with) (?:an?|our own|my own|another) (?:\w+ ){0,4}(?:guy|doctor|doc|dentist|agent|realtor|broker|provider|contractor|audiologist|accountant|lawyer|trainer|vet)\b|\b(?:brother|nephew|cousin|neighbor|friend|son|uncle|dad|father|daughter|sister|niece)(?: in law)? (?:is doing|did|can do|will do|fixed|helps)\b|\b(?:freaks?|scares?) me\b|\b(?:not|doesnt|dont) (?:really )?(?:need|needed|like|into|believe in)\b|\b(?:i|we) (?:just|only) rent\b|^(?:we|i) rent$|\b(?:retired|moved|moving) (?:to|away|out of)\b|\bcant (?:\w+ )?(?:right now|this (?:year|month|season))\b|\bi(?:m| am) (?:anemic|pregnant|disabled)\b/;

const LOOKING = /\b(?:looking|need|needs|want|wants|wanna|to (?:buy|sell|get|find|rent))\b/;

const WANTED: ReadonlySet<Asked> = new Set(["interest", "opening"]);
/** What begins so is no refusal, whatever follows. */
const AGREES =
  /^(?:(?:oh|ok|okay|well|um|uh|hmm) )*(?:yes|yeah|yep|sure|definitely|absolutely|maybe|possibly|depends)\b/;

/** `went to the mall for that`, `he lost interest`: a no by its reason. For a contact who has answered nothing yet. */
export function refusesByReason({ folded, text, acts }: Said, asked: Asked): boolean {
  if (text.includes("?") || acts.has("question") || acts.has("interest") || AGREES.test(folded)) return false;
  if (acts.has("later") && !OVER.test(folded)) return false;
  if (acts.has("hostile")) return false;
  if (asked === "yes_no") return (OVER.test(folded) || ALREADY.test(folded)) && !acts.has("no");
  if (ALREADY.test(folded) && !LOOKING.test(folded)) return true;
  return (
    (ELSEWHERE.test(folded) && !LOOKING.test(folded)) ||
    OVER.test(folded) ||
    (WANTED.has(asked) && NO_NEED.test(folded))
  );
}

/** Whoever has no preference is asked the next thing. */
const ANY_OF_THEM =
  /\b(?:either|both(?! ways)|whichever|any of (?:them|those)|all of (?:them|it|the above)|no preference|(?:doesnt|dont|does not|do not) (?:really )?(?:matter|care|mind)|dont have a preference|you (?:pick|choose|decide)|up to (?:you|u|yall)|whatever|whatevs|anything|medium|in between|somewhere in the middle|undecided)\b/;
const WHATEVER =
  /^(?:(?:um|uh|oh|well|i mean|honestly|really|just|probably|ok|okay) )*(?:whatever|whatevs|whichever|anything|you tell me|up to (?:you|u)|flexible|negotiable|open)\b/;
const WHENEVER =
  /^(?:(?:um|uh|oh|well|i mean|honestly|really|just|probably|ok|okay|its|im) )*(?:whenever|any ?time|any ?day|flexible|doesnt matter|up to (?:you|u)|you (?:pick|choose|decide))\b/;
const TEMPORAL: ReadonlySet<Asked> = new Set(["date", "time", "moment", "call_time", "period"]);

export function hasNoPreference({ folded }: Said, asked: Asked): boolean {
  if (asked === "choice") return ANY_OF_THEM.test(folded);
  if (TEMPORAL.has(asked)) return WHENEVER.test(folded);
  return (asked === "money" || asked === "number") && WHATEVER.test(folded);
}
