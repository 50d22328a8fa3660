import type { LiveTenantId } from "#domain/accounts/modes.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import type { BroughtAnswer, BroughtCall, CallNews } from "#ports/call-streams.ts";
import * as openCalls from "#store/calls/open-calls.ts";
import * as nodes from "#store/system/nodes.ts";
import { settleAttempts } from "./recover-calls.ts";

/**
 * Hands what a carrier reports of a call to the node that holds it. Any report proves that the call was placed, which settles a dial that was in doubt,
 * where no node does that or a person was to: it is not placed again. Safe to repeat.
 */
export async function passOnNews(ctx: Context, tenantId: LiveTenantId, carrier: string, news: CallNews): Promise<void> {
  const call = { id: news.ref, carrier };
  const address = await openCalls.nodeOf(ctx.db, tenantId, call);
  const isTaken = address !== undefined && (await ctx.callNodes.report(address, { carrier }, news));
  const open = await openCalls.openAttemptOf(ctx.db, tenantId, { ...call, isOwned: isTaken });
  if (open.length === 0) return;
  const placed = new Map(open.map(({ ref }) => [ref, { carrierId: news.carrierId }]));
  await settleAttempts(ctx, tenantId, open, placed);
}

/**
 * Brings a call to a node that can hold it, one after the other: each says whether it takes it. Undefined: there is none. A call that the carrier brings
 * again while it is being taken has the same answer.
 */
export async function bringCall(
  ctx: Context,
  tenantId: Uuid,
  carrier: string,
  call: BroughtCall,
): Promise<BroughtAnswer | undefined> {
  let last: BroughtAnswer | undefined;
  for (const address of await nodes.addresses(ctx.db)) {
    const answer = await ctx.callNodes.bring(address, { tenantId, carrier }, call);
    // Another may have room where this one has none.
    if (answer && !("refused" in answer && answer.refused === "480")) return answer;
    last = answer ?? last;
  }
  return last;
}
