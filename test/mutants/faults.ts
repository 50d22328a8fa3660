import type { Mutant } from "./mutant.ts";

const LATE_ANSWERS = "test/integration/messaging/late-answers.test.ts";

/** What holds while a model or its provider fails. */
export const OF_FAULTS: readonly Mutant[] = [
  {
    id: "retryable-ignored",
    breaks: "a failure of seconds is not tried again within the turn",
    file: "src/conversation/messaging/patience.ts",
    from: "if (!failed.retryable || grownMs === undefined) throw failed;",
    to: "if (failed.retryable || grownMs === undefined) throw failed;",
    suites: ["src/conversation/messaging/patience.test.ts", LATE_ANSWERS],
  },
  {
    id: "retry-after-ignored",
    breaks: "a provider is asked again sooner than it has said",
    file: "src/domain/agents/answer-retry.ts",
    from: "Math.max(Math.min(grownMs, LONGEST_WAIT_MS), answer.retryAfterMs ?? 0)",
    to: "Math.min(grownMs, LONGEST_WAIT_MS)",
    suites: ["src/domain/agents/answer-retry.test.ts", LATE_ANSWERS],
  },
  {
    id: "second-model-not-asked",
    breaks: "where the first model fails the second is not asked",
    file: "src/adapters/language-models/fallback-model.ts",
    from: "return await ask(second);",
    to: "throw error;",
    suites: ["src/adapters/language-models/selection.test.ts"],
  },
  {
    id: "breaker-never-opens",
    breaks: "a provider that fails again and again holds up everybody for its time limit",
    file: "src/adapters/language-models/breaker-model.ts",
    from: "if (breaker.allows()) return;",
    to: "return;",
    suites: ["src/adapters/language-models/selection.test.ts"],
  },
  {
    id: "call-back-promise-broken",
    breaks: "an agent in trouble promises to call back, and no call is scheduled",
    file: "src/conversation/calls/dialog.ts",
    from: 'yield { kind: "callback", at: at.toISOString(), ...(wish ? { quote: wish.quote } : promise) };',
    to: "void at;",
    suites: ["src/conversation/calls/dialog.test.ts"],
  },
];
