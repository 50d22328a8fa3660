import { parseThreadId } from "#domain/messaging/thread-id.ts";
import { EVENT_KINDS, type EventKind, kindsOf } from "#domain/system/event.ts";
import { failure, invalidField, notFound } from "#domain/values/errors.ts";
import { requireId, type Uuid } from "#domain/values/id.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as calls from "#store/calls/calls.ts";
import * as singleDials from "#store/calls/single-dials.ts";
import * as campaigns from "#store/campaigns/campaigns.ts";
import * as voiceCampaigns from "#store/campaigns/voice-campaigns.ts";
import * as threads from "#store/messaging/threads.ts";
import * as eventNumbers from "#store/system/event-numbers.ts";
import type { EventFilter, EventRow } from "#store/system/events.ts";
import * as events from "#store/system/events.ts";

/** One event of the log. */
export type LoggedEvent = Pick<
  EventRow,
  "kind" | "at" | "organization_id" | "campaign_id" | "channel" | "carrier" | "phone"
> & {
  tenantId: Uuid;
  seq: number;
  /** The id of its subject, where that has a uuid. */
  id: Uuid | null;
  campaign: Uuid | null;
  thread: Uuid | null;
  /** The thread's, unless its contact is erased. */
  threadPhone: string | null;
  /** Of a thread, text or call, unless it is erased or nobody's. */
  contact: events.EventContact | null;
  /** Of a text, unless its contact is erased. */
  text: string | null;
  data: Record<string, unknown>;
};

/** An event as its row has it, before what it is about is looked up. */
type BareEvent = Omit<LoggedEvent, "threadPhone" | "contact" | "text">;
const UNKNOWN = { threadPhone: null, contact: null, text: null };

export type { EventFilter };
export const EVERY_EVENT: EventFilter = {
  kinds: undefined,
  campaignId: undefined,
  threadId: undefined,
  callId: undefined,
  organizations: undefined,
};

export type WantedEvents = { kinds?: string; campaign_id?: string; thread_id?: string; call_id?: string };

/** The filters of a request, looked up: 400 for an unknown kind, 404 for a subject that the tenant does not have. */
export async function eventFilter(ctx: Context, caller: Caller, wanted: WantedEvents): Promise<EventFilter> {
  const { tenantId, organizations } = caller;
  const named = wanted.kinds === undefined ? undefined : kindsOf(wanted.kinds.split(","));
  if (named && "unknown" in named) {
    throw invalidField("kinds", `has ${named.unknown}, which is none of ${EVENT_KINDS.join(", ")}`);
  }
  const campaignId =
    wanted.campaign_id === undefined ? undefined : await campaignOf(ctx, tenantId, wanted.campaign_id, "Campaign");
  const threadId = wanted.thread_id === undefined ? undefined : await threadOf(ctx, tenantId, wanted.thread_id);
  const callId = wanted.call_id === undefined ? undefined : await callOf(ctx, tenantId, wanted.call_id);
  return { kinds: named?.kinds, campaignId, threadId, callId, organizations };
}

async function campaignOf(ctx: Context, tenantId: Uuid, name: string, what: string): Promise<Uuid> {
  const found = (await campaigns.find(ctx.db, tenantId, name)) ?? (await voiceCampaigns.find(ctx.db, tenantId, name));
  if (!found) throw notFound(what);
  return found.id;
}

async function threadOf(ctx: Context, tenantId: Uuid, name: string): Promise<Uuid> {
  const parts = parseThreadId(name);
  if (!parts) throw invalidField("thread_id", "must be {phone_number}_{campaign_id}");
  const campaignId = await campaignOf(ctx, tenantId, parts.campaignId, "Thread");
  const thread = await threads.byPhone(ctx.db, tenantId, campaignId, parts.phone);
  if (!thread) throw notFound("Thread");
  return thread.id;
}

async function callOf(ctx: Context, tenantId: Uuid, name: string): Promise<Uuid> {
  const id = requireId("call", name, "Call");
  const found = (await calls.find(ctx.db, tenantId, id)) ?? (await singleDials.ofCall(ctx.db, tenantId, id));
  if (!found) throw notFound("Call");
  return id;
}

/** True when an event passes the filters. */
export function isWanted(event: LoggedEvent, wanted: EventFilter): boolean {
  const { kinds, campaignId, threadId, callId, organizations } = wanted;
  // An event of no organization belongs to the whole tenant, such as an opt-out.
  if (organizations && !(event.organization_id && organizations.includes(event.organization_id))) return false;
  if (kinds && !kinds.includes(event.kind)) return false;
  if (campaignId !== undefined && event.campaign !== campaignId) return false;
  if (threadId !== undefined && event.thread !== threadId) return false;
  return callId === undefined || event.id === callId;
}

/** Events read for one page: where few of many pass the filters, a page may have none. */
const LOOKED_THROUGH = 20_000;

export type EventPage = { events: LoggedEvent[]; hasMore: boolean; nextAfter: number; oldest: number; newest: number };

/** The last number of a tenant's log, and the oldest that is kept. */
export const logBounds = (ctx: Context, tenantId: Uuid): Promise<{ head: number; oldest: number }> =>
  eventNumbers.bounds(ctx.db, tenantId);

/**
 * Matching events after a number, oldest first; without one from the oldest that is kept. `nextAfter` is where the next page begins, whether there
 * are events on this one or not. Fails with `events_gone` where some in between are not kept any more, or where the log never reached that number.
 */
export async function listEvents(
  ctx: Context,
  { tenantId }: Caller,
  filter: EventFilter,
  page: { after: number | undefined; limit: number },
): Promise<EventPage> {
  const { head, oldest } = await logBounds(ctx, tenantId);
  const after = page.after ?? oldest - 1;
  const upTo = Math.min(head, after + LOOKED_THROUGH);
  const read = await readEvents(ctx, tenantId, filter, { after, upTo, limit: page.limit });
  // Checked again: they may have been deleted while they were read.
  const kept = page.after === undefined ? oldest : (await logBounds(ctx, tenantId)).oldest;
  if (after > head || after + 1 < kept) {
    const reach = kept > head ? "is empty" : `has ${kept} to ${head}`;
    throw failure("events_gone", `after ${after} the log has a gap: it ${reach}`);
  }
  return { events: read.events, hasMore: read.reached < head, nextAfter: read.reached, oldest: kept, newest: head };
}

/** Matching events after `after` and up to `upTo`, at most `limit`; `reached` is the number up to which there are no others. */
export async function readEvents(
  ctx: Context,
  tenantId: Uuid,
  filter: EventFilter,
  { after, upTo, limit }: { after: number; upTo: number; limit: number },
): Promise<{ events: LoggedEvent[]; reached: number }> {
  if (upTo <= after) return { events: [], reached: after };
  const rows = await events.read(ctx.db, tenantId, { ...filter, after, upTo, limit });
  const found: BareEvent[] = [];
  let reached = upTo;
  // The rows hold as many events as the limit: there may be more rows after them.
  const isOne = filter.threadId !== undefined || filter.callId !== undefined;
  if (rows.reduce((sum, row) => sum + (isOne ? 1 : row.n), 0) >= limit) reached = Math.min(upTo, endOf(rows.at(-1)!));
  for (const row of rows) {
    const last = Math.min(endOf(row), upTo);
    for (let seq = Math.max(row.seq, after + 1); seq <= last; seq++) {
      const event = eventOf(tenantId, row, seq);
      if (!isWanted({ ...event, ...UNKNOWN }, filter)) continue;
      if (found.length === limit) return { events: await withSubjects(ctx, tenantId, found), reached: seq - 1 };
      found.push(event);
    }
  }
  return { events: await withSubjects(ctx, tenantId, found), reached };
}

const endOf = (row: EventRow): number => row.seq + row.n - 1;

function eventOf(tenantId: Uuid, row: EventRow, seq: number): BareEvent {
  const i = seq - row.seq;
  const { kind, at, organization_id, campaign_id, channel, carrier, phone, campaign } = row;
  return {
    ...{ kind, at, organization_id, campaign_id, channel, carrier, phone, campaign, tenantId, seq },
    id: row.object_ids?.[i] ?? null,
    thread: row.thread_ids?.[i] ?? null,
    data: Array.isArray(row.data) ? row.data[i]! : row.data,
  };
}

/** With whom the events are about and what was written, as it is now: three queries for all of them. */
async function withSubjects(ctx: Context, tenantId: Uuid, found: readonly BareEvent[]): Promise<LoggedEvent[]> {
  const named = found.flatMap(({ campaign, thread }) => (campaign && thread ? [{ campaign, id: thread }] : []));
  const threads = [...new Map(named.map((thread) => [thread.id, thread])).values()];
  const ofKind = (prefix: string) => found.filter(({ kind, id }) => kind.startsWith(prefix) && id !== null);
  const texts = ofKind("message.").flatMap(({ campaign, id }) => (campaign ? [{ campaign, id: id! }] : []));
  const calls = [...new Set(ofKind("call.").map(({ id }) => id!))];
  const [byThread, byCall, words] = await Promise.all([
    events.contactsOf(ctx.db, tenantId, threads),
    events.contactsByCall(ctx.db, tenantId, calls),
    events.textsOf(ctx.db, tenantId, [...new Map(texts.map((text) => [text.id, text])).values()]),
  ]);
  return found.map((event) => {
    const ofThread = event.thread === null ? undefined : byThread.get(event.thread);
    return {
      ...event,
      threadPhone: ofThread?.phone ?? null,
      contact: ofThread ?? (event.id === null ? undefined : byCall.get(event.id)) ?? null,
      text: (event.id === null ? undefined : words.get(event.id)) ?? null,
    };
  });
}

/** The last numbers of tenants' logs, in one query. */
export const logHeads = (ctx: Context, tenantIds: readonly Uuid[]): Promise<Map<Uuid, number>> =>
  eventNumbers.heads(ctx.db, tenantIds);

export type { EventKind };
