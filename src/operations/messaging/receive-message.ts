import { isUndoneByStart, withBasis } from "#domain/compliance/consent.ts";
import { helpText, isPlainStop, keywordOf, optInConfirmation, optOutConfirmation } from "#domain/compliance/keyword.ts";
import { wishOf } from "#domain/compliance/opt-out.ts";
import { MOST_MEDIA } from "#domain/messaging/media.ts";
import type { MessagePurpose } from "#domain/messaging/message.ts";
import { normalizePhone } from "#domain/phones/phone.ts";
import { NO_ID, type Uuid } from "#domain/values/id.ts";
import { isAccount } from "#operations/carriers.ts";
import type { Context } from "#operations/context.ts";
import type { InboundText } from "#ports/sms-carrier.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as consents from "#store/compliance/consents.ts";
import * as optOuts from "#store/compliance/opt-outs.ts";
import * as erasedPhones from "#store/contacts/erased-phones.ts";
import type { Tx } from "#store/database/db.ts";
import * as queue from "#store/database/queue.ts";
import * as answers from "#store/messaging/answers.ts";
import * as inboundTexts from "#store/messaging/inbound-texts.ts";
import * as media from "#store/messaging/media.ts";
import * as messages from "#store/messaging/messages.ts";
import * as threads from "#store/messaging/threads.ts";
import * as lentCarriers from "#store/numbers/lent-carriers.ts";
import * as lanes from "#store/sending/lanes.ts";

/** `unclear`: it may be an opt-out, and a language model is there to judge. `set_aside`: reading it blocks a process. */
type Wish = {
  keyword: "stop" | "start" | "help" | "unclear" | "set_aside" | undefined;
  /** The contact's own words. Null: they are another tenant's to know. */
  quote: string | null;
  /** It is "unclear" and in the journal as a STOP. */
  isJournaled?: true;
};
/** A text to be stored: where it belongs, and when it came, in the tenant's time and in real time. */
type Incoming = {
  tenantId: Uuid;
  text: InboundText;
  lane: lanes.Lane;
  thread: threads.Thread | undefined;
  now: Date;
  realNow: Date;
};

/**
 * Accepts one text from a carrier: stores it, obeys STOP, START and HELP at once, and schedules the agent's answer. Resolves once all of it is
 * committed. Safe to repeat: a carrier's id counts once.
 */
export async function receiveMessage(ctx: Context, tenantId: Uuid, text: InboundText): Promise<void> {
  const task = { tenantId, kind: "text", id: `${text.carrier} ${text.carrierId}` } as const;
  // A STOP in it is obeyed all the same; anything else in it is for a person.
  const aside = text.keyword === "stop" || isPlainStop(text.text) ? "stop" : "set_aside";
  if (ctx.watch.isSetAside(task)) await take(ctx, tenantId, text, { keyword: aside, quote: text.text });
  else await ctx.watch.run(task, () => take(ctx, tenantId, text, readWish(ctx, text)));
}

/** The carrier's ids of the texts that it has brought since a real time. */
export async function recentTexts(ctx: Context, tenantId: Uuid, carrier: string, since: Date): Promise<string[]> {
  return inboundTexts.idsSince(ctx.db, tenantId, carrier, await tenants.tenantNow(ctx.db, tenantId, since));
}

async function take(ctx: Context, tenantId: Uuid, text: InboundText, wish: Wish): Promise<void> {
  const from = normalizePhone(text.from);
  await journal(ctx, tenantId, from, text, wish);
  await store(ctx, tenantId, text, from, wish).catch(async (error) => {
    if (!(error instanceof CountsAsStop)) throw error;
    await journal(ctx, tenantId, from, text, { ...wish, keyword: "stop" });
    await store(ctx, tenantId, text, from, { ...wish, isJournaled: true });
  });
  // Committed first: nothing new can be claimed for the phone while what was claimed before leaves or fails.
  const stops = wish.keyword === "stop" || wish.keyword === "unclear";
  if (stops && "phone" in from) await optOuts.handedOver(ctx.db, tenantId, [from.phone], ctx.log);
  if (stops && "phone" in from) await stopFormers(ctx, tenantId, { ...text, from: from.phone }, wish);
}

/**
 * A STOP to a number that was another tenant's before is a word to them too, where they have texted or called that phone from it: who says it does not
 * know that the number has moved. An unclear text counts as one. The words are said to who has the number now, and go to nobody else. Repeated with
 * the text, should any of it fail.
 */
async function stopFormers(ctx: Context, tenantId: Uuid, text: InboundText, wish: Wish): Promise<void> {
  if (!isAccount(text.carrier)) return;
  const formers = await lentCarriers.formerHoldersOf(ctx.db, text.carrier, text.to);
  for (const former of formers) {
    if (former.tenantId === tenantId) continue;
    const reached = { phone: text.from, sender: text.to, carrier: former.carrier };
    if (!(await threads.hasReached(ctx.db, former.tenantId, reached))) continue;
    const to = { ...text, carrier: former.carrier };
    await journal(ctx, former.tenantId, { phone: text.from }, to, { ...wish, keyword: "stop" });
    await ctx.db.transaction((tx) => stopOnly(ctx, tx, former.tenantId, to, { ...wish, quote: null }));
    await optOuts.handedOver(ctx.db, former.tenantId, [text.from], ctx.log);
  }
}

/** An unclear text that counts as a STOP: it has to be in the journal before it is stored. */
class CountsAsStop extends Error {}

async function store(
  ctx: Context,
  tenantId: Uuid,
  text: InboundText,
  from: ReturnType<typeof normalizePhone>,
  wish: Wish,
): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const realNow = ctx.now();
    const now = await tenants.tenantNow(tx, tenantId, realNow);
    const lane = await lanes.bySender(tx, tenantId, text.carrier, text.to);
    // Short codes and alphanumeric senders can text us, but cannot be answered.
    const reachable = "phone" in from && lane !== undefined;
    const outcome =
      lane === undefined ? "unknown_number" : reachable ? (wish.keyword ?? "conversation") : "not_a_phone";
    if (!(await inboundTexts.insert(tx, tenantId, text, now, outcome))) {
      // An id that a carrier gives to two texts must not lose the second one's STOP.
      if ("phone" in from && !(await inboundTexts.isSame(tx, tenantId, text)))
        await stopOnly(ctx, tx, tenantId, { ...text, from: from.phone }, wish);
      return;
    }
    if (!lane && "phone" in from) return stopOnly(ctx, tx, tenantId, { ...text, from: from.phone }, wish);
    if (!reachable) return;

    // Before the thread: consents are always locked first.
    if (wish.keyword && wish.keyword !== "help" && wish.keyword !== "set_aside") {
      await optOuts.lock(tx, tenantId, [from.phone]);
      // An erased person who writes again: a START also undoes the opt-out that was kept as a hash.
      await erasedPhones.revive(tx, tenantId, [from.phone], ctx.hashPhone);
    }
    const thread = await threads.lockLatest(tx, tenantId, from.phone, lane.id);
    const incoming: Incoming = { tenantId, text: { ...text, from: from.phone }, lane, thread, now, realNow };
    const promised = promisedPerson(thread);
    await keep(ctx, tx, incoming, wish);
    if (wish.keyword === undefined) {
      await answers.schedule(tx, tenantId, placeOf(incoming));
      if (thread && promised) thread.person_wanted_at = promised;
    } else if (wish.keyword !== "set_aside") await applyKeyword(ctx, tx, incoming, wish);
    else if (thread) thread.person_wanted_at = now;
    if (thread) await threads.save(tx, tenantId, thread, now);
  });
}

/** Since when the contact waits for a person whom the agent's answer named: "thanks", and the agent's answer to it, end no such waiting. */
function promisedPerson(thread: threads.Thread | undefined): Date | null {
  return thread && thread.answered_step === thread.last_inbound_step ? thread.person_wanted_at : null;
}

/**
 * A text to a number that no texts are sent from, for example one that only calls come from. A STOP there is a STOP (47 CFR 64.1200(a)(10): by any
 * reasonable means), and so is an unclear text where no model can judge it; nothing is answered.
 */
async function stopOnly(
  ctx: Context,
  tx: Tx,
  tenantId: Uuid,
  text: InboundText,
  { keyword, quote }: Wish,
): Promise<void> {
  if (keyword !== "stop" && keyword !== "unclear") return;
  const [consent] = await optOuts.lock(tx, tenantId, [text.from]);
  // An older STOP does not undo a newer START.
  if (consent!.keyword_at !== null && text.sentAt < consent!.keyword_at) return;
  const source = isKeyword(text) ? "keyword" : "free_text";
  await optOuts.optOut(tx, tenantId, text.from, {
    source,
    quote,
    at: text.sentAt,
    newId: ctx.newId,
    hash: ctx.hashPhone,
  });
}

/** What a text requests. Where no model can judge an unclear text it counts as a STOP: a missed opt-out is worse than one too many. */
function readWish(ctx: Context, { text, carrier, keyword: known }: InboundText): Wish {
  // First, and without a pattern: whatever a text may do to patterns, a STOP is a STOP.
  if (isPlainStop(text)) return { keyword: "stop", quote: text };
  // A carrier that acts on a keyword of its own list blocks our texts, whatever we take it for.
  const keyword = known ?? keywordOf(text);
  if (keyword !== undefined) return { keyword, quote: text };
  const wish = wishOf(text);
  if (wish.wish === "none") return { keyword: undefined, quote: text };
  const model = ctx.models.forMode(carrier === "simulator" ? "test" : "live");
  return { keyword: wish.wish === "unclear" && !model.capabilities.local ? "unclear" : "stop", quote: wish.quote };
}

const isKeyword = ({ text, keyword }: InboundText): boolean =>
  keyword === "stop" || isPlainStop(text) || keywordOf(text) === "stop";

const placeOf = ({ text, lane, thread, now, realNow }: Incoming): answers.Incoming => ({
  phone: text.from,
  laneId: lane.id,
  thread,
  now,
  realNow,
});

/**
 * Journaled before the commit, so that every acknowledged opt-out or opt-in can be replayed into a restored database. A START is marked as one: it
 * does not undo everything.
 */
async function journal(
  ctx: Context,
  tenantId: Uuid,
  from: ReturnType<typeof normalizePhone>,
  text: InboundText,
  { keyword }: Wish,
): Promise<void> {
  if (!("phone" in from) || (keyword !== "stop" && keyword !== "start")) return;
  const word =
    keyword === "stop"
      ? ({ kind: "opt_out", source: "journal" } as const)
      : ({ kind: "opt_in", source: "keyword" } as const);
  await ctx.journal.append({ ...word, at: text.sentAt.toISOString(), tenantId, phone: from.phone });
}

/** The text itself, at the end of its conversation; one from an unknown sender belongs to none. */
async function keep(ctx: Context, tx: Tx, incoming: Incoming, wish: Wish): Promise<void> {
  const { tenantId, text, lane, thread, now } = incoming;
  const step = thread ? thread.next_step++ : 0;
  const id = ctx.newId();
  await messages.insert(tx, tenantId, {
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
  });
  if (text.media && text.media.length > 0) await noteMedia(ctx, tx, incoming, id);
  if (!thread) return;
  thread.last_inbound_at = now;
  // HELP gets an answer of its own, and the agent's answer to earlier texts is still to come.
  if (wish.keyword !== "help") thread.last_inbound_step = step;
  // A contact who answers has been reached, whatever the carrier has reported so far.
  thread.first_sent_at ??= now;
  await threads.move(
    tx,
    tenantId,
    [{ campaignId: thread.campaign_id, threadId: thread.id, state: "replied", reason: null }],
    ctx.newId(),
    now,
  );
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

/** Carries out a STOP, START, HELP or unclear text, with the service's own answer to it. */
async function applyKeyword(ctx: Context, tx: Tx, incoming: Incoming, wish: Wish): Promise<void> {
  const { tenantId, text, thread } = incoming;
  const answer = async (kind: MessagePurpose, wording: (organization: string) => string) => {
    // The carrier has answered already.
    if (text.isAnswered) return;
    await answers.insertOwn(tx, tenantId, placeOf(incoming), { id: ctx.newId(), kind, wording });
    await lanes.wake(tx, tenantId, [incoming.lane.id], incoming.now);
  };
  if (wish.keyword === "help") return answer("help", helpText);
  if (thread) {
    thread.reply_due_at = null;
    thread.person_wanted_at = null;
    // A text that is in doubt may still have to be answered.
    if (wish.keyword !== "unclear") thread.answered_step = thread.last_inbound_step;
  }
  const [consent] = await optOuts.lock(tx, tenantId, [text.from]);
  const before = consent!.keyword_at;
  if (wish.keyword === "start") {
    // Said in a call, and not written yet: a START does not undo that.
    if (consent!.doubt_call_id !== null) return;
    // Carriers deliver out of order, and some report times only to the second: only a START that is surely later undoes a STOP.
    const doubtedAt = consent!.doubted_at;
    if (doubtedAt !== null && text.sentAt > doubtedAt) await optOuts.endDoubt(tx, tenantId, text.from);
    if (before !== null && text.sentAt <= before) return;
    if (consent!.opted_out_at === null) {
      // Nothing to undo; but an earlier STOP may arrive later, and must then be recognised as the older one.
      if (doubtedAt === null || text.sentAt > doubtedAt) await optIn(tx, incoming);
      return;
    }
    if (!isUndoneByStart(consent!.opt_out_source)) return;
    await optIn(tx, incoming);
    await recordStart(ctx, tx, incoming);
    return answer("confirmation", optInConfirmation);
  }
  // An older STOP does not undo a newer START.
  if (before !== null && text.sentAt < before) return;
  if (wish.keyword === "unclear" && consent!.opted_out_at === null && consent!.doubted_at === null) {
    await optOuts.doubt(tx, tenantId, text.from, text);
    await queue.enqueue(tx, [{ job: "judge-opt-out", payload: { tenantId, phone: text.from } }]);
    return;
  }
  // A second unclear text while the first is being judged counts as an opt-out.
  if (wish.keyword === "unclear" && !wish.isJournaled) throw new CountsAsStop();
  const source = isKeyword(text) ? "keyword" : "free_text";
  if (thread) {
    thread.call_scheduled_at = null;
    thread.transfer_requested_at = null;
  }
  const isNew = await optOuts.optOut(tx, tenantId, text.from, {
    source,
    quote: wish.quote,
    at: text.sentAt,
    newId: ctx.newId,
    hash: ctx.hashPhone,
  });
  if (isNew) await answer("confirmation", (organization) => optOutConfirmation(organization, text.text));
}

async function optIn(tx: Tx, { tenantId, text, thread }: Incoming): Promise<void> {
  await optOuts.optIn(tx, tenantId, text.from, text.sentAt);
  // As it is in the database now: the thread was read before this change and is saved after it.
  if (thread) thread.do_not_message = false;
}

/** START is the contact's own consent to texts. What else a STOP ended stays ended. */
async function recordStart(ctx: Context, tx: Tx, { tenantId, text, now }: Incoming): Promise<void> {
  const given = { basis: "express", channel: "sms" } as const;
  const record = { ...given, id: ctx.newId(), phone: text.from, source: "keyword", quote: text.text, at: text.sentAt };
  await consents.insert(tx, tenantId, [{ ...record, event: "resubscribed", proof: null }], now);
  const bases = withBasis([], { ...given, at: text.sentAt });
  await consents.saveBases(tx, tenantId, [{ phone: text.from, bases }]);
}
