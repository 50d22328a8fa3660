// What contacts of benches write and say. Hardly anybody says what another has said, so that each is read as a new one.

const OPENINGS = ["Sure", "Yes", "Hi", "Hello", "OK", "Maybe", "Well", "Thanks", "Hey", "Good morning", "Hi there"];
const QUESTIONS = ["what is it about", "who is this", "how does it work", "what do you offer", "is it far from here"];
const ENDS = ["today", "this week", "for my sister", "for two of us", "at the shop", "in the evening", "by the lake"];
const pick = (from: readonly string[], n: number): string => from[n % from.length]!;

/** The text of the i-th contact: one of a few hundred. */
export const textOf = (i: number): string =>
  `${pick(OPENINGS, i)}, ${pick(QUESTIONS, i)} ${pick(ENDS, i)} ${pick(ENDS, i >> 3)}?`;

const TIMES = ["Mornings", "Afternoons", "Evenings", "Weekends", "Mondays", "Any day after five", "Fridays at noon"];

/** What the i-th contact says in a call, turn by turn; more calls than a process has at once are not alike. */
export const spokenBy = (i: number): string[] => [
  `Yes, ${pick(QUESTIONS, i)}?`,
  `I would say about ${100 + (i % 877)},000 dollars.`,
  `${pick(TIMES, i)} would be best ${pick(ENDS, i >> 2)}.`,
  `My email is person${i % 4_001}@example.com.`,
  "Okay, thanks, bye.",
];
