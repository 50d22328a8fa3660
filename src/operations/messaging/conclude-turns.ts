import type { TurnOutcome } from "#conversation/messaging/turn.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as extractions from "#store/agents/extractions.ts";
import * as optOuts from "#store/compliance/opt-outs.ts";
import type { Tx } from "#store/database/db.ts";
import * as queue from "#store/database/queue.ts";
import * as messages from "#store/messaging/messages.ts";
import * as threads from "#store/messaging/threads.ts";
import * as lanes from "#store/sending/lanes.ts";
import { planCall, type WantedCall } from "./plan-call.ts";

/** An extraction that is not made by then is overdue: the sweep enqueues its job. */
const EXTRACTS_WITHIN_MS = 60_000;

/** What came of a turn: the answer to the contact's text at the step `answering`. */
export type Concluded = threads.ThreadKey & { phone: string; answering: number | null; outcome: TurnOutcome };

/** The agent understood that the contact wants no more texts. */
export const isRefusal = (outcome: TurnOutcome): boolean =>
  outcome.actions.some((action) => action.type === "do_not_message");

/** Writes what came of turns, each of another thread. One whose contact has written again meanwhile, or that a person has taken over, is dropped. */
export async function concludeTurns(
  ctx: Context,
  tenantId: Uuid,
  them: readonly Concluded[],
): Promise<Map<Concluded, void>> {
  const refusals = them.filter(({ outcome }) => isRefusal(outcome)).toSorted((a, b) => (a.phone < b.phone ? -1 : 1));
  await ctx.db.transaction(async (tx) => {
    const now = await tenants.tenantNow(tx, tenantId, ctx.now());
    // Before the threads: consents are always locked first.
    for (const { phone } of refusals) {
      const word = { source: "agent", quote: null, at: now, newId: ctx.newId, hash: ctx.hashPhone };
      await optOuts.optOut(tx, tenantId, phone, word);
    }
    const found = new Map((await threads.lockAll(tx, tenantId, them)).map((thread) => [thread.id, thread]));
    const wishes: Wishes = { over: [], calls: [] };
    const answered: threads.Thread[] = [];
    const replies: messages.NewMessage[] = [];
    for (const { threadId, answering, outcome } of them) {
      const thread = found.get(threadId);
      const superseded = thread?.last_inbound_step !== answering || thread.answered_step === answering;
      if (!thread || superseded || !thread.agent_awake) continue;
      answered.push(thread);
      thread.answered_step = answering;
      thread.reply_due_at = null;
      if (outcome.needsPerson) thread.person_wanted_at ??= now;
      const isStopped = isRefusal(outcome);
      if (isStopped) thread.do_not_message = true;
      act(thread, outcome, wishes, now);
      if (outcome.text !== null && !isStopped)
        replies.push(replyOf(thread, outcome.text, { id: ctx.newId(), at: now }));
    }
    if (answered.length === 0) return;
    await endConversations(ctx, tx, tenantId, wishes.over, now);
    await messages.insert(tx, tenantId, replies);
    await threads.save(tx, tenantId, answered, now);
    const keys = answered.map((thread) => ({ tenantId, campaignId: thread.campaign_id, threadId: thread.id }));
    await extractions.want(tx, tenantId, keys, new Date(now.getTime() + EXTRACTS_WITHIN_MS));
    await queue.enqueue(
      tx,
      keys.map((payload) => ({ job: "extract-thread", payload })),
    );
    await lanes.wake(tx, tenantId, [...new Set(replies.map((reply) => reply.laneId))], now);
    for (const { thread, call } of wishes.calls)
      if (!thread.do_not_message) await planCall(ctx, tx, tenantId, thread, call, now);
  });
  const phones = refusals.map(({ phone }) => phone);
  if (phones.length > 0) await optOuts.handedOver(ctx.db, tenantId, phones, ctx);
  return new Map(them.map((one) => [one, undefined]));
}

const replyOf = (thread: threads.Thread, text: string, { id, at }: { id: Uuid; at: Date }): messages.NewMessage => ({
  id,
  campaignId: thread.campaign_id,
  threadId: thread.id,
  laneId: thread.lane_id,
  phone: thread.phone,
  kind: "reply",
  step: thread.next_step++,
  text,
  at,
});

/** What agents requested beside their answers: conversations that are over, with why, and the calls that contacts are to have. */
type Wishes = {
  over: { thread: threads.Thread; reason: string }[];
  calls: { thread: threads.Thread; call: WantedCall }[];
};

/** Notes what the agent requested. The call is at once when the conversation goes over to voice now, else at the agreed time. */
function act(thread: threads.Thread, outcome: TurnOutcome, { over, calls }: Wishes, now: Date): void {
  const reasons: string[] = [];
  let call: WantedCall | undefined;
  for (const action of outcome.actions) {
    if (action.type === "end_conversation") {
      thread.outcome = action.outcome;
      reasons.push("conversation_completed");
    } else if (action.type === "schedule_call") {
      thread.call_scheduled_at = action.at;
      call ??= { purpose: "callback", at: action.at };
    } else if (action.type === "transfer_to_voice") {
      thread.transfer_requested_at = now;
      call = { purpose: "transfer", at: now };
      reasons.push("transferred_to_voice");
    }
  }
  if (reasons.length > 0) over.push({ thread, reason: reasons[0]! });
  if (call) calls.push({ thread, call });
}

/** A conversation that ends has no more drips. */
async function endConversations(ctx: Context, tx: Tx, tenantId: Uuid, over: Wishes["over"], now: Date): Promise<void> {
  for (const [reason, theirs] of Map.groupBy(over, (one) => one.reason)) {
    const keys = theirs.map(({ thread }) => ({ campaign_id: thread.campaign_id, id: thread.id }));
    await messages.withdraw(tx, tenantId, keys, { reason, changeId: ctx.newId(), now, kinds: ["drip"] });
  }
  const moves = over.map(({ thread, reason }) => ({
    campaignId: thread.campaign_id,
    threadId: thread.id,
    state: "completed" as const,
    reason: thread.outcome ?? reason,
  }));
  await threads.move(tx, tenantId, moves, ctx.newId(), now);
}
