import { invalidField, notFound } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";
import { type Caller, type Context, personOf } from "#operations/context.ts";
import * as organizations from "#store/accounts/organizations.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as users from "#store/accounts/users.ts";
import type { Tx } from "#store/database/db.ts";
import * as inbox from "#store/messaging/inbox.ts";
import * as threads from "#store/messaging/threads.ts";
import { type Conversation, getConversation, locate } from "./converse.ts";

/** Notes something for the people who look after a conversation. Neither its contact nor its agent sees it. */
export async function addNote(ctx: Context, caller: Caller, threadId: string, text: string): Promise<inbox.Note> {
  const words = text.trim();
  if (words === "") throw invalidField("text", "must have words");
  const { campaign, thread } = await locate(ctx, caller, threadId);
  return ctx.db.transaction(async (tx) => {
    await lockThread(tx, caller.tenantId, campaign.id, thread);
    const note = await noteBy(ctx, caller, tx, { kind: "note", text: words });
    await inbox.note(tx, caller.tenantId, { campaignId: campaign.id, threadId: thread.id }, note);
    return note;
  });
}

/**
 * Gives a conversation to a user of its organization, or to nobody, and notes who did. An admin may take one of any organization. 400 for anybody
 * else.
 */
export async function assignThread(
  ctx: Context,
  caller: Caller,
  threadId: string,
  userId: Uuid | null,
): Promise<Conversation> {
  const { tenantId } = caller;
  const { campaign, thread } = await locate(ctx, caller, threadId);
  await ctx.db.transaction(async (tx) => {
    // Locked, so that nobody gets one while being deleted.
    const user = userId === null ? undefined : await users.lock(tx, tenantId, userId);
    if (userId !== null && !user) throw notFound("User");
    if (user && user.permission !== "admin" && !user.organization_ids.includes(campaign.organization_id))
      throw invalidField("user_id", "is not a user of the conversation's organization");
    await lockThread(tx, tenantId, campaign.id, thread);
    const key = { campaignId: campaign.id, threadId: thread.id };
    const note = await noteBy(ctx, caller, tx, { kind: "assigned", text: user?.name ?? "" });
    if (await inbox.assign(tx, tenantId, key, userId, note.created_at)) await inbox.note(tx, tenantId, key, note);
  });
  return getConversation(ctx, caller, threadId);
}

/** Whether the signed-in user has read a conversation: `false` shows it as unread again. */
export async function markThread(
  ctx: Context,
  caller: Caller,
  threadId: string,
  isRead: boolean,
): Promise<Conversation> {
  const { userId } = personOf(caller);
  const { campaign, thread } = await locate(ctx, caller, threadId);
  const key = { campaignId: campaign.id, threadId: thread.id };
  if (thread.last_inbound_step !== null) {
    await inbox.read(ctx.db, caller.tenantId, key, userId, thread.last_inbound_step - (isRead ? 0 : 1));
  }
  return getConversation(ctx, caller, threadId);
}

/** The signed-in user has read every conversation of an organization. */
export async function markAllRead(ctx: Context, caller: Caller, organizationId: Uuid): Promise<void> {
  const { userId } = personOf(caller);
  const { tenantId } = caller;
  if (!(await organizations.find(ctx.db, tenantId, organizationId))) throw notFound("Organization");
  await ctx.db.transaction(async (tx) => {
    const now = await tenants.tenantNow(tx, tenantId, ctx.now());
    await inbox.readAll(tx, tenantId, userId, organizationId, now);
  });
}

/** 404 where it was erased since it was found: nothing more is stored about its contact. */
async function lockThread(tx: Tx, tenantId: Uuid, campaignId: Uuid, found: threads.Thread): Promise<void> {
  const thread = await threads.lock(tx, tenantId, campaignId, found.id);
  if (thread?.phone !== found.phone) throw notFound("Thread");
}

async function noteBy(
  ctx: Context,
  { tenantId, person, newId }: Caller,
  tx: Tx,
  { kind, text }: Pick<inbox.Note, "kind" | "text">,
): Promise<inbox.Note> {
  const author = person && (await users.find(tx, tenantId, person.userId));
  const created_at = await tenants.tenantNow(tx, tenantId, ctx.now());
  return { id: newId(), kind, author_id: person?.userId ?? null, author: author?.name ?? null, text, created_at };
}
