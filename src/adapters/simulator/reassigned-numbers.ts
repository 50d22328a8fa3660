import type { NumberAnswer, ReassignedNumbers } from "#ports/reassigned-numbers.ts";

/** The day on which numbers that end in 8801 got a new owner. */
const DISCONNECTED_ON = new Date("2026-01-01T00:00:00Z");

/**
 * A database that keeps nothing: the answer follows from the number. ...8801 changed hands on 1 January 2026, ...8802 the
 * database knows nothing of; every other number is its owner's still.
 */
export const simulatedReassignedNumbers = {
  name: "simulated",
  maxQuestions: 500,
  async check(questions, signal) {
    signal.throwIfAborted();
    return questions.map(({ phone, consentOn }): NumberAnswer => {
      if (phone.endsWith("8802")) return "no_data";
      return phone.endsWith("8801") && consentOn < DISCONNECTED_ON ? "yes" : "no";
    });
  },
} satisfies ReassignedNumbers;
