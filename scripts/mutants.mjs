// npm run mutants [-- id ...]: breaks a copy of the tree in one place at a time, and says which suites see it. test/mutants has the work.
import { join } from "node:path";
import { ensureInstalled, root, runOnLockedNode } from "./install.mjs";

ensureInstalled();
await runOnLockedNode(join(root, "test", "mutants", "run.ts"), process.argv.slice(2));
