// npm run simulate [-- --seeds 1000]: a deterministic run for each seed, also on a fresh clone. test/simulation has the work.
import { join } from "node:path";
import { ensureInstalled, root, runOnLockedNode } from "./install.mjs";

ensureInstalled();
await runOnLockedNode(join(root, "test", "simulation", "simulate.ts"), process.argv.slice(2));
