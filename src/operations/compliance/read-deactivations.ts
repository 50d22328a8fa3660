import { liveTenant } from "#domain/accounts/modes.ts";
import { piecesOf } from "#domain/values/pieces.ts";
import type { Context } from "#operations/context.ts";
import * as consents from "#store/compliance/consents.ts";
import * as deactivations from "#store/compliance/deactivations.ts";

const DAY_MS = 86_400_000;
/** A list that is not there yet, or could not be read, is asked for again so often. */
const ASK_EVERY_MS = 60 * 60_000;
/** Days that are made up for where nothing was read for longer. */
const MOST_DAYS = 7;
/** Phones of one statement. */
const PIECE = 5_000;

/**
 * Reads the lists of given-up numbers of accounts that have opted in, a day's each until yesterday (UTC), and ends the consents of the phones that the
 * tenant knows: outreach to them is refused until there is a consent from after that day. For the sweep; safe to run anywhere, any time: what is read
 * twice changes nothing.
 */
export async function readDeactivations(ctx: Context, signal: AbortSignal): Promise<void> {
  const now = ctx.now();
  const yesterday = dayOf(new Date(now.getTime() - DAY_MS));
  for (const reader of await deactivations.readers(ctx.db, yesterday, new Date(now.getTime() - ASK_EVERY_MS))) {
    await deactivations.asked(ctx.db, reader.tenant_id, reader.carrier, now);
    for (const day of daysUntil(yesterday, reader.read_on)) {
      try {
        await readDay(ctx, reader, day, signal);
      } catch (err) {
        ctx.log.warn({ err, carrier: reader.carrier, day }, "a list of given-up numbers could not be read");
        break;
      }
    }
  }
}

async function readDay(ctx: Context, reader: deactivations.Reader, day: string, signal: AbortSignal): Promise<void> {
  const { tenant_id: tenantId, carrier, revision, mode } = reader;
  const live = liveTenant({ tenantId, mode });
  const opened = live && (await ctx.carriers.accounts.open(live, carrier, { tx: ctx.db, revision }));
  if (!opened?.deactivations) return;
  const phones = [...new Set(await opened.deactivations(day, signal))];
  // Given up in the course of the day: a consent of that day may be the new owner's, but is not known to be.
  const at = new Date(Date.parse(`${day}T00:00:00Z`) + DAY_MS - 1);
  for (const piece of piecesOf(phones, PIECE)) {
    await ctx.db.transaction(async (tx) => {
      const ended = await deactivations.deactivated(tx, tenantId, piece, at);
      const records = ended.map((phone) => ({
        ...{ id: ctx.newId(), phone, event: "revoked" as const, basis: null, channel: "any" },
        ...{ source: "deactivated", proof: null, quote: null, at },
      }));
      await consents.insert(tx, tenantId, records, ctx.now());
    });
  }
  await deactivations.read(ctx.db, tenantId, carrier, day);
}

/** The days after the one that was read last, up to this one. */
function daysUntil(last: string, readOn: string | null): string[] {
  const end = Date.parse(`${last}T00:00:00Z`);
  const earliest = end - (MOST_DAYS - 1) * DAY_MS;
  const first = readOn === null ? end : Math.max(Date.parse(`${readOn}T00:00:00Z`) + DAY_MS, earliest);
  const days: string[] = [];
  for (let at = first; at <= end; at += DAY_MS) days.push(dayOf(new Date(at)));
  return days;
}

const dayOf = (at: Date): string => at.toISOString().slice(0, 10);
