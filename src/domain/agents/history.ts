import { keywordOf } from "#domain/compliance/keyword.ts";
import { optOutIntent } from "#domain/compliance/opt-out.ts";
import type { MessagePurpose, MessageState } from "#domain/messaging/message.ts";

/** A text as a conversation remembers it. */
export type Remembered = { id: string; role: "contact" | "agent" | "human"; text: string; at: Date };

type Kept = {
  id: string;
  kind: MessagePurpose | "inbound";
  state: MessageState;
  text: string | null;
  created_at: Date;
  sent_at: Date | null;
};

/** Far more than a text conversation runs to, and what a model still reads in one go. */
const MAX_REMEMBERED = 60;

/** These never reached the contact, or not yet: a drip that waits is no part of what was said. */
const UNSAID: readonly MessageState[] = ["scheduled", "held", "suppressed", "expired", "failed", "undelivered"];

/**
 * For a contact who stopped once and came back: without the words that did it, which were obeyed and are undone. Read again by whoever
 * answers, they would stop the contact anew.
 */
export const withoutUndone = (history: readonly Remembered[]): Remembered[] =>
  history.filter((it) => it.role !== "contact" || (keywordOf(it.text) === undefined && !optOutIntent(it.text)));

/** What was really said, oldest first: the contact's texts and ours, without the service's own notices. */
export function historyOf(messages: readonly Kept[]): Remembered[] {
  return messages
    .filter((it) => it.text !== null && (it.kind === "reply" || it.kind === "human" || !UNSAID.includes(it.state)))
    .filter((it) => it.kind !== "confirmation" && it.kind !== "help" && it.state !== "suppressed")
    .slice(-MAX_REMEMBERED)
    .map((it) => ({
      id: it.id,
      role: it.kind === "inbound" ? "contact" : it.kind === "human" ? "human" : "agent",
      text: it.text!,
      at: it.sent_at ?? it.created_at,
    }));
}
