import { isTestRange } from "#domain/phones/phone.ts";
import type { HandsetScript } from "#ports/handset-network.ts";
import type { DeliveryReceipt } from "#ports/sms-carrier.ts";

/** What a handset does with a text. */
export type Behavior = {
  receipts: readonly Pick<DeliveryReceipt, "status" | "errorCode">[];
  /** Refuses a first attempt for now, as a carrier over its rate does. */
  rateLimited: boolean;
  /** The carrier takes the text and its answer gets lost. */
  losesReply: boolean;
  /** The carrier has suspended the account by the time it is to take a text for this handset. */
  suspends: boolean;
  /** Webhooks come twice, and out of order. */
  duplicates: boolean;
  /** Its lines, one for each text that it gets. */
  says: readonly string[];
  answerDelayMs: number;
};

const DELIVERS = [{ status: "sent" }, { status: "delivered" }] as const;
const undelivered = (errorCode: string) => [{ status: "sent" }, { status: "undelivered", errorCode }] as const;

const SILENT: Behavior = {
  receipts: DELIVERS,
  rateLimited: false,
  losesReply: false,
  suspends: false,
  duplicates: false,
  says: [],
  answerDelayMs: 0,
};

/** The codes are Twilio's, which the field knows: unreachable handset, filtered, landline. */
const NAMED: Record<string, Partial<Behavior>> = {
  deliver: {},
  unreachable: { receipts: undelivered("30003") },
  filtered: { receipts: undelivered("30007") },
  landline: { receipts: undelivered("30006") },
  rate_limited: { rateLimited: true },
  duplicates: { duplicates: true },
  lost_reply: { losesReply: true },
  account_suspended: { suspends: true },
};

/** People answer after a while; a demo should not wait for it. */
const ANSWER_DELAY_MS = 1_000;
const SLOW_ANSWER_DELAY_MS = 600_000;

const CONVERSATIONS = [
  ["Hi, who is this?", "Yes, I'm interested. My budget is around 350k", "Mornings work best for me", "ok thanks, bye"],
  ["Yes", "My email is sam@example.com", "Next week is fine", "Thanks!"],
  ["Maybe. What is it about?", "ok, sounds good", "I live in 85004", "thank you, bye"],
  ["No thanks, not interested"],
] as const;

/** By the last two digits of a 555-01XX number; every other number delivers and says nothing. */
const SCRIPTED: Record<number, Partial<Behavior>> = {
  20: NAMED.unreachable!,
  21: NAMED.filtered!,
  22: NAMED.landline!,
  23: { says: ["STOP"], answerDelayMs: ANSWER_DELAY_MS },
  24: { says: ["HELP"], answerDelayMs: ANSWER_DELAY_MS },
  25: { says: CONVERSATIONS[0], answerDelayMs: SLOW_ANSWER_DELAY_MS },
  26: { says: ["Can you call me instead?", "Tomorrow at 2pm please"], answerDelayMs: ANSWER_DELAY_MS },
  40: NAMED.rate_limited!,
  41: { ...NAMED.duplicates, says: ["Yes, tell me more"], answerDelayMs: ANSWER_DELAY_MS },
  42: NAMED.lost_reply!,
};

/** What this handset does: its number's script, overridden by what was set here. */
export function behaviorOf(phone: string, script: HandsetScript | undefined): Behavior {
  const digits = Number(phone.slice(-2));
  const scripted = !isTestRange(phone)
    ? {}
    : digits < 20
      ? { says: CONVERSATIONS[digits % CONVERSATIONS.length]!, answerDelayMs: ANSWER_DELAY_MS }
      : (SCRIPTED[digits] ?? {});
  return {
    ...SILENT,
    ...scripted,
    ...(script?.behavior ? NAMED[script.behavior] : {}),
    ...(script?.says ? { says: script.says } : {}),
    ...(script?.answer_delay_ms !== undefined ? { answerDelayMs: script.answer_delay_ms } : {}),
  };
}
