import { Worker } from "node:worker_threads";
import { AppError, type ErrorCode, type FieldProblem, failure } from "#domain/errors.ts";
import type { BulkRunner } from "#http/route.ts";
import type { Caller, Context } from "#operations/context.ts";
import { BULK_OPERATIONS, type BulkName } from "./bulk-operations.ts";
import type { Config } from "./config.ts";

/** Bodies up to this are parsed where they are: some hundred leads, a millisecond. */
const INLINE_BYTES = 64 * 1024;
/** Twice what the largest body needs, parsed and answered; without a bound the heap grows to gigabytes before it is swept. */
const HEAP_MB = 512;

export type BulkTask = {
  id: number;
  name: BulkName;
  /** The caller without its id source; the first id is made by it, so that a repeat under an Idempotency-Key makes the same. */
  caller: Omit<Caller, "newId"> & { firstId: string };
  params: Record<string, string>;
  bytes: Uint8Array;
};
/** The whole body of the response as it goes to the caller: 100,000 leads are 30 MB, half a second to put into words. */
export type BulkAnswer = { id: number; body: Uint8Array } | { id: number; error: BulkError };
type BulkError = { code: ErrorCode; message: string; details?: FieldProblem[] } | { unknown: string };

export type Bulk = { run: BulkRunner; stop(): Promise<void> };

/** One thread for large bodies, with a database pool of its own, started with the first of them. */
export function bulkRunner(ctx: Context, config: Config, databaseUrl: string): Bulk {
  const waiting = new Map<number, { resolve(body: Buffer): void; reject(error: Error): void }>();
  let thread: Worker | undefined;
  let last = 0;

  function start(): Worker {
    const worker = new Worker(new URL("./bulk-thread.ts", import.meta.url), {
      workerData: { config, databaseUrl },
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
    worker.on("message", (answer: BulkAnswer) => {
      const it = waiting.get(answer.id);
      waiting.delete(answer.id);
      if ("body" in answer)
        it?.resolve(Buffer.from(answer.body.buffer, answer.body.byteOffset, answer.body.byteLength));
      else it?.reject(revive(answer.error));
    });
    const lost = () => {
      if (thread === worker) thread = undefined;
      for (const it of waiting.values())
        it.reject(failure("unavailable", "The service was interrupted; repeat the request"));
      waiting.clear();
    };
    worker.on("error", (error) => {
      ctx.log.error({ err: error }, "the thread for large bodies failed");
      lost();
    });
    worker.on("exit", lost);
    worker.unref();
    return worker;
  }

  return {
    run(name, caller, params, bytes) {
      if (bytes.length <= INLINE_BYTES) return BULK_OPERATIONS[name](ctx, caller, params, bytes);
      thread ??= start();
      const id = ++last;
      const { newId, ...rest } = caller;
      // A copy of its own memory, which the thread is then given without another copy.
      const own = new Uint8Array(bytes);
      const task: BulkTask = { id, name, caller: { ...rest, firstId: newId() }, params, bytes: own };
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        thread!.postMessage(task, [own.buffer]);
      });
    },
    async stop() {
      await thread?.terminate();
    },
  };
}

function revive(error: BulkError): Error {
  if ("unknown" in error) return new Error(error.unknown);
  return new AppError(error.code, error.message, error.details ? { details: error.details } : {});
}
