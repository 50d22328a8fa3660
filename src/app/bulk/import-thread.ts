import { setTimeout as pause } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { basicsOf } from "#app/process/basics.ts";
import type { Config } from "#app/settings/config.ts";
import { importsWait, type RowWatch, runImports } from "#operations/imports/run-imports.ts";
import { LARGE_ANSWER_WITHIN_MS } from "#store/database/connections.ts";
import { type AtImport, ImportBeat } from "./import-watch.ts";
import { sweepHeap } from "./sweep.ts";

// The thread that reads files of contacts. One piece is read while another is written: two connections are enough.

const { config, databaseUrl, beat } = workerData as {
  config: Config;
  databaseUrl: string;
  beat: SharedArrayBuffer;
};
const ctx = basicsOf({ ...config, databasePool: 2, answerWithinMs: LARGE_ANSWER_WITHIN_MS }, databaseUrl, "imports");

/** A thread takes a second to start: people who import one file import another. */
const LOOK_EVERY_MS = 200;
const IDLE_MS = 30_000;
/** Far below what is taken for a standstill. */
const BEAT_EVERY_MS = 250;

const beats = new ImportBeat(beat);
const beating = setInterval(() => beats.beat(), BEAT_EVERY_MS);
const watch: RowWatch = {
  begin: (tenantId, importId) => parentPort!.postMessage({ tenantId, importId } satisfies AtImport),
  row: (number) => beats.at(number),
};

try {
  for (let idleSince = performance.now(); performance.now() - idleSince < IDLE_MS; await pause(LOOK_EVERY_MS)) {
    if (!(await importsWait(ctx))) continue;
    await runImports(ctx, new AbortController().signal, watch);
    parentPort!.postMessage(null satisfies AtImport);
    sweepHeap();
    idleSince = performance.now();
  }
} catch (error) {
  // The lease expires, and the import continues from its last piece.
  ctx.log.warn({ err: error }, "an import was cut off");
} finally {
  clearInterval(beating);
  await ctx.db.close();
}
