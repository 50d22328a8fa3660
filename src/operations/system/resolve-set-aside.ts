import { importOf, parseTaskId, type WatchedTask } from "#domain/system/watched-task.ts";
import { failure, invalidField, notFound } from "#domain/values/errors.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as importRetries from "#store/contacts/import-retries.ts";
import * as dueJobs from "#store/sending/due-jobs.ts";
import * as stuckTasks from "#store/system/stuck-tasks.ts";

/** Kinds of task that cannot be tried again, with the reason. */
const NEVER_AGAIN: Partial<Record<WatchedTask["kind"], string>> = {
  text: "a text is kept in its conversation and is not read again",
  import_file: "the file is not kept; send it again",
};

/** A person's decision on a task that blocked two processes: it is tried again, or left alone for good. Safe to repeat. */
export async function resolveSetAside(
  ctx: Context,
  { tenantId, keyId }: Caller,
  taskId: string,
  action: "retry" | "discard",
): Promise<void> {
  const task = parseTaskId(tenantId, taskId);
  if (task === undefined) throw notFound("Task");
  const never = NEVER_AGAIN[task.kind];
  if (never !== undefined && action === "retry") throw invalidField("action", `must be discard: ${never}`);
  await ctx.db.transaction(async (tx) => {
    const isThere =
      action === "retry" ? await stuckTasks.retry(tx, task) : await stuckTasks.discard(tx, task, ctx.now());
    if (!isThere) throw notFound("Task");
    if (action === "discard") return;
    const row = importOf(task);
    if (row === undefined) await dueJobs.enqueueDue(tx, ctx.now(), tenantId);
    else if (!(await importRetries.want(tx, { tenantId, ...row }, ctx.now()))) {
      throw failure("conflict", "The row is not kept: its import is at work, was undone, or was over 30 days ago");
    }
  });
  ctx.log.info(
    { tenantId, keyId, kind: task.kind, id: task.id, action },
    "an operator decides about what was set aside",
  );
}
