import { parseThreadId } from "#domain/messaging/thread-id.ts";
import { notFound } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as organizations from "#store/accounts/organizations.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as foundExtractions from "#store/agents/found-extractions.ts";
import * as queue from "#store/database/queue.ts";

/**
 * Has conversations of an organization extracted again, as jobs. The sweep enqueues what a process that dies has not. An id that is none of the
 * organization's conversations is counted as not found; 404 without the organization.
 */
export async function reanalyzeThreads(
  ctx: Context,
  { tenantId }: Caller,
  organizationId: Uuid,
  threadIds: readonly string[],
): Promise<{ started: number; notFound: number; at: Date }> {
  if (!(await organizations.find(ctx.db, tenantId, organizationId))) throw notFound("Organization");
  const named = [...new Set(threadIds)];
  const threads = named.flatMap((id) => parseThreadId(id) ?? []);
  const now = await tenants.tenantNow(ctx.db, tenantId, ctx.now());
  const found = await ctx.db.transaction(async (tx) => {
    const wanted = await foundExtractions.wantAll(tx, tenantId, organizationId, threads, now);
    ctx.audit.note({ organizationId, counts: { threads: named.length, started: wanted.length } });
    return wanted;
  });
  const jobs = found.map(({ campaign_id, id }) => ({
    job: "extract-thread" as const,
    payload: { tenantId, campaignId: campaign_id, threadId: id },
  }));
  await queue.enqueue(ctx.db, jobs);
  return { started: found.length, notFound: named.length - found.length, at: now };
}
