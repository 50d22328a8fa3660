/** Why a text leaves. The gate asks for it: a starting text obeys hours that a reply is free of. */
export type MessagePurpose = "start" | "drip" | "reply" | "human" | "confirmation" | "help";

/** What we begin; the rest are answers. */
export const isOutreach = (purpose: MessagePurpose): boolean => purpose === "start" || purpose === "drip";

export type MessageState =
  | "scheduled"
  | "held"
  | "sending"
  | "accepted"
  | "sent"
  | "delivered"
  | "undelivered"
  | "failed"
  | "suppressed"
  | "expired"
  | "unknown"
  | "received";

/**
 * How far a text has come. A receipt may only raise it; of equal rank the first stays. `unknown` ranks below
 * every receipt: the carrier's late word settles it.
 */
export const MESSAGE_RANK: Record<MessageState, number> = {
  scheduled: 0,
  held: 0,
  sending: 1,
  unknown: 2,
  accepted: 3,
  sent: 4,
  delivered: 5,
  undelivered: 5,
  failed: 5,
  suppressed: 6,
  expired: 6,
  received: 6,
};

export type RecipientState =
  | "scheduled"
  | "held"
  | "sending"
  | "sent"
  | "delivered"
  | "replied"
  | "completed"
  | "opted_out"
  | "failed"
  | "skipped"
  | "expired"
  | "unknown";

export const RECIPIENT_STATES = [
  "scheduled",
  "held",
  "sending",
  "sent",
  "delivered",
  "replied",
  "completed",
  "opted_out",
  "failed",
  "skipped",
  "expired",
  "unknown",
] as const satisfies RecipientState[];

/** Nothing has left for these yet. With `sent`, whose receipt is awaited, all that is not terminal. */
export const UNSENT_RECIPIENT_STATES = ["scheduled", "held", "sending"] as const satisfies RecipientState[];

/** A recipient only moves up; of equal rank the first stays. */
export const RECIPIENT_RANK: Record<RecipientState, number> = {
  scheduled: 0,
  held: 0,
  sending: 1,
  unknown: 2,
  sent: 3,
  delivered: 4,
  failed: 4,
  skipped: 4,
  expired: 4,
  replied: 5,
  completed: 6,
  opted_out: 7,
};
