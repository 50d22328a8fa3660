import type { LeadFields } from "#domain/contacts/lead.ts";
import { followUpOf, MAX_DRIPS } from "#domain/messaging/drip-step.ts";
import type { Templates } from "./text-decision.ts";

/** From here on steps count what the conversation adds. */
const FIRST_UNPLANNED_STEP = 1_000;
const DAY_MS = 86_400_000;

/** A recipient with its starting message and its follow-ups, those that are over included. */
export type PlannedThread = {
  id: string;
  phone: string;
  first_sent_at: Date | null;
  fields: LeadFields | null;
  /** Follow-ups may be added: the conversation is neither over nor refused. */
  is_open: boolean;
  messages: readonly {
    id: string;
    kind: "start" | "drip";
    step: number;
    waits: boolean;
    /** It has left or is on its way, be it in doubt. */
    left: boolean;
    /** When it left, in ms. */
    at: number;
    text: string | null;
  }[];
};

export type FollowUpChange = {
  move: { id: string; dueAt: Date }[];
  withdraw: string[];
  add: { threadId: string; step: number; dueAt: Date }[];
};

/**
 * Plans a thread's follow-ups by another agent. Only those come whose day is after the day on which the last one left, and none whose words the
 * contact has had already. `startsAt` is when a starting message that waits is to leave.
 */
export function replan(thread: PlannedThread, drips: Templates["drips"], startsAt: Date): FollowUpChange {
  const { messages, first_sent_at, fields, phone } = thread;
  const from = (first_sent_at ?? startsAt).getTime();
  const left = messages.filter((message) => message.left);
  const heard = new Set(left.map(({ text }) => text));
  const days = left.filter(({ kind }) => kind === "drip").map(({ at }) => Math.floor((at - from) / DAY_MS));
  const lastDay = Math.max(-1, ...days);
  const waiting = messages.filter(({ kind, waits }) => kind === "drip" && waits);
  const taken = new Set(messages.map(({ step }) => step));
  const kept = new Set<string>();
  const change: FollowUpChange = { move: [], withdraw: [], add: [] };
  for (const [i, { day, render }] of drips.entries()) {
    const rendered = day > lastDay ? render({ ...fields, phone_number: phone }) : undefined;
    if (!rendered || (rendered.problem === undefined && heard.has(rendered.text))) continue;
    const dueAt = new Date(from + day * DAY_MS);
    const own = waiting.find(({ step }) => followUpOf(step) === i);
    if (own) {
      kept.add(own.id);
      change.move.push({ id: own.id, dueAt });
    } else if (thread.is_open) {
      let step = i + 1;
      while (taken.has(step)) step += MAX_DRIPS;
      if (step < FIRST_UNPLANNED_STEP) change.add.push({ threadId: thread.id, step, dueAt });
    }
  }
  change.withdraw = waiting.filter(({ id }) => !kept.has(id)).map(({ id }) => id);
  return change;
}
