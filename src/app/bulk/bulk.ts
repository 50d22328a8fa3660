import { Worker } from "node:worker_threads";
import type { Config } from "#app/settings/config.ts";
import { AppError, type ErrorCode, type FieldProblem, failure } from "#domain/values/errors.ts";
import type { BulkRunner } from "#http/server/route.ts";
import { type Caller, type Context, contextFor } from "#operations/context.ts";
import { BULK_OPERATIONS, type BulkName } from "./operations.ts";
import { tenantQueue } from "./tenant-queue.ts";

/** Bodies up to this are parsed where they are: some hundred leads, a millisecond. */
const INLINE_BYTES = 64 * 1024;
/** Operations whose work does not show in the size of the body. */
const ALWAYS_APART: ReadonlySet<BulkName> = new Set(["preflight-campaign"]);
/** Fields of a body that stand for leads which are stored: up to 100,000 behind one field. */
const STORED_LEADS = ['"list_id"', '"from_campaign"'];
/**
 * 100,000 leads of 40 fields are more than 512, parsed, stored and answered, and so may be what domain/values/json-bounds.ts lets pass. Without
 * a bound the heap grows to gigabytes before it is swept.
 */
const HEAP_MB = 1_024;
/**
 * What the thread holds at once: one large body, or some smaller ones; two of 100,000 leads with notes are more than its heap.
 * The others wait as bytes, outside of it.
 */
const THREAD_BYTES = 16 * 1024 * 1024;
/** Two wait for its two connections while two are parsed; more would only be a line in which no tenant takes turns. */
const THREAD_TASKS = 4;

export type BulkTask = {
  id: number;
  name: BulkName;
  /** The caller without its id source; the first id is made by it, so that a repeat under an Idempotency-Key makes the same. */
  caller: Omit<Caller, "newId"> & { firstId: string };
  params: Record<string, string>;
  bytes: Uint8Array;
};
/** The whole body of the response as it goes to the caller: 100,000 leads are 30 MB, half a second to serialise. */
export type BulkAnswer = { id: number; body: Uint8Array } | { id: number; error: BulkError };
type BulkError =
  | { code: ErrorCode; message: string; about: readonly string[]; details?: FieldProblem[] }
  | { unknown: string };

export type Bulk = { run: BulkRunner; stop(): Promise<void> };

/** One thread for large bodies, with a database pool of its own, started with the first of them. */
export function bulkRunner(ctx: Context, config: Config, databaseUrl: string): Bulk {
  type Waiting = { task: BulkTask; size: number; resolve(body: Buffer): void; reject(error: Error): void };
  /** Handed to the thread, by their ids, and those whose turn has not come. */
  const running = new Map<number, Waiting>();
  const queue = tenantQueue<Waiting>();
  let held = 0;
  let thread: Worker | undefined;
  let last = 0;
  let stopped = false;

  function start(): Worker {
    const worker = new Worker(new URL("./thread.ts", import.meta.url), {
      workerData: { config, databaseUrl },
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
    worker.on("message", (answer: BulkAnswer) => {
      const job = running.get(answer.id);
      if (job === undefined) return;
      running.delete(answer.id);
      held -= job.size;
      if ("body" in answer)
        job.resolve(Buffer.from(answer.body.buffer, answer.body.byteOffset, answer.body.byteLength));
      else job.reject(revive(answer.error));
      handOver();
    });
    const lost = () => {
      if (thread !== worker) return;
      thread = undefined;
      held = 0;
      for (const job of running.values())
        job.reject(failure("unavailable", "The service was interrupted; repeat the request"));
      running.clear();
      if (!stopped) handOver();
    };
    worker.on("error", (error) => {
      ctx.log.error({ err: error }, "the thread for large bodies failed");
      lost();
    });
    worker.on("exit", lost);
    worker.unref();
    return worker;
  }

  const hasRoomFor = ({ size }: Waiting): boolean =>
    running.size === 0 || (running.size < THREAD_TASKS && held + size <= THREAD_BYTES);

  /** Tenant after tenant, of each in the order in which they came, as many as the thread has room for. */
  function handOver(): void {
    for (let job = queue.first(); job && hasRoomFor(job); job = queue.first()) {
      queue.shift();
      held += job.size;
      running.set(job.task.id, job);
      thread ??= start();
      // Its memory is given to the thread, not copied.
      thread.postMessage(job.task, [job.task.bytes.buffer as ArrayBuffer]);
    }
  }

  return {
    run(name, caller, params, bytes) {
      if (bytes.length <= INLINE_BYTES && !ALWAYS_APART.has(name) && !namesStored(bytes))
        return BULK_OPERATIONS[name](contextFor(ctx, caller), caller, params, bytes);
      const { newId, ...rest } = caller;
      // A copy of its own memory, which the thread can be given; the body's may be part of a larger one.
      const own = new Uint8Array(bytes);
      const task: BulkTask = { id: ++last, name, caller: { ...rest, firstId: newId() }, params, bytes: own };
      return new Promise((resolve, reject) => {
        queue.push(caller.tenantId, { task, size: own.byteLength, resolve, reject });
        handOver();
      });
    },
    async stop() {
      stopped = true;
      await thread?.terminate();
    },
  };
}

function namesStored(bytes: Uint8Array): boolean {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return STORED_LEADS.some((field) => text.includes(field));
}

function revive(error: BulkError): Error {
  if ("unknown" in error) return new Error(error.unknown);
  const { code, message, about, details } = error;
  return new AppError(code, message, { about, ...(details ? { details } : {}) });
}
