import { availableParallelism } from "node:os";
import { MUTANTS } from "#test/mutants/mutants.ts";

/**
 * A part of the tests that is run, counted and budgeted by itself. A file belongs to the first ring of a command that names it; docs/testing.md
 * has the same table in words, which rings.test.ts compares.
 */
export type Ring = {
  name: string;
  /** `npm test`, `npm run test:long`, or `npm run test:citus`, which needs a cluster and is run by name only. */
  command: "test" | "long" | "citus";
  proves: string;
  /** Patterns, from the root. Of a file with `only`, parts of it by PARLEY_TEST_ONLY, each in a process of its own. */
  files: readonly (string | { file: string; only: readonly string[] })[];
  /** Minutes of processor time on the machine that docs/testing.md names. More is reported and fails nothing: a busy machine is no fault. */
  budget: number;
  /** Rings of one stage run together, in their order; stages one after another. */
  stage: number;
  /** Processes of this ring at one time; as many as the stage admits by default. */
  atOnce?: number;
  /** Over the oldest PostgreSQL that we support, where it is installed. */
  oldest?: true;
};

const cores = availableParallelism();

/** Processes of a stage at one time. Most tests wait for half of their time: for a database, a timer, another process. */
export const STAGE_AT_ONCE = cores + 3;
/** Over a cluster every test has a database of its own on each server, and a session of the coordinator opens others there. */
export const OVER_CLUSTER_AT_ONCE = cores;

/** Tests that ask a database something; the statements of all the others are asked of the newest one. */
const INTEGRATION = ["src/store/**/*.test.ts", "test/integration/**/*.test.ts"];
const MATRIX = ["test/acceptance/isolation/matrix.test.ts"];
const BAD_INPUT = ["test/acceptance/bad-input/*.test.ts", "test/acceptance/system/idempotency-every-post.test.ts"];
/** Of these, what `npm test` takes a share of; of the others nothing. */
const BAD_INPUT_SAMPLE = ["fields", "ids", "forms"].map((name) => `test/acceptance/bad-input/${name}.test.ts`);
/** Bodies and floods as large as they may be: minutes of the processor for a few tests. */
const LIMITS = [
  ...["admission", "huge-bodies", "largest-body", "standstill"].map((name) => `test/acceptance/limits/${name}.test.ts`),
  "test/regexps-in-tree.test.ts",
];
/** Programs of others that speak and listen in real time: nothing else runs that would make them late. */
const PEERS = ["test/peers/*.test.ts"];
/** So do these, whose speech-to-text takes more of the machine than a telephone of the peers can spare. */
const PLAYED = [
  "src/app/plane/plane.test.ts",
  "test/acceptance/calls/played-calls.test.ts",
  "test/acceptance/agents/playground-calls.test.ts",
  "test/acceptance/calls/spoken-handset.test.ts",
  "test/acceptance/calls/handset-words.test.ts",
];

/** The interface as it is used from day to day. */
const OVER_CITUS = [
  ...["agents/agents", "agents/extraction", "campaigns/calls", "campaigns/campaign", "campaigns/control"],
  ...["campaigns/create", "campaigns/leads", "campaigns/voice-campaigns", "calls/calls", "calls/single-call"],
  ...[
    "compliance/do-not-call",
    "compliance/opt-out",
    "contacts/contacts",
    "contacts/imports",
    "messaging/conversation",
  ],
  ...["messaging/sending", "numbers/phone-numbers", "accounts/sessions", "accounts/api-keys", "system/events"],
].map((name) => `test/acceptance/${name}.test.ts`);

export const RINGS: readonly Ring[] = [
  {
    name: "matrix-sample",
    command: "test",
    proves: "tenants see nothing of each other, for operations drawn by the seed",
    files: MATRIX,
    budget: 1,
    stage: 1,
  },
  {
    name: "bad-input-sample",
    command: "test",
    proves: "bad input is a 4xx that names the field, for operations drawn by the seed",
    files: [...BAD_INPUT_SAMPLE, "test/acceptance/system/idempotency-every-post.test.ts"],
    budget: 2,
    stage: 1,
  },
  {
    name: "fault-sample",
    command: "test",
    proves: "one fault of each kind: nothing twice, nothing lost, nothing after a STOP",
    files: [
      { file: "test/faults/workers.test.ts", only: ["F09"] },
      { file: "test/faults/crash-points.test.ts", only: ["F02"] },
      { file: "test/faults/api.test.ts", only: ["F07"] },
      { file: "test/faults/postgres.test.ts", only: ["F11"] },
      { file: "test/faults/carrier.test.ts", only: ["F23"] },
      { file: "test/faults/stop-race.test.ts", only: ["F32"] },
      { file: "test/faults/outages.test.ts", only: ["F49"] },
    ],
    budget: 3,
    stage: 1,
    atOnce: cores,
  },
  {
    name: "integration",
    command: "test",
    proves: "statements, races and operations on a real database, the oldest that we support",
    files: INTEGRATION,
    budget: 3,
    stage: 1,
    oldest: true,
  },
  {
    name: "acceptance",
    command: "test",
    proves: "the interface over HTTP, against the running service",
    files: ["test/acceptance/**/*.test.ts"],
    budget: 4,
    stage: 1,
  },
  {
    name: "unit",
    command: "test",
    proves: "rules, parts and adapters by themselves; the architecture, the documents and the scripts",
    files: [
      "src/**/*.test.ts",
      "contract/**/*.test.ts",
      "test/{dialogues,revocation,mutants,runner,support,console}/**/*.test.ts",
      "test/*.test.ts",
    ],
    budget: 2,
    stage: 1,
  },
  {
    name: "call-sample",
    command: "test",
    proves: "a call over SIP to a telephone of others, sample by sample",
    files: ["test/peers/outbound.test.ts"],
    budget: 1,
    stage: 2,
  },
  {
    name: "browser-sample",
    command: "test",
    proves: "one path through the console in a real browser",
    files: ["test/browser/five-minutes.test.ts"],
    budget: 1,
    stage: 2,
  },
  {
    name: "call-fault-sample",
    command: "test",
    proves: "fifty live calls with sound whose node is killed; alone, since sound that comes late ends a call",
    files: [{ file: "test/faults/calls.test.ts", only: ["F41-node"] }],
    budget: 1,
    stage: 3,
    atOnce: 1,
  },
  {
    name: "matrix",
    command: "long",
    proves: "tenants see nothing of each other, in every operation and every id",
    files: MATRIX,
    budget: 2,
    stage: 1,
  },
  {
    name: "bad-input",
    command: "long",
    proves: "every field of every body, every id, query and header: a 4xx that names it, nothing written",
    files: BAD_INPUT,
    budget: 4,
    stage: 1,
  },
  {
    name: "limits",
    command: "long",
    proves: "no text holds it; the largest bodies and more requests than it can carry: others are served",
    files: [...LIMITS, "test/pumped-*.test.ts"],
    budget: 2,
    stage: 1,
  },
  {
    name: "simulation",
    command: "long",
    proves:
      "whole days of sending with order, time and faults drawn from seeds, and that broken services are found out",
    files: ["test/simulation/*.test.ts", "test/fuzz/*.test.ts"],
    budget: 2,
    stage: 1,
  },
  {
    name: "mutants",
    command: "long",
    proves: "promises that are broken on purpose, each seen by a test",
    files: [{ file: "test/mutants/caught.test.ts", only: MUTANTS.map(({ id }) => id) }],
    budget: 12,
    stage: 2,
  },
  {
    name: "faults",
    command: "long",
    proves:
      "every fault in short form: processes, PostgreSQL, network, carrier and clocks break; nothing twice, nothing lost",
    files: ["test/faults/*.test.ts"],
    budget: 10,
    stage: 3,
    atOnce: cores + 1,
  },
  {
    name: "browser",
    command: "long",
    proves: "every page of the console in a real browser",
    files: ["test/browser/*.test.ts"],
    budget: 6,
    stage: 4,
    // A page that is late looks like one that is broken.
    atOnce: 1,
  },
  {
    name: "peers",
    command: "long",
    proves: "calls against telephones, proxies and name servers of others, in real time",
    files: PEERS,
    budget: 2,
    stage: 5,
    atOnce: cores,
  },
  {
    name: "played",
    command: "long",
    proves: "calls in which both sides speak and are understood, in real time",
    files: PLAYED,
    budget: 2,
    stage: 6,
    // Speech-to-text that is late is speech-to-text that is used elsewhere.
    atOnce: 1,
  },
  {
    name: "demo",
    command: "long",
    proves: "the demo's file holds what the engine makes of its story",
    files: ["test/demo/*.test.ts"],
    budget: 2,
    stage: 6,
  },
  {
    name: "learned",
    command: "long",
    proves: "the weights that ship are what their examples teach",
    files: ["test/revocation/retrained.test.ts"],
    budget: 1,
    stage: 6,
  },
  {
    name: "bench",
    command: "long",
    proves: "every suite of the benchmark runs",
    files: ["test/bench.test.ts"],
    budget: 2,
    stage: 7,
  },
  {
    name: "citus",
    command: "citus",
    proves: "tenants are kept apart, and the interface works by text and by voice, over a cluster of Citus",
    files: ["test/citus/*.test.ts", ...OVER_CITUS],
    budget: 10,
    stage: 1,
  },
];

/** What `npm test` leaves to `npm run test:long`, though a pattern of its rings names it. */
export const LEFT_TO_LONG: readonly string[] = [
  ...PLAYED,
  ...LIMITS,
  ...["bad-input", "raw", "rules", "sockets"].map((name) => `test/acceptance/bad-input/${name}.test.ts`),
  "test/bench.test.ts",
  "test/mutants/caught.test.ts",
  "test/revocation/retrained.test.ts",
];
