import { foldText } from "#domain/values/fold.ts";

const KIN =
  "son|daughter|husband|wife|spouse|partner|brother|sister|mother|father|mom|mum|dad|grandson|granddaughter|nephew|niece|cousin|roommate|neighbor|neighbour|assistant|caregiver|boyfriend|girlfriend|fiance|fiancee|tenant|landlord|secretary|hijo|hija|esposo|esposa|marido|mujer|hermano|hermana|madre|padre|mama|papa|nieto|nieta|vecino|vecina";
const BEGINS = "^(?:(?:no|nope|sorry|hi|hello|hey|hola|perdon|lo siento|um|uh|oh|well|actually) )*";
const IS_GONE =
  "(?:(?:has |had |already |just |ya )*(?:sold|moved|left)|(?:doesnt|does not|no longer|dont) (?:\\w+ )?(?:live|lives|work|works|own|owns|have|has|use|uses)|isnt here|is not here|vendio|se mudo|ya no vive|no vive)\\b";
/** "I'm her son", "soy su hija" */
const IS_KIN = new RegExp(
  `${BEGINS}(?:(?:im|i am|this is|its|it is|(?:youre|you are|ur) (?:texting|talking to|writing to)) (?:her|his|their|names)|soy su) (?:\\w+ )?(?:${KIN})\\b`,
);
/** "She sold the house last year". No more than this: "he doesn't have any" is said of a child or a dog that was asked about. */
const SPEAKS_OF_THEM = new RegExp(
  `${BEGINS}(?:she|he|ella|el) (?:(?:has |had |already |just |ya )*(?:sold (?:the|this|that|her|his|it)|vendio)|(?:doesnt|does not|no longer) (?:live|lives|work|works) (?:here|at this)|ya no vive aqui|no vive aqui)\\b`,
);
/** The contact's name stands as `name` here, and with an s as `names`. */
const NOT_THEM = new RegExp(
  [
    "\\b(?:this|it|i)(?:s| is|m| am)? ?(?:isnt|is not|not|aint|am not) (?:\\w+ )?name\\b",
    `${BEGINS}(?:im |i am |its |this is )?not name\\b`,
    "\\b(?:no|not a|nobody called|nobody named) name (?:here|lives|at this)\\b",
    `\\bname ${IS_GONE}`,
    "\\bno soy name\\b",
    `\\bsoy (?:el |la )?(?:${KIN}) de name\\b`,
  ].join("|"),
);
/** "Not May, June" is about a month. */
const ALSO_A_WORD: ReadonlySet<string> = new Set("may april june august will rich hope joy sunny".split(" "));

/**
 * Whether a text says that its writer is not the contact. `firstName`: the contact's, as far as it is known. `isAsked`: it answers a question about
 * something, so that "I'm her daughter" may be that answer, and only the name counts.
 */
export function isSomebodyElse(folded: string, firstName: string | undefined, isAsked: boolean): boolean {
  if (!isAsked && (SPEAKS_OF_THEM.test(folded) || IS_KIN.test(folded))) return true;
  const name = foldText(firstName ?? "");
  if (name.length < 2 || ALSO_A_WORD.has(name)) return false;
  const text = ` ${folded} `.replaceAll(` ${name} `, " name ").replaceAll(` ${name}s `, " names ").trim();
  return text !== folded && (NOT_THEM.test(text) || IS_KIN.test(text));
}
