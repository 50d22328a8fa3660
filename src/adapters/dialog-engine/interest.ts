import type { Act } from "#adapters/dialog-reading/acts.ts";
import type { Said } from "#adapters/dialog-reading/said.ts";
import { EXPLAINS } from "#adapters/dialog-reading/yes-no.ts";
import type { Read } from "./parts.ts";
import type { State } from "./state.ts";

/** How somebody begins who takes a no back. */
const COMES_BACK = /^(?:\w+ ){0,2}(?:actually|you know what|on second thought|wait|hold on|maybe)\b/;

/** `shared, we don't need anything fancy`: it is said of the answer, and turns nothing down. */
function isOfAnswer({ pending }: State, folded: string, learned: readonly Read[]): boolean {
  return !TURNS_DOWN.test(folded) && learned.some(({ slot }) => slot === pending && VALUES.has(slot.kind));
}

const VALUES: ReadonlySet<string> = new Set([
  "choice",
  "number",
  "money",
  "date",
  "time",
  "moment",
  "period",
  "place",
  "name",
]);
const TURNS_DOWN = /\binterest|\bno,? (?:thanks|thank you|thx)\b|\bpass\b|\bchanged my mind\b|\balready\b/;

const isYes = (value: string): boolean => /^(?:yes|true)$/.test(value);

/** The message that a text is, and whether it has had no answer yet. */
type Heard = { messageId: string; isNew: boolean };

/** Notes what a text says of the whole matter, and whether a conversation that was over goes on. */
export function noteInterest(state: State, said: Said, learned: readonly Read[], at: Heard): void {
  const { acts, folded } = said;
  const before = state.interest;
  const own = learned.find(({ slot }) => slot.kind === "interest")?.value;
  state.interest = interestAfter(state, said, learned, own);
  const turnsRound = before === "no" && state.interest === "yes";
  const comesBack =
    learned.length > 0 ||
    turnsRound ||
    (acts.has("question") && state.interest === "yes") ||
    acts.has("interest") ||
    acts.has("call") ||
    (state.interest === "yes" && own !== undefined);
  if (comesBack && state.interest !== "no") state.closed = false;
  // Who wants to be called another time has not said yes to the matter.
  const takesBack = acts.has("interest") || COMES_BACK.test(folded) || (turnsRound && !acts.has("call"));
  if (state.interest === "yes" && own === undefined && takesBack) changeAnswer(state, said, at);
}

function interestAfter(
  state: State,
  { acts, folded }: Said,
  learned: readonly Read[],
  own: string | undefined,
): State["interest"] {
  const opening = state.pending === "opening";
  // Of a field that is not the first ("do they need help each day") a no is an answer and no refusal.
  const isFirst = learned.some(({ slot }) => slot.kind === "interest" && slot === state.slots[0]);
  if (own !== undefined && (isFirst || isYes(own) || acts.has("refuse"))) return isYes(own) ? "yes" : "no";
  if (
    (acts.has("refuse") && !isOfAnswer(state, folded, learned)) ||
    (opening && acts.has("no") && !acts.has("later") && !EXPLAINS.test(folded))
  )
    return "no";
  if (acts.has("interest") || acts.has("call") || (opening && acts.has("yes"))) return "yes";
  return state.interest === "no" && takesUpAgain(state, acts, folded, learned) ? "yes" : state.interest;
}

/** Questions that are no sign of interest. */
const ASKS_WHO: readonly Act[] = ["who", "source", "robot", "hostile"];

/**
 * Whether a text after a no goes on with the matter. After a farewell a mere question does not ("do you take cards?"): it is answered, and nothing
 * is asked. One that doubts the no does: "hmm, is the trial really free?"
 */
function takesUpAgain(
  { closed, parked }: State,
  acts: ReadonlySet<Act>,
  folded: string,
  learned: readonly Read[],
): boolean {
  const asks = acts.has("question") && !ASKS_WHO.some((act) => acts.has(act));
  if (asks && ((!closed && !parked) || DOUBTS.test(folded))) return true;
  if (!closed && !parked) return false;
  if (acts.has("yes") && YES_AFTER_ALL.test(folded) && !FAREWELL.test(folded)) return true;
  return closed && (learned.length > 0 || /\bmaybe\b/.test(folded));
}

const DOUBTS =
  /^(?:(?:oh|ok|okay|um|uh) )*(?:hm+|well|wait|actually|hold on|unless|but)\b|\b(?:tho|though|actually|unless)\b/;
/** More than assent to a farewell, which "ok" and "yeah" are. */
const YES_AFTER_ALL =
  /^(?:(?:oh|ok|okay|well|um|uh) )*(?:yes|yep|si)$|\b(?:yes|yeah|yep|yup|sure|ok|okay|si) (?:\w+ ){0,3}(?:please|then|lets|why not|i (?:do|am|will|would|want|need)|do it|por favor)\b|\b(?:but|actually|then|ok) (?:yes|yeah)\b|\b(?:go ahead|why not|lets do)\b/;
const FAREWELL = /\b(?:you|u) too\b|\b(?:bye|thanks|thank you|take care|good (?:day|night|one))\b/;

/** Whoever comes back with interest has changed the first answer, too: the text that does so is what proves it. */
function changeAnswer(state: State, { text }: Said, { messageId, isNew }: Heard): void {
  const slot = state.slots.find(({ kind }) => kind === "interest");
  const before = slot === undefined ? undefined : state.known.get(slot.field.name)?.value;
  if (slot === undefined || before === undefined || !/^(?:no|false)$/.test(before)) return;
  const value = before === "no" ? "yes" : "true";
  state.known.set(slot.field.name, { value, quote: text.trim(), messageId });
  if (isNew) state.learned.push({ slot, value, isChange: true });
}
