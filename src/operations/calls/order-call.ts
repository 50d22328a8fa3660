import { failure, notFound } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as calls from "#store/calls/calls.ts";
import * as orders from "#store/calls/orders.ts";
import * as singleDials from "#store/calls/single-dials.ts";

/**
 * Requests the end of a call, which its node carries out at its next check, or withdraws one that waits to be dialled. A call that is over stays as
 * it is, and a repeated request is no error. 404 without the call.
 */
export async function stopCall(ctx: Context, caller: Caller, id: Uuid): Promise<void> {
  const { tenantId } = caller;
  const now = await tenants.tenantNow(ctx.db, tenantId, ctx.now());
  if (await orders.stop(ctx.db, tenantId, id, now)) return;
  if (await orders.cancel(ctx.db, tenantId, id, now)) return;
  // It may have been dialled between the two statements.
  if (await orders.stop(ctx.db, tenantId, id, now)) return;
  const known = (await calls.find(ctx.db, tenantId, id)) ?? (await singleDials.ofCall(ctx.db, tenantId, id));
  if (!known) throw notFound("Call");
}

/** Gives the agent of an ongoing call a text to take into account. 409 when the call is not going on, 404 without it. */
export async function injectIntoCall(ctx: Context, caller: Caller, id: Uuid, text: string): Promise<void> {
  const { tenantId } = caller;
  const injection = { id: caller.newId(), text, at: await tenants.tenantNow(ctx.db, tenantId, ctx.now()) };
  if (await orders.inject(ctx.db, tenantId, id, injection)) return;
  const call = await calls.find(ctx.db, tenantId, id);
  if (!call && !(await singleDials.ofCall(ctx.db, tenantId, id))) throw notFound("Call");
  throw failure("conflict", call ? "The call is over" : "The call has not been dialled yet");
}
