import { keywordOf } from "#domain/compliance/keyword.ts";
import { wishOf } from "#domain/compliance/opt-out.ts";
import { type Media, withMediaNote } from "#domain/messaging/media.ts";
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
  media?: readonly Pick<Media, "content_type">[] | null;
  media_urls?: readonly string[] | null;
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
  history.filter(
    (message) =>
      message.role !== "contact" || (keywordOf(message.text) === undefined && wishOf(message.text).wish === "none"),
  );

/** What was really said, oldest first: the contact's texts and ours, without the service's own notices. */
export function historyOf(messages: readonly Kept[]): Remembered[] {
  return messages
    .filter(
      (message) =>
        message.text !== null &&
        (message.kind === "reply" || message.kind === "human" || !UNSAID.includes(message.state)),
    )
    .filter((message) => message.kind !== "confirmation" && message.kind !== "help" && message.state !== "suppressed")
    .slice(-MAX_REMEMBERED)
    .map((message) => ({
      id: message.id,
      role: message.kind === "inbound" ? "contact" : message.kind === "human" ? "human" : "agent",
      text: withMediaNote(message.text!, typesOf(message)),
      at: message.sent_at ?? message.created_at,
    }));
}

/** What a text of the contact's came with, and one of ours took along: pictures, most likely. */
const typesOf = ({ media, media_urls }: Kept): (string | null)[] => [
  ...(media ?? []).map(({ content_type }) => content_type),
  ...(media_urls ?? []).map(() => "image/*"),
];
