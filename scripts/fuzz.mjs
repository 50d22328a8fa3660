// npm run fuzz [-- --seconds N --seed S]: random requests, also on a fresh clone. test/fuzz/run.ts does the work, on Node 24.
import { join } from "node:path";
import { ensureInstalled, root, runOnLockedNode } from "./install.mjs";

ensureInstalled();
await runOnLockedNode(join(root, "test", "fuzz", "run.ts"), process.argv.slice(2));
