/** Death, grave illness, an accident, a loss of job, home or partner: matched against a folded text. */
const BAD_NEWS =
  /\b(?:died|dying|passed away|passed on|buried|funeral|death|deceased|killed|cancer|hospice|icu|i c u|stroke|heart attack|miscarriage|widow\w*)\b|\b(?:in|at|to) the (?:hospital|er|emergency room)\b|\b(?:lost|losing) (?:my|our|his|her) (?:\w+ )?(?:husband|wife|mom|mother|dad|father|son|daughter|brother|sister|baby|child|job|house|home|dog|cat|grandma|grandpa|partner|friend)\b|\b(?:put|putting) (?:him|her|(?:my|our|the) (?:\w+ )?(?:dog|cat|horse|pet)) (?:down(?! (?:for|as|on|at)\b)|to sleep)\b|\b(?:car|bad|terrible|an|in) accident\b|\b(?:got|been|was|just) (?:\w+ )?(?:laid off|fired|evicted|hospitali[sz]ed)\b|\b(?:getting|going through|went through|in the middle of) (?:a |an )?(?:\w+ )?divorce\b|\bdivorced? (?:me|last|this)\b|\bgetting divorced\b|\b(?:wife|husband|girlfriend|boyfriend|fiance) (?:just )?left me\b|\b(?:house|home|apartment) (?:fire|burned|flooded)\b|\bburned down\b|\b(?:very|really|so|pretty|seriously) (?:sick|ill)\b|\bmurio\b|\bfallecio\b/;

/** Cars die, too. */
const THING_DIED =
  /\b(?:car|van|truck|phone|battery|furnace|fridge|engine|transmission|ac|laptop|computer|heater|washer)(?: \w+){0,2} (?:died|dying|passed away)\b/;
const OF_A_PERSON = /\b(?:husband|wife|mom|dad|mother|father|son|daughter|brother|sister)\b/;

/** Whether somebody who writes this has to be met with kindness. `folded` is a text as `foldText` gives it. */
export const isBadNews = (folded: string): boolean =>
  BAD_NEWS.test(folded) && (!THING_DIED.test(folded) || OF_A_PERSON.test(folded));
