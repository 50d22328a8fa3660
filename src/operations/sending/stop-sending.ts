import { setTimeout as pause } from "node:timers/promises";
import { publicId, type Uuid } from "#domain/values/id.ts";
import type { Caller, Context } from "#operations/context.ts";
import type { JournalEntry } from "#ports/journal.ts";
import * as tenants from "#store/accounts/tenants.ts";
import { LOOK_AGAIN_MS } from "#store/messaging/in-flight.ts";
import * as dueJobs from "#store/sending/due-jobs.ts";
import * as stops from "#store/sending/stops.ts";
import * as events from "#store/system/events.ts";

/** The answer comes within two seconds: what a carrier has not answered by then is reported as under way. */
const ANSWER_WITHIN_MS = 1_800;

/** What was under way when the sending was stopped, and what had become of it at the answer. */
export type Stopped = {
  stop: stops.Stop;
  texts: stops.UnderWay;
  calls: { dialled: number; ongoing: number; endingStill: number };
};

/**
 * Stops all sending and calling of a tenant: campaigns of both kinds, replies, follow-ups, callbacks, single calls. Only confirmations of STOP and
 * START leave still. Calls that we placed end at once, calls to us go on. Waits until every claim of before is over and the carriers have answered, but
 * answers within two seconds; after that nothing leaves but what is counted as in flight. Stopping twice is no error, and counts anew.
 */
export async function stopSending(ctx: Context, caller: Caller, reason: string | null): Promise<Stopped> {
  const { tenantId } = caller;
  const until = performance.now() + ANSWER_WITHIN_MS;
  const by = byOf(caller);
  const wanted: stops.Stop = { at: ctx.now(), by, reason };
  await journal(ctx, { tenantId, wish: "stop", by, reason });
  const stop = await ctx.db.transaction(async (tx) => {
    if (!(await stops.set(tx, tenantId, wanted))) return (await stops.read(tx, tenantId)).stop ?? wanted;
    const now = await tenants.tenantNow(tx, tenantId, wanted.at);
    await events.add(tx, tenantId, { kind: "sending.stopped", data: { by, reason } }, now);
    return wanted;
  });
  await claimsOver(ctx, tenantId, until);
  const refs = await stops.openTexts(ctx.db, tenantId);
  const ended = await stops.endCalls(ctx.db, tenantId, await tenants.tenantNow(ctx.db, tenantId, ctx.now()));
  for (;;) {
    const [texts, endingStill] = await Promise.all([
      stops.states(ctx.db, tenantId, refs),
      stops.openCalls(ctx.db, tenantId),
    ]);
    const isOver = texts.in_flight === 0 && endingStill === 0;
    if (isOver || performance.now() > until) return { stop, texts, calls: { ...ended, endingStill } };
    await pause(LOOK_AGAIN_MS);
  }
}

/** Takes the stop back: what waited is due at once. Where nothing is stopped it does nothing. */
export async function resumeSending(ctx: Context, caller: Caller): Promise<void> {
  const { tenantId } = caller;
  const by = byOf(caller);
  await journal(ctx, { tenantId, wish: "resume", by, reason: null });
  await ctx.db.transaction(async (tx) => {
    const realNow = ctx.now();
    if (!(await stops.clear(tx, tenantId))) return;
    const now = await tenants.tenantNow(tx, tenantId, realNow);
    await events.add(tx, tenantId, { kind: "sending.resumed", data: { by } }, now);
  });
  await dueJobs.enqueueDue(ctx.db, ctx.now(), tenantId);
}

/** Has this process give back what it has claimed for tenants whose sending has been stopped since. */
export async function heedStops(ctx: Context): Promise<void> {
  const tenants = new Set(await stops.stopped(ctx.db));
  ctx.process.stopped = { tenants, readMs: performance.now() };
}

const byOf = ({ person, keyId }: Caller): string =>
  person ? publicId("user", person.userId) : publicId("apiKey", keyId);

/** Waits until each lane has been without a claim once: a later claim sees the stop. */
async function claimsOver(ctx: Context, tenantId: Uuid, until: number): Promise<void> {
  let left = await stops.lanes(ctx.db, tenantId);
  for (;;) {
    const free = new Set(await stops.unclaimed(ctx.db, tenantId, left));
    left = left.filter((id) => !free.has(id));
    if (left.length === 0) return;
    if (performance.now() > until) break;
    await pause(LOOK_AGAIN_MS);
  }
  ctx.log.warn({ tenantId, lanes: left.length }, "sending was stopped, and claims of before it are not over yet");
}

/** As a campaign's pause (context.ts): a journal that cannot be written keeps nobody from stopping. */
async function journal(
  ctx: Context,
  entry: Omit<Extract<JournalEntry, { kind: "sending" }>, "kind" | "at">,
): Promise<void> {
  try {
    await ctx.journal.append({ kind: "sending", at: ctx.now().toISOString(), ...entry });
  } catch (error) {
    ctx.log.error({ err: error, ...entry }, "the journal cannot be written: a restore would not know of this");
  }
}
