import { notFound } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";
import { type Caller, type Context, journalRequest, modesOf } from "#operations/context.ts";
import type { Organization } from "#store/accounts/organizations.ts";
import * as organizations from "#store/accounts/organizations.ts";
import * as campaigns from "#store/campaigns/campaigns.ts";
import { allHandedOver } from "#store/messaging/in-flight.ts";

/** Why a campaign is paused whose organization is archived. */
const REASON = "organization_archived";

/**
 * Archives an organization: its open campaigns of texts and calls are paused, and once it returns nothing goes out for it but what a STOP, START or
 * HELP is answered with. Calls that go on come to their end. A live key, and somebody signed in, do so in both modes. Safe to repeat.
 */
export async function archiveOrganization(ctx: Context, caller: Caller, id: Uuid): Promise<Organization> {
  await inModes(ctx, caller, id, async (tenantId) => {
    await journal(ctx, tenantId, id, "archive");
    const journaled = new Set(await campaigns.openOf(ctx.db, tenantId, id));
    for (const campaignId of journaled) await journalRequest(ctx, tenantId, campaignId, "pause");
    const paused = await ctx.db.transaction(async (tx) => {
      const realNow = ctx.now();
      // First: whoever creates or resumes a campaign holds the organization.
      await organizations.archive(tx, tenantId, id, realNow);
      return campaigns.pauseAll(tx, tenantId, id, REASON, realNow);
    });
    // Created or resumed since they were read.
    for (const campaignId of paused)
      if (!journaled.has(campaignId)) await journalRequest(ctx, tenantId, campaignId, "pause");
    await allHandedOver(ctx.db, tenantId, id, ctx.log);
  });
  return (await organizations.find(ctx.db, caller.tenantId, id))!;
}

/** Takes an organization out of the archive. Its campaigns stay paused until somebody resumes them. Safe to repeat. */
export async function restoreOrganization(ctx: Context, caller: Caller, id: Uuid): Promise<Organization> {
  await inModes(ctx, caller, id, async (tenantId) => {
    await journal(ctx, tenantId, id, "restore");
    await organizations.archive(ctx.db, tenantId, id, null);
  });
  return (await organizations.find(ctx.db, caller.tenantId, id))!;
}

/** As a campaign's pause (context.ts): a journal that cannot be written keeps nobody from archiving. */
async function journal(ctx: Context, tenantId: Uuid, organizationId: Uuid, wish: "archive" | "restore"): Promise<void> {
  try {
    await ctx.journal.append({ kind: "organization", at: ctx.now().toISOString(), tenantId, organizationId, wish });
  } catch (error) {
    ctx.log.error(
      { err: error, organizationId, wish },
      "the journal cannot be written: a restore would not know of this",
    );
  }
}

/** In each mode of the caller's that has the organization. 404 where the caller's own has not. */
async function inModes(ctx: Context, caller: Caller, id: Uuid, change: (tenantId: Uuid) => Promise<void>) {
  if (!(await organizations.find(ctx.db, caller.tenantId, id))) throw notFound("Organization");
  for (const tenantId of await modesOf(ctx.db, caller))
    if (await organizations.find(ctx.db, tenantId, id)) await change(tenantId);
}
