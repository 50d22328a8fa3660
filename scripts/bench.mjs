// npm run bench [-- suite ...] [--small]: how fast it is, also on a fresh clone. bench/run.ts does the work, on Node 24.
import { join } from "node:path";
import { ensureInstalled, root, runOnLockedNode } from "./install.mjs";

ensureInstalled();
await runOnLockedNode(join(root, "bench", "run.ts"), process.argv.slice(2));
