import { parentPort, workerData } from "node:worker_threads";
import { wire } from "#app/context.ts";
import type { Config } from "#app/settings/config.ts";
import { AppError, failure } from "#domain/values/errors.ts";
import { contextFor, isAway } from "#operations/context.ts";
import { LARGE_ANSWER_WITHIN_MS } from "#store/database/connections.ts";
import type { BulkAnswer, BulkTask } from "./bulk.ts";
import { BULK_OPERATIONS } from "./operations.ts";
import { sweepLargeHeap } from "./sweep.ts";

// The thread for large bodies: parses and stores them here, so that nobody else's request waits for it.

const { config, databaseUrl } = workerData as { config: Config; databaseUrl: string };
let inHand = 0;

const { ctx } = wire({ ...config, databasePool: 2, answerWithinMs: LARGE_ANSWER_WITHIN_MS }, databaseUrl, "bulk");

parentPort!.on("message", async (task: BulkTask) => {
  inHand++;
  let firstId: string | undefined = task.caller.firstId;
  const newId = () => {
    const id = firstId ?? ctx.newId();
    firstId = undefined;
    return id;
  };
  let answer: BulkAnswer;
  try {
    const own = await BULK_OPERATIONS[task.name](
      contextFor(ctx, task.caller),
      { ...task.caller, newId },
      task.params,
      task.bytes,
    );
    const body = { success: true, ...own, powered_by: config.poweredBy };
    answer = { id: task.id, body: new TextEncoder().encode(JSON.stringify(body)) };
  } catch (error) {
    const known = isAway(error) ? failure("unavailable", "The database is away; try again shortly") : error;
    answer =
      known instanceof AppError
        ? {
            id: task.id,
            error: {
              code: known.code,
              message: known.message,
              about: known.about,
              ...(known.details ? { details: known.details } : {}),
            },
          }
        : { id: task.id, error: { unknown: String((known as Error).stack ?? known) } };
  }
  parentPort!.postMessage(answer, "body" in answer ? [answer.body.buffer as ArrayBuffer] : []);
  inHand--;
  // A turn later nothing here holds the task any more, and a next one that waits has come in.
  setImmediate(() => {
    if (inHand === 0) sweepLargeHeap();
  });
});
