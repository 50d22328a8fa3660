import type { Act } from "./acts.ts";

/** One text of the contact, with what is needed to read values from it. */
export type Said = { text: string; at: Date; zone: string; folded: string; acts: ReadonlySet<Act> };

/** A value and the words it was read from, which occur in the text as they are. */
export type ReadValue = { value: string; quote: string };

/** Answers are short; what is longer is a story, kept by its beginning. */
export const MAX_TEXT_VALUE = 200;

/** The beginning of a text as its own quote. */
export const whole = (text: string): string => text.trim().slice(0, MAX_TEXT_VALUE);
