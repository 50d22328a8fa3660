/** What is asked to stop, as opt-out.ts and opt-out-speech.ts look for it in a folded text. */
export const VERB =
  "(?:text|txt|message|msg|contact|call|phone|ring|bother|bug|spam|harass|email|sms|write|solicit|pester|disturb|hit up)";
export const DOING =
  "(?:text|txt|messag|msg|contact|call|phon|bother|bugg|spamm|harass|email|sms|writ|solicit|pester|disturb|blowing up|reaching out|hitting me up|hitting up)(?:ing|in|n)?(?: me up)?";
export const TEXTS =
  "(?:texts?|txts?|messages?|msgs?|sms|calls?|spam|mail|mails|emails?|notifications?|alerts?|reminders?|promos?|promotions?|offers?|ads?|advertis\\w+|marketing|junk|stuff|crap|bs|solicitations?|updates?|follow ?ups?|text ?messages?)";
/** What may follow another time or place, so that the sentence is about it alone. */
const ALONE =
  "(?=$| (?:please|pls|thanks|thank|ok|okay|call|text|try|i|im|ill|its|just|only|but|because|cause|since|when|while|so)\\b)(?!.*\\b(?:again|anymore|any more|ever|never|no more)\\b)";
/** After `dont call me`: another time, another way, another name. Nothing else may be wished there: unsure means stop. */
export const LATER = ` (?:back )?(?:${[
  "(?:before|until|till|after|while|during|between|just|only|instead|unless|yet|early|late)\\b",
  "by (?!(?:text|phone|e?mail|sms|any|voice)\\b)",
  `(?:at (?:work|home|night|my job|\\d+)|(?:right )now|tomorrow|today|tonight|on (?:mon|tues|wednes|thurs|fri|satur|sun|week)\\w*|on (?:my (?:day off|lunch|break|birthday|way)|the (?:weekends?|road|way|job)|an? (?:weekday|weekend|holiday))|(?:mon|tues|wednes|thurs|fri|satur|sun)day|this (?:week|morning|afternoon|evening|month)|(?:so|that|too) (?:early|late|soon))\\b${ALONE}`,
  "(?<=\\bcall (?:me|us) )(?:(?:sir|maam)$|(?:crazy|mr|mrs|ms|miss|names)\\b|an? (?!(?:damn|single|fucking|freaking)\\b))",
].join("|")})`;
