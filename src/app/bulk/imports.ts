import { Worker } from "node:worker_threads";
import { loop, stretchOver } from "#app/process/loop.ts";
import type { Config } from "#app/settings/config.ts";
import type { Context } from "#operations/context.ts";
import { importsWait, tidyImports } from "#operations/imports/run-imports.ts";
import { ImportBeat, watchImports } from "./import-watch.ts";

/** An import begins this long after its file is in, or after the process that worked on it was found dead. */
const LOOK_EVERY_MS = 500;
const TIDY_EVERY_MS = 60_000;
/** Pieces of some thousand rows, of which two are in hand at once; without a bound the heap grows before it is swept. */
const HEAP_MB = 192;

/**
 * Runs the imports whose files are on this node, in a thread of its own: reading a million rows must not hold up a request.
 * The thread is started when there is something to import and ends when there is nothing left.
 */
export function importRunner(ctx: Context, config: Config, databaseUrl: string): { stop(): Promise<void> } {
  const stopping = new AbortController();
  let thread: Worker | undefined;

  function start(): void {
    const beat = new ImportBeat();
    const worker = new Worker(new URL("./import-thread.ts", import.meta.url), {
      workerData: { config, databaseUrl, beat: beat.shared },
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
    worker.on("error", (error) =>
      ctx.log.error({ err: error }, "the thread for imports failed; they go on in another"),
    );
    worker.on("exit", () => {
      if (thread === worker) thread = undefined;
    });
    watchImports(ctx, worker, beat, config.standstillMs);
    worker.unref();
    thread = worker;
  }

  const on = { signal: stopping.signal, log: ctx.log };
  const look = async () => {
    if (thread === undefined && (await importsWait(ctx)) && !stopping.signal.aborted) start();
    return false;
  };
  const tidy = async () => {
    await tidyImports(ctx);
    return false;
  };
  const loops = [
    loop("imports", LOOK_EVERY_MS, look, { ...on, stretch: stretchOver(ctx.db) }),
    loop("tidy imports", TIDY_EVERY_MS, tidy, on),
  ];
  return {
    async stop() {
      stopping.abort();
      await Promise.all(loops);
      // Cut off in the middle of a piece it loses that piece's transaction, and the next process begins there.
      await thread?.terminate();
    },
  };
}
