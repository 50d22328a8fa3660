import { foldText } from "#domain/values/fold.ts";
import type { Answerer } from "./call.ts";

const NUMBER_KEY =
  "(?:\\d|zero|one|two|three|four|five|six|seven|eight|nine|star|pound|hash|the star key|the pound key)";
const NAME = "(?:your )?(?:first |full )?name";

/** What takes no message: nobody can be reached here today, and a message would be lost. */
const FULL = [
  "\\b(?:mail ?box|voice ?mail(?: box)?|voice ?mail ?box|inbox|memory)\\b.{0,30}\\b(?:is |currently |now )*full\\b",
  "\\b(?:can ?not|cant|unable to|not able to|does not|doesnt|not|longer) (?:currently )?accept(?:ing)? (?:any |new |more |your )*(?:messages?|calls at this time)\\b",
  "\\bvoice ?mail(?: ?box)? (?:\\w+ ){0,4}(?:not|never) (?:been )?(?:set ?up|initialized|activated|configured)\\b|\\bvoice ?mail ?box that has not been\\b",
  "\\bnot available (?:\\w+ ){0,3}(?:please )?try (?:again|your call) (?:again )?later\\b|\\b(?:please )?(?:try your call again|call again) later\\b",
  "\\b(?:buzon|casilla)(?: de voz)? (?:esta )?llen[oa]\\b|\\bboite (?:vocale )?(?:est )?pleine\\b",
];

/** Someone's telephone, or its owner's service, asks what the call is about before it rings. */
const SCREENING = [
  `\\b(?:state|say|record|give|tell me|provide|leave) ${NAME} (?:and|so|after|then)\\b(?! (?:the tone|the beep|number|phone|tele|a (?:brief|short|mess)|your (?:number|phone|mess)))`,
  `\\b(?:state|say|announce) ${NAME}\\b|\\breason (?:for|you are|youre|why you are) (?:your call|calling)\\b|\\bwhy (?:you are|youre) calling\\b`,
  "\\bcall ?screen\\w*|\\bscreening (?:service|assistant|this call|your call)\\b|\\b(?:call|calls) (?:is|are) being screened\\b|\\bscreening calls\\b",
  "\\b(?:ill|i will|let me) see if (?:this person|the person|they|he|she) (?:is|are|s)? ?available\\b|\\bvirtual assistant\\b|\\bgoogle assistant\\b",
];

/** A menu: digits that do something, or a line that waits. */
const MENU = [
  `\\b(?:press|dial|push|enter|say or press|select) ${NUMBER_KEY}\\b`,
  "\\b(?:main menu|menu options|following options|options have changed|partys extension|dial by name|know the extension|company directory|oprima|marque el|appuyez sur|faites le)\\b",
];

/** A recording that leads nowhere: there is nobody to talk to and nothing to leave a message on. */
const RECORDED = [
  "\\b(?:all|our) (?:of our )?(?:\\w+ )?(?:agents|representatives|operators|lines|associates) are\\b|\\byour call is (?:very )?important\\b|\\bplease (?:hold|remain|stay)(?: on the line)? (?:while|for the next)\\b",
  "\\b(?:office|business) hours are\\b|\\boffice is (?:currently |now )?closed\\b|\\bnot in service\\b|\\bhas been disconnected\\b|\\b(?:cannot|can not|could not) be completed\\b|\\bcheck the number\\b|\\bnumber you have (?:dialed|reached|called) (?:is not|has been|is no longer)\\b",
  "\\bcalls? (?:may|will) be (?:recorded|monitored)\\b|\\bhow can i help you today you can say\\b|\\bin a few words\\b",
];

const VOICEMAIL = [
  "\\b(?:after|at|following|wait for|until) (?:the|this) (?:tone|beep|signal)\\b|\\bafter (?:you hear )?the beep\\b|\\brecord (?:your|a) (?:\\w+ )?message\\b|\\bfinished recording\\b",
  "\\bleave (?:me |us |him |her |them )?(?:a|your|the|any|an)? ?(?:\\w+ ){0,3}(?:message|msg|voicemail|number|name|details|info\\w*)\\b",
  "\\b(?:voice ?mail|mail ?box|answering machine|answering service|voice messaging|voice message system)\\b",
  "\\b(?:i|we|he|she|they|you)(?:ve|m|re|s| have| am| are| is)? (?:cant|cannot|can not|unable to|not able to|not available to|couldnt|could not) (?:come to|get to|answer|take|pick up) (?:the|my|your|our|her|his|this) (?:\\w+ )?(?:phone|call|calls)\\b",
  "\\b(?:cant|cannot|unable to|not able to|not available to) (?:come to the phone|get to the phone|take your call|answer (?:the|my|your) (?:phone|call))\\b|\\bsorry i missed (?:you|your call)\\b|\\baway from (?:my|the) (?:phone|desk)\\b",
  "\\b(?:customer|person|party|subscriber|wireless customer|number) (?:you (?:are|were|have|re) (?:\\w+ ){0,3}|youre (?:\\w+ ){0,3}).{0,30}(?:not|un) ?available\\b|\\bis not available(?: right now| at the moment)? (?:at|please|to take)\\b|\\bhas been forwarded to\\b",
  "\\b(?:ill|i will|we will|well) (?:get back to you|return your call|call you (?:right )?back)\\b.{0,20}\\b(?:as soon as|when i can|shortly|later|asap)\\b",
  "^(?:hi |hello |hey |thanks for calling )*(?:you have|youve|you) reached (?!the wrong)",
  "\\bdeje (?:su|un|tu) (?:\\w+ )?(?:mensaje|nombre)\\b|\\bdespues del tono\\b|\\bbuzon de voz\\b|\\blaisse[rz] (?:moi |nous )?(?:un|votre) (?:\\w+ )?message\\b|\\bapres le (?:bip|signal)\\b|\\bmessagerie\\b|\\bboite vocale\\b|\\bnachricht nach dem\\b|\\bmailbox von\\b",
];

/** Only a person says these, also in the midst of what a machine might say. */
const PERSON = [
  "\\b(?:can|may|could|shall|do you want me to) (?:i )?take a message\\b|\\bwho(?:s| is) (?:this|calling|speaking)\\b|\\bwho are you\\b|\\bmay i ask who\\b|\\bmay i know who\\b",
  "\\bhow (?:can|may) i (?:help|direct|assist)\\b(?!.*\\byou can say\\b)|\\bcan i help you\\b|\\b(?:this is (?:he|him|she|her|me)|speaking)$|\\bthis is \\w+(?: \\w+)? speaking\\b",
  "\\bwrong number\\b|\\b(?:he|she|they)(?:s| is|re| are)? not (?:here|home|in)\\b|\\b(?:hold|hang) on\\b(?!.*\\bthe line\\b)|\\b(?:one|just a|give me a) (?:sec|second|minute|moment)\\b|\\bim (?:driving|busy|working|in a meeting)\\b",
  "\\bwhat (?:is|s) (?:this|it) (?:about|regarding|concerning)\\b|\\bdo i know you\\b|\\b(?:not interested|no thank you|no thanks|stop calling|dont call|take me off)\\b|\\bis (?:anyone|anybody|somebody) there\\b",
];

/** The first words of a person who takes a call. Longer than this people do not greet. */
const GREETING =
  /^(?:(?:hello|hi|hey|hiya|howdy|yo|yes|yeah|yep|ya|yup|good (?:morning|afternoon|evening|day)|morning|afternoon|go ahead|whats up|sup|talk to me|hola|bueno|diga|digame|si|allo|bonjour|oui|hallo|ja|pronto)(?: |$))+/;
const MAX_GREETING_WORDS = 7;

const oneOf = (sources: readonly string[]): RegExp => new RegExp(sources.join("|"));
const [FULL_MAILBOX, SCREENS, ASKS_FOR_KEYS, LEADS_NOWHERE, TAKES_MESSAGES, IS_PERSON] = [
  FULL,
  SCREENING,
  MENU,
  RECORDED,
  VOICEMAIL,
  PERSON,
].map(oneOf) as [RegExp, RegExp, RegExp, RegExp, RegExp, RegExp];

/** A mailbox's own words: with them a "press one for more options" is a mailbox's too. */
const AT_THE_TONE =
  /\b(?:at|after|following|wait for) the (?:tone|beep)\b|\brecord (?:your|a) (?:\w+ )?message\b|\bfinished recording\b/;

/** No greeting is longer; what follows in a transcript is a conversation. */
const MAX_LENGTH = 1_500;

/**
 * Who answered a call, by the first words, or undefined when they do not show it. English and the common words of Spanish, French
 * and German. The surer class first: what takes no message, what screens, what wants keys pressed, what takes messages, what only
 * plays, and a person last, since a machine may say hello too. Transcripts come without reliable punctuation or case: none is used.
 */
export function answererOf(said: string): Exclude<Answerer, "unknown"> | undefined {
  const words = foldText(said.slice(0, MAX_LENGTH));
  if (words === "") return undefined;
  if (FULL_MAILBOX.test(words)) return "full_mailbox";
  if (IS_PERSON.test(words) && !AT_THE_TONE.test(words)) return "human";
  if (AT_THE_TONE.test(words)) return "voicemail";
  if (SCREENS.test(words)) return "call_screening";
  if (ASKS_FOR_KEYS.test(words)) return "ivr";
  if (TAKES_MESSAGES.test(words)) return "voicemail";
  if (LEADS_NOWHERE.test(words)) return "ivr";
  const greeting = GREETING.exec(words)?.[0];
  if (greeting !== undefined && words.split(" ").length <= MAX_GREETING_WORDS) return "human";
  return undefined;
}
