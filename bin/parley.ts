#!/usr/bin/env -S MALLOC_MMAP_THRESHOLD_=1048576 node --max-semi-space-size=8
import { enableCompileCache } from "node:module";
import { join } from "node:path";

// Before anything else is loaded: what node makes of our files is kept beside them, and the next start takes half of the time. Where nothing
// may be written, nothing is.
enableCompileCache(join(import.meta.dirname, "../node_modules/.cache/compiled"));

const { run } = await import("../src/app/command/cli.ts");
await run(process.argv.slice(2));
