import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import type { Ring } from "./rings.ts";

/** What somebody asked of the runner. */
export type Options = {
  command: Ring["command"];
  /** Files and folders; of the long tests, rings. */
  wanted: readonly string[];
  seed: string;
  /** Top-level tests by their whole names. */
  names?: string[];
  watch: boolean;
  /** Goes on where an interrupted run of the long tests stopped. */
  resume: boolean;
  /** A share of the long tests: in the order that this key draws, as many as the minutes hold. */
  share?: { key: string; minutes: number };
  /** Writes the durations into the tree, for fresh clones. */
  keepDurations: boolean;
};

const USAGE = `npm test [-- FILE or FOLDER ...] [--seed N] [--name "a test's whole name"]
npm run test:long [-- RING ...] [--seed N] [--resume] [--share KEY --minutes N]
npm run test:citus [-- FILE or FOLDER ...]
npm run test:watch [-- FILE or FOLDER ...]
docs/testing.md lists the rings.`;

export function readOptions(args: string[]): Options {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        long: { type: "boolean", default: false },
        citus: { type: "boolean", default: false },
        watch: { type: "boolean", default: false },
        resume: { type: "boolean", default: false },
        "keep-durations": { type: "boolean", default: false },
        seed: { type: "string" },
        name: { type: "string", multiple: true },
        share: { type: "string" },
        minutes: { type: "string" },
      },
    });
    const seed = values.seed ?? process.env.PARLEY_TEST_SEED ?? String(randomInt(1_000_000_000));
    if (!/^\d{1,15}$/.test(seed)) throw new Error("--seed must be a whole number.");
    const minutes = Number(values.minutes ?? Number.NaN);
    if (values.share !== undefined && !(minutes > 0)) throw new Error("--share needs --minutes, a number above 0.");
    return {
      command: values.citus ? "citus" : values.long ? "long" : "test",
      wanted: positionals,
      seed,
      ...(values.name && { names: values.name }),
      watch: values.watch,
      resume: values.resume,
      ...(values.share !== undefined && { share: { key: values.share, minutes } }),
      keepDurations: values["keep-durations"],
    };
  } catch (error) {
    throw new Error(`${(error as Error).message}\n\n${USAGE}`);
  }
}
