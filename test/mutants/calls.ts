import type { Mutant } from "./mutant.ts";

const IN_CALLS = "test/integration/calls/opt-outs-in-calls.test.ts";

/** What is said in calls, and how they end. */
export const OF_CALLS: readonly Mutant[] = [
  {
    id: "call-end-behind-opt-out",
    breaks: "a call whose opt-out cannot be written has no end, and keeps its slot, transcript and phone",
    file: "src/operations/dialing/hold.ts",
    from: "  if (optOut) await stopFor(ctx, plan, state, optOut.quote, report.endedAt);",
    to: '  if (optOut && !(await stopFor(ctx, plan, state, optOut.quote, report.endedAt))) throw new Error("not written");',
    suites: [IN_CALLS],
  },
  {
    id: "call-opt-out-given-up",
    breaks: "an opt-out of a call that cannot be written is given up, and its phone is called again",
    file: "src/operations/dialing/opt-outs.ts",
    from: '  if (!isWritten) void write(ctx, tenantId, { kind: "doubted", said });',
    to: "",
    suites: [IN_CALLS],
  },
  {
    id: "call-doubt-ended-by-start",
    breaks: "a START by text ends the doubt about an opt-out that was said in a call",
    file: "src/operations/messaging/receive-message.ts",
    from: "    if (consent!.doubt_call_id !== null) return;",
    to: "",
    suites: [IN_CALLS],
  },
  {
    id: "call-doubt-ended-by-stop",
    breaks: "a STOP by text makes an opt-out of a call one that a START undoes",
    file: "src/store/compliance/opt-outs.ts",
    from: "doubted_at = case when doubt_call_id is not null and $4 <> 'call' then doubted_at end,",
    to: "doubted_at = null,",
    suites: [IN_CALLS],
  },
  {
    id: "call-opt-out-not-replayed",
    breaks: "what a media process recognised and had not written when it died stays in its journal",
    file: "src/operations/restore/replay-opt-outs.ts",
    from: "  await catchUp();\n  if (written > 0)",
    to: "  if (written > 0)",
    suites: ["test/integration/restore/replayed-opt-outs.test.ts"],
  },
  {
    id: "unheld-call-open",
    breaks: "a call that its living node does not hold is open for ever",
    file: "src/operations/dialing/unheld.ts",
    from: "now - since.get(id)! >= UNHELD_FOR_MS",
    to: "since.get(id) === undefined",
    suites: ["test/integration/calls/dialer-recovery.test.ts"],
  },
  {
    id: "held-call-ended",
    breaks: "a call that goes on is ended as one that nobody holds, after half a minute",
    file: "src/operations/dialing/unheld.ts",
    from: "?.overdueAtMs ?? 0) > steadyMs();",
    to: "?.overdueAtMs ?? 0) < steadyMs();",
    suites: ["test/integration/calls/dialer-recovery.test.ts"],
  },
];
