import { createHash } from "node:crypto";
import { decodeText } from "#adapters/smpp-pdus/alphabets.ts";
import { HAS_HEADER, type PlaceInText, readHeader } from "#adapters/smpp-pdus/parts.ts";
import { isReceipt, type ReceiptIds, readReceipt } from "#adapters/smpp-pdus/receipt.ts";
import { STATUS } from "#adapters/smpp-pdus/status.ts";
import { numberIn, TLV, tlvOf } from "#adapters/smpp-pdus/tlvs.ts";
import type { LiveTenantId } from "#domain/accounts/modes.ts";
import { keywordOf } from "#domain/compliance/keyword.ts";
import { storable } from "#domain/values/storable.ts";
import type { ReceiptById, SessionEvents } from "#ports/carrier-session.ts";
import type { Delivery } from "./link.ts";
import { phoneOf } from "./settings.ts";

/** Receipts that come this close together are committed together: as many as a link takes in at once. */
const GATHER_MS = 15;
/** What was answered so shortly before the session ended may not have reached the gateway as answered: it may come again, for so long. */
const UNSURE_MS = 60_000;
const COMES_AGAIN_WITHIN_MS = 600_000;
/** Of so many texts it is remembered. */
const REMEMBERED_MOST = 10_000;

type Parts = {
  tenantId: LiveTenantId;
  carrier: string;
  events(): SessionEvents;
  receiptIds: ReceiptIds;
  defaultAlphabet: "gsm" | "latin1";
  now(): Date;
  log(facts: Record<string, unknown>, words: string): void;
};

export type Inbound = {
  /** Resolves with the status to answer, once what came is committed. Rejects when that failed. */
  deliver(pdu: Delivery): Promise<number>;
  /** A link ended: what was answered last may come again. */
  ended(): void;
  /** What another process took in shortly before this one took the session over may come again, too. */
  remember(ids: readonly string[]): void;
};

/** What comes over a session: texts, parts of texts, and receipts. */
export function smppInbound(parts: Parts): Inbound {
  const { tenantId, carrier } = parts;
  const ids = textIds();
  let gathered: ReceiptById[] = [];
  let committing: Promise<void> | undefined;

  /** Receipts of some milliseconds are one statement; each is answered when that is committed. */
  function receive(receipt: ReceiptById): Promise<void> {
    gathered.push(receipt);
    committing ??= new Promise<void>((resolve) => setTimeout(resolve, GATHER_MS)).then(() => {
      const batch = gathered;
      gathered = [];
      committing = undefined;
      return parts.events().receiptsById(tenantId, carrier, batch);
    });
    return committing;
  }

  async function deliver(pdu: Delivery): Promise<number> {
    const { fields } = pdu;
    const payload = tlvOf(pdu, TLV.message_payload);
    const octets =
      pdu.command === "deliver_sm" && pdu.fields.short_message.length > 0
        ? pdu.fields.short_message
        : (payload ?? new Uint8Array(0));
    if (isReceipt(fields.esm_class)) {
      const read = readReceipt(pdu, octets, parts.receiptIds);
      if (!read) {
        parts.log({ carrier }, "a receipt names no text, or no state that is known");
        return STATUS.ok;
      }
      const { messageId, status, errorCode, reference } = read;
      const to = phoneOf(fields.source_addr, fields.source_addr_ton);
      await receive({
        carrierId: messageId,
        status,
        to,
        sender: phoneOf(fields.destination_addr, fields.dest_addr_ton),
        ...(errorCode !== undefined && { errorCode }),
        ...(reference !== undefined && { reference }),
      });
      return STATUS.ok;
    }
    return receiveText(pdu, octets);
  }

  async function receiveText(pdu: Delivery, octets: Uint8Array): Promise<number> {
    const { fields } = pdu;
    const header = (fields.esm_class & HAS_HEADER) !== 0 ? readHeader(octets) : { octets, place: placeBySar(pdu) };
    const text = header && decodeText(header.octets, fields.data_coding, parts.defaultAlphabet);
    const place = header?.place;
    if (text === undefined || (place && (place.of === 0 || place.number === 0 || place.number > place.of))) {
      // Nobody could read it, however often it came.
      parts.log({ carrier, dataCoding: fields.data_coding }, "a text that came cannot be read");
      return STATUS.ok;
    }
    const common = {
      carrier,
      from: phoneOf(fields.source_addr, fields.source_addr_ton),
      to: phoneOf(fields.destination_addr, fields.dest_addr_ton),
      text,
      sentAt: parts.now(),
    };
    if (place && place.of > 1) {
      await parts.events().part(tenantId, { ...common, ...place });
      return STATUS.ok;
    }
    const content = hashOf(pdu, octets);
    // A STOP twice does no harm, and one that is taken for the one before it would be lost.
    const carrierId = keywordOf(text) === "stop" ? ids.anew(content) : ids.of(content);
    try {
      await parts.events().inbound(tenantId, { ...common, carrierId, text: storable(text) });
      ids.answered(content, carrierId);
    } catch (error) {
      ids.comesAgain(content, carrierId);
      throw error;
    }
    return STATUS.ok;
  }

  return { deliver, ended: ids.ended, remember: ids.remember };
}

function placeBySar(pdu: Delivery): PlaceInText | undefined {
  const reference = numberIn(pdu, TLV.sar_msg_ref_num);
  const of = numberIn(pdu, TLV.sar_total_segments);
  const number = numberIn(pdu, TLV.sar_segment_seqnum);
  if (reference === undefined || of === undefined || number === undefined) return undefined;
  // Of two octets by the specification; nothing keeps a gateway from sending four.
  return { reference: reference & 0xffff, of, number };
}

function hashOf({ fields }: Delivery, octets: Uint8Array): string {
  const facts = [fields.source_addr, fields.destination_addr, fields.esm_class, fields.data_coding].join("\0");
  return createHash("sha256").update(facts).update("\0").update(octets).digest("hex").slice(0, 32);
}

/**
 * SMPP gives a text no id; a receipted_message_id on one is not to be trusted (Kannel's drive_smpp has the same on all of them). One that may be delivered again, since we did not say that it was kept, or since the session ended soon after we did, has
 * the id it had then when the same content comes; otherwise the same content is a new text: people do write "ok" twice.
 */
function textIds() {
  type Known = { id: string; at: number };
  const lately: (Known & { content: string })[] = [];
  const again = new Map<string, Known>();
  let made = 0;
  const remember = (content: string, id: string): void => {
    again.delete(content);
    again.set(content, { id, at: performance.now() });
    for (const oldest of again.keys()) {
      if (again.size <= REMEMBERED_MOST) break;
      again.delete(oldest);
    }
  };
  const anew = (content: string): string => `${content}:${Date.now().toString(36)}:${made++}`;
  return {
    anew,
    of(content: string): string {
      const known = again.get(content);
      again.delete(content);
      if (known && performance.now() - known.at < COMES_AGAIN_WITHIN_MS) return known.id;
      return anew(content);
    },
    answered(content: string, id: string): void {
      lately.push({ content, id, at: performance.now() });
      while (lately.length > REMEMBERED_MOST || performance.now() - lately[0]!.at > UNSURE_MS) lately.shift();
    },
    comesAgain: remember,
    ended(): void {
      for (const { content, id, at } of lately.splice(0)) if (performance.now() - at < UNSURE_MS) remember(content, id);
    },
    remember(known: readonly string[]): void {
      for (const id of known) remember(id.split(":")[0]!, id);
    },
  };
}
