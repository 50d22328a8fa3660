import { foldText } from "#domain/values/fold.ts";

/** What a contact's text means beside the values it may hold. Several can be true at once. */
export type Understanding = {
  folded: string;
  yes: boolean;
  no: boolean;
  /** Turns the whole matter down, which a bare "no" to one question does not. */
  notInterested: boolean;
  interested: boolean;
  later: boolean;
  wantsCall: boolean;
  whoAreYou: boolean;
  thanks: boolean;
  goodbye: boolean;
  question: boolean;
  /** Will not or cannot answer what was asked. */
  declined: boolean;
};

const YES =
  /^(?:(?:oh|hi|hey|hello|well|hmm|um|ok|okay) )*(?:yes|yeah|yea|yep|yup|ya|yessir|sure|ok|okay|k|kk|y|of course|absolutely|definitely|certainly|sounds (?:good|great|fine)|correct|right|thats right|please do|please|go ahead|i am|i do|i would|id love to|works for me|perfect|great|si|claro|oui|bien sur)\b/;
const NO =
  /^(?:(?:oh|hi|hey|hello|well|hmm|um) )*(?:no|nope|nah|n|nay|not really|not at all|negative|i dont|i do not|im not|i am not|non)\b/;
const NOT_INTERESTED =
  /\bnot? (?:(?:really|at all|that|longer|so|currently) )*interest|\bno interest\b|^no,? ?(?:thanks|thank you|thx|ty|gracias|merci)\b|\b(?:no longer|not) (?:looking|in the market|searching|buying|selling)\b|\bchanged my mind\b|\balready (?:bought|sold|found|have one|signed|got one|moved|purchased|hired)\b|\b(?:dont|do not) (?:need|want) (?:it|this|one|any|your|anything)\b|\bi (?:will |ll )?pass\b|\bno me interesa\b|\bpas interesse/;
const INTERESTED =
  /\b(?:im|i am|very|definitely|still|yes) (?:very |really |definitely |still ){0,3}(?:interested|looking)\b|\btell me more\b|\bid (?:like|love) (?:to|more|that)\b|\bsounds (?:good|great|interesting)\b|\blets do it\b|\bcount me in\b|\bsign me up\b|\bme interesa\b/;
const LATER =
  /\b(?:later|busy|driving|(?:in|at) (?:a |the )?(?:meeting|work|class|gym|appointment)|cant talk|cannot talk|not now|not right now|another time|some other time|not a good time|bad time|in a bit|get back to you|let me think|need to think|mas tarde|ocupad[oa]|plus tard)\b/;
const CALL = new RegExp(
  `(?<!\\b(?:dont|do not|not|never|no need to|without|instead of|rather than|cant|cannot) (?:\\w+ )?)(?:${[
    "\\b(?:call|phone|ring|dial) (?:me|us)\\b",
    "^(?:please |ok |okay |yes |sure |just |hi )*call\\b(?! (?:it|that|the|you|him|her|them|your|my|center|list))",
    "\\b(?:can|could|would|will|please|have) (?:you|u|someone|somebody|your team) (?:please )?(?:call|phone)\\b(?! (?:it|that|him|her|them))",
    "\\b(?:need|want|like|prefer|schedule|book|arrange|have|do|hop on|jump on|get on) (?:a|the) (?:quick |short |phone )*call\\b",
    "\\b(?:give|gimme) (?:me |us )?a (?:call|ring|buzz)\\b",
    "\\b(?:talk|speak|chat) (?:to|with) (?:a |an |some|the |your )",
    "\\b(?:over|on|by) the phone\\b|\\blets talk\\b|\\b(?:live agent|real person|representative)\\b",
    "\\bllam[ae](?:me|rme)\\b|\\bme (?:llamas?|puede llamar|pueden llamar)\\b|\\bappele[rz] moi\\b",
  ].join("|")})`,
);
const WHO =
  /\bwho(?:s| is| are| r)? ?(?:this|you|u|dis|these|sending|texting|calling)\b|\b(?:are|r) (?:you|u) (?:a |an |even |actually )*(?:bot|robot|real|human|ai|machine|computer|person|automated|chatgpt|legit)\b|\bis this (?:a |an |even )*(?:bot|robot|automated|real|ai|spam|scam|legit|human|person)\b|\b(?:what|which) (?:company|business)\b|\bdo i know you\b|\bhow did you get (?:my|this) (?:number|info|contact)\b|\bwhere did you get my\b|\bquien (?:es|eres)\b|\bqui est\b/;
const THANKS = /\b(?:thanks|thank you|thank u|thx|tysm|ty|appreciate (?:it|that|you)|gracias|merci)\b/;
const GOODBYE =
  /\b(?:bye|goodbye|good bye|cya|see (?:you|ya|u)|take care|ttyl|talk (?:soon|later)|have a (?:good|great|nice)|good ?night|adios|au revoir)\b/;
const QUESTION =
  /^(?:and |but |ok |so |hey |hi )*(?:what|whats|how|when|where|why|which|who|can you|could you|do you|does|is it|is there|are there|are you|will (?:it|you)|how much|how many)\b/;
/** Said with a question mark it only asks to go on. */
const GO_ON = /^(?:(?:yes|yeah|yep|yup|ok|okay|sure|hello|hi|hey|hm+|uh huh|speaking|this is (?:he|she))(?: |$))+$/;
const DECLINED =
  /\b(?:dont know|do not know|idk|not sure|no idea|unsure|no clue|skip|rather not|prefer not|none of your|not telling|wont say|no se|je ne sais pas|cant say|undecided|havent decided)\b/;

/** Reads one text. Rules only; what is not recognised is simply false everywhere. */
export function understand(text: string): Understanding {
  const folded = foldText(text.slice(0, 2_000));
  const yes = YES.test(folded) || /^\s*(?:👍|👌|✅)/u.test(text);
  const notInterested = NOT_INTERESTED.test(folded);
  return {
    folded,
    yes,
    no: NO.test(folded) || /^\s*(?:👎|❌)/u.test(text),
    notInterested,
    interested: !notInterested && INTERESTED.test(folded),
    later: LATER.test(folded),
    wantsCall: CALL.test(folded),
    whoAreYou: WHO.test(folded),
    thanks: THANKS.test(folded),
    goodbye: GOODBYE.test(folded),
    question: (text.includes("?") && !GO_ON.test(folded)) || QUESTION.test(folded),
    declined: DECLINED.test(folded),
  };
}
