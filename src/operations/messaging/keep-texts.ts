import { MOST_MEDIA } from "#domain/messaging/media.ts";
import { normalizePhone } from "#domain/phones/phone.ts";
import { NO_ID, type Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import type { InboundText } from "#ports/sms-carrier.ts";
import * as tenants from "#store/accounts/tenants.ts";
import type { Tx } from "#store/database/db.ts";
import * as queue from "#store/database/queue.ts";
import * as answers from "#store/messaging/answers.ts";
import * as inboundTexts from "#store/messaging/inbound-texts.ts";
import * as media from "#store/messaging/media.ts";
import * as messages from "#store/messaging/messages.ts";
import * as threads from "#store/messaging/threads.ts";
import * as lanes from "#store/sending/lanes.ts";

/** A text to be stored: where it belongs, and when it came, in the tenant's time and in real time. */
export type Incoming = {
  tenantId: Uuid;
  text: InboundText;
  lane: lanes.Lane;
  thread: threads.Thread | undefined;
  now: Date;
  realNow: Date;
};

/**
 * Stores texts that request nothing, all in one transaction, and schedules the agents' answers. Those of one sender come in order. A carrier's id counts
 * once.
 */
export function keepConversation(ctx: Context, tenantId: Uuid, texts: readonly InboundText[]): Promise<void> {
  return ctx.db.transaction(async (tx) => {
    const realNow = ctx.now();
    const now = await tenants.tenantNow(tx, tenantId, realNow);
    const laneOf = await lanesOf(tx, tenantId, texts);
    const brought = texts.map((text) => {
      const from = normalizePhone(text.from);
      const phone = "phone" in from ? from.phone : undefined;
      const lane = laneOf(text);
      return { ...text, whole: text, phone, lane, outcome: outcomeOf({ phone, lane }, "conversation") };
    });
    const texting = (await inboundTexts.insert(tx, tenantId, brought, now)).flatMap(({ whole, phone, lane }) =>
      phone === undefined || lane === undefined ? [] : [{ text: { ...whole, from: phone }, lane }],
    );
    const places = new Map(
      texting.map(({ text, lane }) => [placeOf(text.from, lane.id), { phone: text.from, laneId: lane.id }]),
    );
    const found = await threads.lockLatest(tx, tenantId, [...places.values()]);
    const threadOf = new Map(found.map((thread) => [placeOf(thread.phone, thread.lane_id), thread]));
    const incoming = texting.map(({ text, lane }): Incoming => {
      const thread = threadOf.get(placeOf(text.from, lane.id));
      return { tenantId, text, lane, thread, now, realNow };
    });
    const promised = new Map(found.map((thread) => [thread, promisedPerson(thread)]));
    await keep(ctx, tx, tenantId, incoming, { isHelp: false, now });
    await answers.schedule(tx, tenantId, found, { now, realNow });
    for (const [thread, since] of promised) if (since) thread.person_wanted_at = since;
    await threads.save(tx, tenantId, found, now);
  });
}

const placeOf = (phone: string, laneId: Uuid): string => `${phone} ${laneId}`;

/** Short codes and alphanumeric senders can text us, but cannot be answered. */
export const outcomeOf = <T extends string>(
  { phone, lane }: { phone: string | undefined; lane: lanes.Lane | undefined },
  wish: T,
): T | "unknown_number" | "not_a_phone" =>
  lane === undefined ? "unknown_number" : phone === undefined ? "not_a_phone" : wish;

/** The lanes of the few numbers that the texts came to. */
async function lanesOf(tx: Tx, tenantId: Uuid, texts: readonly InboundText[]) {
  const key = ({ carrier, to }: InboundText) => `${carrier} ${to}`;
  const found = new Map<string, lanes.Lane | undefined>();
  for (const text of texts) {
    if (!found.has(key(text))) found.set(key(text), await lanes.bySender(tx, tenantId, text.carrier, text.to));
  }
  return (text: InboundText) => found.get(key(text));
}

/** Since when the contact waits for a person whom the agent's answer named: "thanks", and the agent's answer to it, end no such waiting. */
function promisedPerson(thread: threads.Thread): Date | null {
  return thread.answered_step === thread.last_inbound_step ? thread.person_wanted_at : null;
}

/** The texts themselves, at the ends of their conversations; one from an unknown sender belongs to none. The caller saves the threads. */
export async function keep(
  ctx: Context,
  tx: Tx,
  tenantId: Uuid,
  them: readonly Incoming[],
  { isHelp, now }: { isHelp: boolean; now: Date },
): Promise<void> {
  const kept = them.map((incoming) => ({
    ...incoming,
    id: ctx.newId(),
    step: incoming.thread ? incoming.thread.next_step++ : 0,
  }));
  await messages.insert(
    tx,
    tenantId,
    kept.map(({ id, step, text, lane, thread }) => ({
      id,
      campaignId: thread?.campaign_id ?? NO_ID,
      threadId: thread?.id ?? null,
      laneId: lane.id,
      phone: text.from,
      kind: "inbound",
      step,
      text: text.text,
      carrierId: text.carrierId,
      at: now,
    })),
  );
  for (const one of kept) if (one.text.media && one.text.media.length > 0) await noteMedia(ctx, tx, one, one.id);
  for (const { thread, step } of kept) {
    if (!thread) continue;
    thread.last_inbound_at = now;
    // HELP gets an answer of its own, and the agent's answer to earlier texts is still to come.
    if (!isHelp) thread.last_inbound_step = step;
    // A contact who answers has been reached, whatever the carrier has reported so far.
    thread.first_sent_at ??= now;
  }
  const replied = [...new Set(kept.flatMap(({ thread }) => thread ?? []))];
  const moves = replied.map(
    ({ campaign_id, id }) => ({ campaignId: campaign_id, threadId: id, state: "replied", reason: null }) as const,
  );
  await threads.move(tx, tenantId, moves, ctx.newId(), now);
}

/** What came with it, to be fetched once all of this is committed. */
async function noteMedia(
  ctx: Context,
  tx: Tx,
  { tenantId, text, thread, now, realNow }: Incoming,
  messageId: Uuid,
): Promise<void> {
  const them = (text.media ?? []).slice(0, MOST_MEDIA).map((one) => ({ ...one, id: ctx.newId() }));
  const of = { campaignId: thread?.campaign_id ?? NO_ID, messageId, phone: text.from, carrier: text.carrier };
  await media.insert(tx, tenantId, { ...of, now, realNow }, them);
  await queue.enqueue(tx, [{ job: "fetch-media", payload: { tenantId, messageId } }]);
}
