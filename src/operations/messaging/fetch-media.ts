import { liveTenant } from "#domain/accounts/modes.ts";
import {
  keptType,
  MOST_BYTES_A_PHONE,
  MOST_BYTES_A_TENANT,
  MOST_MEDIA_BYTES,
  mediaName,
} from "#domain/messaging/media.ts";
import type { Uuid } from "#domain/values/id.ts";
import { piecesOf } from "#domain/values/pieces.ts";
import type { Context } from "#operations/context.ts";
import type { MediaAnswer, OpenCarrier } from "#ports/carrier-account.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as objectsToDelete from "#store/calls/objects-to-delete.ts";
import * as media from "#store/messaging/media.ts";

/** Files of a text that are fetched at a time: each is in memory until it is stored. */
const AT_ONCE = 3;
/** Less than the time after which the sweep removes what an erasure has left (operations/sending/sweep.ts). */
const FETCH_WITHIN_MS = 20_000;
/** Carriers keep what came in for days; an account's key may have to be put in order first. */
const AGAIN_MS = [60_000, 10 * 60_000, 3_600_000, 12 * 3_600_000];
const DAY_MS = 86_400_000;

/**
 * Fetches what came with a text, each file by the account that brought it, and keeps it. What cannot be had says why, and the conversation goes on
 * without it; what may be had later is tried again by the sweep. Safe to repeat.
 */
export async function fetchMedia(
  ctx: Context,
  { tenantId, messageId }: { tenantId: Uuid; messageId: Uuid },
  signal: AbortSignal,
): Promise<void> {
  const them = await media.waiting(ctx.db, tenantId, messageId, ctx.now());
  if (them.length === 0) return;
  const account = await accountOf(ctx, tenantId, them[0]!.carrier);
  for (const piece of piecesOf(them, AT_ONCE)) {
    await Promise.all(piece.map((one) => fetchOne(ctx, tenantId, one, account, signal)));
  }
}

async function accountOf(ctx: Context, tenantId: Uuid, carrier: string): Promise<OpenCarrier | undefined> {
  const tenant = await tenants.find(ctx.db, tenantId);
  const live = tenant && liveTenant({ tenantId, mode: tenant.mode });
  return live && (await ctx.carriers.accounts.open(live, carrier, { tx: ctx.db }));
}

async function fetchOne(
  ctx: Context,
  tenantId: Uuid,
  one: media.WaitingMedia,
  account: OpenCarrier | undefined,
  signal: AbortSignal,
): Promise<void> {
  const answer = await answerOf(ctx, tenantId, one, account, signal);
  if (answer.outcome === "fetched") {
    const contentType = typeOf(answer.contentType, one.content_type);
    if (contentType !== undefined) return keep(ctx, tenantId, one.id, { contentType, bytes: answer.bytes });
    const given = (answer.contentType ?? one.content_type ?? "none").slice(0, 100);
    return media.fail(
      ctx.db,
      tenantId,
      one.id,
      `It is of a type that is not kept: ${given}`,
      await nowOf(ctx, tenantId),
    );
  }
  const waitMs = answer.again ? AGAIN_MS[one.tries] : undefined;
  if (waitMs === undefined) return media.fail(ctx.db, tenantId, one.id, answer.problem, await nowOf(ctx, tenantId));
  await media.putOff(ctx.db, tenantId, one.id, answer.problem, new Date(ctx.now().getTime() + waitMs));
}

const nowOf = (ctx: Context, tenantId: Uuid): Promise<Date> => tenants.tenantNow(ctx.db, tenantId, ctx.now());

const failed = (problem: string): MediaAnswer => ({ outcome: "failed", problem, again: false });

async function answerOf(
  ctx: Context,
  tenantId: Uuid,
  { url, phone }: media.WaitingMedia,
  account: OpenCarrier | undefined,
  signal: AbortSignal,
): Promise<MediaAnswer> {
  if (!account?.fetchMedia) return failed("The carrier account that brought it is not there any more");
  const now = await nowOf(ctx, tenantId);
  const lately = await media.keptSince(ctx.db, tenantId, phone, new Date(now.getTime() - DAY_MS));
  if (lately.phone >= MOST_BYTES_A_PHONE) return failed("This phone has sent more than 100 MB within a day");
  if (lately.tenant >= MOST_BYTES_A_TENANT) return failed("More than 10 GB came within a day");
  return account.fetchMedia({ url, maxBytes: MOST_MEDIA_BYTES, withinMs: FETCH_WITHIN_MS }, signal);
}

/** What the host says of a file, unless it says nothing: then what the webhook said. */
function typeOf(answered: string | undefined, announced: string | null): string | undefined {
  const isVague = answered === undefined || /^(?:application|binary)\/octet-stream\b/i.test(answered);
  return keptType(isVague ? announced : answered);
}

/** Stored before it is noted, so that what is noted is there. What was erased meanwhile is removed again. */
async function keep(
  ctx: Context,
  tenantId: Uuid,
  id: Uuid,
  { contentType, bytes }: { contentType: string; bytes: Uint8Array },
): Promise<void> {
  const name = mediaName(tenantId, id);
  await ctx.objects.put(name, bytes);
  const now = await nowOf(ctx, tenantId);
  if (await media.keep(ctx.db, tenantId, id, { contentType, bytes: bytes.byteLength, now })) return;
  if (await media.find(ctx.db, tenantId, id, true)) return;
  await objectsToDelete.add(ctx.db, tenantId, [name], ctx.now());
  await objectsToDelete.remove(ctx.db, ctx.objects, tenantId, [name], ctx.now());
}
