/**
 * A database of numbers that have changed hands, such as the FCC's Reassigned Numbers Database. Each answer is paid for: it is
 * asked once a number and consent, and what it says is kept.
 */
export interface ReassignedNumbers {
  readonly name: string;
  /** Numbers that one call may ask about. */
  readonly maxQuestions: number;
  /** Answers for every question, in order. Rejects when it cannot answer; the same questions may then be asked again. */
  check(questions: readonly NumberQuestion[], signal: AbortSignal): Promise<NumberAnswer[]>;
}

/** Was `phone` (E.164) given to someone else since the day of the consent? */
export type NumberQuestion = { phone: string; consentOn: Date };

/** `no_data`: not known. That is no reason not to write. */
export type NumberAnswer = "yes" | "no" | "no_data";
