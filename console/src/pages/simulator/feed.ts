import type { Answer } from "#api/operations.ts";

type Record = Answer<"GET /v1/simulator/handsets/:phone_number">;
export type HandsetText = Record["messages"][number];
export type HandsetCall = Record["calls"][number];

/** What changes with a phone's behavior. */
export const STALE_BY_SCRIPT = ["GET /v1/simulator/handsets", "GET /v1/simulator/handsets/:phone_number"] as const;

/** What a phone has had, oldest first: texts and calls in one. */
export type Entry =
  | { kind: "text"; key: string; at: string; text: HandsetText }
  | { kind: "call"; key: string; at: string; call: HandsetCall };

export function feedOf({ messages, calls }: Record): Entry[] {
  return [
    ...messages.map((text, i): Entry => ({ kind: "text", key: `text ${i}`, at: text.at, text })),
    ...calls.map((call, i): Entry => ({ kind: "call", key: `call ${i}`, at: call.at, call })),
  ].sort((a, b) => a.at.localeCompare(b.at));
}

/** The number that the phone last had to do with: whom an answer goes to. */
export function otherEnd(entries: readonly Entry[]): string | undefined {
  const last = entries.at(-1);
  if (last === undefined) return undefined;
  const entry = last.kind === "text" ? last.text : last.call;
  return entry.direction === "to_handset" ? entry.from_number : entry.to_number;
}

const OUTCOMES: Readonly<{ [outcome: string]: string }> = {
  answered: "Answered",
  voicemail: "Went to voicemail",
  no_answer: "Nobody answered",
  busy: "Busy",
  declined: "Declined",
  unreachable: "Could not be reached",
  cancelled: "The caller hung up while it rang",
  rejected: "Not taken: no agent is on this number",
  lost: "Lost: the caller was gone",
  ongoing: "Going on",
};

export const outcomeWord = (outcome: string): string => OUTCOMES[outcome] ?? outcome.replaceAll("_", " ");
