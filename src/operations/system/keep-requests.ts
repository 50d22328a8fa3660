import type { LoggedRequest, RequestClass } from "#domain/system/logged-request.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import * as requests from "#store/system/requests.ts";

const DAY_MS = 86_400_000;
const KEPT_MS = 7 * DAY_MS;
/** PCI DSS 4.0, 10.5.1: requests of admins are kept for a year. They are deleted by age alone, however many there are. */
const KEPT_OF_ADMINS_MS = 365 * DAY_MS;
/** The most that is kept of one tenant: changes are worth more than reads. With the answers of errors some 60 MB in all. */
export const KEPT: Readonly<Record<Exclude<RequestClass, "administration">, number>> = {
  change: 50_000,
  failed_change: 10_000,
  read: 20_000,
  failed_read: 10_000,
};
const FORGOTTEN_AT_ONCE = 5_000;

/** Writes a node's newest requests into the log. */
export const keepRequests = (ctx: Context, them: readonly LoggedRequest[]): Promise<void> =>
  requests.insert(ctx.db, them);

/** Deletes what is too old, and what exceeds the limit of each class of these tenants. */
export async function trimRequests(ctx: Context, tenants: Iterable<Uuid>, kept = KEPT): Promise<void> {
  const ago = (ms: number) => new Date(ctx.now().getTime() - ms);
  const before = { all: ago(KEPT_MS), ofAdmins: ago(KEPT_OF_ADMINS_MS) };
  while ((await requests.forget(ctx.db, before, FORGOTTEN_AT_ONCE)) >= FORGOTTEN_AT_ONCE);
  for (const tenantId of tenants) {
    for (const name of Object.keys(kept) as (keyof typeof kept)[]) {
      await requests.trim(ctx.db, tenantId, name, kept[name]);
    }
  }
}
