import { setTimeout as pause } from "node:timers/promises";
import { workerData } from "node:worker_threads";
import { importsWait, runImports } from "#operations/run-imports.ts";
import { LARGE_ANSWER_WITHIN_MS } from "#store/connections.ts";
import type { Config } from "./config.ts";
import { wire } from "./context.ts";

// The thread that reads files of contacts. One piece is read while another is written: two connections are enough.

const { config, databaseUrl } = workerData as { config: Config; databaseUrl: string };
const { ctx, close } = wire(
  { ...config, databasePool: 2, answerWithinMs: LARGE_ANSWER_WITHIN_MS },
  databaseUrl,
  "imports",
);

/** A thread takes a second to start: people who import one file import another. */
const LOOK_EVERY_MS = 200;
const IDLE_MS = 30_000;

try {
  for (let idleSince = performance.now(); performance.now() - idleSince < IDLE_MS; await pause(LOOK_EVERY_MS)) {
    if (!(await importsWait(ctx))) continue;
    await runImports(ctx, new AbortController().signal);
    idleSince = performance.now();
  }
} catch (error) {
  // The lease runs out, and the import goes on from its last piece.
  ctx.log.warn({ err: error }, "an import was cut off");
} finally {
  await close();
}
