import type { Pace } from "#domain/sending/forecast.ts";
import { microsOf, piecesLeft, spendDay, spendLeft } from "#domain/sending/spend-limit.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { Tx } from "#store/database/db.ts";
import * as spend from "./spend.ts";
import * as stops from "./stops.ts";

/** What the tenant's limit leaves of the day on which the campaign begins, and of each after it: pieces at a price. */
export async function spendPace(
  tx: Tx,
  tenantId: Uuid,
  price: string,
  { now, startsAt }: { now: Date; startsAt: Date },
): Promise<Pace["spend"]> {
  const { limit, zone } = (await stops.read(tx, tenantId)).spending;
  if (limit === null) return undefined;
  const today = spendDay(zone, now).date;
  const spent = spendDay(zone, startsAt).date === today ? await spend.read(tx, tenantId, today) : 0;
  const left = (micros: number) => piecesLeft(micros, microsOf(price));
  return { leftToday: left(spendLeft(limit, spent).outreach), perDay: left(limit), zone };
}
