/** What is asked to stop, as opt-out.ts and opt-out-speech.ts look for it in a folded text. */
export const VERB =
  "(?:text|txt|message|msg|contact|call|phone|ring|bother|bug|spam|harass|email|sms|write|solicit|pester|disturb|hit up)";
export const DOING =
  "(?:text|txt|messag|msg|contact|call|phon|bother|bugg|spamm|harass|email|sms|writ|solicit|pester|disturb|blowing up|reaching out|hitting me up|hitting up)(?:ing|in|n)?(?: me up)?";
export const TEXTS =
  "(?:texts?|txts?|messages?|msgs?|sms|calls?|spam|mail|mails|emails?|notifications?|alerts?|reminders?|promos?|promotions?|offers?|ads?|advertis\\w+|marketing|junk|stuff|crap|bs|solicitations?|updates?|follow ?ups?|text ?messages?)";
/** After `dont call me`: another time, another way, another name. */
export const LATER =
  " (?:back )?(?:(?:before|until|till|after|while|during|between|by|just|only|instead)\\b|(?:at (?:work|home|night|my job|\\d)|(?:right )now|tomorrow|today|tonight|on (?:my|the|a|mon|tues|wednes|thurs|fri|satur|sun|week)|(?:mon|tues|wednes|thurs|fri|satur|sun)day|this (?:week|morning|afternoon|evening|month)|so|that|too|early|late|unless|yet|sir|maam|crazy|mr|mrs|ms|miss|an?|names)\\b(?!.*\\b(?:again|anymore|any more|ever|no more)\\b))";
