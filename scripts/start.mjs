// npm start [-- options]: the whole service, also on a fresh clone.
import { join } from "node:path";
import { ensureInstalled, root, runOnLockedNode } from "./install.mjs";

ensureInstalled();
await runOnLockedNode(join(root, "bin", "parley.ts"), ["start", ...process.argv.slice(2)]);
