import type { Mutant } from "./mutant.ts";

const REPLY = "src/operations/messaging/reply-to-thread.ts";
const CONCLUDE = "src/operations/messaging/conclude-turns.ts";
const MODEL_AWAY = "src/operations/messaging/model-away.ts";
const LATE_ANSWERS = "test/integration/messaging/late-answers.test.ts";

/** Each text of a contact is answered once, also when a model fails. */
export const OF_ANSWERS: readonly Mutant[] = [
  {
    id: "answered-twice",
    breaks: "a turn that another has answered is answered again",
    file: CONCLUDE,
    from: "if (!thread || superseded || !thread.agent_awake) continue;",
    to: "if (!thread || !thread.agent_awake) continue;",
    suites: ["test/integration/messaging/turns.test.ts", "simulation"],
  },
  {
    id: "superseded-reply-is-sent",
    breaks: "an answer to a text that the contact has gone on from leaves all the same",
    file: CONCLUDE,
    from: "const superseded = thread?.last_inbound_step !== answering || thread.answered_step === answering;",
    to: "const superseded = thread?.answered_step === answering;",
    suites: ["test/integration/messaging/turns.test.ts"],
  },
  {
    id: "superseded-failure-puts-off",
    breaks: "the failure of an older text puts off the answer to a newer one",
    file: MODEL_AWAY,
    from: "const superseded = thread?.last_inbound_step !== answering || thread.answered_step === answering;",
    to: "const superseded = thread?.answered_step === answering;",
    suites: [LATE_ANSWERS],
  },
  {
    id: "model-outage-loses-the-reply",
    breaks: "a turn that the model could not answer counts as answered: the contact waits for ever",
    file: REPLY,
    from: "  if (outcome.failure) return putOff(ctx, key, { answering: thread.last_inbound_step!, place }, outcome.failure);\n",
    to: "",
    suites: [LATE_ANSWERS],
  },
  {
    id: "nobody-is-wanted",
    breaks: "after a day without an answer no person is notified",
    file: MODEL_AWAY,
    from: "if (at === undefined) thread.person_wanted_at = now;",
    to: "",
    suites: [LATE_ANSWERS],
  },
  {
    id: "passed-on-to-nobody",
    breaks: "a contact reads that the team has its message, and nobody is notified",
    file: CONCLUDE,
    from: "if (outcome.needsPerson) thread.person_wanted_at ??= now;",
    to: "thread.person_wanted_at = null;",
    suites: [LATE_ANSWERS],
  },
  {
    id: "recitation-let-through",
    breaks: "a model recites its instructions to a contact",
    file: "src/domain/messaging/output-gate.ts",
    from: "return rules.instructions !== undefined && recites(text, rules.instructions);",
    to: "return false;",
    suites: ["src/domain/messaging/output-gate.test.ts", "src/conversation/messaging/turn.test.ts"],
  },
];
