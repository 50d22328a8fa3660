import type { ThreadData } from "./thread.tsx";

export type Message = ThreadData["messages"][number];

/** It did not reach the contact. */
export const BAD = new Set(["failed", "undelivered", "suppressed", "expired"]);
const WAITING = new Set(["scheduled", "held"]);

/** What waits to leave is shown below the conversation, not in it. */
export const isUpcoming = ({ status, direction }: Message): boolean => direction === "outbound" && WAITING.has(status);

/** A follow-up that an answer, or a person, has made needless: it was never said. */
export const isCancelled = ({ kind, status }: Message): boolean => kind === "drip" && status === "suppressed";

export const timeOf = (message: Message): string => message.sent_at ?? message.created_at;

/** What has been said, or was to be, by the time of day: a follow-up that left late comes after the texts before it. */
export const saidIn = ({ messages }: ThreadData): Message[] =>
  messages
    .filter((message) => !isUpcoming(message) && !isCancelled(message))
    .sort((a, b) => timeOf(a).localeCompare(timeOf(b)));

export type Entry = { id: string; at: string; message?: Message; note?: ThreadData["notes"][number] };

/** What has been said, and between it what people have noted, oldest first. */
export function timelineOf(thread: ThreadData): Entry[] {
  const said = saidIn(thread).map((message): Entry => ({ id: message.message_id, at: timeOf(message), message }));
  const noted = thread.notes.map((note): Entry => ({ id: note.note_id, at: note.created_at, note }));
  return [...said, ...noted].sort((a, b) => a.at.localeCompare(b.at));
}

/** It was not read by the contact, and the agent does not see it; nor of the service's own notices. */
export const isUnsaid = ({ status, kind }: Message): boolean =>
  status === "suppressed" ||
  kind === "confirmation" ||
  kind === "help" ||
  (BAD.has(status) && kind !== "reply" && kind !== "human");

/** The newest text that has the words, as the list's search finds them: in any case. */
export function newestWith(said: Entry[], words: string): string | undefined {
  const wanted = words.toLowerCase();
  return wanted === "" ? undefined : said.findLast(({ message }) => message?.text?.toLowerCase().includes(wanted))?.id;
}
