import { isBadNews, NOT_A_THING, PERSON_AND_THING } from "./bad-news.ts";
import { DOING, TEXTS } from "./opt-out-words.ts";

/** What someone may stop without meaning us: a visit, a payment, a thought. */
const OTHER_STOPS =
  "(?: (?:by|in|at|over|off|for|near|thinking|worrying|charging|billing|renting|smoking|leaking|running|raining|snowing|barking|bleeding|crying|laughing|working|dripping|beeping|drinking|paying|spending|foreclosures?|evictions?|repossession|garnishment|(?:sending|mailing|giving|taking|making)\\b.{0,80}\\b(?:charges?|bills?|invoices?|payments?|refunds?|packages?|statements?|catalogs?|letters?|money|deliver\\w*|orders?)|(?:my|the|this|that|a|an|all|any|these|those|our|his|her|paying|your) .{0,80}\\b(?:payments?|charg\\w+|orders?|subscription|services?|deliver\\w*|shipment|checks?|cheques?|transfers?|auto ?pay|bills?|billing|withdrawals?|foreclosure|clock|sale|auction|car|bus|leak|work|insurance|policy)))";

/** What someone may be tired of or done with, other than us. */
const OTHER_TROUBLES =
  " (?:\\w+ )?(?:apartment|house|home|place|job|car|rent|landlord|weather|commute|traffic|city|town|neighborhood|kitchen|bathroom|roof|boss|bank|insurance|lender|market|search|pain|heat|cold|roommate|neighbor|loan|debt|bill|rate|fee|paperwork|project|remodel|inspection|work|school|form|step|tour)s?\\b";

/** The writer's own loss is no wish by itself: what was written to somebody who has died is. */
const NOT_OWN_LOSS =
  "(?<!\\b(?:my|our) (?:\\w+ )?(?:husband|wife|spouse|partner|mom|mum|mother|dad|father|parents?|son|daughter|brother|sister|baby|child|kid|grand(?:ma|pa|mother|father)|uncle|aunt|cousin|niece|nephew|friend|fiancee?|boyfriend|girlfriend|boss|neighbor|dog|cat|pet)s? (?:\\w+ ){0,2})";

/**
 * What may be a wish to be left alone and may be something else, one thought a line, matched against a folded sentence that
 * says nothing plainer. A language model is asked about it where there is one; otherwise it stops.
 */
const DOUBTS = new RegExp(
  [
    // stop being so pushy; this has to stop; but not: stop by anytime, did it stop raining?
    `^(?:(?:please|pls|just|ok|okay|hey|no|and|so|can|could|would|will|you|u|yall|now|omg|seriously|guys) )*stop(?!${OTHER_STOPS}\\b|$)\\b`,
    `(?<!\\bdid )\\b(?:this|it|these|that|you|u|yall|texts?|messages?|calls?|spam) (?:\\w+ ){0,3}(?<!\\b(?:reply|text|say|send) )stop(?!${OTHER_STOPS}\\b| (?:raining|snowing|texting))\\b`,
    // for the last time stop; but not: the bus stop, a bill called STOP
    "(?<!\\b(?:reply|text|say|send|word|called|named|says?|an?|the|bus|full|non|pit|next|last|first|one|rest|no|to|cant|not|dont|wont|didnt|did|i|each|every|short|will|said) )\\bstop$",
    "^(?:please |pls |just )*quit (?:it|that|with|being|playing|wasting|acting|lying)\\b",
    "^(?:ok |okay |thats |that is )*enough\\b(?! (?:for|to|space|room|time|money|info\\w*|details?|answers?|people|of a)\\b)",
    "^(?:please |just )*cancel (?:everything|all|this|that|me)\\b(?!.*\\b(?:appointment|order|tour|meeting|showing|policy|call|visit)\\b)",
    // weary or angry
    `\\b(?:sick|tired|fed up|done) (?:of|with) (?:you|u|yall|(?:this|these|your|ur)(?!${OTHER_TROUBLES}(?! (?:\\w+ ){0,2}(?:${TEXTS}|${DOING})\\b))|getting|the (?:texts|messages|calls|spam)|all)\\b`,
    "(?<!\\b(?:you|they|he|she|we) )\\b(?:told|said|tell) (?:(?:you|u|ya|yall|people|guys) )*(?:no(?! (?:more (?:than|fees?|questions?|pets?|kids?)|to (?:the|a|an|my|him|her|them|it|that|those)|about|on (?:the|that|my)|stairs|pets|smoking|kids|children|problem|worries|one|longer|need|rush)\\b)\\b|not (?:to|interested)|already|im not|i dont|to stop|before|twice|many times)",
    "\\bhow many times\\b|\\bnever again\\b(?! (?:will|would|do|did|am|are)\\b)|\\b(?:knock|cut) it (?:off|out)\\b|\\bgive it a rest\\b|\\bshut up\\b(?! (?:really|seriously|no way|and take)\\b)|\\bget a life\\b|\\bscrew (?:you|off)\\b|\\bcount me out\\b",
    "^(?:im|i am|we are|were) (?:done|out|over it)$|\\bnot interested (?:at all|ever|period|so)\\b|\\bnot interested\\b.{0,160}\\b(?:leave|go away|goodbye)\\b|\\bnot interested (?:ok |okay )?already$",
    "\\b(?:block(?:ed|ing)?) (?:you|u|this|ur|your|the number)\\b|\\b(?:been|got|getting|is|are|youre|number) blocked\\b|^blocked$|^(?:this is |it is |been |youve been |you are )*reported\\b|\\bunsolicited\\b|\\bannoying\\b|\\bharass\\w*|\\binvasion of privacy\\b|\\bnuisance\\b",
    // I dont want to message with you; but not: I dont want to text, call me
    "\\b(?:dont|do not|no longer|never) (?:want|wanna|wish|need|like|care)(?: to)?(?: be)? (?:text|message|texting|messaging)\\b(?!.*\\b(?:call|phone|ring|email) (?:me|us)\\b)(?! (?:it|him|her|them|my|about|while)\\b)",
    // the law
    "\\b(?:tcpa|fcc|ftc)\\b|\\b(?:class|legal) action\\b|\\b(?:contacting|calling|get|getting|hear\\w* from|talk to) (?:my|a|an|our) (?:lawyer|attorney)\\b",
    // not the person
    `\\bno ?(?:body|one)(?: here)? (?:by|with|named|called)\\b|${NOT_A_THING}${NOT_OWN_LOSS}\\b(?:died|deceased|passed away)\\b|\\b(?:doesnt|does not|dont) (?:live|work) here\\b|\\bnot (?:my|their|his|her) (?:number|phone) anymore\\b`,
    "^(?:please |pls |can you |could you |just )*(?:remove|delete|erase|forget) (?:my|all my|our) (?:\\w+ )?(?:data|info\\w*|details|contact|number|record|profile|account)\\b",
    "\\bwho (?:the (?:hell|fuck)|tf)\\b|\\bwtf\\b|\\bgoodbye forever\\b|\\bno consent\\b|\\b(?:did not|didnt|never) (?:sign(?:ed)? up|subscribed?|agreed?|consent(?:ed)?|asked)\\b(?: for| to)? (?:this|these|it|you|be|get)\\b|\\b(?:did not|didnt|never) (?:give|gave|given|opt|ask)\\b.{0,160}\\b(?:permission|consent|number|in|this)\\b",
  ].join("|"),
);

const DEATH = new RegExp(
  `(?:${NOT_A_THING}|${PERSON_AND_THING})\\b(?:died|deceased|passed away|murio|fallecio|fallecid[oa])\\b`,
);

/** Beside a death, the writer's own loss too, each of these may ask to leave the dead or the bereaved alone. */
const BESIDE_DEATH =
  /\b(?:remov\w+|delet\w+|eras\w+|take|off|lists?|numbers?|phone|cell|records?|database|system|update\w*|contact\w*|text\w*|txt\w*|call\w*|messag\w*|msg\w*|e?mail\w*|bother\w*|him|her|them|wrong|interested|no need|no longer|no more|anymore|again|listas?|numero|mensajes?|llam\w+|equivocad[oa]|(?:borr|elimin|quit|saqu|remuev)(?:e|en|ar)(?:l[aeo]|nos)|no (?:l[aeo]s?|nos) \w+)\b/;

const PLEASE_DONT = /\b(?:please|pls) (?:dont|do not)$/;
const ONLY_PLEASE_DONT = /^(?:please|pls) (?:dont|do not)$/;

/** Says that nobody asked for anything: a complaint, or the beginning of a question. The trained reading decides between them. */
export const isUnasked = (folded: string): boolean =>
  /\b(?:did not|didnt|never) (?:sign(?:ed)? up|subscribed?|agreed?|consent(?:ed)?|asked)\b(?: for| to)? (?:any|anything)\b/.test(
    folded,
  );

/** A hand that says it all. */
const GESTURE = /^[\s🛑🚫✋🖕❌🤚⛔\p{M}\p{Emoji_Modifier}]+$/u;

export const isDoubtful = (text: string, folded: string): boolean =>
  folded === "" ? text.trim() !== "" && GESTURE.test(text) : DOUBTS.test(folded);

/**
 * Whether one of the sentences of a text is in doubt for what the others say: beside a death or other bad news, or for being all there is.
 * `sentences` are folded.
 */
export function doubtBeside(sentences: readonly string[]): (sentence: string) => boolean {
  const death = sentences.some((sentence) => DEATH.test(sentence));
  const refusal =
    sentences.every((sentence) => sentence === "" || ONLY_PLEASE_DONT.test(sentence)) || sentences.some(isBadNews);
  return (sentence) => (death && BESIDE_DEATH.test(sentence)) || (refusal && PLEASE_DONT.test(sentence));
}
