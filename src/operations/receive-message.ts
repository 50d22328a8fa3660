import { NO_ID, type Uuid } from "#domain/id.ts";
import { helpText, keywordOf, optInConfirmation, optOutConfirmation } from "#domain/keyword.ts";
import type { MessagePurpose } from "#domain/message.ts";
import { optOutIntent } from "#domain/opt-out.ts";
import { normalizePhone } from "#domain/phone.ts";
import type { InboundText } from "#ports/sms-carrier.ts";
import * as agents from "#store/agents.ts";
import * as campaigns from "#store/campaigns.ts";
import type { Tx } from "#store/db.ts";
import * as inboundTexts from "#store/inbound-texts.ts";
import * as lanes from "#store/lanes.ts";
import * as messages from "#store/messages.ts";
import * as optOuts from "#store/opt-outs.ts";
import * as organizations from "#store/organizations.ts";
import * as queue from "#store/queue.ts";
import * as tenants from "#store/tenants.ts";
import * as threads from "#store/threads.ts";
import type { Context } from "./context.ts";

type Wish = { keyword: "stop" | "start" | "help" | undefined; quote: string | null };
/** A text on its way into the books: where it belongs, and when it came in the tenant's and in real time. */
type Incoming = {
  tenantId: Uuid;
  text: InboundText;
  lane: lanes.Lane;
  thread: threads.Thread | undefined;
  now: Date;
  realNow: Date;
};

/**
 * Takes in one text from a carrier: keeps it, obeys STOP, START and HELP at once, and schedules the agent's answer.
 * Resolves once all of it is committed. Safe to repeat: a carrier's id counts once.
 */
export async function receiveMessage(ctx: Context, tenantId: Uuid, text: InboundText): Promise<void> {
  const from = normalizePhone(text.from);
  const keyword = keywordOf(text.text);
  const intent = keyword === undefined ? optOutIntent(text.text) : undefined;
  const wish: Wish = { keyword: keyword ?? (intent ? "stop" : undefined), quote: intent?.quote ?? text.text };
  await ctx.db.transaction(async (tx) => {
    const realNow = ctx.now();
    const now = await tenants.tenantNow(tx, tenantId, realNow);
    const lane = await lanes.bySender(tx, tenantId, text.carrier, text.to);
    // Short codes and names can write to us; there is nobody there to answer.
    const reachable = "phone" in from && lane !== undefined;
    const outcome =
      lane === undefined ? "unknown_number" : reachable ? (wish.keyword ?? "conversation") : "not_a_phone";
    if (!(await inboundTexts.insert(tx, tenantId, text, now, outcome)) || !reachable) return;

    // Before the thread: consents are always locked first, and settling what is on its way needs the thread.
    if (wish.keyword === "stop" || wish.keyword === "start") await optOuts.lock(tx, tenantId, [from.phone]);
    if (wish.keyword === "stop") await optOuts.settled(tx, tenantId, [from.phone]);
    const thread = await threads.lockLatest(tx, tenantId, from.phone, lane.id);
    const incoming: Incoming = { tenantId, text: { ...text, from: from.phone }, lane, thread, now, realNow };
    await keep(ctx, tx, incoming);
    let isAnswered = false;
    if (wish.keyword === undefined) await scheduleAnswer(tx, incoming);
    else isAnswered = await obey(ctx, tx, incoming, wish);
    if (thread) await threads.save(tx, tenantId, thread, now);
    // Last: every other STOP to this number waits for the lane until the commit.
    if (isAnswered) await lanes.due(tx, tenantId, lane.id, now);
  });
}

/** The text itself, at the end of its conversation; a stranger's stands by itself. */
async function keep(ctx: Context, tx: Tx, { tenantId, text, lane, thread, now }: Incoming): Promise<void> {
  const step = thread ? thread.next_step++ : 0;
  await messages.insert(tx, tenantId, {
    id: ctx.newId(),
    campaignId: thread?.campaign_id ?? NO_ID,
    threadId: thread?.id ?? null,
    laneId: lane.id,
    phone: text.from,
    kind: "inbound",
    step,
    text: text.text,
    carrierId: text.carrierId,
    at: now,
  });
  if (!thread) return;
  thread.last_inbound_at = now;
  thread.last_inbound_step = step;
  // Who answers has been reached, whatever the carrier has said so far.
  thread.first_sent_at ??= now;
  await threads.move(
    tx,
    tenantId,
    [{ campaignId: thread.campaign_id, threadId: thread.id, state: "replied", reason: null }],
    ctx.newId(),
    now,
  );
}

/** People send a thought in pieces: every piece puts the answer off anew. */
async function scheduleAnswer(tx: Tx, { tenantId, thread, now, realNow }: Incoming): Promise<void> {
  if (!thread?.agent_awake) return;
  const campaign = await campaigns.get(tx, tenantId, thread.campaign_id);
  const config = await agents.configOf(tx, tenantId, campaign!.agent_id, campaign!.agent_version);
  const delayMs = (config as { reply_delay_ms?: number }).reply_delay_ms ?? 0;
  thread.reply_due_at = new Date(now.getTime() + delayMs);
  const payload = { tenantId, campaignId: thread.campaign_id, threadId: thread.id };
  await queue.ring(tx, [{ job: "reply-to-thread", payload, runAt: new Date(realNow.getTime() + delayMs) }]);
}

/** True when an answer of the service's own is to leave. */
async function obey(ctx: Context, tx: Tx, it: Incoming, wish: Wish): Promise<boolean> {
  const { tenantId, text, thread } = it;
  if (thread) {
    thread.answered_step = thread.last_inbound_step;
    thread.reply_due_at = null;
  }
  if (wish.keyword === "help") return answer(ctx, tx, it, "help", helpText);
  const [consent] = await optOuts.lock(tx, tenantId, [text.from]);
  // Carriers deliver out of order: an older word never undoes a newer one.
  if (consent!.keyword_at !== null && text.sentAt < consent!.keyword_at) return false;
  if (wish.keyword === "start") {
    if (consent!.opted_out_at === null) return false;
    await optOuts.optIn(tx, tenantId, text.from, text.sentAt);
    return answer(ctx, tx, it, "confirmation", optInConfirmation);
  }
  const source = keywordOf(text.text) === "stop" ? "keyword" : "free_text";
  const isNew = await optOuts.optOut(tx, tenantId, text.from, {
    source,
    quote: wish.quote,
    at: text.sentAt,
    newId: ctx.newId,
    isSettled: true,
  });
  if (isNew) await answer(ctx, tx, it, "confirmation", optOutConfirmation);
  return isNew;
}

/** The service's own one-line answer, in the sender's name. */
async function answer(
  ctx: Context,
  tx: Tx,
  { tenantId, text, lane, thread, now }: Incoming,
  kind: MessagePurpose,
  wording: (organization: string) => string,
): Promise<true> {
  const campaign = thread && (await campaigns.get(tx, tenantId, thread.campaign_id));
  const organization = campaign && (await organizations.find(tx, tenantId, campaign.organization_id));
  await messages.insert(tx, tenantId, {
    id: ctx.newId(),
    campaignId: thread?.campaign_id ?? NO_ID,
    threadId: thread?.id ?? null,
    laneId: lane.id,
    phone: text.from,
    kind,
    step: thread ? thread.next_step++ : 0,
    text: wording(organization?.name ?? ""),
    at: now,
  });
  await queue.ring(tx, [{ job: "drain-lane", payload: { tenantId, laneId: lane.id } }]);
  return true;
}
