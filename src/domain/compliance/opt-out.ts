import { trainedReading } from "#domain/revocation/reading.ts";
import { foldText } from "#domain/values/fold.ts";
import { remembering } from "#domain/values/remembering.ts";
import { keywordOf, ownWords } from "./keyword.ts";
import { doubtBeside, isDoubtful, isUnasked } from "./opt-out-doubt.ts";
import { isFrenchDoubt, isFrenchWish } from "./opt-out-french.ts";
import { isWishAbroad } from "./opt-out-languages.ts";
import { isSpanishDoubt, isSpanishWish } from "./opt-out-spanish.ts";
import { isDoubtSaid, isStopSaid, isWishSaid, wishIn } from "./opt-out-speech.ts";
import { DOING, LATER, TEXTS, VERB } from "./opt-out-words.ts";

/** The sentence that asks for it, as the contact wrote it: kept with the opt-out as its proof. */
export type OptOut = { quote: string };

/**
 * What the rules make of a text. `unclear`: it may ask to be left alone. Someone has to judge that, and until then, and
 * where nobody can, it counts as if it did.
 */
export type Wish = { wish: "stop" | "unclear"; quote: string } | { wish: "none" };

const ANY =
  "(?:(?:any|all|no|these|those|this|the|your|ur|more|further|such|so many|damn|fuckin\\w*|stupid|annoying|unwanted|automated|promotional|marketing|sales|spam|text|of) )*";
const ME = "(?:me|us|this number|this phone|my number|my phone|my cell|here)";
const WANT =
  "(?:dont|do not|didnt|did not|no longer|never|not) (?:want|wanna|wish|need|care|like|accept|appreciate|consent|agree|ask|sign(?:ed)? up|subscribe)(?:ed|d)?";
const LIST =
  "(?:lists?|databases?|systems?|records?|contacts?|campaigns?|files?|threads?|group|chats?|texts?|messages?|crm|mailings?)";

/**
 * What free text says when it means "stop", one wish a line, matched against a folded sentence. Precise on purpose: `stop sending me
 * duplicate charges` is a complaint and matches none. Where a phrase could be either, it is here: unsure means stop.
 */
const PHRASES: readonly RegExp[] = [
  // stop texting me; but not: don't stop texting me, did you stop texting?, I can't stop texting
  `(?<!^(?:please |pls |no )?(?:dont|do not|never) (?:ever )?|\\bi (?:\\w+nt |will |had to |have to |should )?|\\bdid (?:you|u|they) |\\bnon )(?:stop|quit|cease|discontinue|halt)(?: please| pls| with| all)?(?: the| this| all| these)? ${DOING}(?! (?:it|that|yourself|people|him|them)\\b)`,
  `\\b(?:stop|end|cancel|cease|quit|halt|discontinue|no more of) ${ANY}${TEXTS}(?: please)?(?: now)?$`,
  `(?:stop|quit) (?:sending|sendin|giving)(?: me| us)?(?: ${ANY}${TEXTS}| these| this| those| it| anything)?(?: please| now| here| to .*| anymore)?$`,
  `(?:stop|quit) (?:sending|sendin)(?: me| us)? ${ANY}(?:texts?|txts?|messages?|msgs?|sms|spam)\\b`,
  // stop I never signed up; stop or I'll report you
  "^(?:please )?stop (?:i|im|ive|you|u|we|its|this is|dont|wtf|already|or|right now|asap|immediately|thank|thx|bothering|wasting)\\b(?! by)",
  // don't text me; but not: why don't you text me, don't text me before nine, don't call, text me
  `(?<!\\b(?:why|you|u|they|he|she|people|we|i|who) )(?:dont|do not|never|not to|cannot|may not|must not)(?: you| u)?(?: ever)? (?:call or |text or |call and )?${VERB}(?: or ${VERB})? ${ME}(?!${LATER})(?!.*\\b(?:just|instead) text|.*\\btext(?: me)? instead)`,
  `^(?:please |pls |just )?(?:dont|do not|never) ${VERB}(?: (?:again|anymore|any more|ever))?$`,
  `(?:dont|do not|never) send(?: me| us)? ${ANY}(?:${TEXTS}|anything|again|anymore|these|this)\\b(?! (?:over|under|above|below|(?:more|less) than|bigger|smaller|without(?! (?:my |any |our |a )?(?:consent|permission|asking|authori))|until|till|before|after|yet)\\b)`,
  "(?:dont|do not|never)(?: ever)? (?:text|txt|message|msg|contact|call|bother|email|write)(?: \\w+){0,2} (?:again|anymore|any more)\\b",
  // I no longer wish to receive messages; but not: I don't want to get a loan
  `${WANT}(?: for)?(?: to)?(?: be)? (?:contacted|texted|messaged|called|bothered|solicited|hear from (?:you|u|ya|yall|them|anyone)|hear anything|talk to you)`,
  `${WANT}(?! to (?:text|call|message)\\b)(?: for| to| in)?(?: keep| continue| be)? ?(?:receiv\\w{0,5}|get(?:ting)?)? ?${ANY}(?:texts?|txts?|messages?|msgs?|sms|calls?|spam|notifications?|alerts?|marketing|text ?messages?)\\b`,
  "\\b(?:revok|withdr[ae]w|rescind)\\w* (?:my |all |any |our )*(?:consent|permission|opt in|authori[sz]ation)",
  "\\b(?:consent|permission|authori[sz]ation) (?:(?:is|has|been|hereby|was|now) )*(?:withdrawn|revoked|rescinded|denied)\\b",
  "\\b(?:you|u|they|yall)(?: people| guys)? (?:dont|do not|never|did not|didnt|no longer)(?: ever)? (?:have|had|get|got) (?:(?:my|our|any|the) )*(?:permission|consent|authori[sz]ation)\\b",
  // take me off your list; but not: take me off hold, remove me from the invite
  `(?<!\\b(?:dont|do not|never|not|not to) )\\b(?:take|remove|delete|get|scrub|drop|erase|strike|pull|cross|scratch|wipe) (?:me|us|my (?:cell |phone )?(?:number|name|phone|info|information|contact|details|cell|data)(?: number)?|this (?:number|phone)) (?:off|from|out)(?: of)? (?:of )?(?:(?:your|ur|yall|yalls|you|guys|da|the|this|that|any|all|whatever|every|mailing|calling|call|text|texting|contact|sms|marketing|distribution) )*${LIST}\\b`,
  "^(?:(?:please|pls|just|can|could|you|u|would|kindly|and|now) )*(?:(?:remove|delete|lose|erase|forget|block) (?:me|us|my (?:phone |cell )?(?:number|info|contact|name)|this number)(?: off| out)?|(?:take|get) (?:me|us|my (?:phone |cell )?(?:number|info|contact|name)|this number) (?:off|out))(?: please| now| asap| immediately| thanks| thank you)*$",
  // no more texts
  `^(?:(?:please|pls|ok|and|thanks|thank|you|i|said|want|just) )*(?:no more|enough)(?: (?:with|of))?(?: ${ANY}${TEXTS})?(?: from (?:you|u|ya|yall|them|this number))?(?: please)?$`,
  "^(?:please )?no (?:texts?|texting|calls?|messages?|spam|solicit\\w+)(?: please)?$",
  // unsubscribe; but not: don't unsubscribe me
  "(?<!\\b(?<!\\b(?:you|u|if|why) )(?:dont|do not|didnt|did not|never|not)(?: \\w+){0,2} )\\b(?:unsub\\w*|un subscri\\w*|unsuscrib\\w*|opt(?:ing|ed)?(?: (?:me|us|my number))? ?out)\\b(?! (?:later|if|any ?time|at any time)\\b)",
  // leave me alone
  "leave (?:me|us) (?:alone|be\\b|the (?:hell|fuck) alone)",
  "^(?:please |just )?(?:go away|get lost|buzz off|back off|bug off)\\b(?! (?:for|on|to|in|every|with|at|often|most)\\b)",
  "\\b(?:fuck|f|piss|eff) ?off\\b|\\bfuck (?:you|u)\\b|\\bstfu\\b",
  "\\b(?:wrong|incorrect) (?:number|person|phone|guy|man|woman|lady|dude)\\b|\\bnot (?:my|the right) (?:number|person)\\b",
  // the law
  "\\bcease and desist\\b|\\bharass(?:ment|ing)\\b|\\b(?:do not call|dnc|no call)(?: list| registry)\\b",
  "\\breport(?:ing|ed)? (?:you|u|this|ur|your|it as spam)\\b(?! (?:on|card|time))|\\b(?:will|going to|gonna|ill) sue\\b",
  "^(?!is |was |are )(?:this|these|it|you|yall)(?: is| are|s|re)? (?:just |all |a |fucking )*(?:spam|scam|scammers?|spammers?)$",
].map((source) => new RegExp(source));

/** `stop please`: nothing but the word and courtesies. These words mean it even as one clause among others. */
const STRONG = new Set(
  "stop stopp stopit stopall unsubscribe unsub optout alto para parar pare paren basta detener detenga arret arrete arretez stoppe".split(
    " ",
  ),
);
const COURTESIES = new Set(
  "please pls plz plse just now ok okay hey hi hello sir maam maam no nope yes already it this that thanks thank thx you u ty i said say want to would like need can could will immediately asap everything all me us guys man dude bro lol omg wtf ffs seriously again make right here how do we with the texting ya por favor gracias svp sil vous plait merci stp de moi im telling ask asking asked told am are".split(
    " ",
  ),
);

/** These have other uses in a conversation ("cancel" an appointment), so only a bare courtesy may stand beside them. */
const WEAK = new Set("cancel end quit remove revoke baja cancelar".split(" "));
const BARE_COURTESIES = new Set(
  "please pls plz now thanks thank you me it all just ok okay i said por favor ya".split(" "),
);

function isOnly(words: string[], meaning: Set<string>, courtesies: Set<string>): boolean {
  return words.some((word) => meaning.has(word)) && words.every((word) => meaning.has(word) || courtesies.has(word));
}

/** Every phrase above holds one of these; most texts hold none and are done with one look. */
const HINT =
  /stop|un sub|refrain|consent|rather|prefer|want|need|keep|let|stay|again|turn|shut|switch|cross|scratch|strike|pull|clear|sign|wipe|put|place|mark|list|add|flag|burn|trash|toss|aint|isnt|is not|dnt|quit|end|cease|halt|cancel|discont|(?:do|did)(?:nt| not)|never|not|no |revok|withdraw|rescind|remove|delete|take|lose|get|erase|scrub|drop|forget|block|unsu|opt|leave|away|lost|off|fuck|wrong|incorrect|harass|desist|call|dnc|report|sue|spam|scam|enough|mas|deje|deja|pare|para|baja|alto|basta|deten|quit|sac|saqu|borr|elimin|suscri|equivoc|arret|cess|ne |plus|desabon|desinscri|laisse|mauvais|retire|enleve|suppri|otez/;

/**
 * A figure in few words or after assent ("2, private"; "ok, 6 then") answers a question, whatever the trained reading makes of words that it
 * has rarely seen; unless one of the words has to do with an end or with what is sent.
 */
const isAnswer = (folded: string): boolean =>
  /\d/.test(folded) &&
  (folded.split(" ").length <= MOST_OF_AN_ANSWER || /^(?:ok|okay|yes|yeah|yep|sure|fine)\b/.test(folded)) &&
  !HINT.test(`${folded} `) &&
  !/te?xt|mess|msg|mail/.test(folded);
const MOST_OF_AN_ANSWER = 4;

/** An answer to a question, whatever else the trained reading makes of its words, against a folded text that says nothing beside it. */
const ANSWERS = new RegExp(
  [
    // you can take my number
    "^(?:(?:ok|okay|sure|yes|yeah|oh) )*(?:(?:you|u) can |feel free to |go ahead and )(?:just )?(?:take|use|have|save|write down|put down) my (?:number|cell|phone)(?: number)?(?: down| please| pls| thanks)*$",
    // private please
    "^(?:(?:ok|okay|yes|an?|the|make it|id like|just|its|oh) )*private(?: (?:one|ones|room|rooms|lessons?|class|party|session|tour|office|event))?(?: please| pls| thanks| i think| i guess)*$",
    // he took a summer camp once
    "^(?:(?:yes|yeah|oh|well|um|uh) )*(?:i|we|he|she|they|my \\w+|our \\w+) (?:took|take|takes|has taken|have taken) (?:an? |the |some |one |two |a few )?(?:\\w+ ){0,2}(?:camps?|class|classes|courses?|lessons?|tours?|trips?|tests?|exams?|pictures?|photos?|pills|meds|medicine|bus|train|nap|vacation)(?: (?:once|twice|before|already|last (?:year|summer|month|week|fall|spring)|years ago|a while (?:ago|back)|in school|in college|as a kid))*$",
    // i wish, no
    "^(?:(?:i wish|sadly|im afraid|unfortunately|well|um|uh|oh|haha|lol) )*(?:no|nope|nah)$",
    // I don't have one, it's a private sale
    "^(?:i|we|he|she) (?:dont|do not|doesnt|never) (?:have|had) (?:one|any|it)(?: (?:its|it is|since its|because its) (?:an? |the |my |our )?(?:\\w+ ){0,2}\\w+)?$",
    // just need to get away
    "^(?:(?:we|i|im|just|hoping|trying|need|needed|want|wanted|wanna|really|to|going) )+get (?:away|out of town)(?: (?:for (?:an? |the )?(?:bit|while|weekend|week|few days|couple (?:of )?days)|with (?:the )?(?:kids|family|friends)))?$",
    // it's Karen with a K, Karen Boyd
    "^(?:(?:its|it is|thats|this is|my name is|name is|the name is) )?\\w+ with (?:an?|one|two) \\w{1,2}(?: \\w+){0,3}$",
  ].join("|"),
);

/** As wishOf, when nobody is to judge: only what is plain. Keywords count too. */
export function optOutIntent(text: string): OptOut | undefined {
  const wish = wishOf(text);
  return wish.wish === "stop" ? { quote: wish.quote } : undefined;
}

/**
 * Whether a text asks to be left alone, in a keyword or in its own words, and the sentence that does. Exact about complaints
 * (`stop sending me duplicate charges`) and names (`the STOP bill`): these are none. The rules and the trained reading are asked both:
 * it is a wish where a rule says so and the reading does not find it unlikely, and in doubt where one of them alone finds one.
 */
export const wishOf: (text: string) => Wish = remembering(readWish);

function readWish(text: string): Wish {
  if (keywordOf(text) === "stop") return { wish: "stop", quote: quoted(text) };
  const own = ownWords(text);
  const sentences = own.split(/[.!?;\n\u2026\u3002\uff01\uff1f]+/);
  const plain = plainWish(own, sentences);
  if (plain !== undefined && ALWAYS.test(foldText(plain))) return { wish: "stop", quote: quoted(plain) };
  const { likelihood, part } = trainedReading(own);
  if (plain !== undefined) {
    const isDoubted = likelihood === "unlikely" && !isWishAbroad(plain, foldText(plain));
    return { wish: isDoubted ? "unclear" : "stop", quote: quoted(plain) };
  }
  const folded = sentences.map(foldText);
  const isDoubtBeside = doubtBeside(folded);
  const doubtful = sentences.find((sentence, at) => {
    const read = folded[at]!;
    const isDoubt =
      isDoubtful(sentence, read) ||
      isDoubtSaid(read) ||
      isDoubtBeside(read) ||
      (likelihood !== "unlikely" && isUnasked(read));
    return isDoubt || isSpanishDoubt(read) || isFrenchDoubt(read);
  });
  const found = foldText(part);
  const isFound = likelihood === "likely" && !STAYS.test(found) && !isAnswer(found) && !ANSWERS.test(foldText(own));
  const doubt = doubtful ?? (isFound ? part : undefined);
  return doubt === undefined ? { wish: "none" } : { wish: "unclear", quote: quoted(doubt) };
}

/** Nobody has to ask beside it: who has the number of somebody else gave no consent, and the law's words say what they say. */
const ALWAYS =
  /\b(?:(?:wrong|incorrect) (?:number|person|phone|guy|man|woman|lady|dude)|numero equivocado|mauvais numero|cease and desist)\b|\b(?:not|aint|isnt) (?:my|the right) (?:number|person)\b/;

/** Who asks not to be taken off says all the words of who asks to be. */
const STAYS =
  /\b(?:(?:dont|do not|didnt|did not|never|not) (?:(?:want|wish|mean) to |wanna )?(?:be )?(?:take me|remov|delete m[ey]|unsub|opt (?:me )?out)|no (?:quiero darme de baja|me (?:quit|borr|saqu|elimin|den? de baja))|(?:veux|souhaite) pas (?:me des|etre (?:ret|enl|des))|ne (?:me |m)(?:retir|enlev|desabon|desinscri|efface|supprim))|^(?:please )?take my number(?: please)?$/;

/** The part of the text that asks plainly. */
function plainWish(own: string, sentences: readonly string[]): string | undefined {
  const abroad = sentences.find((sentence) => {
    const folded = foldText(sentence);
    return isWishAbroad(sentence, folded) || isSpanishWish(folded) || isFrenchWish(folded);
  });
  if (abroad !== undefined) return abroad;
  if (!HINT.test(`${foldText(own)} `)) return undefined;
  for (const sentence of sentences) {
    const folded = foldText(sentence);
    if (folded === "") continue;
    const { said } = wishIn(folded);
    if (PHRASES.some((phrase) => phrase.test(folded) || (said !== folded && phrase.test(said)))) return sentence;
    if (isWishSaid(folded)) return sentence;
  }
  for (const clause of sentences.flatMap((sentence) => sentence.split(/,|:| - | \u2014 | \u2013 /))) {
    if (isOnly(foldText(clause).split(" "), STRONG, COURTESIES)) return clause;
  }
  const asked = /\bmy (?:number|phone|cell|info|name|contact)\b.{0,60}\b(?:delete|remove|erase|lose) (?:it|them)$/;
  if (asked.test(foldText(own))) return own;
  const stop = sentences.find((sentence) => isStopSaid(foldText(sentence)));
  if (stop !== undefined) return stop;
  return isOnly(foldText(own).split(" "), WEAK, BARE_COURTESIES) ? own : undefined;
}

/** Long enough to prove, short enough to show. */
const quoted = (text: string): string => text.trim().slice(0, 300);
