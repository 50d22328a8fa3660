import { foldText } from "#domain/values/fold.ts";

/** How often, each with the words for it; the rarer unit first, so that "every two weeks" is no "every week". */
const OFTEN: readonly (readonly [often: string, words: RegExp])[] = [
  [
    "two weeks",
    /\b(?:every (?:other|second|two|2|2nd) (?:weeks?|wks?)|(?:every )?(?:other|second) wee?ks?|bi ?weekly|fortnight(?:ly)?|twice (?:a|per|each|every) month|two times a month|2x (?:a|per) month|every 14 days)\b/,
  ],
  [
    "four times a year",
    /\b(?:quarterly|every (?:three|3) months|every quarter|(?:once )?(?:a|per|each) quarter|four times (?:a|per) year)\b/,
  ],
  [
    "half a year",
    /\b(?:twice (?:a|per) year|every (?:six|6) months|semi ?annual(?:ly)?|bi ?annual(?:ly)?|two times a year)\b/,
  ],
  ["two months", /\b(?:every (?:other|second|two|2) months?|bi ?monthly)\b/],
  ["twice a week", /\b(?:twice (?:a|per|each) (?:week|wk)|two times (?:a|per) week|2x (?:a|per) week)\b/],
  ["day", /\b(?:daily|every (?:single )?day|every ?day|each day|once (?:a|per) day|all week|seven days)\b/],
  [
    "week",
    /\b(?:weekly|(?:every|each) (?:single )?(?:week|wk)|once (?:a|per|every) (?:week|wk)|(?:one|1) time (?:a|per) week)\b/,
  ],
  [
    "month",
    /\b(?:monthly|(?:every|each) month|once (?:a|per|every) month|every (?:four|4) weeks|(?:one|1) time (?:a|per) month)\b/,
  ],
  ["year", /\b(?:yearly|annual(?:ly)?|(?:every|each) year|once (?:a|per|every) year)\b/],
  [
    "once",
    /\b(?:just (?:the )?(?:once|this once|one time|this time)|(?:one|1) (?:time|off)(?: \w+)?|only once|once only|single (?:time|visit)|once(?! (?:a|per|every|i|we|the|it|my|our|they|you|in)\b))\b/,
  ],
  [
    "as needed",
    /\b(?:as needed|now and then|whenever (?:i|we) need|on demand|on call|when needed|once in a while|occasional(?:ly)?)\b/,
  ],
];

/** How often a text says, all of it. */
function oftenIn(folded: string): string[] {
  let rest = folded;
  const found: string[] = [];
  for (const [often, words] of OFTEN) {
    if (!words.test(rest)) continue;
    found.push(often);
    rest = rest.replace(words, " ");
  }
  return found;
}

/** Of choices that say how often, those that are as often as the text says; none where the choices say something else. */
export function frequenciesIn(choices: readonly string[], folded: string): string[] {
  const meant = choices.map((choice) => oftenIn(foldText(choice)));
  if (meant.filter(({ length }) => length === 1).length < 2) return [];
  const said = oftenIn(folded);
  return choices.filter((_, at) => meant[at]!.length === 1 && said.includes(meant[at]![0]!));
}
