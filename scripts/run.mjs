// node scripts/run.mjs FILE [arguments]: a program of this repository, also on a fresh clone, on the locked Node. package.json names them.
import { join } from "node:path";
import { ensureInstalled, root, runOnLockedNode } from "./install.mjs";

ensureInstalled();
const [file, ...args] = process.argv.slice(2);
await runOnLockedNode(join(root, file), args);
