import { type LiveTenantId, requireLive } from "#domain/accounts/modes.ts";
import { requirePhone } from "#domain/numbers/phone-number.ts";
import { failure, notFound } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";
import { type AccountPart, accountFor, asRefusal, heeded } from "#operations/carriers.ts";
import type { Caller, Context } from "#operations/context.ts";
import { CarrierProblem } from "#ports/carrier-account.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as campaigns from "#store/campaigns/campaigns.ts";
import * as lineTypes from "#store/compliance/line-types.ts";

const DAY_MS = 86_400_000;
/** Requests of one campaign's look-up at a time. */
const AT_A_TIME = 8;
/** Of a campaign's look-up: what is not looked up by then is left for the next request. */
const LOOK_UP_WITHIN_MS = 45_000;
const ONE_WITHIN_MS = 15_000;

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
  if (known && known.looked_up_at > since(ctx, wanted)) return { line: known, isPaid: false };
  const by = await lookupFor(ctx, tenantId, wanted);
  const within = AbortSignal.any([signal, AbortSignal.timeout(ONE_WITHIN_MS)]);
  const asked = await askedNow(ctx, tenantId);
  const line = await looked(ctx, tenantId, by, phone, within).catch((error) => {
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
  const after = since(ctx, wanted);
  let [lookedUp, failed] = [0, 0];
  if (wanted.most > 0) {
    const by = await lookupFor(ctx, tenantId, { ...wanted, organizationId: campaign.organization_id });
    const phones = await lineTypes.unknown(ctx.db, tenantId, campaign.id, { since: after, limit: wanted.most });
    const within = AbortSignal.any([signal, AbortSignal.timeout(LOOK_UP_WITHIN_MS)]);
    for (let i = 0; i < phones.length && !within.aborted; i += AT_A_TIME) {
      const asked = await askedNow(ctx, tenantId);
      const answers = await Promise.allSettled(
        phones.slice(i, i + AT_A_TIME).map((phone) => looked(ctx, tenantId, by, phone, within)),
      );
      const found = answers.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value] : []));
      await ctx.db.transaction((tx) => lineTypes.save(tx, tenantId, found, asked));
      lookedUp += found.length;
      const refusals = answers.flatMap((answer) => (answer.status === "rejected" ? [answer.reason] : []));
      failed += refusals.length;
      const barred = refusals.find((error) => error instanceof CarrierProblem && error.account !== undefined);
      // Nothing more is asked of an account that is refused, or of a carrier that answers none of a batch.
      if (barred !== undefined && lookedUp === 0) throw asRefusal(barred);
      if (barred !== undefined || found.length === 0) break;
    }
  }
  return { ...(await lineTypes.ofCampaign(ctx.db, tenantId, campaign.id, after)), lookedUp, failed };
}

type By = AccountPart<"lookup">;

/** The account that pays: of an organization's campaign none of another organization's. */
async function lookupFor(
  ctx: Context,
  tenantId: LiveTenantId,
  { carrierId, organizationId }: How & { organizationId?: Uuid },
): Promise<By> {
  const by = await accountFor(ctx.carriers, ctx.db, tenantId, "lookup", { id: carrierId, organizationId });
  if (!by) throw failure("conflict", "No carrier looks up numbers here: connect an account with Twilio or Telnyx");
  return by;
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

const since = (ctx: Context, { maxAgeDays }: How): Date => new Date(ctx.now().getTime() - maxAgeDays * DAY_MS);
