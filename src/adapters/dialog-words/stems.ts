import { foldText } from "#domain/values/fold.ts";

/** Words that say nothing of what a sentence is about. */
const EMPTY = new Set(
  "a an the and or but if is are was were be been am do does did can could will would should may might must have has had not no yes to of in on at by for from with about as it its this that these those there here i im ive you your youre yours u ur we our us they them their he she his her my me mine what whats when whens where wheres which who whos how hows why whether so just very really all any some more most much many few than then too also into out up down over get got want wants know tell like need one time look looks cost costs price take takes taken guys gonna going still again come come there tho though too unless hmm hm with give offer include ok ya please hi hey hello thanks ok okay sure well um uh yeah contact name whether find say says never charge charges charged something anything everything exactly per".split(
    " ",
  ),
);

/** Words that mean the same to somebody who asks. */
const SAME = new Map<string, string>(
  [
    ["fix", "repair"],
    ["guarante", "warranti"],
    ["guarantee", "warranti"],
    ["warranty", "warranti"],
    ["house", "home"],
    ["automobile", "car"],
    ["vehicle", "car"],
    ["fee", "fee"],
    ["inspector", "inspect"],
    ["inspection", "inspect"],
    ["installation", "instal"],
    ["installer", "instal"],
    ["install", "instal"],
    ["licensed", "licens"],
    ["license", "licens"],
    ["hurt", "affect"],
    ["membership", "member"],
    ["financing", "financ"],
    ["companies", "insurer"],
    ["company", "insurer"],
    ["check", "compar"],
    ["insurance", "insuranc"],
    ["paid", "pay"],
    ["wage", "pay"],
    ["salary", "pay"],
    ["beginner", "beginn"],
    ["finance", "financ"],
    ["driven", "driv"],
    ["drove", "driv"],
    ["drivable", "driv"],
    ["older", "old"],
    ["cat", "pet"],
    ["dog", "pet"],
    ["puppy", "pet"],
    ["kitten", "pet"],
    ["lb", "pound"],
    ["vaccination", "vaccin"],
    ["vaccinat", "vaccin"],
    ["vaccinated", "vaccin"],
    ["registration", "regist"],
    ["consultation", "consult"],
    ["evaluation", "evaluat"],
    ["cancellation", "cancel"],
    ["operation", "operat"],
    ["renovation", "renovat"],
    ["decoration", "decorat"],
    ["medication", "medic"],
    ["medicine", "medic"],
    ["graduation", "graduat"],
    ["transportation", "transport"],
    ["certification", "certif"],
    ["certified", "certif"],
    ["payment", "pay"],
    ["treatment", "treat"],
    ["employment", "employ"],
    ["employed", "employ"],
    ["replacement", "replac"],
  ].map(([from, to]) => [from!, to!]),
);

/** `repairs`, `repairing`, `repaired` -> `repair`. Rough on purpose: only for comparing. */
export function stem(word: string): string {
  const known = SAME.get(word);
  if (known !== undefined) return known;
  let base = word;
  if (base.length > 5 && base.endsWith("ing")) base = base.slice(0, -3);
  else if (base.length > 4 && base.endsWith("ed")) base = base.slice(0, -2);
  else if (base.length > 4 && base.endsWith("ies")) base = `${base.slice(0, -3)}y`;
  else if (base.length > 3 && base.endsWith("s") && !base.endsWith("ss")) base = base.slice(0, -1);
  if (base.length > 4 && base.endsWith("e")) base = base.slice(0, -1);
  return SAME.get(base) ?? base;
}

/** The words that have another's stem, as they are but for their number: `cat`, `dog`. */
export function renamedIn(text: string): Set<string> {
  const found = new Set<string>();
  for (const word of foldText(text).split(" ")) {
    const single = word.length > 3 && word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
    if (SAME.has(single)) found.add(single);
  }
  return found;
}

export function stemsOf(text: string): Set<string> {
  const words = foldText(text).split(" ");
  return new Set(words.filter((word) => word.length > 1 && !EMPTY.has(word)).map(stem));
}
