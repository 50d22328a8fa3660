import { takeTurn } from "#conversation/messaging/turn.ts";
import { historyOf, withoutUndone } from "#domain/agents/history.ts";
import { contactZone, placeOf } from "#domain/phones/place.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as turns from "#store/agents/turns.ts";
import * as consents from "#store/compliance/consents.ts";
import * as queue from "#store/database/queue.ts";
import { together } from "#store/database/together.ts";
import { beginTurns, type Turn } from "./begin-turns.ts";
import { concludeTurns, isRefusal } from "./conclude-turns.ts";
import { putOff } from "./model-away.ts";

type ThreadKey = { tenantId: Uuid; campaignId: Uuid; threadId: Uuid };

/** A turn that failed for another reason than the model is tried again after this. */
const TURN_AGAIN_MS = 5_000;

/**
 * The agent's answer to what a contact wrote last. The model is called outside any transaction; its answer is dropped when the contact has written
 * again meanwhile, for that text has its own turn. A text is answered at most once. While the model is unavailable nothing is sent, and it is called
 * again for a day (model-away.ts).
 */
export async function replyToThread(ctx: Context, key: ThreadKey, signal: AbortSignal): Promise<void> {
  const begun = await together(ctx, "begin-turns", key.tenantId, key, beginTurns);
  if (!begun) return;
  try {
    await answer(ctx, key, begun, signal);
  } catch (error) {
    await giveBack(ctx, key, begun, signal.aborted ? 0 : TURN_AGAIN_MS);
    throw error;
  }
}

async function answer(ctx: Context, key: ThreadKey, turn: Turn, signal: AbortSignal): Promise<void> {
  const { thread, background, now } = turn;
  const said = historyOf(turn.said);
  const history = consents.mayHaveComeBack(background) ? withoutUndone(said) : said;
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
      known: background.known ?? {},
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
  const concluded = { ...key, phone: thread.phone, answering: thread.last_inbound_step, outcome };
  await together(ctx, "conclude-turns", key.tenantId, concluded, concludeTurns);
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
