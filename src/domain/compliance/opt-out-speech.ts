import { DOING, LATER, TEXTS, VERB } from "./opt-out-words.ts";

/**
 * Wishes to be left alone as people say them: `yall need to quit`, `dont hit my line no more`. The words are brought to one
 * spelling, and what only leads in or is polite is left out, so that a pattern is the whole of what is wished.
 */

const SPELLINGS = new Map(
  "dnt:dont donot:dont dontt:dont doan:dont nomore:no_more anymore:any_more yall:you yalls:your youall:you yous:you ya:you u:you ur:your plz:please pls:please plse:please pleas:please txt:text txts:texts txting:texting wanna:want_to gonna:going_to gotta:have_to tryna:trying_to da:the tha:the dis:this dese:these wit:with w:with n:and em:them outta:out_of"
    .split(" ")
    .map((pair) => pair.split(":").map((side) => side.replaceAll("_", " ")) as [string, string]),
);

/** What leads in to a wish. A word that may be its subject is in a phrase only: `I dont call` is no wish. */
const LEADS = [
  ..."please just ok okay hey hi hello no nope nah yes yeah yea uh um umm so and but well look listen bro bruh dude man sir maam guys omg seriously again now honestly kindly thanks immediately".split(
    " ",
  ),
  ..."you know what|actually|im hanging up|i am hanging up|oh my god|for the love of god|thank you|sorry|excuse me|i said|i already said|i told you|i already told you|i told you to|i asked you to|i already asked you to|i asked you|i have asked you to|ive asked you to|im asking you to|im telling you|im telling you to|im asking you nicely to|i need you to|i want you to|i would like you to|id like you to|im going to need you to|can you|could you|would you|will you|you please|can you guys|could you guys|would you guys|you can|you guys|you people|you all|you need to|you all need to|you guys need to|you people need to|you have to|you got to|you better|you should|you had better|do me a favor|for the last time|last time|last warning|im not interested|not interested|im no longer interested|no longer interested|were not interested|we are not interested|i am not interested|i dont know you|i dont know who this is|who is this|youre going to have to".split(
    "|",
  ),
]
  .map((lead) => `${lead} `)
  .sort((a, b) => b.length - a.length);

const TAILS = new Set(
  "please thanks thank you okay ok now bro bruh man dude sir maam guys asap immediately again ever already period lol fr anymore".split(
    " ",
  ),
);

/** Where `no` begins the wish and does not lead in to it. */
const NO_WHAT =
  /^no (?:more|further|of|these|your|phone|contact|communication|texts?|texting|messages?|calls?|calling|spam|robo)/;

/** A folded sentence in one spelling, and the wish in it without what leads in and what follows. */
export function wishIn(folded: string): { said: string; core: string } {
  const words = folded.split(" ").map((word) => SPELLINGS.get(word) ?? word);
  const said = words.join(" ").replaceAll("no mo ", "no more ");
  let from = 0;
  for (;;) {
    const lead = LEADS.find((one) => said.startsWith(one, from));
    if (lead === undefined || (lead === "no " && NO_WHAT.test(said.slice(from, from + 20)))) break;
    from += lead.length;
  }
  const rest = said.slice(from).split(" ");
  while (rest.length > 1) {
    const [before, last] = rest.slice(-2) as [string, string];
    if (last === "more" && (before === "no" || before === "any") && rest.length > 2) rest.splice(-2);
    else if (TAILS.has(last) && !(before === "right" && last === "now")) rest.pop();
    else break;
  }
  return { said, core: rest.join(" ") };
}

const PHONE =
  "(?:(?:my|this|our|the) (?:cell |phone |home |personal |work )?(?:phones?|numbers?|line|cell|inbox|voicemail|house|home|job|office)|me|us|here)";
const OURS = `(?:${PHONE}|my (?:wife|husband|family|mom|mother|dad|kids|parents|daughter|son))`;
const NOT = "(?:dont|do not?|never|please not|must not|shall not)";
const YOU = "(?:you|them|anyone|anybody|nobody|no one)";
const MY =
  "(?:me|us|my (?:phone |cell )?(?:number|name|info|information|contact|phone|cell|details)|this (?:number|phone))";

/** Of the wish alone, from its beginning to its end. */
const CORES = [
  "(?:quit|cease|desist|discontinue)(?: it)?|remove|dnc|do not call|(?:reply|text|send|texting|replying) stop|consent revoked",
  "(?:take|get|remove) off (?:(?:of|the|your|this|my|me) )*(?:lists?|database|system)",
  "no more(?: of (?:this|these|that|it))?",
  // dont be calling me, do not reach out to me, never hit my line
  `${NOT}(?: you)?(?: (?:ever|never|even|be|try to|try and|bother|keep|dare|trying to|bother to|think about|come))* (?:${VERB}|${DOING}|hit|hitting|hit up|reach out|reaching out|reach out to|reach|ring|blow up|text and call|call and text)(?: (?:or|and|nor) (?:${VERB}|${DOING}))?(?: ${OURS})?(?: (?:up|back))?(?: (?:at|on) ${PHONE})?`,
  `not (?:${VERB}|hit up|hit|reach out to)(?: (?:or|and|nor) ${VERB})? ${OURS}(?: (?:up|back))?`,
  `(?:do|may) no contact(?: ${OURS})?|no (?:more|further) (?:contact|communications?|outreach)(?: from ${YOU})?`,
  // no more of these calls to my phone
  `no (?:(?:more|further|of|these|those|this|your|the|any|automated|robo|spam|phone|sales|marketing|unwanted|damn) )*(?:texts?|messages?|msgs?|sms|calls|calling|texting|messaging|spam|robocalls?|spamming|voice ?mails?)(?: (?:and|or) (?:texts?|messages?|calls|calling|texting))?(?: from ${YOU})?(?: (?:(?:to|on|at) )?${OURS})?(?: at all)?`,
  // take my number off this, get me out of here
  `(?:take|get|pull|sign|clear|cross|scratch|drop|strike) ${MY} (?:off|out)(?: of)?(?: of)?(?: (?:this|there|here|it|that|your phones?)(?: (?:thing|mess|shit|crap|bs|nonsense))?)?`,
  `(?:remove|delete|scrub|erase|strike|wipe|lose|forget|block) ${MY}(?: (?:off|out|from)(?: of)?(?: (?:this|there|here|it|that|your phones?)(?: (?:thing|mess|shit|crap|bs|nonsense))?)?)?`,
  `i (?:just |really )?(?:want|need|would like|wish)(?: to (?:be|get|come))?(?: taken| removed)? (?:off|out)(?: of)?(?:(?: of)? (?:this|here|it|there|these|all this))?`,
  `(?:i )?(?:dont|do not|did not|didnt|never|no longer) consent(?: to (?:this|these|any of this|it))?`,
  "(?:get|stay|keep) (?:off|away from|out of) (?:my|this|our) (?:phone|line|number|inbox|messages|cell|life)|stay away(?: from (?:me|us))?",
  "let (?:me|us) (?:be|alone)",
  `(?:turn|shut|switch) (?:off )?(?:(?:these|those|the|all|your|my|of) )*${TEXTS}(?: off)?`,
].map((source) => new RegExp(`^(?:${source})$`));

const NOT_STOPPED = "(?<!\\b(?:dont|do not|never|cant|cannot|wont|didnt|did you|i) (?:ever )?)";
const WANT =
  "(?:dont|do not|didnt|did not|no longer|never|not|aint) (?:want|wish|need|like|care for|appreciate|accept|wanting|trying|looking)";
const NOT_LATER = `(?!${LATER})(?!.*\\b(?:just|instead) text|.*\\btext(?: me)? instead|.*\\b(?:call|text) (?:me|my)\\b)`;

const NOT_OTHER_PAPERS =
  "(?! (?:(?:from|off|of|the|this|my|our|that|a) )*(?:lease|mortgage|deed|title|loan|hold|speaker|invite|meeting|waitlist|account|insurance|policy|appointment|schedule))";

/** Anywhere in a sentence. */
const PARTS = [
  `\\b${NOT} leave(?: me| us)? (?:any more|no more|another|any|these) (?:voice ?mails?|messages?)\\b${NOT_LATER}`,
  `\\b(?:stop|quit) (?:getting|receiving) (?:(?:these|those|them)$|(?:(?:these|those|your|any|all|the|more|so many) )*${TEXTS}\\b)`,
  `${NOT_STOPPED}\\b(?:stop|quit) leaving (?:(?:me|us|these|any|your|all|so many) )*(?:voice ?mails?|messages?)\\b`,
  // I asked to be removed; but not: I want to be removed from the lease
  `\\b(?:(?:want|need|like|ask|asked|asking|wish|demand) to (?:be|get)|(?:have|get|want|need|like) ${MY}) (?:removed|taken off|taken out|deleted|unsubscribed|unlisted)\\b${NOT_OTHER_PAPERS}`,
  "\\bget off (?:of )?(?:(?:this|your|these|the text|the call|the calling|the mailing|the texting) )+(?:list|texts?|messages?|database|system)\\b",
  `\\b${WANT}(?: to)? be (?:bothered|disturbed|contacted|called|texted|solicited)\\b(?!${LATER})`,
  `\\b${NOT} send(?: me| us)? (?:no more|any more|nothing|nothing else|nothing more|anything else)$`,
  // quit hitting my phone up, stop trying to reach me
  `${NOT_STOPPED}\\b(?:stop|quit|cease) (?:hitting|hittin|blowing|blowin|ringing|ringin|burning|lighting|messing with|playing on|using|flooding|tying|clogging|filling)(?: up)? ${OURS}\\b`,
  `${NOT_STOPPED}\\b(?:stop|quit|cease) (?:trying|tryin|attempting)(?: to)? (?:${VERB}|reach|get|sell)\\b`,
  `${NOT_STOPPED}\\b(?:stop|end|cease|discontinue|halt) (?:(?:all|any|further|your|this|the) )*(?:contact|communications?|outreach|correspondence)\\b`,
  `\\brefrain from (?:${DOING}|sending|making|contact)\\b`,
  `\\bmake sure (?:that )?(?:i|we|this number) (?:dont|do not|never|stop|doesnt|isnt|am not) (?:get|getting|receive|receiving|hear|called|contacted|texted)\\b.{0,40}(?:${TEXTS}|${YOU}|again|contacted)\\b`,
  // id rather you not contact me, i would prefer if you didnt call; but not: before noon
  `\\b(?:rather|prefer)(?: (?:that|if|it|you|they|all|to|would|guys))* (?:not|didnt|did not|dont|do not|never|stopped)(?: (?:to|be|ever|keep))* (?:${VERB}|${DOING}|contacted|called|texted)\\b(?: ${OURS})?${NOT_LATER}`,
  `\\b(?:rather|prefer)(?: (?:that|if|to))* not(?: to)? (?:get|getting|receive|receiving)(?: (?:any|more|of|these|those|them|this|your|all|the|such))*(?: ${TEXTS})?(?: (?:please|again|anymore|any more|from you|at all))*$`,
  // hanging up, dont call back
  `(?<!\\b(?:why|you|they|he|she|people|we|i|who|if) )\\b${NOT}(?: you)?(?: ever)? (?:call|text|contact|message|ring|phone) (?:back|again|here|it|anymore)\\b(?! (?:ill|i will|until|till|if|when|before|at|with|to|in|over|from)\\b)${NOT_LATER}`,
  `\\bif (?:you|they|anyone)(?: (?:ever|people|guys|dare|all|to))* (?:${VERB}|keep ${DOING})(?: ${OURS})?(?: (?:again|back|one more time|any ?more))?\\b.{0,60}\\b(?:police|cops?|sue|suing|lawyer|attorney|court|report(?:ing)? (?:you|this)|fcc|ftc)\\b`,
  // I dont want you calling me, not trying to hear from you, want nothing from you
  `\\b${WANT}(?: for)? ${YOU}(?: (?:guys|people|all|to|ever|keep|keeping|be))* (?:${VERB}|${DOING}|hit|hitting)(?: (?:or|and) (?:${VERB}|${DOING}))? ${OURS}\\b${NOT_LATER}`,
  `\\b${WANT}(?: to)? (?:hear (?:from|nothing)|talk to) (?:${YOU}|none of)\\b`,
  `\\b(?:want|need) (?:nothing|no (?:contact|communication))(?: (?:else|more|to do))? (?:from|with) (?:you|them|this|these)\\b`,
  `\\b${WANT}(?: to)? be (?:on|in|part of) (?:(?:your|this|any|the|these|a|mailing|calling|call|text|contact) )*(?:lists?|databases?|systems?|campaigns?|threads?|group|chats?)\\b`,
  `\\b(?:not|aint) interested in (?:(?:any|your|these|getting|receiving|more|the|of) )*(?:texts?|messages|calls|spam)$`,
  "(?:^|\\b(?:please|and|just|i|to|off|down|can you|interested) )(?:want off|want out of|keep my (?:phone |cell )?(?:number|name|info) (?:out|off))(?: of)? (?:(?:your|the|this|you|any) )*(?:lists?|databases?|systems?|records?|phones?|mouth|files?|campaigns?)\\b",
  "\\b(?:put|place|mark|list|add|flag) (?:me|us|this|it|(?:my|this) number) (?:(?:on|as|down|to|in|your|the|a) )*(?:do not|dont|dnc|no) ?(?:call|contact|text|$)",
  "\\b(?:on|with) (?:the|a|your) (?:national )?(?:do not|dont) call\\b",
  "\\b(?:lose|forget|burn|trash|toss) (?:that )?(?:you (?:have|had|ever had|got) )?(?:my|this) (?:phone |cell )?number\\b(?<!\\b(?:dont|do not|not|never|didnt|did not|not to) \\w+ (?:my|this) (?:phone |cell )?number)",
  `\\b(?:cancel|end|stop) (?:(?:my|the|this|all|your) )*(?:subscriptions?|membership|enrollment) (?:to|for|of) (?:(?:these|your|the|all|those) )*${TEXTS}\\b`,
  "\\bleave (?:my|our|this) (?:phone|number|line|family|wife|husband|house|home) alone\\b|\\bleave (?:me|us) (?:\\w+ ){1,3}alone\\b",
  `\\b(?:${VERB}) ${OURS} (?:again|one more time|any more)\\b.{0,60}\\b(?:police|cops?|sue|suing|lawyer|attorney|report\\w*|block\\w*|court|charges|fcc|ftc)\\b`,
  "\\b(?:aint|isnt|is not) (?:my|the right|his|her|their) (?:number|person|phone)\\b|\\byou (?:got|have|reached|called|texted) (?:the |a )?wrong (?:one|cell|line|party)\\b",
].map((source) => new RegExp(source));

const DOUBTFUL_CORES = [
  "(?:i )?(?:dont|do not|aint) (?:want|need|asking for|like|ask for) (?:these|this|none of this|any of this|all this)",
  "(?:i )?(?:dont|do not) (?:want|wish) to (?:text|talk|chat)(?: (?:to|with) .{1,20}| you)?",
  "(?:i )?(?:dont|do not|aint) (?:want|need|trying)(?: to)? (?:get|receive|see|be getting)(?: (?:any|no|more|of|all))* (?:these|this)",
  "(?:lay off|back up|ease up|chill|end (?:this|these|it)|no contact)(?: me| us)?",
  `(?:lay off|chill|ease up|cool it|cut it|cut it out|give it up|knock it off|give it a rest|enough)(?: (?:with|on|of))? (?:(?:the|these|this|all|your) )*(?:${TEXTS}|${DOING})`,
  "(?:turn|shut|switch) (?:these|those|this|it) off",
  "(?:dont|do not|never) (?:use|dial) (?:this|my) (?:phone |cell )?(?:number|phone|line)",
  "(?:this|it|these|that|these texts|these messages|these calls|the texts|the messages|the calls|the spam) (?:(?:has|have|needs?|got|must|better|just|really) )+(?:to )?(?:end|cease|quit|stop)",
].map((source) => new RegExp(`^(?:${source})$`));

/** You keep calling me: it is said by who has had enough, and by who is sorry to have missed it. */
const DOUBTFUL_PARTS = new RegExp(
  `\\b(?:you|they|people)(?: (?:guys|people|all))? (?:keep|kept|still|always|be|constantly)(?: on)? (?:${DOING}|hitting|hittin|blowing|blowin)(?: up)? ${OURS}\\b|\\bwhy (?:are|do|is|must) (?:you|they)(?: (?:guys|people|all))? (?:still |keep |always |constantly )+(?:${DOING})\\b|\\b(?:no means no|what part of (?:no|stop|leave|dont|do not)|what about no)\\b|\\bdone (?:getting|receiving) (?:these|your|this|the|any)\\b`,
);

export const isWishSaid = (folded: string): boolean => {
  const { said, core } = wishIn(folded);
  return CORES.some((wish) => wish.test(core)) || PARTS.some((wish) => wish.test(said));
};

/** `can yall stop`: nothing but the word behind what leads in to it. */
export const isStopSaid = (folded: string): boolean => /^stop(?: it| stop)?$/.test(wishIn(folded).core);

export const isDoubtSaid = (folded: string): boolean => {
  const { said, core } = wishIn(folded);
  return DOUBTFUL_CORES.some((doubt) => doubt.test(core)) || DOUBTFUL_PARTS.test(said);
};
