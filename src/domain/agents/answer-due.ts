/** What a conversation says of an answer that its agent is to give. */
export type PlannedAnswer = {
  reply_due_at: Date;
  /** How often the model has failed at it, and since when. */
  answer_failures: number;
  answer_failing_since: Date | null;
  person_wanted_at: Date | null;
};

/**
 * The answer to a text that has come now, after the agent's delay. People send a thought in pieces: every piece puts the answer off anew, and supersedes
 * an answer that waits for the model, or for a person.
 */
export const planAnswer = (agent: { reply_delay_ms?: number }, now: Date): PlannedAnswer => ({
  reply_due_at: new Date(now.getTime() + (agent.reply_delay_ms ?? 0)),
  answer_failures: 0,
  answer_failing_since: null,
  person_wanted_at: null,
});
