import type { Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import type { JournalEntry } from "#ports/journal.ts";
import * as tenants from "#store/accounts/tenants.ts";
import * as stops from "#store/sending/stops.ts";
import * as events from "#store/system/events.ts";

export type SendingEntry = Extract<JournalEntry, { kind: "sending" }>;

/** The last request for each tenant, of those from after `cut`. Of two of one moment the stop holds. */
export function lastOfEach(entries: readonly SendingEntry[], cut: Date | undefined): SendingEntry[] {
  const last = new Map<Uuid, SendingEntry>();
  for (const entry of entries) {
    if (cut !== undefined && new Date(entry.at) < cut) continue;
    const known = last.get(entry.tenantId);
    if (!known || known.at < entry.at || (known.at === entry.at && entry.wish === "stop")) {
      last.set(entry.tenantId, entry);
    }
  }
  return [...last.values()];
}

/** Stops what was last stopped, and lets go on what was last resumed after `asOf`. Nothing is claimed while the fence is up. */
export async function stopAgain(
  ctx: Context,
  entries: readonly SendingEntry[],
  { cut, asOf }: { cut: Date | undefined; asOf: Date | undefined },
): Promise<void> {
  for (const { tenantId, wish, at, by, reason } of lastOfEach(entries, cut)) {
    if (wish === "resume" && (asOf === undefined || new Date(at) < asOf)) continue;
    await ctx.db.transaction(async (tx) => {
      if (!(await tenants.exists(tx, tenantId))) return;
      const now = await tenants.tenantNow(tx, tenantId, ctx.now());
      if (wish === "resume") {
        if (await stops.clear(tx, tenantId))
          await events.add(tx, tenantId, { kind: "sending.resumed", data: { by } }, now);
      } else if (await stops.set(tx, tenantId, { at: new Date(at), by, reason })) {
        await events.add(tx, tenantId, { kind: "sending.stopped", data: { by, reason } }, now);
      }
    });
  }
}
