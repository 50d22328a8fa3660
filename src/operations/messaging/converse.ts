import { refuseArchived } from "#domain/accounts/organization.ts";
import { checkAuthored } from "#domain/messaging/output-gate.ts";
import { parseThreadId } from "#domain/messaging/thread-id.ts";
import { type ThreadPageRequest, threadPageOf } from "#domain/messaging/thread-page.ts";
import { normalizePhone } from "#domain/phones/phone.ts";
import { AppError, failure, invalidField, notFound } from "#domain/values/errors.ts";
import { parseId, type Uuid } from "#domain/values/id.ts";
import { type Page, type PageRequest, pageOf } from "#domain/values/paging.ts";
import { checkMedia } from "#operations/carriers.ts";
import { type Caller, type Context, personOf } from "#operations/context.ts";
import * as organizations from "#store/accounts/organizations.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as users from "#store/accounts/users.ts";
import * as extractions from "#store/agents/extractions.ts";
import * as dials from "#store/calls/dials.ts";
import * as campaigns from "#store/campaigns/campaigns.ts";
import * as consents from "#store/compliance/consents.ts";
import * as queue from "#store/database/queue.ts";
import * as inbox from "#store/messaging/inbox.ts";
import * as messages from "#store/messaging/messages.ts";
import type { ConversationFilter, ListedThread } from "#store/messaging/thread-lists.ts";
import * as threadLists from "#store/messaging/thread-lists.ts";
import * as threads from "#store/messaging/threads.ts";
import * as lanes from "#store/sending/lanes.ts";
import * as stops from "#store/sending/stops.ts";

export type Conversation = {
  campaignId: string;
  thread: threads.Thread;
  /** The current opt-out; the recipient's state only shows that there once was one. */
  isOptedOut: boolean;
  messages: messages.Message[];
  /** The calls that were planned in it, newest first. */
  calls: dials.ThreadDial[];
  /** Who takes care of it; without a name where the caller does not see the user. */
  assignee: { id: Uuid; name: string | null } | null;
  /** What people have noted in it, oldest first. */
  notes: inbox.Note[];
  /** Whether who asks has yet to read it; undefined for an API key. */
  isUnread: boolean | undefined;
};

export async function getConversation(ctx: Context, caller: Caller, threadId: string): Promise<Conversation> {
  const { tenantId, person } = caller;
  const { campaign, thread: found } = await locate(ctx, caller, threadId);
  const all = await messages.ofThread(ctx.db, tenantId, campaign.id, found.id);
  // Read after its messages, so that it is never older than they are.
  const thread = (await threads.find(ctx.db, tenantId, campaign.id, found.id)) ?? found;
  const key = { campaignId: campaign.id, threadId: found.id };
  const id = thread.assignee_id;
  const [calls, isOut, notes, assignee, isUnread] = await Promise.all([
    dials.ofThread(ctx.db, tenantId, campaign.id, found.id),
    isOptedOut(ctx, caller, found),
    inbox.notes(ctx.db, tenantId, key),
    id === null ? undefined : users.find(ctx.db, tenantId, id),
    person && inbox.isUnread(ctx.db, tenantId, key, campaign.organization_id, person.userId),
  ]);
  return {
    campaignId: campaign.campaign_id,
    thread,
    isOptedOut: isOut,
    messages: all,
    calls,
    assignee: id === null ? null : { id, name: assignee?.name ?? null },
    notes,
    isUnread,
  };
}

async function isOptedOut(ctx: Context, { tenantId }: Caller, { phone }: threads.Thread): Promise<boolean> {
  return consents.isOptedOut(await consents.find(ctx.db, tenantId, phone));
}

/** A text by its id alone. Those of no campaign are the whole tenant's: who is limited to organizations gets a 404. */
export async function getMessage(ctx: Context, caller: Caller, id: Uuid): Promise<messages.NamedMessage> {
  const found = await messages.byId(ctx.db, caller.tenantId, id, caller.organizations === undefined);
  if (!found) throw notFound("Message");
  return found;
}

/** Sends a person's own text. The agent is paused from here on, and the answer that it was preparing is dropped. */
export async function writeMessage(
  ctx: Context,
  caller: Caller,
  threadId: string,
  text: string,
  mediaUrls: readonly string[] = [],
): Promise<{ id: Uuid }> {
  const checked = checkAuthored(text);
  if (!checked.ok) throw invalidField("text", `cannot be sent: ${checked.reason}`);
  const { tenantId } = caller;
  const { campaign, thread: found } = await locate(ctx, caller, threadId);
  const lane = mediaUrls.length > 0 && (await lanes.find(ctx.db, tenantId, found.lane_id));
  if (lane) await checkMedia(ctx.db, tenantId, lane, mediaUrls);
  if (await isOptedOut(ctx, caller, found)) throw failure("conflict", "The contact has opted out");
  const organization = await organizations.find(ctx.db, tenantId, campaign.organization_id);
  if (organization) refuseArchived(organization);
  const id = caller.newId();
  await ctx.db.transaction(async (tx) => {
    await stops.refuse(tx, tenantId);
    const now = await tenants.tenantNow(tx, tenantId, ctx.now());
    const thread = (await threads.lock(tx, tenantId, campaign.id, found.id))!;
    // Erased in between: nothing more is stored about this contact.
    if (thread.phone !== found.phone) throw notFound("Thread");
    thread.agent_awake = false;
    thread.reply_due_at = null;
    thread.answered_step = thread.last_inbound_step;
    thread.person_wanted_at = null;
    const key = { campaign_id: campaign.id, id: thread.id };
    await messages.withdraw(tx, tenantId, [key], {
      reason: "taken_over",
      changeId: ctx.newId(),
      now,
      kinds: ["reply"],
    });
    const own = {
      id,
      campaignId: campaign.id,
      threadId: thread.id,
      laneId: thread.lane_id,
      phone: thread.phone,
      kind: "human" as const,
      step: thread.next_step++,
      text: checked.text,
      mediaUrls,
      at: now,
    };
    await messages.insert(tx, tenantId, [own]);
    await threads.save(tx, tenantId, [thread], now);
    await lanes.wake(tx, tenantId, [thread.lane_id], now);
  });
  return { id };
}

/** Pauses the agent in this conversation. The answer that it was preparing is dropped; follow-ups still leave. */
export async function pauseAgent(ctx: Context, caller: Caller, threadId: string): Promise<Conversation> {
  const { tenantId } = caller;
  const { campaign, thread: found } = await locate(ctx, caller, threadId);
  await ctx.db.transaction(async (tx) => {
    const now = await tenants.tenantNow(tx, tenantId, ctx.now());
    const thread = (await threads.lock(tx, tenantId, campaign.id, found.id))!;
    thread.agent_awake = false;
    thread.reply_due_at = null;
    const key = { campaign_id: campaign.id, id: thread.id };
    await messages.withdraw(tx, tenantId, [key], {
      reason: "taken_over",
      changeId: ctx.newId(),
      now,
      kinds: ["reply"],
    });
    await threads.save(tx, tenantId, [thread], now);
  });
  return getConversation(ctx, caller, threadId);
}

/** Hands the conversation back to the agent, which now answers what the contact wrote meanwhile and nobody answered. */
export async function resumeAgent(ctx: Context, caller: Caller, threadId: string): Promise<Conversation> {
  const { tenantId } = caller;
  const { campaign, thread: found } = await locate(ctx, caller, threadId);
  await ctx.db.transaction(async (tx) => {
    const now = await tenants.tenantNow(tx, tenantId, ctx.now());
    const thread = (await threads.lock(tx, tenantId, campaign.id, found.id))!;
    thread.agent_awake = true;
    const unanswered = thread.last_inbound_step !== null && thread.last_inbound_step > (thread.answered_step ?? -1);
    thread.person_wanted_at = null;
    if (unanswered) {
      thread.reply_due_at = now;
      thread.answer_failing_since = null;
    }
    await threads.save(tx, tenantId, [thread], now);
    const payload = { tenantId, campaignId: campaign.id, threadId: thread.id };
    if (unanswered) await queue.enqueue(tx, [{ job: "reply-to-thread", payload }]);
  });
  return getConversation(ctx, caller, threadId);
}

export type ConversationQuery = ThreadPageRequest & {
  organizationId: Uuid;
  /** The caller's own id. */
  campaignId: string | undefined;
  state: string | undefined;
  attention: ConversationFilter["attention"];
  name: string | undefined;
  /** Words in the contact's name or in a text. */
  search: string | undefined;
  phoneNumber: string | undefined;
  /** `me`, `none` or a user's id. */
  assignee: string | undefined;
  isUnread: boolean | undefined;
};

/**
 * A page of an organization's conversations, by the contacts' latest texts, newest first. 404 without the organization, campaign or user, 403 for a key that
 * asks for its own.
 */
export async function listConversations(
  ctx: Context,
  caller: Caller,
  query: ConversationQuery,
): Promise<Page<ListedThread>> {
  const { tenantId } = caller;
  const { organizationId, campaignId, phoneNumber, limit, before, state, attention, isUnread } = query;
  const assignee = assigneeOf(caller, query.assignee);
  const reader = isUnread === undefined ? caller.person?.userId : personOf(caller).userId;
  const normal = phoneNumber === undefined ? undefined : normalizePhone(phoneNumber);
  if (normal && "problem" in normal) throw invalidField("phone_number", normal.problem);
  if (!(await organizations.find(ctx.db, tenantId, organizationId))) throw notFound("Organization");
  if (assignee && !(await users.find(ctx.db, tenantId, assignee))) throw notFound("User");
  const campaign = campaignId === undefined ? undefined : await campaigns.find(ctx.db, tenantId, campaignId);
  if (campaignId !== undefined && campaign?.organization_id !== organizationId) throw notFound("Campaign");
  const whose = { assignee, isUnread, reader };
  const said = { name: query.name?.trim(), words: query.search?.trim(), phone: normal?.phone };
  const filter = { campaignId: campaign?.id, state, attention, ...said, ...whose };
  return threadPageOf(await threadLists.list(ctx.db, tenantId, organizationId, { limit, before }, filter), limit);
}

/** Null: nobody; undefined: whoever. */
function assigneeOf(caller: Caller, word: string | undefined): Uuid | null | undefined {
  if (word === undefined) return undefined;
  if (word === "none") return null;
  if (word === "me") return personOf(caller).userId;
  const id = parseId("user", word);
  if (id === undefined) throw notFound("User");
  return id;
}

export type FoundExtraction = { campaignId: string; phone: string; extraction: extractions.Extraction };

/** Undefined where nothing has been extracted, or where there is no such conversation. */
export async function getExtraction(
  ctx: Context,
  caller: Caller,
  threadId: string,
): Promise<FoundExtraction | undefined> {
  if (!parseThreadId(threadId)) throw invalidField("thread_id", "must be {phone_number}_{campaign_id}");
  const found = await locate(ctx, caller, threadId).catch((error: unknown) => {
    if (error instanceof AppError && error.code === "not_found") return undefined;
    throw error;
  });
  if (!found) return undefined;
  const extraction = await extractions.find(ctx.db, caller.tenantId, found.campaign.id, found.thread.id);
  return extraction && { campaignId: found.campaign.campaign_id, phone: found.thread.phone, extraction };
}

export async function listExtractions(
  ctx: Context,
  caller: Caller,
  query: PageRequest & { campaignId: string },
): Promise<Page<extractions.ListedExtraction>> {
  const campaign = await campaigns.find(ctx.db, caller.tenantId, query.campaignId);
  if (!campaign) throw notFound("Campaign");
  return pageOf(await extractions.list(ctx.db, caller.tenantId, campaign.id, query), query.limit);
}

/** The conversation's keys, for operations that work on it. */
export async function threadKey(ctx: Context, caller: Caller, threadId: string) {
  const { campaign, thread } = await locate(ctx, caller, threadId);
  return { tenantId: caller.tenantId, campaignId: campaign.id, threadId: thread.id };
}

export async function locate(ctx: Context, caller: Caller, threadId: string) {
  const parts = parseThreadId(threadId);
  if (!parts) throw invalidField("thread_id", "must be {phone_number}_{campaign_id}");
  const campaign = await campaigns.find(ctx.db, caller.tenantId, parts.campaignId);
  const thread = campaign && (await threads.byPhone(ctx.db, caller.tenantId, campaign.id, parts.phone));
  if (!campaign || !thread) throw notFound("Thread");
  return { campaign, thread };
}
