import type { LoggedRequest, RequestClass } from "#domain/system/logged-request.ts";
import type { Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import * as requests from "#store/system/requests.ts";

/** The most that is kept of one tenant: changes are worth more than reads. With the answers of errors some 60 MB in all. */
export const KEPT: Readonly<Record<Exclude<RequestClass, "administration">, number>> = {
  change: 50_000,
  failed_change: 10_000,
  read: 20_000,
  failed_read: 10_000,
};

/** Writes a node's newest requests into the log. */
export const keepRequests = (ctx: Context, them: readonly LoggedRequest[]): Promise<void> =>
  requests.insert(ctx.db, them);

/** Deletes what exceeds the limit of each class of these tenants. What is too old goes by retention.ts. */
export async function trimRequests(ctx: Context, tenants: Iterable<Uuid>, kept = KEPT): Promise<void> {
  for (const tenantId of tenants) {
    for (const name of Object.keys(kept) as (keyof typeof kept)[]) {
      await requests.trim(ctx.db, tenantId, name, kept[name]);
    }
  }
}
