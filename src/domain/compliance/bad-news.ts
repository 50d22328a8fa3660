/**
 * Cars die, too. Stands before a word of dying and lets it pass unless a thing is what dies: `my phone died`, but not `the owner of this
 * phone died`. Of a thing that is not plainly the subject it is not sure, and a person may have died.
 */
export const NOT_A_THING =
  "(?<!(?:^|\\b(?:and|but|so|because|cause|since|sorry|when|then) |(?<!\\b(?:of|had|has|have|whose|with|to|in|on|from|by|for|at|using|owned) )\\b(?:my|our|the|his|her) (?:(?!of|had|has|have|whose|with|to)\\w+ )?)(?:car|van|truck|phone|battery|furnace|fridge|engine|transmission|ac|laptop|computer|heater|washer|tree|lawn)(?: (?:is|has|had|was|just|finally|already|also|almost|suddenly|totally|completely)){0,2} )";

/** A person who dies along with a thing: `my husband and the car died`. */
export const PERSON_AND_THING =
  "\\b(?:husband|wife|spouse|partner|mom|mum|mother|dad|father|parents?|son|daughter|brother|sister|baby|child|kid|grand(?:ma|pa|mother|father)|uncle|aunt|cousin|niece|nephew|friend|fiancee?|boyfriend|girlfriend|boss|neighbor|owner) (?:\\w+ )?and (?:(?:my|our|the|his|her) )?(?:\\w+ ){1,2}(?:(?:is|has|had|have|was|both|just|finally|already|also|suddenly) ){0,2}";

/** `He passed in August`, not `he passed in the exam`. */
const PASSED_THEN =
  "\\b(?:he|she) (?:just |recently |has |had )?passed (?:suddenly|unexpectedly|peacefully|yesterday|in (?:january|february|march|april|may|june|july|august|september|october|november|december|the (?:spring|summer|fall|winter|hospital|night))|(?:last|this|over the) (?:week|month|year|spring|summer|fall|autumn|winter|night|weekend)\\b(?! s? ?(?:inspection|exam|test|class))|(?:a|an|one|two|three|four|five|six|\\d{1,2}) (?:few |couple (?:of )?)?(?:days?|weeks?|months?|years?) ago)\\b";

/** Death, grave illness, an accident, a loss of job, home or partner: matched against a folded text. */
const BAD_NEWS = new RegExp(
  String.raw`(?:${NOT_A_THING}|${PERSON_AND_THING})\b(?:died|dying|passed away)\b|\b(?:my|our|his|her) (?:husband|wife|mom|mum|mother|dad|father|son|daughter|brother|sister|grandma|grandpa|grandmother|grandfather|uncle|aunt|dog|cat) (?:just |recently |has |had )?passed\b(?! (?:the|a|an|his|her|my|our|it|this|that|by|over|out|along|inspection|with)\b)|${PASSED_THEN}|\b(?:passed on|buried|funeral|death|deceased|killed|cancer|hospice|icu|i c u|stroke|heart attack|miscarriage|widow\w*)\b|\b(?:in|at|to) the (?:hospital|er|emergency room)\b|\b(?:lost|losing) (?:my|our|his|her) (?:\w+ )?(?:husband|wife|mom|mother|dad|father|son|daughter|brother|sister|baby|child|job|house|home|dog|cat|grandma|grandpa|partner|friend)\b|\b(?:put|putting) (?:him|her|(?:my|our|the) (?:\w+ )?(?:dog|cat|horse|pet)) (?:down(?! (?:for|as|on|at)\b)|to sleep)\b|\b(?:car|bad|terrible|an|in) accident\b|\b(?:got|been|was|just) (?:\w+ )?(?:laid off|fired|evicted|hospitali[sz]ed)\b|\b(?:getting|going through|went through|in the middle of) (?:a |an )?(?:\w+ )?divorce\b|\bdivorced? (?:me|last|this)\b|\bgetting divorced\b|\b(?:wife|husband|girlfriend|boyfriend|fiance) (?:just )?left me\b|\b(?:house|home|apartment) (?:fire|burned|flooded)\b|\bhad a (?:\w+ )?fire (?:in|at)\b|\bburned down\b|\b(?:my|our) (?:husband|wife|son|daughter|mom|mother|dad|father|kid|child|baby|brother|sister) (?:is|was|got|just got) (?:\w+ )?(?:hurt|injured|hit by)\b|\b(?:very|really|so|pretty|seriously) (?:sick|ill)\b(?! (?:of|and tired)\b)|\bmurio\b|\bfallecio\b`,
);

/** Whether somebody who writes this has to be met with kindness. `folded` is a text as `foldText` gives it. */
export const isBadNews = (folded: string): boolean => BAD_NEWS.test(folded);
