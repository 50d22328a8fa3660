import { agentIsOffUntil } from "#domain/compliance/working-hours.ts";
import { placeOf } from "#domain/phones/place.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import * as conversations from "#store/agents/conversations.ts";
import * as turns from "#store/agents/turns.ts";
import * as consents from "#store/compliance/consents.ts";
import * as queue from "#store/database/queue.ts";
import * as messages from "#store/messaging/messages.ts";
import * as threads from "#store/messaging/threads.ts";
import * as stops from "#store/sending/stops.ts";

/** While one process waits for the model, with all its tries, the sweep must not start another. */
const TURN_LEASE_MS = 90_000;
const DAY_MS = 86_400_000;

export type Turn = {
  thread: threads.Thread;
  background: conversations.Background;
  said: messages.Message[];
  now: Date;
  nodeId: Uuid;
  leasedUntil: Date;
};

/** Takes the turns that there are to take: leases them, so that a sweep does not begin them again meanwhile. */
export function beginTurns<Key extends threads.ThreadKey>(
  ctx: Context,
  tenantId: Uuid,
  them: readonly Key[],
): Promise<Map<Key, Turn>> {
  return ctx.db.transaction(async (tx) => {
    const begun = new Map<Key, Turn>();
    const found = await threads.lockAll(tx, tenantId, them);
    const realNow = ctx.now();
    const { clockOffsetMs, stop } = await stops.read(tx, tenantId);
    // They stay due: the sending's going on brings their jobs.
    if (stop) return begun;
    const now = new Date(realNow.getTime() + clockOffsetMs);
    const nodeId = ctx.node.id;
    const leasedUntil = new Date(now.getTime() + TURN_LEASE_MS);
    const jobs: queue.Job[] = [];
    const comeBack = ({ campaign_id: campaignId, id: threadId }: threads.Thread, at: Date) => {
      const runAt = new Date(realNow.getTime() + at.getTime() - now.getTime());
      jobs.push({ job: "reply-to-thread", payload: { tenantId, campaignId, threadId }, runAt });
    };
    const due = found.filter((thread) => thread.reply_due_at !== null && thread.reply_due_at <= now);
    for (const thread of found)
      if (thread.reply_due_at && thread.reply_due_at > now) comeBack(thread, thread.reply_due_at);
    const since = new Date(now.getTime() - DAY_MS);
    const backgrounds = await conversations.backgrounds(tx, tenantId, due.map(keyOf), since);
    const changed: threads.Thread[] = [];
    const taken = new Map<Uuid, Omit<Turn, "said">>();
    for (const thread of due) {
      const background = backgrounds.get(thread.id);
      if (!background || consents.isOptedOut(background) || !mayAnswer(thread, background)) {
        thread.reply_due_at = null;
        // What came in for an archived organization is for a person.
        if (background?.archived_at && thread.agent_awake && !consents.isOptedOut(background))
          thread.person_wanted_at ??= now;
        changed.push(thread);
        continue;
      }
      const backAt = offDutyUntil(ctx, thread, background, now);
      if (backAt) {
        thread.reply_due_at = backAt;
        changed.push(thread);
        comeBack(thread, backAt);
      } else taken.set(thread.id, { thread, background, now, nodeId, leasedUntil });
    }
    await threads.save(tx, tenantId, changed, now);
    if (jobs.length > 0) await queue.enqueue(tx, jobs);
    const keys = [...taken.values()].map(({ thread }) => keyOf(thread));
    if (keys.length === 0) return begun;
    await turns.lease(tx, tenantId, keys, { until: leasedUntil, nodeId, now });
    const said = await messages.ofThreads(tx, tenantId, keys);
    for (const key of them) {
      const turn = taken.get(key.threadId);
      // Asked for twice it is taken once.
      if (taken.delete(key.threadId) && turn) begun.set(key, { ...turn, said: said.get(key.threadId) ?? [] });
    }
    return begun;
  });
}

const keyOf = ({ campaign_id, id }: threads.Thread): threads.ThreadKey => ({ campaignId: campaign_id, threadId: id });

/**
 * When an agent with working hours is back, if it is off now. The turn itself waits, so that the answer covers everything that the contact has
 * written by then, and suits that hour.
 */
function offDutyUntil(ctx: Context, thread: threads.Thread, background: conversations.Background, now: Date) {
  const place = placeOf({ phone: thread.phone, fields: background.fields }, ctx.numberPlan);
  return agentIsOffUntil(background.agent.working_hours ?? null, place, now, ctx.callingWindows);
}

/** The agent does not answer in a conversation that is over, that a person has taken over, or that has reached its day's cap, nor for an archived organization. */
function mayAnswer(thread: threads.Thread, background: conversations.Background): boolean {
  if (!thread.agent_awake || thread.do_not_message || background.status === "deleted") return false;
  if (background.archived_at !== null) return false;
  return background.replies < background.agent.max_replies_per_day;
}
