import { SIMULATOR } from "#domain/accounts/tenant-clock.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { HandsetOutgoing, Owed, SimulatorStore } from "#ports/handset-network.ts";
import type { CarrierEvents, DeliveryReceipt, InboundText } from "#ports/sms-carrier.ts";
import { type Behavior, behaviorOf } from "./behavior.ts";

/** As large as a claim: one receipt transaction for one of sending. */
const BATCH = 500;
/** Texts that are brought together, as webhooks of one moment. */
const TOGETHER = 100;
/**
 * What is owed is locked meanwhile, by a transaction that the server ends once it has been idle for fifteen seconds, and a STOP may have to wait for
 * six of them: nothing more is brought by it after so long.
 */
const BRING_FOR_MS = 4_000;

type Deliveries = Pick<CarrierEvents, "inbound"> & Partial<Pick<CarrierEvents, "receipts">>;

/**
 * Delivers what the simulated carrier owes by now: receipts for texts, and handsets' texts to us. Answers with how many
 * it delivered. Any number of processes may do so at once; what a crash cuts off is delivered again, as carriers do.
 * Give `events` without `receipts` for a carrier that sends none.
 */
export async function deliverOwed(
  store: SimulatorStore,
  events: Deliveries,
  now: Date,
  signal: AbortSignal,
  steadyMs: () => number = () => performance.now(),
): Promise<number> {
  let delivered = 0;
  for (const { tenantId, tenantNow } of await store.owing(now)) {
    for (let isMore = true; isMore && !signal.aborted; ) {
      isMore = false;
      delivered += await store.serveOwed(tenantId, tenantNow, BATCH, async (owed) => {
        const until = steadyMs() + BRING_FOR_MS;
        const done = await serve(store, events, tenantId, { owed, now: tenantNow }, () => steadyMs() < until);
        isMore = owed.length === BATCH || done.served.length < owed.length;
        return done;
      });
    }
  }
  return delivered;
}

type Batch = { owed: readonly Owed[]; now: Date };

async function serve(
  store: SimulatorStore,
  events: Deliveries,
  tenantId: Uuid,
  { owed, now }: Batch,
  goesOn: () => boolean,
): Promise<{ served: Owed[]; answer: HandsetOutgoing[] }> {
  const scripts = await store.scripts(tenantId, [...new Set(owed.map((text) => text.handset))]);
  const behaviors = owed.map((text) => behaviorOf(text.handset, scripts.get(text.handset)));
  await bringReceipts(events, tenantId, owed, behaviors);
  const brought = await bringTexts(events, tenantId, owed, behaviors, goesOn);
  const served = owed.filter((text) => text.kind === "receipt" || brought.has(text));
  return { served, answer: await answersTo(store, tenantId, owed, behaviors, now) };
}

async function bringReceipts(
  events: Deliveries,
  tenantId: Uuid,
  owed: readonly Owed[],
  behaviors: readonly Behavior[],
): Promise<void> {
  if (!events.receipts) return;
  const receipts: DeliveryReceipt[] = [];
  const again: DeliveryReceipt[] = [];
  for (const [i, { kind, ref, seq }] of owed.entries()) {
    if (kind !== "receipt" || ref === null) continue;
    const theirs = behaviors[i]!.receipts.map((receipt) => ({ ...receipt, ref, carrierId: `sim_${seq}` }));
    receipts.push(...theirs);
    if (behaviors[i]!.duplicates) again.push(...theirs.toReversed());
  }
  // The last word first, and everything once more after it.
  for (const receipt of again) await events.receipts(tenantId, [receipt]);
  if (receipts.length > 0) await events.receipts(tenantId, receipts);
}

/** As webhooks of one moment, each handset's in order, and again where a handset has everything brought twice. Answers with those that were brought. */
async function bringTexts(
  events: Deliveries,
  tenantId: Uuid,
  owed: readonly Owed[],
  behaviors: readonly Behavior[],
  goesOn: () => boolean,
): Promise<Set<Owed>> {
  const texts = owed.flatMap((text, i) =>
    text.kind === "inbound" ? [{ text, comesTwice: behaviors[i]!.duplicates }] : [],
  );
  const brought = new Set<Owed>();
  for (let i = 0; i < texts.length && (i === 0 || goesOn()); i += TOGETHER) {
    const some = texts.slice(i, i + TOGETHER);
    const again = some.filter(({ comesTwice }) => comesTwice);
    for (const them of [some, again]) {
      if (them.length > 0)
        await events.inbound(
          tenantId,
          them.map(({ text }) => webhookOf(text)),
        );
    }
    for (const { text } of some) brought.add(text);
  }
  return brought;
}

const webhookOf = (text: Owed): InboundText => ({
  carrier: SIMULATOR,
  carrierId: `sim_${text.seq}`,
  from: text.handset,
  to: text.number,
  text: text.text,
  sentAt: text.at,
});

/** What handsets say to the texts they got, after their time. Nobody answers a confirmation. */
async function answersTo(
  store: SimulatorStore,
  tenantId: Uuid,
  owed: readonly Owed[],
  behaviors: readonly Behavior[],
  now: Date,
): Promise<HandsetOutgoing[]> {
  const talkative = owed.flatMap((text, i) => {
    const behavior = behaviors[i]!;
    const answers =
      text.kind === "receipt" && text.purpose !== "confirmation" && text.purpose !== "help" && behavior.says.length > 0;
    return answers ? [{ text, behavior }] : [];
  });
  if (talkative.length === 0) return [];
  const said = await store.saidCounts(
    tenantId,
    talkative.map(({ text }) => text.handset),
  );
  return talkative.flatMap(({ text: owedText, behavior }) => {
    const key = `${owedText.handset} ${owedText.number}`;
    const n = said.get(key) ?? 0;
    said.set(key, n + 1);
    const text = behavior.says[n];
    return text === undefined
      ? []
      : [
          {
            handset: owedText.handset,
            number: owedText.number,
            text,
            at: new Date(now.getTime() + behavior.answerDelayMs),
          },
        ];
  });
}
