import { dollarsOf, microsOf, piecesLeft, spendDay, spendLeft } from "#domain/sending/spend-limit.ts";
import { conflict } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import { CarrierProblem } from "#ports/carrier-account.ts";
import type { Tx } from "#store/database/db.ts";
import * as spend from "#store/sending/spend.ts";
import * as stops from "#store/sending/stops.ts";

type Paying = Pick<Context, "db" | "now" | "pricePerLookup">;

/** Look-ups that are paid for before they are asked for, of a day's spend limit. */
export type Granted = { day: string; lookups: number };

/** What is left of the day's limit, in millionths of a dollar; null without one. */
export async function leftForLookups(ctx: Paying, tenantId: Uuid): Promise<number | null> {
  const { limit, day } = await today(ctx, ctx.db, tenantId);
  return limit === null ? null : spendLeft(limit, await spend.read(ctx.db, tenantId, day)).outreach;
}

/** 409 where so many look-ups cost more than is left of the day's limit; `field` is what asks for them. */
export async function refuseUnaffordable(ctx: Paying, tenantId: Uuid, lookups: number, field?: string): Promise<void> {
  const left = await leftForLookups(ctx, tenantId);
  const micros = lookups * microsOf(ctx.pricePerLookup);
  if (left === null || micros <= left) return;
  const [cost, rest] = [dollarsOf(micros), dollarsOf(left)];
  const what = `${lookups} look-ups cost ${cost} dollars, and ${rest} are left of the spend limit of today`;
  throw conflict(field === undefined ? what : `${field}: ${what}`, field);
}

/** Takes as many of these look-ups from the day's limit as it has room for. What is not looked up after all is to be given back. */
export function payForLookups(ctx: Paying, tenantId: Uuid, wanted: number): Promise<Granted> {
  const each = microsOf(ctx.pricePerLookup);
  return ctx.db.transaction(async (tx) => {
    const { limit, day } = await today(ctx, tx, tenantId);
    const lookups =
      limit === null || each === 0
        ? wanted
        : Math.min(wanted, piecesLeft(spendLeft(limit, await spend.lock(tx, tenantId, day)).outreach, each));
    await spend.add(tx, tenantId, day, lookups * each);
    return { day, lookups };
  });
}

/** What the carrier refused, or never got, costs nothing. What it may have got counts: the limit is a promise, and the carrier's bill may have it. */
const costsNothing = (error: unknown): boolean => error instanceof CarrierProblem && !error.isUnanswered;

/** With the commit: so many of those that were paid for failed, by these errors. */
export const giveBackLookups = (ctx: Paying, tx: Tx, tenantId: Uuid, { day }: Granted, failed: readonly unknown[]) =>
  spend.add(tx, tenantId, day, -failed.filter(costsNothing).length * microsOf(ctx.pricePerLookup));

async function today(ctx: Paying, tx: Tx, tenantId: Uuid): Promise<{ limit: number | null; day: string }> {
  const { clockOffsetMs, spending } = await stops.read(tx, tenantId);
  const { date: day } = spendDay(spending.zone, new Date(ctx.now().getTime() + clockOffsetMs));
  return { limit: spending.limit, day };
}
