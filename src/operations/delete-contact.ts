import { notFound } from "#domain/errors.ts";
import type { Uuid } from "#domain/id.ts";
import * as contacts from "#store/contacts.ts";
import * as messages from "#store/messages.ts";
import * as tenants from "#store/tenants.ts";
import * as threads from "#store/threads.ts";
import type { Caller, Context } from "./context.ts";

/**
 * Erases what is personal of a contact, for good, and withdraws what was still to be texted to it. The phone's opt-out is
 * not the contact's and stays.
 */
export async function deleteContact(ctx: Context, caller: Caller, id: Uuid): Promise<void> {
  const { tenantId } = caller;
  const erased = await ctx.db.transaction(async (tx) => {
    const now = await tenants.tenantNow(tx, tenantId, ctx.now());
    const theirs = await threads.ofContact(tx, tenantId, id);
    await messages.withdraw(tx, tenantId, theirs, { reason: "contact_erased", changeId: ctx.newId(), now });
    const moves = theirs.map((it) => ({
      campaignId: it.campaign_id,
      threadId: it.id,
      state: "skipped" as const,
      reason: "contact_erased",
    }));
    const waiting = new Set(theirs.filter((it) => it.state === "scheduled" || it.state === "held").map((it) => it.id));
    await threads.move(
      tx,
      tenantId,
      moves.filter((it) => waiting.has(it.threadId)),
      ctx.newId(),
      now,
    );
    return contacts.erase(tx, tenantId, id, ctx.now());
  });
  if (!erased) throw notFound("Contact");
}
