import { failure } from "#domain/values/errors.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as demos from "#store/simulator/demos.ts";

/**
 * Requests that the demo data be loaded, by the next worker that checks. What is there stays as it is, a load that failed is continued; 409 while it
 * is being removed.
 */
export async function orderDemo(ctx: Context, caller: Caller): Promise<demos.Demo> {
  const { tenantId } = caller;
  await demos.order(ctx.db, tenantId, { seed: caller.newId(), step: "waiting for a worker", now: ctx.now() });
  const demo = await demos.find(ctx.db, tenantId);
  if (!demo || demo.status === "removing") {
    throw failure("conflict", "The demo data is being removed; load it again when it has gone");
  }
  return demo;
}
