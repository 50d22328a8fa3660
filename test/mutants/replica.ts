import type { Mutant } from "./mutant.ts";

const OVER_A_REPLICA = "test/integration/database/replica.test.ts";

/** What holds where lists are read from a replica. */
export const OF_REPLICA: readonly Mutant[] = [
  {
    id: "replica-not-waited-for",
    breaks: "somebody reads what is older than his own change",
    file: "src/store/database/replica.ts",
    from: "if (lsn >= wanted.lsn) return lsn;",
    to: "if (lsn >= 0n) return lsn;",
    suites: [OVER_A_REPLICA],
  },
  {
    id: "asked-before",
    breaks:
      "what is asked for several requests at once, a key or the primary's position, is from before one of them came",
    file: "src/store/database/in-batches.ts",
    from: "      next = undefined;\n",
    to: "      queueMicrotask(() => (next = undefined));\n",
    suites: ["src/store/database/in-batches.test.ts", "src/store/database/positions.test.ts"],
  },
  {
    id: "replica-of-another-history",
    breaks: "a server that was left behind at a change of servers is read from",
    file: "src/store/database/positions.ts",
    from: "if (timeline !== primary.timeline)",
    to: "if (timeline === undefined)",
    suites: [OVER_A_REPLICA],
  },
];
