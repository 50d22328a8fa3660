import { normalizePhone } from "#domain/phones/phone.ts";
import { type AppError, failure, invalidField, notFound } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";
import { requireInstant } from "#domain/values/instant.ts";
import type { Page } from "#domain/values/paging.ts";
import type { Caller, Context } from "#operations/context.ts";
import type { HandsetAction, HandsetCall, HandsetScript, HandsetText, ListedHandset } from "#ports/handset-network.ts";
import type { SoundLine } from "#ports/sound-bridge.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as dueJobs from "#store/sending/due-jobs.ts";

/** A handset texts one of our numbers. The text arrives as a webhook would, a moment later. */
export async function textFromHandset(
  ctx: Context,
  caller: Caller,
  text: { handset: string; to: string; text: string },
) {
  const now = await tenants.tenantNow(ctx.db, caller.tenantId, ctx.now());
  const handset = phoneOf("phone_number", text.handset);
  return ctx.handsets.text(caller.tenantId, { handset, to: phoneOf("to_number", text.to), text: text.text }, now);
}

/** A handset calls one of our numbers and says this. The call arrives as from a carrier, a moment later. */
export async function callFromHandset(
  ctx: Context,
  caller: Caller,
  call: { handset: string; to: string; says: readonly string[] },
) {
  const now = await tenants.tenantNow(ctx.db, caller.tenantId, ctx.now());
  const handset = phoneOf("phone_number", call.handset);
  return ctx.handsets.call(caller.tenantId, { handset, to: phoneOf("to_number", call.to), says: call.says }, now);
}

/** An action of the person who plays a phone on its call. 409 where the call is not, or no longer, at that stage. */
export async function actInHandsetCall(
  ctx: Context,
  { tenantId }: Caller,
  { phone, carrierId }: { phone: string; carrierId: string },
  { action, text }: { action: HandsetAction["action"]; text?: string | undefined },
): Promise<void> {
  const handset = phoneOf("phone_number", phone);
  const now = await tenants.tenantNow(ctx.db, tenantId, ctx.now());
  if (action === "speak" && text === undefined) throw invalidField("text", "is what it says");
  const handsetAction: HandsetAction = action === "speak" ? { action, text: text! } : { action };
  if (await ctx.handsets.act(tenantId, { phone: handset, carrierId }, handsetAction, now)) return;
  throw await notSo(ctx, tenantId, { phone: handset, carrierId }, now);
}

/** Answers a ringing call of a phone that a person plays, with a microphone. 409 where that is not, or no longer, possible. */
export async function takeHandsetCall(
  ctx: Context,
  { tenantId }: Caller,
  { phone, carrierId }: { phone: string; carrierId: string },
): Promise<SoundLine> {
  const call = { phone: phoneOf("phone_number", phone), carrierId };
  const now = await tenants.tenantNow(ctx.db, tenantId, ctx.now());
  const line = await ctx.handsets.takeBySound(tenantId, call, now).catch((err) => {
    ctx.log.warn({ err, call: carrierId }, "a call cannot be joined at the node that holds it");
    return undefined;
  });
  if (line) return line;
  throw await notSo(ctx, tenantId, call, now, NOT_TAKEN);
}

/** Why a call that rings cannot be taken by sound, by what it offers. */
const NOT_TAKEN = {
  offered: failure("conflict", "Somebody else has just taken this call, or its node cannot be reached by this one"),
  silent: failure("conflict", "This call rings where there is no microphone: take it in text"),
};

/** Why something cannot be done with a call. */
async function notSo(
  ctx: Context,
  tenantId: Uuid,
  { phone, carrierId }: { phone: string; carrierId: string },
  now: Date,
  ringing?: typeof NOT_TAKEN,
): Promise<AppError> {
  const calls = await ctx.handsets.calls(tenantId, phone, now);
  const call = calls.find((one) => one.carrier_id === carrierId);
  if (!call) return notFound("Call");
  const { stage, microphone } = call;
  if (stage === null) return failure("conflict", "This call is not played by hand, or is over");
  if (microphone === "in_use") return failure("conflict", "This call is spoken into a microphone");
  if (stage === "ringing" && ringing) return microphone === "offered" ? ringing.offered : ringing.silent;
  return failure("conflict", `This call is ${stage}`);
}

export async function readHandset(
  ctx: Context,
  caller: Caller,
  phone: string,
): Promise<{ behavior: string | null; messages: HandsetText[]; calls: HandsetCall[] }> {
  const handset = phoneOf("phone_number", phone);
  const now = await tenants.tenantNow(ctx.db, caller.tenantId, ctx.now());
  const [texts, calls] = await Promise.all([
    ctx.handsets.handset(caller.tenantId, handset),
    ctx.handsets.calls(caller.tenantId, handset, now),
  ]);
  return { ...texts, calls };
}

/** A page of the phones that have had a text or call, by their numbers. */
export async function listHandsets(
  ctx: Context,
  { tenantId }: Caller,
  { limit = 100, after }: { limit: number | undefined; after: string | undefined },
): Promise<Page<ListedHandset>> {
  const start = after === undefined ? "" : phoneOf("pagination_key", after);
  const rows = await ctx.handsets.handsets(tenantId, start, limit + 1);
  const items = rows.slice(0, limit);
  const hasMore = rows.length > limit;
  return { items, hasMore, nextKey: hasMore ? items.at(-1)!.phone : null };
}

export async function scriptHandset(
  ctx: Context,
  caller: Caller,
  phone: string,
  script: HandsetScript,
): Promise<string> {
  const handset = phoneOf("phone_number", phone);
  await ctx.handsets.script(caller.tenantId, handset, script);
  return handset;
}

export function readTraffic(ctx: Context, caller: Caller, campaignId: string | undefined) {
  return ctx.handsets.traffic(caller.tenantId, campaignId);
}

export type Clock = { now: Date; offsetMs: number };

export async function readClock(ctx: Context, caller: Caller): Promise<Clock> {
  const offsetMs = await tenants.clockOffsetMs(ctx.db, caller.tenantId);
  return { now: new Date(ctx.now().getTime() + offsetMs), offsetMs };
}

/**
 * Moves the tenant's clock forward, by a span or to a moment, and enqueues the jobs for all that is due by then. Fails with `conflict` where a live
 * number would be dialled by it.
 */
export async function moveClock(
  ctx: Context,
  caller: Caller,
  move: { advance_ms?: number | undefined; to?: string | undefined },
): Promise<Clock> {
  if ((move.advance_ms === undefined) === (move.to === undefined))
    throw invalidField("advance_ms", "or to: give one of the two");
  const { now } = await readClock(ctx, caller);
  const byMs = move.advance_ms ?? requireInstant("to", move.to!).getTime() - now.getTime();
  if (byMs < 0) throw invalidField("to", "is in this tenant's past; its clock only moves forward");
  if (ctx.clockMovesLive) {
    await tenants.advance(ctx.db, await tenants.otherMode(ctx.db, caller.tenantId), Math.round(byMs));
  }
  const offsetMs = await tenants.advance(ctx.db, caller.tenantId, Math.round(byMs));
  await dueJobs.enqueueDue(ctx.db, ctx.now(), caller.tenantId);
  return { now: new Date(ctx.now().getTime() + offsetMs), offsetMs };
}

function phoneOf(field: string, text: string): string {
  const normal = normalizePhone(text);
  if ("problem" in normal) throw invalidField(field, normal.problem);
  return normal.phone;
}
