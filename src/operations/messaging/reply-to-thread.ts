import { type TurnOutcome, takeTurn } from "#conversation/messaging/turn.ts";
import { historyOf, withoutUndone } from "#domain/agents/history.ts";
import { agentIsOffUntil } from "#domain/compliance/working-hours.ts";
import { contactZone, placeOf } from "#domain/phones/place.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as conversations from "#store/agents/conversations.ts";
import * as extractions from "#store/agents/extractions.ts";
import * as turns from "#store/agents/turns.ts";
import * as consents from "#store/compliance/consents.ts";
import * as optOuts from "#store/compliance/opt-outs.ts";
import type { Tx } from "#store/database/db.ts";
import * as queue from "#store/database/queue.ts";
import * as messages from "#store/messaging/messages.ts";
import * as threads from "#store/messaging/threads.ts";
import * as lanes from "#store/sending/lanes.ts";
import * as stops from "#store/sending/stops.ts";
import { putOff } from "./model-away.ts";
import { planCall, type WantedCall } from "./plan-call.ts";

type ThreadKey = { tenantId: Uuid; campaignId: Uuid; threadId: Uuid };

/** While one process waits for the model, with all its tries, the sweep must not start another. */
const TURN_LEASE_MS = 90_000;
/** A turn that failed for another reason than the model is tried again after this. */
const TURN_AGAIN_MS = 5_000;
/** An extraction that is not made by then is overdue: the sweep enqueues its job. */
const EXTRACTS_WITHIN_MS = 60_000;
const DAY_MS = 86_400_000;

/**
 * The agent's answer to what a contact wrote last. The model is called outside any transaction; its answer is dropped when the contact has written
 * again meanwhile, for that text has its own turn. A text is answered at most once. While the model is unavailable nothing is sent, and it is called
 * again for a day (model-away.ts).
 */
export async function replyToThread(ctx: Context, key: ThreadKey, signal: AbortSignal): Promise<void> {
  const begun = await begin(ctx, key);
  if (!begun) return;
  try {
    await answer(ctx, key, begun, signal);
  } catch (error) {
    await giveBack(ctx, key, begun, signal.aborted ? 0 : TURN_AGAIN_MS);
    throw error;
  }
}

type Turn = NonNullable<Awaited<ReturnType<typeof begin>>>;

async function answer(ctx: Context, key: ThreadKey, turn: Turn, signal: AbortSignal): Promise<void> {
  const { thread, background, now, cameBack } = turn;
  const said = historyOf(await messages.ofThread(ctx.db, key.tenantId, key.campaignId, key.threadId));
  const history = cameBack ? withoutUndone(said) : said;
  const known = await extractions.find(ctx.db, key.tenantId, key.campaignId, key.threadId);
  const place = placeOf({ phone: thread.phone, fields: background.fields }, ctx.numberPlan);
  const canCall = background.settings.enable_sms_to_voice === true;
  const outcome = await takeTurn(
    ctx.models.forMode(background.carrier === "simulator" ? "test" : "live"),
    {
      agent: background.agent,
      organization: background.organization,
      ...(background.settings.objective ? { goal: background.settings.objective } : {}),
      contact: background.fields,
      contactZone: contactZone(place),
      now,
      history,
      known: known?.fields ?? {},
      canScheduleCall: canCall,
      canTransferToVoice: canCall && thread.transfer_requested_at === null,
    },
    { signal, patient: true },
  );
  if (outcome.notes.length > 0) ctx.log.info({ ...key, notes: outcome.notes, failure: outcome.failure }, "turn notes");
  if (outcome.failure) return putOff(ctx, key, { answering: thread.last_inbound_step!, place }, outcome.failure);
  if (isRefusal(outcome)) {
    const word = { tenantId: key.tenantId, phone: thread.phone, at: now.toISOString() };
    await ctx.journal.append({ kind: "opt_out", source: "agent", ...word });
  }
  await conclude(ctx, key, thread, outcome);
}

/** A process that stops, or fails, gives the turn back at once, so that another need not wait for the end of the lease. */
async function giveBack(ctx: Context, key: ThreadKey, { nodeId, leasedUntil }: Turn, inMs: number): Promise<void> {
  try {
    await ctx.db.transaction(async (tx) => {
      const realNow = ctx.now();
      const now = await tenants.tenantNow(tx, key.tenantId, realNow);
      const dueAt = new Date(now.getTime() + inMs);
      if (!(await turns.giveBack(tx, key, { until: leasedUntil, nodeId, dueAt }))) return;
      await queue.enqueue(tx, [{ job: "reply-to-thread", payload: key, runAt: new Date(realNow.getTime() + inMs) }]);
    });
  } catch (error) {
    ctx.log.warn({ err: error, ...key }, "a turn was cut off, and comes again when its lease ends");
  }
}

/** Takes the turn, when there is one to take: leases it, so that a sweep does not begin it again meanwhile. */
function begin(ctx: Context, { tenantId, campaignId, threadId }: ThreadKey) {
  return ctx.db.transaction(async (tx) => {
    const realNow = ctx.now();
    const now = await tenants.tenantNow(tx, tenantId, realNow);
    const thread = await threads.lock(tx, tenantId, campaignId, threadId);
    if (!thread || thread.reply_due_at === null) return undefined;
    // It stays due: the sending's going on brings its job.
    if ((await stops.read(tx, tenantId)).stop) return undefined;
    if (thread.reply_due_at > now) {
      const runAt = new Date(realNow.getTime() + thread.reply_due_at.getTime() - now.getTime());
      await queue.enqueue(tx, [{ job: "reply-to-thread", payload: { tenantId, campaignId, threadId }, runAt }]);
      return undefined;
    }
    const background = await conversations.background(tx, tenantId, campaignId, threadId);
    const since = new Date(now.getTime() - DAY_MS);
    const spent = await messages.repliesSince(tx, tenantId, campaignId, threadId, since);
    const consent = await consents.find(tx, tenantId, thread.phone);
    if (!background || consents.isOptedOut(consent) || !mayAnswer(thread, background, spent)) {
      thread.reply_due_at = null;
      // What came in for an archived organization is for a person.
      if (background?.archived_at && thread.agent_awake && !consents.isOptedOut(consent))
        thread.person_wanted_at ??= now;
      await threads.save(tx, tenantId, thread, now);
      return undefined;
    }
    const backAt = offDutyUntil(ctx, thread, background, now);
    if (backAt) {
      thread.reply_due_at = backAt;
      await threads.save(tx, tenantId, thread, now);
      const runAt = new Date(realNow.getTime() + backAt.getTime() - now.getTime());
      await queue.enqueue(tx, [{ job: "reply-to-thread", payload: { tenantId, campaignId, threadId }, runAt }]);
      return undefined;
    }
    const leasedUntil = new Date(now.getTime() + TURN_LEASE_MS);
    const nodeId = ctx.node.id;
    await turns.lease(tx, { tenantId, campaignId, threadId }, { until: leasedUntil, nodeId, now });
    return { thread, background, now, nodeId, leasedUntil, cameBack: consents.mayHaveComeBack(consent) };
  });
}

/**
 * When an agent with working hours is back, if it is off now. The turn itself waits, so that the answer covers everything that the contact has
 * written by then, and suits that hour.
 */
function offDutyUntil(ctx: Context, thread: threads.Thread, background: conversations.Background, now: Date) {
  const place = placeOf({ phone: thread.phone, fields: background.fields }, ctx.numberPlan);
  return agentIsOffUntil(background.agent.working_hours ?? null, place, now, ctx.callingWindows);
}

/** The agent does not answer in a conversation that is over, that a person has taken over, or that has reached its day's cap, nor for an archived organization. */
function mayAnswer(thread: threads.Thread, background: conversations.Background, repliesToday: number): boolean {
  if (!thread.agent_awake || thread.do_not_message || background.status === "deleted") return false;
  if (background.archived_at !== null) return false;
  return repliesToday < background.agent.max_replies_per_day;
}

/** The agent understood that the contact wants no more texts. */
const isRefusal = (outcome: TurnOutcome): boolean => outcome.actions.some((action) => action.type === "do_not_message");

async function conclude(
  ctx: Context,
  key: ThreadKey,
  { phone, last_inbound_step: answering }: Turn["thread"],
  outcome: TurnOutcome,
): Promise<void> {
  const { tenantId, campaignId, threadId } = key;
  const stop = isRefusal(outcome);
  await ctx.db.transaction(async (tx) => {
    const now = await tenants.tenantNow(tx, tenantId, ctx.now());
    if (stop) {
      await optOuts.optOut(tx, tenantId, phone, {
        source: "agent",
        quote: null,
        at: now,
        newId: ctx.newId,
        hash: ctx.hashPhone,
      });
    }
    const thread = await threads.lock(tx, tenantId, campaignId, threadId);
    const superseded = thread?.last_inbound_step !== answering || thread.answered_step === answering;
    if (!thread || superseded || !thread.agent_awake) return;
    thread.answered_step = answering;
    thread.reply_due_at = null;
    if (outcome.needsPerson) thread.person_wanted_at ??= now;
    if (stop) thread.do_not_message = true;
    const call = await act(ctx, tx, tenantId, thread, outcome, now);
    if (outcome.text !== null && !stop) {
      await messages.insert(tx, tenantId, {
        id: ctx.newId(),
        campaignId,
        threadId,
        laneId: thread.lane_id,
        phone: thread.phone,
        kind: "reply",
        step: thread.next_step++,
        text: outcome.text,
        at: now,
      });
    }
    await threads.save(tx, tenantId, thread, now);
    await extractions.want(tx, key, new Date(now.getTime() + EXTRACTS_WITHIN_MS));
    await queue.enqueue(tx, [{ job: "extract-thread", payload: key }]);
    if (outcome.text !== null && !stop) await lanes.wake(tx, tenantId, [thread.lane_id], now);
    if (call && !stop) await planCall(ctx, tx, tenantId, thread, call, now);
  });
  if (stop) await optOuts.handedOver(ctx.db, tenantId, [phone], ctx.log);
}

/**
 * Carries out what the agent requested. A conversation that ends has no more drips. Returns the call that the contact is to have: at once when it
 * goes over to voice now, else at the agreed time.
 */
async function act(
  ctx: Context,
  tx: Tx,
  tenantId: Uuid,
  thread: threads.Thread,
  outcome: TurnOutcome,
  now: Date,
): Promise<WantedCall | undefined> {
  const over: string[] = [];
  let call: WantedCall | undefined;
  for (const action of outcome.actions) {
    if (action.type === "end_conversation") {
      thread.outcome = action.outcome;
      over.push("conversation_completed");
    } else if (action.type === "schedule_call") {
      thread.call_scheduled_at = action.at;
      call ??= { purpose: "callback", at: action.at };
    } else if (action.type === "transfer_to_voice") {
      thread.transfer_requested_at = now;
      call = { purpose: "transfer", at: now };
      over.push("transferred_to_voice");
    }
  }
  if (over.length === 0) return call;
  await messages.withdraw(tx, tenantId, [{ campaign_id: thread.campaign_id, id: thread.id }], {
    reason: over[0]!,
    changeId: ctx.newId(),
    now,
    kinds: ["drip"],
  });
  const move = {
    campaignId: thread.campaign_id,
    threadId: thread.id,
    state: "completed" as const,
    reason: thread.outcome ?? over[0]!,
  };
  await threads.move(tx, tenantId, [move], ctx.newId(), now);
  return call;
}
