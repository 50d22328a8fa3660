import type { Mutant } from "./mutant.ts";

const GATE = "src/domain/compliance/gate.ts";
const LATE_ANSWERS = "test/integration/messaging/late-answers.test.ts";

/** Nobody is called or texted at another hour than the law allows. */
export const OF_CALLING_HOURS: readonly Mutant[] = [
  {
    id: "gate-hours",
    breaks: "a closed window lets through",
    file: GATE,
    from: 'if (!hours.open) return { outcome: "held", until: hours.opensAt, rule: hours.rule };',
    to: "",
    suites: ["src/domain/compliance/gate.test.ts", "simulation"],
  },
  {
    id: "window-off-by-one",
    breaks: "the moment at which a window closes is still within it",
    file: "src/domain/compliance/calling-window.ts",
    from: "timeline[i]!.from <= at",
    to: "timeline[i]!.from < at",
    suites: ["src/domain/compliance/calling-edges.test.ts"],
  },
  {
    id: "late-answer-at-night",
    breaks: "an answer that comes late comes at any hour",
    file: "src/domain/agents/answer-retry.ts",
    from: "const then = hours.open ? at : hours.opensAt;",
    to: "const then = hours.opensAt === null ? null : at;",
    suites: ["src/domain/agents/answer-retry.test.ts", LATE_ANSWERS],
  },
];
