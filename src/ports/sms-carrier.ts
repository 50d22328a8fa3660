import type { MessagePurpose } from "#domain/messaging/message.ts";
import type { Uuid } from "#domain/values/id.ts";

/**
 * A carrier of texts. The differences between carriers are in `capabilities`, so that the core does not
 * guess which way an uncertain attempt is settled.
 */
export interface SmsCarrier {
  readonly name: string;
  readonly capabilities: SmsCapabilities;
  /** Whether this process may hand over to it now. Undefined: any may. Where it says no, texts are left to the process that has the session. */
  isHere?(): boolean;
  /** Whether the tenant may send from this number. */
  mayUseSender(tenantId: Uuid, sender: string): Promise<boolean>;
  /**
   * Hands over a batch of one tenant and one sender. Answers for every text, in order; never throws for a single
   * text. What cannot be said for certain is `uncertain`.
   */
  send(batch: SmsBatch, signal: AbortSignal): Promise<SendOutcome[]>;
  /**
   * Which attempts it has taken, by the reference planted at send, or by comparing texts where it does not keep that; only called where
   * `lookupByRef`. Absent from the answer = never accepted, and it may be sent again.
   */
  lookUp(tenantId: Uuid, attempts: readonly DoubtedText[], signal: AbortSignal): Promise<Map<Uuid, FoundText>>;
}

export interface SmsCapabilities {
  readonly lookupByRef: boolean;
  /**
   * Where it has no look-up: texts that one process may have claimed at once for this account without their answers in the database. If it dies then,
   * only a receipt says of these whether they were sent; where it `marks`, of those that were marked. Undefined where it can be asked: as many as there are.
   */
  readonly mostClaimed?: number;
  /** It writes no byte of a text before `mark` of its batch has answered with it. Then what was not marked has not left, whatever becomes of the process. */
  readonly marks?: true;
  /** So many texts of a claim are handed over and settled together, apart from its others; undefined = all of it. */
  readonly settledTogether?: number;
  readonly callbackCarriesRef: boolean;
  /** Its whole answer for a batch is here by then, or nobody waits for it any more; undefined = 30 s. */
  readonly answersWithinMs?: number;
  /** Its receipts name a text by its own id for it, and may come before the answer that has this id. */
  readonly receiptsById?: true;
  /** After this long a look-up is authoritative: the carrier's request timeout and the clocks' skew. */
  readonly settleMs: number;
  /** A receipt that has not come by then will not come: what only a receipt can settle is a person's from there on. */
  readonly callbackWithinMs: number;
  /** Texts a second from one sender; undefined = as fast as it takes them. */
  readonly defaultRatePerSecond: number | undefined;
  /** Texts that are claimed at once, where each is a request of its own; undefined = as many as there are. */
  readonly largestBatch?: number;
  /**
   * True where texts go to the public networks: local numbers must be registered for 10DLC, and each kind of number has its rate
   * (domain/numbers/rate-limits.ts).
   */
  readonly isPublic?: boolean;
  /** It takes pictures along (MMS), by their addresses. Without it no text with any is handed over. */
  readonly media?: boolean;
}

export type SmsBatch = {
  tenantId: Uuid;
  sender: string;
  now: Date;
  texts: readonly OutgoingText[];
  /**
   * To be called right before a text's bytes are written, and each time anew: when false they must not be, and the outcome is
   * `not_sent`. A process that was paused since it claimed them may have been taken for dead meanwhile, and a text's window may have
   * closed. Without a text it answers for the batch as a whole.
   */
  mayLeave(text?: OutgoingText): boolean;
  /**
   * Where the carrier `marks`: writes down, for many at once, that these may have left, and answers with those that may leave from now on; the outcome of
   * the others is `not_sent`. Fails when it cannot be written: then none may. `mayLeave` is asked all the same, after it.
   */
  mark?(texts: readonly OutgoingText[]): Promise<ReadonlySet<Uuid>>;
};

export type OutgoingText = {
  /** Our reference for this attempt, to plant with the carrier. */
  ref: Uuid;
  to: string;
  text: string;
  /** Addresses of pictures that it takes along. */
  media?: readonly string[];
  purpose: MessagePurpose;
  /** The caller's campaign id and the message's step, for the carrier's own records. */
  campaign: string;
  step: number;
  /** Where the contact is believed to be, when that is surer than the number itself. */
  zones: readonly string[];
  /**
   * It may not reach the contact later than this, by the clock of the batch's `now`: its window closes. It is passed on to
   * a carrier that queues texts. Null: no end is known.
   */
  validUntil: Date | null;
};

/** A text of which it is not known whether the carrier has it. */
export type DoubtedText = {
  ref: Uuid;
  sender: string;
  to: string;
  /** As it was handed over; null where that is not kept any more. */
  text: string | null;
  /** How many pictures it took along; none where it is not said. */
  media?: number;
  /** Of words that the database has forgotten: what domain/messaging/text-digest.ts says of them and the pictures. */
  digest?: string | null;
  at: Date;
  /** The carrier's ids of other attempts at the same phone: what it lists under these is none of this one's. */
  otherIds: readonly string[];
};

/** `unsure`: it cannot be said of this attempt, or not which of several it is. It is not sent again. */
export type FoundText = { carrierId: string } | { unsure: true };

export type SendOutcome =
  | { outcome: "accepted"; carrierId: string }
  /** The carrier said no: `code` is its own word for it, `optedOut` when the reason is the contact's STOP there. */
  | { outcome: "rejected"; code: string; optedOut?: boolean }
  /** Certainly not sent (refused before a byte, or 429): may be tried again after `retryAfterMs`. */
  | { outcome: "not_sent"; code: string; retryAfterMs: number }
  /** Certainly not sent, and nothing of this sender will be until somebody has put it in order with the carrier. */
  | { outcome: "barred"; because: Bar; code: string }
  /** Timeout, reset, 5xx: it may have been taken. */
  | { outcome: "uncertain"; code: string };

/** Why a carrier serves a sender no more: the account is suspended or unpaid, it does not take the key, or not this number. */
export type Bar = "carrier_account_suspended" | "carrier_key_refused" | "carrier_sender_refused";

/** What a carrier reports afterwards, in batches. Each may come twice, late, or out of order. */
export type DeliveryReceipt = {
  ref: Uuid;
  status: "sent" | "delivered" | "undelivered" | "failed";
  carrierId?: string;
  errorCode?: string;
  /** It was refused since the contact has opted out at the carrier. */
  optedOut?: true;
};

export type InboundText = {
  carrier: string;
  /** The carrier's own id of the text: the same again is the same text. */
  carrierId: string;
  from: string;
  to: string;
  text: string;
  sentAt: Date;
  /** The carrier took it for a keyword, by its own list, and acts on it: it counts as the contact's word. */
  keyword?: "stop" | "start" | "help";
  /** The carrier has answered the keyword itself (Twilio's OptOutType): nobody is answered twice. */
  isAnswered?: true;
  /** Pictures and the like. Fetched with the account's credentials, if at all: an address is the carrier's word, not ours. */
  media?: readonly InboundMedia[];
};

export type InboundMedia = { url: string; contentType: string | null };

/** Where a carrier's webhooks (or socket) hand in what they bring. Resolves once it is committed. */
export interface CarrierEvents {
  receipts(tenantId: Uuid, receipts: readonly DeliveryReceipt[]): Promise<void>;
  /** Those of one sender in the order in which they were sent. */
  inbound(tenantId: Uuid, texts: readonly InboundText[]): Promise<void>;
}
