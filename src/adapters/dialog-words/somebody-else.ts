import { foldText } from "#domain/values/fold.ts";
import { remembering } from "#domain/values/remembering.ts";

const KIN =
  "son|daughter|husband|wife|spouse|partner|brother|sister|mother|father|mom|mum|dad|grandson|granddaughter|nephew|niece|cousin|roommate|neighbor|neighbour|assistant|caregiver|boyfriend|girlfriend|fiance|fiancee|tenant|landlord|secretary|hijo|hija|esposo|esposa|marido|mujer|hermano|hermana|madre|padre|mama|papa|nieto|nieta|vecino|vecina";
const BEGINS = "^(?:(?:no|nope|sorry|hi|hello|hey|hola|perdon|lo siento|um|uh|oh|well|actually) )*";
/** "I'm her son", "soy su hija". */
const IS_KIN = new RegExp(
  `${BEGINS}(?:(?:im|i am|this is|its|it is|(?:youre|you are|ur) (?:texting|talking to|writing to)) (?:her|his|their)|soy su) (?:\\w+ )?(?:${KIN})\\b`,
);
/** "She sold the house last year": who speaks of the contact so is somebody else. */
const OF_THE_CONTACT = new RegExp(
  `${BEGINS}(?:she|he|ella|el) (?:(?:has |had |already |just |ya )*(?:sold|moved|left)|(?:doesnt|does not|no longer|dont) (?:\\w+ )?(?:live|lives|work|works|own|owns|have|has|use|uses)|isnt here|is not here|vendio|se mudo|ya no vive)\\b`,
);

/** "Not May, June" is about a month. */
const ALSO_A_WORD: ReadonlySet<string> = new Set("may april june august will rich hope joy sunny".split(" "));

/** What says that the one with this name is not here, or writes not. */
const notThem = remembering((name: string): RegExp => {
  const them = name.replace(/[^\p{L}\p{N} ]/gu, "");
  return new RegExp(
    [
      `\\b(?:this|it|i)(?:s| is|m| am)? ?(?:isnt|is not|isn t|not|aint|am not) (?:\\w+ )?${them}\\b`,
      `${BEGINS}(?:im |i am |its |this is )?not ${them}\\b`,
      `\\b(?:no|not a|nobody (?:called|named)) ${them} (?:here|lives|at this)\\b`,
      `\\b${them} (?:(?:has |had |already |just )*(?:sold|moved|left)|(?:doesnt|does not|no longer|dont) (?:\\w+ )?(?:live|lives|work|works|own|owns|have|has|use|uses)|isnt here|is not here|vendio|se mudo|ya no vive)\\b`,
      `\\b(?:yo )?no soy ${them}\\b`,
      `\\b(?:im|i am|this is|soy) (?:el |la )?${them}(?:s| s) (?:${KIN})\\b`,
      `\\bsoy (?:el |la )?(?:${KIN}) de ${them}\\b`,
    ].join("|"),
  );
});

/** Whether a text says that its writer is not the contact. `firstName`: the contact's, as far as it is known. */
export function isSomebodyElse(folded: string, firstName: string | undefined): boolean {
  if (IS_KIN.test(folded) || OF_THE_CONTACT.test(folded)) return true;
  const name = foldText(firstName ?? "");
  return name.length > 1 && !ALSO_A_WORD.has(name) && notThem(name).test(folded);
}
