import { type LiveTenantId, liveTenant, requireLive } from "#domain/accounts/modes.ts";
import { requirePhone } from "#domain/numbers/phone-number.ts";
import { AppError, notFound } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";
import { type AccountPart, asRefusal, heeded, requireLookup } from "#operations/carriers.ts";
import type { Caller, Context } from "#operations/context.ts";
import { CarrierProblem } from "#ports/carrier-account.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as campaigns from "#store/campaigns/campaigns.ts";
import * as lineTypes from "#store/compliance/line-types.ts";
import * as listLines from "#store/contacts/list-lines.ts";
import * as lists from "#store/contacts/lists.ts";
import { giveBackLookups, leftForLookups, payForLookups, refuseUnaffordable } from "./look-up-spend.ts";

const DAY_MS = 86_400_000;
/** Requests of one campaign's or list's look-up at a time. */
const AT_A_TIME = 8;
/** Of a campaign's look-up: what is not looked up by then is left for the next request. */
const LOOK_UP_WITHIN_MS = 45_000;
const ONE_WITHIN_MS = 15_000;
/** A process that has looked up no batch for so long has died. */
const LEASE_MS = 120_000;
const BATCH_WITHIN_MS = 45_000;
/** A carrier that answered nothing of a batch is asked again after this, and a day's spend limit that is used up is looked at again. */
const AGAIN_MS = 300_000;
/** Of phones that are read at once. */
const PAGE = 400;

type How = { carrierId: Uuid | undefined; maxAgeDays: number };

/** What is known of a phone's line; 404 where it was never looked up. Asks nobody. */
export async function getNumberLookup(ctx: Context, caller: Caller, text: string): Promise<lineTypes.KnownLine> {
  const tenantId = requireLive(caller);
  const [known] = await lineTypes.find(ctx.db, tenantId, [requirePhone("phone_number", text)]);
  if (!known) throw notFound("Number look-up");
  return known;
}

/** What a phone's line is: as it is known where that is not older than asked for, else by the tenant's account, which pays for the answer. */
export async function lookUpNumber(
  ctx: Context,
  caller: Caller,
  wanted: How & { phone: string },
  signal: AbortSignal,
): Promise<{ line: lineTypes.KnownLine; isPaid: boolean }> {
  const tenantId = requireLive(caller);
  const phone = requirePhone("phone_number", wanted.phone);
  const [known] = await lineTypes.find(ctx.db, tenantId, [phone]);
  if (known && known.looked_up_at > sinceAge(ctx, wanted)) return { line: known, isPaid: false };
  const by = await requireLookup(ctx, tenantId, wanted);
  const within = AbortSignal.any([signal, AbortSignal.timeout(ONE_WITHIN_MS)]);
  const asked = await askedNow(ctx, tenantId);
  const granted = await payForLookups(ctx, tenantId, 1);
  if (granted.lookups === 0) await refuseUnaffordable(ctx, tenantId, 1);
  const line = await looked(ctx, tenantId, by, phone, within).catch(async (error) => {
    await ctx.db.transaction((tx) => giveBackLookups(ctx, tx, tenantId, granted, [error]));
    throw asRefusal(error);
  });
  await ctx.db.transaction((tx) => lineTypes.save(tx, tenantId, [line], asked));
  return { line, isPaid: true };
}

export type CampaignLines = lineTypes.LineCounts & { lookedUp: number; failed: number };

/**
 * Looks up the lines of a campaign's recipients that are not known, at most so many; 0 looks up none and says how many there are. Each answer is kept
 * as soon as its batch has come, also where a later one fails, so that a request that is repeated pays for nothing twice.
 */
export async function lookUpCampaign(
  ctx: Context,
  caller: Caller,
  wanted: How & { campaignId: string; most: number },
  signal: AbortSignal,
): Promise<CampaignLines> {
  const tenantId = requireLive(caller);
  const campaign = await campaigns.living(ctx.db, tenantId, wanted.campaignId);
  const after = sinceAge(ctx, wanted);
  let [lookedUp, failed] = [0, 0];
  if (wanted.most > 0) {
    const by = await requireLookup(ctx, tenantId, { ...wanted, organizationId: campaign.organization_id });
    const phones = await lineTypes.unknown(ctx.db, tenantId, campaign.id, { since: after, limit: wanted.most });
    await refuseUnaffordable(ctx, tenantId, phones.length, "max_lookups");
    const within = AbortSignal.any([signal, AbortSignal.timeout(LOOK_UP_WITHIN_MS)]);
    for (let i = 0; i < phones.length && !within.aborted; i += AT_A_TIME) {
      const batch = await lookUpBatch(ctx, tenantId, by, phones.slice(i, i + AT_A_TIME), within);
      lookedUp += batch.found;
      failed += batch.failed;
      // Nothing more is asked of an account that is refused, or of a carrier that answers none of a batch.
      if (batch.barred !== undefined && lookedUp === 0) throw asRefusal(batch.barred);
      if (batch.barred !== undefined || batch.found === 0 || batch.unpaid > 0) break;
    }
  }
  return { ...(await lineTypes.ofCampaign(ctx.db, tenantId, campaign.id, after)), lookedUp, failed };
}

type By = AccountPart<"lookup">;

/** Looks up some phones at once, as far as the day's spend limit goes, and keeps what is found. `barred`: the account is refused. */
async function lookUpBatch(
  ctx: Context,
  tenantId: LiveTenantId,
  by: By,
  wanted: readonly string[],
  signal: AbortSignal,
): Promise<{ found: number; failed: number; unpaid: number; barred: CarrierProblem | undefined }> {
  const asked = await askedNow(ctx, tenantId);
  const granted = await payForLookups(ctx, tenantId, wanted.length);
  const phones = wanted.slice(0, granted.lookups);
  const answers = await Promise.allSettled(phones.map((phone) => looked(ctx, tenantId, by, phone, signal)));
  const found = answers.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value] : []));
  const refusals = answers.flatMap((answer) => (answer.status === "rejected" ? [answer.reason] : []));
  await ctx.db.transaction(async (tx) => {
    await lineTypes.save(tx, tenantId, found, asked);
    await giveBackLookups(ctx, tx, tenantId, granted, refusals);
  });
  const barred = refusals.find((error) => error instanceof CarrierProblem && error.account !== undefined);
  return { found: found.length, failed: refusals.length, unpaid: wanted.length - phones.length, barred };
}

async function looked(
  ctx: Context,
  tenantId: LiveTenantId,
  { account, part }: By,
  phone: string,
  signal: AbortSignal,
): Promise<lineTypes.KnownLine> {
  const { lineType, carrierName } = await heeded(ctx, tenantId, account, part.look(phone, signal));
  return { phone, line_type: lineType, carrier_name: carrierName, carrier: account.carrier, looked_up_at: ctx.now() };
}

/** An erasure notes the time at its beginning, and is over within that. */
const ERASES_WITHIN_MS = 60_000;

/** What is erased from now on, or is being erased, is not kept. */
async function askedNow(ctx: Context, tenantId: Uuid) {
  const now = await tenants.tenantNow(ctx.db, tenantId, ctx.now());
  return { hash: ctx.hashPhone, at: new Date(now.getTime() - ERASES_WITHIN_MS) };
}

/** What was looked up before is too old. */
const sinceAge = (ctx: Context, { maxAgeDays }: Pick<How, "maxAgeDays">): Date =>
  new Date(ctx.now().getTime() - maxAgeDays * DAY_MS);

/** `left`: of the day's spend limit, in millionths of a dollar; null without one. */
export type ListLookup = listLines.ListLines & {
  left: number | null;
  list: NonNullable<Awaited<ReturnType<typeof lists.find>>>;
};

/**
 * Has the lines of a list's phones looked up that are not known, by the account that pays; `isDryRun` only counts. What is under way goes on. 404
 * without the list, 409 without an account, and where it costs more than is left of the day's spend limit.
 */
export async function lookUpList(
  ctx: Context,
  caller: Caller,
  wanted: { listId: Uuid; carrierId: Uuid | undefined; maxAgeDays: number; isDryRun: boolean },
): Promise<ListLookup> {
  const tenantId = requireLive(caller);
  const { listId, carrierId, maxAgeDays } = wanted;
  const list = await lists.find(ctx.db, tenantId, listId);
  if (!list) throw notFound("List");
  await requireLookup(ctx, tenantId, { carrierId, organizationId: list.organization_id });
  const counted = await listLines.count(ctx.db, tenantId, listId, sinceAge(ctx, wanted));
  const left = await leftForLookups(ctx, tenantId);
  if (wanted.isDryRun || counted.known === counted.contacts) return { ...counted, left, list };
  await refuseUnaffordable(ctx, tenantId, counted.contacts - counted.known);
  await listLines.want(ctx.db, tenantId, listId, "waiting", { carrierId: carrierId ?? null, maxAgeDays });
  return { ...counted, left, list: (await lists.find(ctx.db, tenantId, listId)) ?? list };
}

/**
 * Looks up a page of the lines of each list that it was asked for, each list by one process: a long one keeps no other waiting. True where one has more.
 * Killed at any point it goes on: what is known is not asked for again. An account that is refused ends a list's, with the reason; a carrier that does
 * not answer is asked again later.
 */
export async function lookUpLists(ctx: Context, signal: AbortSignal): Promise<boolean> {
  let isMore = false;
  for (const { tenant_id: tenantId, id, mode } of await listLines.waiting(ctx.db, ctx.now())) {
    if (signal.aborted) return false;
    const live = liveTenant({ tenantId, mode });
    const now = ctx.now();
    const until = new Date(now.getTime() + LEASE_MS);
    const leased = live && (await listLines.lease(ctx.db, live, id, { now, until }));
    if (!live || !leased) continue;
    try {
      if (await lookUpPage(ctx, live, id, leased, signal)) isMore = true;
    } catch (error) {
      // Shown to whoever asked: nothing more is tried by itself.
      if (!(error instanceof AppError)) throw error;
      const over = { lookedUp: 0, until: null, state: "failed", after: null } as const;
      await listLines.note(ctx.db, live, id, { ...over, problem: error.message });
    }
  }
  return isMore;
}

/** True where the list has more, which is anybody's from now on. */
async function lookUpPage(
  ctx: Context,
  tenantId: LiveTenantId,
  listId: Uuid,
  leased: listLines.Leased,
  signal: AbortSignal,
): Promise<boolean> {
  const { organization_id: organizationId, line_lookup_carrier, line_lookup_max_age_days: maxAgeDays } = leased;
  const by = await requireLookup(ctx, tenantId, { carrierId: line_lookup_carrier ?? undefined, organizationId });
  let after = leased.line_lookup_after ?? "";
  let lookedUp = 0;
  const note = (state: "waiting" | "completed", waitMs: number) => {
    const until = waitMs === 0 ? null : new Date(ctx.now().getTime() + waitMs);
    return listLines.note(ctx.db, tenantId, listId, { lookedUp, until, state, problem: null, after });
  };
  const wanted = { since: sinceAge(ctx, { maxAgeDays }), after, limit: PAGE };
  const phones = await listLines.unknown(ctx.db, tenantId, listId, wanted);
  for (let i = 0; i < phones.length; i += AT_A_TIME) {
    // Another goes on with it at once.
    if (signal.aborted) {
      await note("waiting", 0);
      return false;
    }
    const within = AbortSignal.any([signal, AbortSignal.timeout(BATCH_WITHIN_MS)]);
    const batch = phones.slice(i, i + AT_A_TIME);
    const { found, unpaid, barred } = await lookUpBatch(ctx, tenantId, by, batch, within);
    lookedUp = found;
    if (barred !== undefined) {
      await note("waiting", LEASE_MS);
      throw asRefusal(barred);
    }
    // What the day's limit has no room for is asked for again later, from here on.
    if (found > 0 && unpaid === 0) after = batch.at(-1)!;
    const isHeld = found === 0 || unpaid > 0;
    if (!(await note("waiting", isHeld ? AGAIN_MS : LEASE_MS)) || isHeld) return false;
    lookedUp = 0;
  }
  const isMore = phones.length === PAGE;
  await note(isMore ? "waiting" : "completed", 0);
  return isMore;
}
