import { setTimeout as pause } from "node:timers/promises";
import { mediaName } from "#domain/messaging/media.ts";
import { keptDays, type Retained } from "#domain/system/retention.ts";
import { NO_ID, type Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import * as audit from "#store/accounts/audit.ts";
import * as objectsToDelete from "#store/calls/objects-to-delete.ts";
import * as oldCalls from "#store/calls/old-calls.ts";
import type { Tx } from "#store/database/db.ts";
import * as oldTexts from "#store/messaging/old-texts.ts";
import * as eventNumbers from "#store/system/event-numbers.ts";
import * as requests from "#store/system/requests.ts";
import * as walks from "#store/system/retention-walks.ts";

// Removes what a tenant keeps for a time of its own choice (docs/retention.md), once a day and piece by piece: each is a transaction of some thousand rows of
// one tenant, which also notes how far it has come. Whatever is interrupted goes on there.

const DAY_MS = 86_400_000;
/** Of a tenant and kind at once: then the others have their turn. */
const RUN_MS = 2_000;
/** Between two pieces: so many times as long as the first took, so that the database does other things for most of the time, and no less than so long. */
const REST = { times: 2, leastMs: 100 };
const ROWS_AT_ONCE = 5_000;

type Piece = {
  removed: Record<string, number>;
  /** Names of what lies outside of the database. */
  files: readonly string[];
  place: walks.Place;
};
type At = { tenantId: Uuid; before: Date; place: readonly string[]; now: Date };

/** In the tenant's own time, as what these have was written; of the others in real time. */
const OF_TENANTS_TIME: ReadonlySet<Retained> = new Set<Retained>(["messages", "calls", "recordings"]);

/**
 * Removes what has been kept for as long as its tenant wants; true when there may be more. Any number of processes may run it. A removal that fails holds up
 * none of another tenant or kind: the first failure is thrown after the others have had their turn.
 */
export async function removeExpired(ctx: Context, signal: AbortSignal): Promise<boolean> {
  let isMore = false;
  const failures: unknown[] = [];
  for (const turn of await walks.wanted(ctx.db)) {
    const now = ctx.now().getTime() + (OF_TENANTS_TIME.has(turn.kind) ? turn.offset_ms : 0);
    // By whole days, so that a tenant's log has an entry a day and not one every few seconds.
    const before = startOfDay(now - keptDays(turn.kind, turn.days, ctx.kept) * DAY_MS);
    if (turn.is_through && turn.before! >= before) continue;
    try {
      isMore = (await removeFor(ctx, turn, before, signal)) || isMore;
    } catch (error) {
      ctx.log.warn({ err: error, tenantId: turn.tenant_id, kind: turn.kind }, "what is too old could not be removed");
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return isMore;
}

/** A turn of one tenant and kind; true when there may be more. */
async function removeFor(ctx: Context, of: walks.Wanted, before: Date, signal: AbortSignal): Promise<boolean> {
  const until = performance.now() + RUN_MS;
  for (;;) {
    const begin = performance.now();
    if (signal.aborted || begin >= until) return true;
    if (!(await removePiece(ctx, of.tenant_id, of.kind, before))) return false;
    await pause(Math.max(REST.leastMs, REST.times * (performance.now() - begin)));
  }
}

/** True when there may be more. Not where another process is at the same: it sees to the rest. */
async function removePiece(ctx: Context, tenantId: Uuid, kind: Retained, before: Date): Promise<boolean> {
  await walks.make(ctx.db, tenantId, kind, before);
  const now = ctx.now();
  const id = ctx.newId();
  const { files, isMore } = await ctx.db.transaction(async (tx) => {
    const walk = await walks.lock(tx, tenantId, kind);
    if (!walk || (walk.place === null && walk.before >= before)) return { files: [], isMore: false };
    // One that goes on stays with its day, but for a tenant that wants to keep more meanwhile.
    const until = walk.place === null || walk.before > before ? before : walk.before;
    const piece = await PIECES[kind](tx, { tenantId, before: until, place: walk.place ?? [], now });
    await objectsToDelete.add(tx, tenantId, piece.files, now);
    const removed = sum(walk.removed, piece.removed);
    const isThrough = piece.place === null;
    await walks.move(tx, tenantId, kind, { before: until, place: piece.place, removed: isThrough ? {} : removed });
    if (isThrough && Object.keys(removed).length > 0) {
      const note = {
        ...{ object: { kind, id: null }, before: { older_than: until }, after: null },
        counts: removed,
      };
      await audit.addOfSystemInMode(tx, tenantId, { id, operation: "removeOld" }, note, now);
    }
    return { files: piece.files, isMore: !isThrough };
  });
  // The sweep completes this if the process dies here.
  await objectsToDelete.remove(ctx.db, ctx.objects, tenantId, files, now);
  return isMore;
}

const PIECES: Record<Retained, (tx: Tx, at: At) => Promise<Piece>> = {
  messages: removeTexts,
  calls: removeCalls,
  recordings: removeRecordings,
  async events(tx, { tenantId, before }) {
    const n = await eventNumbers.forget(tx, tenantId, before, ROWS_AT_ONCE);
    return { removed: { events: n }, files: [], place: n > 0 ? [] : null };
  },
  async requests(tx, { tenantId, before }) {
    const n = await requests.forget(tx, "others", tenantId, before, ROWS_AT_ONCE);
    return { removed: { requests: n }, files: [], place: n > 0 ? [] : null };
  },
};

/** First texts outside of campaigns, then campaign by campaign, then what carriers have brought. */
async function removeTexts(tx: Tx, at: At): Promise<Piece> {
  const { tenantId, before } = at;
  const [part = "texts", campaignId = NO_ID, after = NO_ID] = at.place;
  if (part === "brought") {
    const n = await oldTexts.removeBrought(tx, tenantId, before);
    return { removed: { brought: n }, files: [], place: n === oldTexts.BROUGHT_AT_ONCE ? ["brought"] : null };
  }
  const piece = campaignId === NO_ID ? await ofStrangers(tx, at, after) : await ofCampaign(tx, at, campaignId, after);
  const { messages, attempts, media, next } = piece;
  const nextCampaign = next ? campaignId : await oldTexts.campaignAfter(tx, tenantId, campaignId, before);
  return {
    removed: { messages, attempts },
    files: media.map((id) => mediaName(tenantId, id)),
    place: nextCampaign === undefined ? ["brought"] : ["texts", nextCampaign, next ?? NO_ID],
  };
}

type OfTexts = Awaited<ReturnType<typeof oldTexts.remove>> & { next: Uuid | undefined };
const NOTHING = { messages: 0, attempts: 0, media: [] };

async function ofStrangers(tx: Tx, { tenantId, before, now }: At, after: Uuid): Promise<OfTexts> {
  const { texts, last } = await oldTexts.ofStrangers(tx, tenantId, after, before);
  if (texts.length === 0) return { ...NOTHING, next: last };
  await oldTexts.hold(tx, tenantId, NO_ID, { texts, threads: [] });
  // As they are now that nobody changes them any more.
  const held = await oldTexts.ofStrangers(tx, tenantId, after, before);
  const ids = new Set(texts.map(({ id }) => id));
  const gone = { texts: held.texts.filter(({ id }) => ids.has(id)), threads: [] };
  return { ...(await oldTexts.remove(tx, tenantId, NO_ID, gone, now)), next: last };
}

async function ofCampaign(tx: Tx, { tenantId, before, now }: At, campaignId: Uuid, after: Uuid): Promise<OfTexts> {
  const { threads, last } = await oldTexts.page(tx, tenantId, campaignId, after);
  const overOf = (them: readonly Uuid[]) => oldTexts.over(tx, tenantId, campaignId, them, before);
  const found = threads.length > 0 ? await overOf(threads) : [];
  if (found.length === 0) return { ...NOTHING, next: last };
  const wanted = found.slice(0, oldTexts.THREADS_AT_ONCE);
  const next = found.length > wanted.length ? after : last;
  await oldTexts.hold(tx, tenantId, campaignId, {
    texts: await oldTexts.ofThreads(tx, tenantId, campaignId, wanted),
    threads: wanted,
  });
  // As they are now that nobody changes them any more.
  const gone = await overOf(wanted);
  const texts = await oldTexts.ofThreads(tx, tenantId, campaignId, gone);
  return { ...(await oldTexts.remove(tx, tenantId, campaignId, { texts, threads: gone }, now)), next };
}

async function removeCalls(tx: Tx, { tenantId, before, place: [after = "-infinity"] }: At): Promise<Piece> {
  const { calls, place } = await oldCalls.page(tx, tenantId, after, before);
  const next = place === undefined ? null : [place];
  if (calls.length === 0) return { removed: {}, files: [], place: next };
  const dials = await oldCalls.partDials(tx, tenantId, calls);
  const attempts = await oldTexts.removeAttemptsOf(tx, tenantId, dials);
  const ids = calls.map(({ id }) => id);
  const { calls: n, recordings } = await oldCalls.remove(tx, tenantId, ids);
  return { removed: { calls: n, attempts, recordings: recordings.length }, files: recordings, place: next };
}

async function removeRecordings(tx: Tx, { tenantId, before, now, place: [after = NO_ID] }: At): Promise<Piece> {
  const { calls, last } = await oldCalls.recorded(tx, tenantId, after, before);
  const files = calls.length > 0 ? await oldCalls.removeRecordingsOf(tx, tenantId, calls, now) : [];
  return { removed: { recordings: files.length }, files, place: last === undefined ? null : [last] };
}

function sum(a: Record<string, number>, b: Record<string, number>): Record<string, number> {
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  const sums = names.map((name) => [name, (a[name] ?? 0) + (b[name] ?? 0)] as const);
  return Object.fromEntries(sums.filter(([, n]) => n > 0));
}

const startOfDay = (ms: number) => new Date(Math.floor(ms / DAY_MS) * DAY_MS);
