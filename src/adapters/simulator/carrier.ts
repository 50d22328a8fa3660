import { setTimeout as pause } from "node:timers/promises";
import { SIMULATOR } from "#domain/accounts/tenant-clock.ts";
import type { CallingWindows } from "#domain/compliance/calling-window.ts";
import type { NumberPlan } from "#domain/phones/number-plan.ts";
import { normalizePhone } from "#domain/phones/phone.ts";
import { placeOf } from "#domain/phones/place.ts";
import type { CallStore } from "#ports/call-store.ts";
import type { HandsetNetwork, SimulatorStore } from "#ports/handset-network.ts";
import type { OutgoingText, SendOutcome, SmsCarrier } from "#ports/sms-carrier.ts";
import type { JoinSound } from "#ports/sound-bridge.ts";
import { behaviorOf } from "./behavior.ts";

export type SimulatorSettings = {
  latencyMs: number;
  /** Texts a second for a sender; 0 = unlimited. */
  ratePerSecond: number;
  /** The share of accepted texts whose reply is lost. */
  lostReplyRate: number;
  /** How long after a text its receipt comes. */
  receiptMs: number;
  /** How it lets an attempt in doubt be settled: it can be asked, or its receipts show it, or nothing does. */
  reports: "lookup" | "receipt" | "nothing";
  profile: "strict" | "federal";
};

type Parts = { store: SimulatorStore; plan: NumberPlan; windows: CallingWindows; random: () => number };

/** How long a rate-limited sender has to wait. */
const RETRY_AFTER_MS = 200;
/** Shorter than any real carrier's: its database is ours. */
const SETTLE_MS = 2_000;
/** Of its latency, what passes before it has the texts; the rest before it answers. */
const ON_THE_WAY_MS = 1_000;
/** Its receipts come this soon after they are due, or not at all. */
const RECEIPT_WITHIN_MS = 10_000;

/** The simulated carrier: commits what it accepts before it answers, and never looks whether it had it before. */
export function simulatedCarrier(parts: Parts, settings: SimulatorSettings): SmsCarrier {
  const { store, random } = parts;
  return {
    name: SIMULATOR,
    capabilities: {
      lookupByRef: settings.reports === "lookup",
      callbackCarriesRef: settings.reports !== "nothing",
      settleMs: SETTLE_MS,
      callbackWithinMs: settings.receiptMs + RECEIPT_WITHIN_MS,
      defaultRatePerSecond: settings.ratePerSecond || undefined,
      media: true,
    },
    mayUseSender: async (_tenantId, sender) => "phone" in normalizePhone(sender),

    async send({ tenantId, sender, now, texts, mayLeave }) {
      const onTheWayMs = Math.min(settings.latencyMs, ON_THE_WAY_MS);
      if (onTheWayMs > 0) await pause(onTheWayMs);
      const scripts = await store.scripts(
        tenantId,
        texts.map((text) => text.to),
      );
      const behaviors = texts.map((text) => behaviorOf(text.to, scripts.get(text.to)));
      // A reference's last digit is as good as chance, and give the same result when the run is repeated.
      const refused = texts.map((text, i) => behaviors[i]!.rateLimited && Number.parseInt(text.ref.at(-1)!, 16) < 8);
      const barred = behaviors.map((behavior) => behavior.suspends);
      const late = texts.map((text) => !mayLeave(text));
      const taken = texts.filter((_, i) => !refused[i] && !barred[i] && !late[i]);
      const at = now;
      const seqs =
        taken.length === 0
          ? []
          : await store.accept(
              tenantId,
              taken.map((text) => ({
                ...text,
                handset: text.to,
                number: sender,
                at,
                outsideWindow: isOutsideWindow(parts, settings, text, at),
                receiptAt: new Date(at.getTime() + settings.receiptMs),
              })),
            );
      if (settings.latencyMs > onTheWayMs) await pause(settings.latencyMs - onTheWayMs);
      let next = 0;
      return texts.map((_, i): SendOutcome => {
        if (late[i]) return { outcome: "not_sent", code: "held_up", retryAfterMs: 0 };
        if (barred[i]) return { outcome: "barred", because: "carrier_account_suspended", code: "30002" };
        if (refused[i]) return { outcome: "not_sent", code: "429", retryAfterMs: RETRY_AFTER_MS };
        const carrierId = `sim_${seqs[next++]}`;
        const lost = behaviors[i]!.losesReply || (settings.lostReplyRate > 0 && random() < settings.lostReplyRate);
        return lost ? { outcome: "uncertain", code: "reply_lost" } : { outcome: "accepted", carrierId };
      });
    },

    async lookUp(tenantId, attempts) {
      const found = await store.byRefs(
        tenantId,
        attempts.map(({ ref }) => ref),
      );
      return new Map([...found].map(([ref, seq]) => [ref, { carrierId: `sim_${seq}` }]));
    },
  } satisfies SmsCarrier;
}

/** The carrier's own opinion on hours: by the number, or the zones that the sender vouches for. */
function isOutsideWindow(
  { plan, windows }: Parts,
  { profile }: SimulatorSettings,
  text: OutgoingText,
  at: Date,
): boolean {
  if (text.purpose !== "start" && text.purpose !== "drip") return false;
  const place =
    text.zones.length > 0 ? { zones: text.zones, states: [] } : placeOf({ phone: text.to, fields: {} }, plan);
  return !windows(at, place, { profile, channel: "sms" }).open;
}

/** The same network from its handsets' side. */
export function handsetNetwork(store: SimulatorStore, calls: CallStore, join: JoinSound): HandsetNetwork {
  return {
    async text(tenantId, { handset, to, text }, now) {
      const [seq] = await store.fromHandsets(tenantId, [{ handset, number: to, text, at: now }]);
      return { carrierId: `sim_${seq}` };
    },
    async call(tenantId, { handset, to, says }, now) {
      return { carrierId: `sim_${await calls.fromHandset(tenantId, { handset, number: to, says, at: now })}` };
    },
    async handset(tenantId, phone) {
      const [scripts, messages] = await Promise.all([store.scripts(tenantId, [phone]), store.read(tenantId, phone)]);
      return { behavior: scripts.get(phone)?.behavior ?? null, messages };
    },
    handsets: (tenantId, after, limit) => store.list(tenantId, after, limit),
    calls: (tenantId, phone, now) => calls.read(tenantId, phone, now),
    async act(tenantId, { phone, carrierId }, action, now) {
      const seq = seqOf(carrierId);
      return seq !== undefined && calls.ask(tenantId, { handset: phone, seq }, action, now);
    },
    async takeBySound(tenantId, { phone, carrierId }, now) {
      const seq = seqOf(carrierId);
      const address = seq && (await calls.soundAt(tenantId, { handset: phone, seq }, now));
      return address ? join(address, carrierId) : undefined;
    },
    script: (tenantId, phone, script) => store.saveScript(tenantId, phone, script),
    async traffic(tenantId, campaign) {
      const [texts, ofCalls] = await Promise.all([
        store.traffic(tenantId, campaign),
        calls.traffic(tenantId, campaign),
      ]);
      return { ...texts, calls: ofCalls };
    },
  };
}

const seqOf = (carrierId: string): string | undefined => /^sim_(\d{1,18})$/.exec(carrierId)?.[1];
