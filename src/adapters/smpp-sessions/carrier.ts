import { type Part, partsOf } from "#adapters/smpp-pdus/parts.ts";
import { idOfAnswer } from "#adapters/smpp-pdus/receipt.ts";
import { codeOf, meaningOf, STATUS } from "#adapters/smpp-pdus/status.ts";
import { shortTlv, TLV } from "#adapters/smpp-pdus/tlvs.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { DeliveryReceipt, OutgoingText, SendOutcome, SmsBatch, SmsCarrier } from "#ports/sms-carrier.ts";
import { type Answer, NoAnswer } from "./link.ts";
import { marking } from "./marking.ts";
import type { Pace } from "./pace.ts";
import type { Session } from "./session.ts";
import { addressOf, type SmppSettings } from "./settings.ts";

/** A batch has its whole answer by then: a text begins within the first part of it, and its answer is waited for in the rest. */
const ANSWERS_WITHIN_MS = 45_000;
const BEGINS_WITHIN_MS = 25_000;
/** What could not begin within that, or found the session gone, is claimed again soon: by whoever has the session then. */
const AGAIN_MS = 1_000;
/** How long a throttling gateway is left alone: doubled with each refusal in a row. */
const THROTTLED_MS = 1_000;
const THROTTLED_MOST_MS = 8_000;
/** Nothing is valid for longer with a gateway than a week. */
const VALID_MOST_S = 604_800;
/** So many windows are claimed at once until it is known how fast it goes: a gateway answers within half a second, mostly. */
const CLAIMED_AT_FIRST = 10;
/** And at least so many: one has the window, one is claimed, one is written down, one is another sender's. */
const CLAIMED_LEAST = 4;
/** No more is claimed at once than leaves in so many seconds by the contract, or as fast as it has gone: a claim is good for five (operations/sending/hand-over.ts). */
const CLAIMED_FOR_S = 3;
const CLAIMED_FOR_SEEN_S = 1.5;
/** Of what may be claimed, a claim takes this part: others are on their way meanwhile. */
const CLAIMS = 3;
/** How fast it goes is seen over this long. */
const SEEN_OVER_MS = 200;
const IDLE_MS = 2_000;
/** Answers that nobody waits for any more are still matched with so many of the latest texts. */
const LATE_MOST = 2_000;

/** What is handed over with a text, and may come back with its receipt: the end of its ref. */
export const referenceOf = (ref: string): number => Number.parseInt(ref.slice(-4), 16);

type Parts = {
  name: string;
  settings: SmppSettings;
  session: Session;
  pace: Pace;
  /** An answer to a text that was given up as uncertain, and whose text that is. */
  receipt(tenantId: Uuid, carrier: string, receipt: DeliveryReceipt): void;
};

export type SmppCarrier = SmsCarrier & {
  late(sequence: number, answer: Answer): void;
  /** The same session under the name that somebody has for it who was lent it. */
  as(name: string): SmsCarrier;
};

type Sent = { tenantId: Uuid; carrier: string };
type Batch = SmsBatch & Sent;

/** Texts over one account's session. A text is in the window from its first octet to its answer, and never twice. */
export function smppCarrier({ name, settings, session, pace, receipt }: Parts): SmppCarrier {
  const unanswered = new Map<number, { text: OutgoingText; of: Sent }>();
  const { window, perSecond } = settings;
  // What fills the window, and is written down together.
  const batch = Math.min(window, 2 * perSecond);
  const marks = marking({
    pace,
    ahead: Math.max(1, Math.min(Math.ceil(window / 2), Math.floor(perSecond / 10))),
  });
  const speed = speedOf();
  // What is not marked costs nothing when the process dies: so much is claimed that the window never waits for the database.
  const mostClaimed = () => {
    const seen = speed.perSecond();
    const soon = seen === undefined ? CLAIMED_AT_FIRST * batch : Math.floor(CLAIMED_FOR_SEEN_S * seen);
    return Math.min(CLAIMED_FOR_S * perSecond, Math.max(CLAIMED_LEAST * batch, soon));
  };
  let throttled = 0;
  let joined = 0;

  async function submitText(batch: Batch, text: OutgoingText, mayBegin: () => boolean): Promise<SendOutcome> {
    joined = (joined + 1) & 0xffff;
    const { encoding: alphabet, longTexts: long } = settings;
    const parts = partsOf(text.text, { alphabet, long, reference: joined });
    const mayStill = () => mayBegin() && batch.mayLeave(text);
    if (!(await marks.marked(batch, text, mayStill, batch.carrier)))
      return { outcome: "not_sent", code: "held_up", retryAfterMs: AGAIN_MS };
    let id = "";
    for (const [i, part] of parts.entries()) {
      const notSent = (code: string): SendOutcome =>
        // Some of it is on its way already: whether the rest is sent is no longer ours to repeat.
        i > 0 ? { outcome: "uncertain", code: "partly_sent" } : { outcome: "not_sent", code, retryAfterMs: AGAIN_MS };
      const begun = i === 0 ? once(marks.written) : () => {};
      const answer = await submitPart(batch, text, part, { isLast: i === parts.length - 1, mayStill, begun });
      if (typeof answer === "string")
        return answer === "no_answer" ? { outcome: "uncertain", code: answer } : notSent(answer);
      const { status } = answer;
      if (status !== STATUS.ok) return i > 0 ? { outcome: "uncertain", code: "partly_sent" } : refusal(status);
      if (answer.command !== "submit_sm_resp") return { outcome: "uncertain", code: "strange_answer" };
      id = answer.fields.message_id;
    }
    return { outcome: "accepted", carrierId: id === "" ? `no-id:${text.ref}` : idOfAnswer(id, settings.receiptIds) };
  }

  /** The answer, or why there is none: `no_answer` when it may have been taken, all else when nothing was written. */
  async function submitPart(
    batch: Batch,
    text: OutgoingText,
    part: Part,
    { isLast, mayStill, begun }: { isLast: boolean; mayStill(): boolean; begun(): void },
  ): Promise<Answer | string> {
    for (;;) {
      const may = await pace.acquire(mayStill, batch.carrier);
      begun();
      if (!may) return "window_full";
      try {
        const link = session.transmitter();
        if (!link) return "not_connected";
        if (!batch.mayLeave(text)) return "held_up";
        const { sequence, answer } = link.request(submitOf(batch, text, part, isLast));
        unanswered.set(sequence, { text, of: batch });
        const given = await answer;
        unanswered.delete(sequence);
        speed.count();
        if (meaningOf(given.status).class !== "later") {
          throttled = 0;
          return given;
        }
        pace.holdFor(Math.min(THROTTLED_MOST_MS, THROTTLED_MS * 2 ** Math.min(throttled++, 8)));
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error;
        forgetOldest();
        return "no_answer";
      } finally {
        pace.release();
        marks.look();
      }
    }
  }

  function submitOf({ sender, now }: SmsBatch, text: OutgoingText, part: Part, isLast: boolean) {
    const source = addressOf(sender);
    const to = addressOf(text.to);
    return {
      command: "submit_sm" as const,
      fields: {
        source_addr_ton: settings.sourceTon ?? source.ton,
        source_addr_npi: settings.sourceNpi ?? source.npi,
        source_addr: source.addr,
        dest_addr_ton: to.ton,
        dest_addr_npi: to.npi,
        destination_addr: to.addr,
        esm_class: part.esmClass,
        data_coding: part.dataCoding,
        validity_period: validity(now, text.validUntil),
        // One receipt for a text: that of its last part, whose id it is known by.
        registered_delivery: isLast ? 1 : 0,
        short_message: part.octets,
      },
      tlvs: [...part.tlvs, shortTlv(TLV.user_message_reference, referenceOf(text.ref))],
    };
  }

  function forgetOldest(): void {
    for (const sequence of unanswered.keys()) {
      if (unanswered.size <= LATE_MOST) return;
      unanswered.delete(sequence);
    }
  }

  const of = (name: string): SmsCarrier => ({
    name,
    capabilities: {
      lookupByRef: false,
      marks: true,
      settledTogether: batch,
      get mostClaimed() {
        return mostClaimed();
      },
      get largestBatch() {
        return Math.max(batch, Math.ceil(mostClaimed() / CLAIMS));
      },
      callbackCarriesRef: true,
      receiptsById: true,
      answersWithinMs: ANSWERS_WITHIN_MS,
      settleMs: 60_000,
      // As long as a gateway may try to deliver a text, as most have it set: a day.
      callbackWithinMs: 86_400_000,
      defaultRatePerSecond: perSecond,
    },
    isHere: () => session.transmitter() !== undefined || session.refused() !== undefined,
    mayUseSender: async (_, sender) => settings.senders.includes(sender),
    lookUp: async () => new Map(),
    async send(batch, signal) {
      const refused = session.refused();
      if (refused !== undefined) {
        const barred = { outcome: "barred", because: "carrier_key_refused", code: codeOf(refused) } as const;
        return batch.texts.map(() => barred);
      }
      const until = performance.now() + BEGINS_WITHIN_MS;
      const mayBegin = () => !signal.aborted && performance.now() < until && session.transmitter() !== undefined;
      return Promise.all(batch.texts.map((text) => submitText({ ...batch, carrier: name }, text, mayBegin)));
    },
  });
  return {
    ...of(name),
    as: of,
    late(sequence, answer) {
      const known = unanswered.get(sequence);
      unanswered.delete(sequence);
      if (!known || answer.command !== "submit_sm_resp" || answer.status !== STATUS.ok) return;
      const id = answer.fields.message_id;
      const { text, of } = known;
      receipt(of.tenantId, of.carrier, {
        ref: text.ref,
        status: "sent",
        ...(id && { carrierId: idOfAnswer(id, settings.receiptIds) }),
      });
    },
  };
}

function refusal(status: number): SendOutcome {
  const code = codeOf(status);
  const { class: kind } = meaningOf(status);
  if (kind === "account") return { outcome: "barred", because: "carrier_key_refused", code };
  if (kind === "sender") return { outcome: "barred", because: "carrier_account_suspended", code };
  return { outcome: "rejected", code };
}

/** How many answers came in a second when some came lately; undefined until that is known. */
function speedOf() {
  let [count, since, last] = [0, performance.now(), 0];
  let seen: number | undefined;
  return {
    perSecond: () => seen,
    count() {
      const now = performance.now();
      // Nothing was sent meanwhile: that says nothing of how fast it goes.
      if (now - last > IDLE_MS) [count, since] = [0, now];
      last = now;
      count++;
      if (now - since < SEEN_OVER_MS) return;
      seen = (count * 1_000) / (now - since);
      [count, since] = [0, now];
    },
  };
}

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) work();
    isDone = true;
  };
}

/** A period of SMPP 3.4, 7.1.1: relative to when it is read, so that no clock but the gateway's counts. Empty: the gateway's own. */
export function validity(now: Date, until: Date | null): string {
  if (!until) return "";
  const seconds = Math.min(VALID_MOST_S, Math.max(60, Math.floor((until.getTime() - now.getTime()) / 1_000)));
  const fields = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3_600) % 24,
    Math.floor(seconds / 60) % 60,
    seconds % 60,
  ];
  return `0000${fields.map((field) => String(field).padStart(2, "0")).join("")}000R`;
}
