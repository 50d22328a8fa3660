import { SIMULATOR } from "#domain/accounts/tenant-clock.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { HandsetOutgoing, Owed, SimulatorStore } from "#ports/handset-network.ts";
import type { CarrierEvents, DeliveryReceipt } from "#ports/sms-carrier.ts";
import { type Behavior, behaviorOf } from "./behavior.ts";

/** As large as a claim: one receipt transaction for one of sending. */
const BATCH = 500;
/** Fewer than the connections of a process: what settles a text on its way needs one too. */
const WEBHOOKS_AT_ONCE = 4;

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
): Promise<number> {
  let delivered = 0;
  for (const { tenantId, tenantNow } of await store.owing(now)) {
    let served = BATCH;
    while (served === BATCH && !signal.aborted) {
      served = await store.serveOwed(tenantId, tenantNow, BATCH, (owed) =>
        serve(store, events, tenantId, owed, tenantNow),
      );
      delivered += served;
    }
  }
  return delivered;
}

async function serve(
  store: SimulatorStore,
  events: Deliveries,
  tenantId: Uuid,
  owed: readonly Owed[],
  now: Date,
): Promise<HandsetOutgoing[]> {
  const scripts = await store.scripts(tenantId, [...new Set(owed.map((text) => text.handset))]);
  const behaviors = owed.map((text) => behaviorOf(text.handset, scripts.get(text.handset)));
  await bringReceipts(events, tenantId, owed, behaviors);
  await bringTexts(events, tenantId, owed, behaviors);
  return answersTo(store, tenantId, owed, behaviors, now);
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

/** Each as a webhook of its own. A handset's texts come in order; what one of them has to wait for holds up no other handset. */
async function bringTexts(
  events: Deliveries,
  tenantId: Uuid,
  owed: readonly Owed[],
  behaviors: readonly Behavior[],
): Promise<void> {
  const texts = owed.flatMap((text, i) =>
    text.kind === "inbound" ? [{ text, times: behaviors[i]!.duplicates ? 2 : 1 }] : [],
  );
  const handsets = [...Map.groupBy(texts, ({ text }) => text.handset).values()].values();
  const bring = async () => {
    for (const theirs of handsets) {
      for (const { text: owedText, times } of theirs) {
        const text = {
          carrier: SIMULATOR,
          carrierId: `sim_${owedText.seq}`,
          from: owedText.handset,
          to: owedText.number,
          text: owedText.text,
          sentAt: owedText.at,
        };
        for (let time = 0; time < times; time++) await events.inbound(tenantId, text);
      }
    }
  };
  await Promise.all(Array.from({ length: WEBHOOKS_AT_ONCE }, bring));
}

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
