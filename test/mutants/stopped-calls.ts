import type { Mutant } from "./mutant.ts";

const STOPPED = "test/integration/calls/stopped-calls.test.ts";

/** A call that was stopped stays stopped; a transfer does not end one. */
export const OF_STOPPED_CALLS: readonly Mutant[] = [
  {
    id: "stopped-call-is-put-back",
    breaks: "a call that was not placed is dialled again though somebody stopped it",
    file: "src/store/calls/progress.ts",
    from: "and not exists (select from held where held.id = dial.call_id and held.stop_requested_at is not null)",
    to: "",
    suites: [STOPPED],
  },
  {
    id: "stop-beside-put-back",
    breaks: "a stop that commits while its call is put back is lost with the call",
    file: "src/store/calls/progress.ts",
    from: "order by call.id for update of call)",
    to: "order by call.id)",
    suites: [STOPPED],
  },
  {
    id: "stopped-call-is-redialled",
    breaks: "the redial policy dials a call again that was stopped, and lost",
    file: "src/domain/calls/redial.ts",
    from: "isRestored || isStopped || report",
    to: "isRestored || report",
    suites: ["src/domain/calls/redial.test.ts", STOPPED],
  },
  {
    id: "trunk-tries-stopped-call-again",
    breaks: "a trunk asks for a stopped call to be tried at another time",
    file: "src/app/plane/sip-line.ts",
    from: 'if (stopped === "manual_stopped") return',
    to: "if (stopped === undefined && end.status === 0) return",
    suites: ["src/app/plane/sip-line.test.ts"],
  },
  {
    id: "silence-counts-in-a-transfer",
    breaks: "the silence while a call is put through ends it",
    file: "src/media/turn/call-session.ts",
    from: "const isQuiet = !current && !isTransferring && ",
    to: "const isQuiet = !current && ",
    suites: ["src/media/turn/call-transfer.test.ts"],
  },
];
