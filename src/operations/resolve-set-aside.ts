import { invalidField, notFound } from "#domain/errors.ts";
import { parseTaskId } from "#domain/watched-task.ts";
import * as queue from "#store/queue.ts";
import * as stuckTasks from "#store/stuck-tasks.ts";
import type { Caller, Context } from "./context.ts";

/** Somebody has looked at what held two processes: it is tried again, or left alone for good. Safe to repeat. */
export async function resolveSetAside(
  ctx: Context,
  { tenantId, keyId }: Caller,
  taskId: string,
  action: "retry" | "discard",
): Promise<void> {
  const task = parseTaskId(tenantId, taskId);
  if (task === undefined) throw notFound("Task");
  // A retry would have the text read by whoever answers this request.
  if (task.kind === "text" && action === "retry") {
    throw invalidField("action", "must be discard: a text is kept in its conversation and is not read again");
  }
  await ctx.db.transaction(async (tx) => {
    const isThere =
      action === "retry" ? await stuckTasks.retry(tx, task) : await stuckTasks.discard(tx, task, ctx.now());
    if (!isThere) throw notFound("Task");
    if (action === "retry") await queue.ringDue(tx, ctx.now(), tenantId);
  });
  ctx.log.info(
    { tenantId, keyId, kind: task.kind, id: task.id, action },
    "an operator decides about what was set aside",
  );
}
