import type { Uuid } from "#domain/values/id.ts";
import type { DeliveryReceipt, InboundText } from "./sms-carrier.ts";

/** A connection that one process alone holds for an account. Who that is, is decided outside. */
export interface CarrierSession {
  /** Connects, and stays connected, until `stop`; may be called again after that. */
  start(events: SessionEvents): void;
  /** Sends nothing new, waits for what is under way as long as the protocol allows, or no longer than is said, and disconnects. */
  stop(withinMs?: number): Promise<void>;
  /** In words, why it is not connected now; undefined while it is. */
  problem(): string | undefined;
  /** The carrier's code, while it refuses the account itself; undefined when it does not. */
  refused(): string | undefined;
}

/** Where a session hands in what comes over it. Each resolves once it is committed. */
export interface SessionEvents {
  inbound(tenantId: Uuid, text: InboundText): Promise<void>;
  receipts(tenantId: Uuid, carrier: string, receipts: readonly DeliveryReceipt[]): Promise<void>;
  receiptsById(tenantId: Uuid, carrier: string, receipts: readonly ReceiptById[]): Promise<void>;
  /** One part of a longer text; with the last of them the text is taken in. */
  part(tenantId: Uuid, part: InboundPart): Promise<void>;
  /** The carrier's ids of the texts that came since: those that it may deliver again. */
  recent(tenantId: Uuid, carrier: string, since: Date): Promise<string[]>;
}

/** A receipt that names its text by the carrier's id, which an attempt has once its hand-over was answered. */
export type ReceiptById = Omit<DeliveryReceipt, "ref" | "carrierId" | "optedOut"> & {
  carrierId: string;
  /** The last 16 bits of our ref, said back: with `to` it finds an attempt whose answer was lost. */
  reference?: number;
  /** The phone that it was for, and the number that it was from, as far as the carrier says so: ids come again. */
  to?: string;
  sender?: string;
};

export type InboundPart = Omit<InboundText, "carrierId"> & {
  /** `number` from 1 to `of`, of the text that the sender calls `reference`. */
  reference: number;
  of: number;
  number: number;
};
