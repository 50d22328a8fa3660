import type { Journal } from "#ports/journal.ts";
import { type LanguageModel, ModelError } from "#ports/language-model.ts";
import type { Random } from "./random.ts";
import { currentTask } from "./scheduler.ts";

/** Answers the task that asks, after a while. */
function answerIn(ms: number, what: string): Promise<void> {
  const task = currentTask()!;
  const at = task.scheduler.now + ms;
  return new Promise((resolve) => task.scheduler.at(at, { task, what, run: resolve }));
}

/** How a disk fails that is full: what was to be kept is not done, and the caller gets an error. */
export const DISK_FULL = "ENOSPC";
const FULL = 0.02;

/** A disk that takes its time, and now and then is full until it is calm. What it keeps is for another day. */
export const slowJournal = (random: Random, isCalm: () => boolean): Journal => ({
  async append() {
    await answerIn(random.chance(0.9) ? random.int(0, 5) : random.int(5, 900), "the journal has it");
    if (!isCalm() && random.chance(FULL)) throw Object.assign(new Error("the disk is full"), { code: DISK_FULL });
  },
});

/** How each answer begins; then comes what it is about. */
export const ANSWER = "Gladly, about";

/** Answers with what the contact asked last, so that each answer names its question. Slow, and sometimes away. */
export function echoModel(random: Random): LanguageModel {
  return {
    name: "echo",
    capabilities: { local: true, choosable: false },
    async reply({ history }) {
      await answerIn(random.int(10, 4_000), "the model answers");
      if (random.chance(0.1)) throw new ModelError("The model is away", { retryable: true, vendorCode: "503" });
      // A HELP that has come late stands behind the question, and is everybody's.
      const said = history.filter(({ role }) => role === "contact").map(({ text }) => text);
      const last = said.findLast((text) => /\d$/.test(text)) ?? said.at(-1)!;
      const toolCalls = random.chance(0.1) ? [{ name: "do_not_message", args: {} }] : [];
      return { text: `${ANSWER} ${last.split(" ").at(-1)}.`, toolCalls, usage: { inputTokens: 0, outputTokens: 0 } };
    },
    async extract() {
      throw new ModelError("Nobody asks for it here", { retryable: false, vendorCode: "unused" });
    },
    converse() {
      throw new ModelError("No call is held here", { retryable: false, vendorCode: "unused" });
    },
  };
}
