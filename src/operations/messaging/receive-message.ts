import { isUndoneByStart, withBasis } from "#domain/compliance/consent.ts";
import { helpText, isPlainStop, keywordOf, optInConfirmation, optOutConfirmation } from "#domain/compliance/keyword.ts";
import { wishOf } from "#domain/compliance/opt-out.ts";
import type { MessagePurpose } from "#domain/messaging/message.ts";
import { normalizePhone } from "#domain/phones/phone.ts";
import type { Uuid } from "#domain/values/id.ts";
import { isAccount } from "#operations/carriers.ts";
import { type Context, isAway } from "#operations/context.ts";
import type { InboundText } from "#ports/sms-carrier.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as consents from "#store/compliance/consents.ts";
import * as optOuts from "#store/compliance/opt-outs.ts";
import * as erasedPhones from "#store/contacts/erased-phones.ts";
import type { Tx } from "#store/database/db.ts";
import * as queue from "#store/database/queue.ts";
import { together } from "#store/database/together.ts";
import * as answers from "#store/messaging/answers.ts";
import * as inboundTexts from "#store/messaging/inbound-texts.ts";
import * as threads from "#store/messaging/threads.ts";
import * as lentCarriers from "#store/numbers/lent-carriers.ts";
import * as lanes from "#store/sending/lanes.ts";
import { type Incoming, keep, keepConversation, outcomeOf } from "./keep-texts.ts";

/** `unclear`: it may be an opt-out, and a language model is there to judge. `set_aside`: reading it blocks a process. */
type Wish = {
  keyword: "stop" | "start" | "help" | "unclear" | "set_aside" | undefined;
  /** The contact's own words. Null: they are another tenant's to know. */
  quote: string | null;
  /** It is "unclear" and in the journal as a STOP. */
  isJournaled?: true;
};
/** Texts with a wish that are stored at one time: each takes a connection of the process, which others need too. */
const WISHES_AT_ONCE = 4;

/**
 * Accepts one text from a carrier: stores it, obeys STOP, START and HELP at once, and schedules the agent's answer. Resolves once all of it is
 * committed. Safe to repeat: a carrier's id counts once.
 */
export const receiveMessage = (ctx: Context, tenantId: Uuid, text: InboundText): Promise<void> =>
  receiveMessages(ctx, tenantId, [text]);

/**
 * The same for texts of one moment: those that request nothing are stored together, with those that others have brought meanwhile. Texts of one sender are taken in in their order. Where one cannot
 * be stored the others are, and it rejects after them.
 */
export async function receiveMessages(ctx: Context, tenantId: Uuid, texts: readonly InboundText[]): Promise<void> {
  const read: Read[] = [];
  for (const text of texts) read.push({ text, wish: await wishIn(ctx, tenantId, text) });
  const senders = [...Map.groupBy(read, ({ text }) => text.from).values()];
  const talk = senders.filter((theirs) => theirs.every(({ wish }) => wish.keyword === undefined)).flat();
  const wishing = senders.filter((theirs) => theirs.some(({ wish }) => wish.keyword !== undefined)).values();
  const failures: unknown[] = [];
  const noting = (work: Promise<void>) => work.catch((error) => void failures.push(error));
  const obey = async () => {
    for (const theirs of wishing) {
      await noting(inTurn(ctx, tenantId, theirs));
    }
  };
  await Promise.all(Array.from({ length: WISHES_AT_ONCE }, obey));
  if (talk.length > 0) await noting(converse(ctx, tenantId, talk));
  const stops = read.filter(({ wish }) => wish.keyword === "stop" || wish.keyword === "unclear");
  if (stops.length > 0) await noting(heedStops(ctx, tenantId, stops));
  if (failures.length > 0) throw failures[0];
}

type Read = { text: InboundText; wish: Wish };

async function inTurn(ctx: Context, tenantId: Uuid, theirs: readonly Read[]): Promise<void> {
  for (const { text, wish } of theirs) {
    if (wish.keyword === undefined) await keepConversation(ctx, tenantId, [text]);
    else await take(ctx, tenantId, text, wish);
  }
}

/** With those of other webhooks of the moment. Those that cannot be stored keep no others from it. */
async function converse(ctx: Context, tenantId: Uuid, talk: readonly Read[]): Promise<void> {
  const texts = talk.map(({ text }) => text);
  await together(ctx, "keep-conversation", tenantId, texts, async (of, id, sets) => {
    await (sets.length === 1 ? keepEach(of, id, sets[0]!) : keepConversation(of, id, sets.flat()));
    return new Map();
  });
}

async function keepEach(ctx: Context, tenantId: Uuid, texts: readonly InboundText[]): Promise<void> {
  await keepConversation(ctx, tenantId, texts).catch(async (error) => {
    if (texts.length === 1 || isAway(error)) throw error;
    const each = [];
    for (const text of texts) each.push(...(await Promise.allSettled([keepConversation(ctx, tenantId, [text])])));
    const failed = each.find((one) => one.status === "rejected");
    if (failed) throw failed.reason;
  });
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
}

/** They are committed: nothing new can be claimed for the phones, while what was claimed before leaves or fails. */
async function heedStops(ctx: Context, tenantId: Uuid, stops: readonly Read[]): Promise<void> {
  const them = stops.flatMap(({ text, wish }) => {
    const from = normalizePhone(text.from);
    return "phone" in from ? [{ text: { ...text, from: from.phone }, wish }] : [];
  });
  const phones = [...new Set(them.map(({ text }) => text.from))];
  if (phones.length > 0) await optOuts.handedOver(ctx.db, tenantId, phones, ctx);
  for (const { text, wish } of them) await stopFormers(ctx, tenantId, text, wish);
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
    await optOuts.handedOver(ctx.db, former.tenantId, [text.from], ctx);
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
    const phone = "phone" in from ? from.phone : undefined;
    const row = { ...text, outcome: outcomeOf({ phone, lane }, wish.keyword ?? "conversation") };
    if ((await inboundTexts.insert(tx, tenantId, [row], now)).length === 0) {
      // An id that a carrier gives to two texts must not lose the second one's STOP.
      if ("phone" in from && !(await inboundTexts.isSame(tx, tenantId, text)))
        await stopOnly(ctx, tx, tenantId, { ...text, from: from.phone }, wish);
      return;
    }
    if (!("phone" in from)) return;
    if (!lane) return stopOnly(ctx, tx, tenantId, { ...text, from: from.phone }, wish);

    // Before the thread: consents are always locked first.
    if (wish.keyword !== "help" && wish.keyword !== "set_aside") {
      await optOuts.lock(tx, tenantId, [from.phone]);
      // An erased person who writes again: a START also undoes the opt-out that was kept as a hash.
      await erasedPhones.revive(tx, tenantId, [from.phone], ctx.hashPhone);
    }
    const [thread] = await threads.lockLatest(tx, tenantId, [{ phone: from.phone, laneId: lane.id }]);
    const incoming: Incoming = { tenantId, text: { ...text, from: from.phone }, lane, thread, now, realNow };
    await keep(ctx, tx, tenantId, [incoming], { isHelp: wish.keyword === "help", now });
    if (wish.keyword !== "set_aside") await applyKeyword(ctx, tx, incoming, wish);
    else if (thread) thread.person_wanted_at = now;
    if (thread) await threads.save(tx, tenantId, [thread], now);
  });
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

/** What a text requests. One whose reading has blocked two processes is not read: a STOP in it is obeyed all the same, anything else is for a person. */
async function wishIn(ctx: Context, tenantId: Uuid, text: InboundText): Promise<Wish> {
  const task = { tenantId, kind: "text", id: `${text.carrier} ${text.carrierId}` } as const;
  if (!ctx.watch.isSetAside(task)) return ctx.watch.run(task, async () => readWish(ctx, text));
  const keyword = text.keyword === "stop" || isPlainStop(text.text) ? "stop" : "set_aside";
  return { keyword, quote: text.text };
}

/** Where no model can judge an unclear text it counts as a STOP: a missed opt-out is worse than one too many. */
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
