import { setTimeout as pause } from "node:timers/promises";
import type { Uuid } from "#domain/values/id.ts";
import { type Context, isAway } from "#operations/context.ts";
import * as callOptOuts from "#store/compliance/call-opt-outs.ts";
import * as optOuts from "#store/compliance/opt-outs.ts";
import { write } from "./writes.ts";

/** The contact waits for it, or the call's end does: a little longer than the wait for what is on its way, after the commit (store/messaging/in-flight.ts). */
const GIVE_UP_AFTER_MS = 8_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1_600;

/**
 * Writes an opt-out that was said in a call: into the journal, and then into the database, retried while that is away. True once it is committed, so
 * that the agent may confirm it. False when it could not be written, or not within eight seconds: then its phone is put in doubt before anything else
 * is written of the call, and a worker does the rest (compliance/judge-opt-out.ts). Never rejects.
 */
export async function recordOptOut(
  ctx: Context,
  tenantId: Uuid,
  said: callOptOuts.SaidInCall,
  withinMs = GIVE_UP_AFTER_MS,
): Promise<boolean> {
  const trying = new AbortController();
  const late = pause(withinMs, false, { signal: trying.signal }).catch(() => false);
  const isWritten = await Promise.race([tryUntil(ctx, tenantId, said, trying.signal), late]);
  trying.abort();
  if (!isWritten) void write(ctx, tenantId, { kind: "doubted", said });
  return isWritten;
}

async function tryUntil(
  ctx: Context,
  tenantId: Uuid,
  said: callOptOuts.SaidInCall,
  signal: AbortSignal,
): Promise<boolean> {
  const { callId, phone, at } = said;
  try {
    // Journaled first: this process may die while the database is away, and a restored database needs it replayed.
    await ctx.journal.append({ kind: "opt_out", at: at.toISOString(), tenantId, phone, source: "call", callId });
    for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      try {
        await ctx.db.transaction((tx) => callOptOuts.write(tx, tenantId, said, ctx));
        await optOuts.handedOver(ctx.db, tenantId, [phone], ctx);
        return true;
      } catch (error) {
        if (!isAway(error)) throw error;
        await pause(pauseMs, undefined, { signal }).catch(() => {});
      }
    }
  } catch (error) {
    ctx.log.error({ err: error, tenantId, callId }, "an opt-out that was said in a call could not be written");
  }
  return false;
}
