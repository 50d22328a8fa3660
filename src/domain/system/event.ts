import type { Uuid } from "#domain/values/id.ts";

/** What can happen, as the log of events names it. contract/system/events.ts says what each carries. */
export const EVENT_KINDS = [
  "message.received",
  "message.sent",
  "message.delivered",
  "message.failed",
  "message.unknown",
  "message.media_kept",
  "message.media_failed",
  "contact.opted_out",
  "contact.opted_in",
  "thread.updated",
  "extraction.completed",
  "campaign.created",
  "campaign.started",
  "campaign.progressed",
  "campaign.paused",
  "campaign.resumed",
  "campaign.completed",
  "campaign.deleted",
  "call.started",
  "call.answered",
  "call.ended",
  "call.analysed",
  "import.progressed",
  "import.finished",
  "agent.updated",
  "phone_number.changed",
  "brand.updated",
  "toll_free.verified",
  "toll_free.rejected",
  "do_not_call.changed",
  "sending.stopped",
  "sending.resumed",
] as const;

export type EventKind = (typeof EVENT_KINDS)[number];

/** The kinds that names and prefixes stand for (`call.ended`, `message.*`), or the first of them that stands for none. */
export function kindsOf(names: readonly string[]): { kinds: EventKind[] } | { unknown: string } {
  const kinds = new Set<EventKind>();
  for (const name of names) {
    const meant = EVENT_KINDS.filter((kind) =>
      name.endsWith(".*") ? kind.startsWith(name.slice(0, -1)) : kind === name,
    );
    if (meant.length === 0) return { unknown: name };
    for (const kind of meant) kinds.add(kind);
  }
  return { kinds: [...kinds] };
}

/**
 * The id of a tenant's event, always the same: a UUIDv7 of when it happened, with its number and the last 32 bits of the tenant where
 * others have chance. A log that was put back to an earlier day counts on from there, and still gives no id twice.
 */
export function eventUuid(tenantId: Uuid, seq: number, at: Date): Uuid {
  const hex = (value: number, digits: number) => value.toString(16).padStart(digits, "0");
  const time = hex(at.getTime(), 12);
  // 12 bits, then 30: numbers up to 2^42.
  const high = hex(Math.floor(seq / 2 ** 30) % 2 ** 12, 3);
  const low = hex(2 ** 31 + (seq % 2 ** 30), 8);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${high}-${low.slice(0, 4)}-${low.slice(4)}${tenantId.slice(-8)}`;
}
