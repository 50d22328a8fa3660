import { extractFields } from "#conversation/messaging/extract.ts";
import { historyOf, withoutUndone } from "#domain/agents/history.ts";
import { placeOf } from "#domain/phones/place.ts";
import { publicId, type Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as conversations from "#store/agents/conversations.ts";
import * as extractions from "#store/agents/extractions.ts";
import * as consents from "#store/compliance/consents.ts";
import * as messages from "#store/messaging/messages.ts";
import * as threads from "#store/messaging/threads.ts";

/** For this long the sweep leaves an extraction alone that is being made: longer than a model is waited for. */
const LEASE_MS = 60_000;
/** An unavailable model is called again after this long, unless it says when. */
const ASK_AGAIN_MS = 30_000;

/**
 * Extracts the agent's fields from a whole conversation and stores them. When the model fails the previous extraction stands, and a model that is
 * only unavailable is called again. Safe to repeat, and to run over old conversations.
 */
export async function extractThread(
  ctx: Context,
  key: { tenantId: Uuid; campaignId: Uuid; threadId: Uuid },
  signal: AbortSignal,
): Promise<void> {
  const { tenantId, campaignId, threadId } = key;
  const thread = await threads.find(ctx.db, tenantId, campaignId, threadId);
  const now = await tenants.tenantNow(ctx.db, tenantId, ctx.now());
  const background = (await conversations.backgrounds(ctx.db, tenantId, [key], now)).get(threadId);
  if (!thread || !background) return;
  const said = historyOf(await messages.ofThread(ctx.db, tenantId, campaignId, threadId));
  const history = consents.mayHaveComeBack(background) ? withoutUndone(said) : said;
  const after = (ms: number) => new Date(now.getTime() + ms);
  await extractions.want(ctx.db, tenantId, [key], after(LEASE_MS));
  const place = placeOf({ phone: thread.phone, fields: background.fields }, ctx.numberPlan);
  const outcome = await extractFields(
    ctx.models.forMode(background.carrier === "simulator" ? "test" : "live"),
    {
      agent: background.agent,
      organization: background.organization,
      ...(background.settings.objective ? { goal: background.settings.objective } : {}),
      contact: background.fields,
      contactZone: place.zones[0] ?? "America/New_York",
      now,
      history: history.map((message) => ({ ...message, id: publicId("message", message.id) })),
      facts: {
        doNotMessage: thread.do_not_message || consents.isOptedOut(background),
        // A requested call is not placed yet, and a placed one is not answered.
        callTransferred: thread.called_at !== null && thread.call_outcome === "connected",
        ...(thread.call_scheduled_at ? { callScheduledAt: thread.call_scheduled_at } : {}),
      },
    },
    { signal },
  );
  const { extraction: found, failure, notes } = outcome;
  if (!found) {
    ctx.log.warn({ tenantId, threadId, notes, failure }, "no extraction: the model did not answer");
    await extractions.want(
      ctx.db,
      tenantId,
      [key],
      failure?.retryable ? after(failure.retryAfterMs ?? ASK_AGAIN_MS) : null,
    );
    return;
  }
  await extractions.save(ctx.db, tenantId, campaignId, {
    thread_id: threadId,
    fields: found.extracted_fields,
    evidence: found.evidence,
    lead_outcome: thread.outcome ?? found.lead_outcome,
    objective_met: found.objective_met,
    do_not_message: found.do_not_message,
    call_transferred: found.call_transferred,
    call_scheduled: found.call_scheduled,
    call_scheduled_time: found.call_scheduled_time === null ? null : new Date(found.call_scheduled_time),
    extracted_at: now,
    through_step: thread.next_step - 1,
  });
}
