import { mayBeAnsweredLater, nextTry } from "#domain/agents/answer-retry.ts";
import type { Place } from "#domain/phones/place.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as queue from "#store/database/queue.ts";
import * as threads from "#store/messaging/threads.ts";

type Failure = { vendorCode: string; retryable: boolean; retryAfterMs?: number };

/**
 * Handles a turn that the model could not answer: it is due again later, in the contact's hours, or, when no answer can be expected within a day, the
 * conversation waits for a person. Nothing is sent to the contact either way. A text that came meanwhile has its own turn.
 */
export async function putOff(
  ctx: Context,
  key: { tenantId: Uuid; campaignId: Uuid; threadId: Uuid },
  { answering, place }: { answering: number; place: Pick<Place, "zones" | "states"> },
  failure: Failure,
): Promise<void> {
  const { tenantId, campaignId, threadId } = key;
  await ctx.db.transaction(async (tx) => {
    const realNow = ctx.now();
    const now = await tenants.tenantNow(tx, tenantId, realNow);
    const thread = await threads.lock(tx, tenantId, campaignId, threadId);
    const superseded = thread?.last_inbound_step !== answering || thread.answered_step === answering;
    // A person who took the conversation over meanwhile has ended the agent's turn.
    if (!thread || superseded || !thread.agent_awake || thread.reply_due_at === null) return;
    thread.answer_failures++;
    thread.answer_failing_since ??= now;
    const { answer_failures: failures, answer_failing_since: since } = thread;
    const at = mayBeAnsweredLater(failure)
      ? nextTry(
          { failures, since, retryAfterMs: failure.retryAfterMs, place, profile: ctx.profile },
          now,
          ctx.callingWindows,
        )
      : undefined;
    thread.reply_due_at = at ?? null;
    if (at === undefined) thread.person_wanted_at = now;
    await threads.save(tx, tenantId, [thread], now);
    const details = { ...key, failure: failure.vendorCode, failures, since, next: at ?? null };
    if (at === undefined)
      return ctx.log.warn(details, "the model has not answered: the conversation waits for a person");
    ctx.log.info(details, "the model has not answered and is asked again");
    const runAt = new Date(realNow.getTime() + at.getTime() - now.getTime());
    await queue.enqueue(tx, [{ job: "reply-to-thread", payload: key, runAt }]);
  });
}
