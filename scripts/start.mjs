// npm start [-- options]: the whole service, also on a fresh clone.
import { join } from "node:path";
import { ensureConsole } from "./console.mjs";
import { ensureInstalled, root, runOnLockedNode } from "./install.mjs";

ensureInstalled({ tools: false });
ensureConsole();
await runOnLockedNode(join(root, "bin", "parley.ts"), ["start", ...process.argv.slice(2)]);
