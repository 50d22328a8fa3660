import type { Uuid } from "#domain/id.ts";
import type { LoggedRequest } from "#domain/logged-request.ts";
import * as requests from "#store/requests.ts";
import type { Context } from "./context.ts";

const KEPT_DAYS = 7;
const DAY_MS = 86_400_000;
/** Of one tenant: some minutes of a million an hour, weeks of a person's. */
const KEPT_OF_ONE = 100_000;
const FORGOTTEN_AT_ONCE = 5_000;

/** Writes a node's newest requests into the log. */
export const keepRequests = (ctx: Context, them: readonly LoggedRequest[]): Promise<void> =>
  requests.insert(ctx.db, them);

/** Forgets what is too old, and of these tenants what is too much. */
export async function trimRequests(ctx: Context, tenants: Iterable<Uuid>): Promise<void> {
  const before = new Date(ctx.now().getTime() - KEPT_DAYS * DAY_MS);
  while ((await requests.forget(ctx.db, before, FORGOTTEN_AT_ONCE)) === FORGOTTEN_AT_ONCE);
  for (const tenantId of tenants) await requests.trim(ctx.db, tenantId, KEPT_OF_ONE);
}
