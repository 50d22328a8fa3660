import type { RequestClass } from "#domain/system/logged-request.ts";
import { notFound } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";
import { type Page, type PageRequest, pageOf } from "#domain/values/paging.ts";
import type { Caller, Context } from "#operations/context.ts";
import * as users from "#store/accounts/users.ts";
import * as requests from "#store/system/requests.ts";

const STATUSES = { succeeded: [0, 400], failed: [400, 1_000], refused: [400, 500], broken: [500, 1_000] } as const;

export type RequestFilter = {
  status: keyof typeof STATUSES | undefined;
  method: string | undefined;
  operation: string | undefined;
  class: RequestClass | undefined;
  by: "key" | "person" | undefined;
  userId: Uuid | undefined;
};

/** The tenant's requests, newest first. 404 for an unknown user. */
export async function listRequests(
  ctx: Context,
  { tenantId }: Caller,
  { status, ...query }: PageRequest & RequestFilter,
): Promise<Page<requests.RequestRow>> {
  if (query.userId !== undefined && !(await users.find(ctx.db, tenantId, query.userId))) throw notFound("User");
  const statuses = status === undefined ? ([0, 1_000] as const) : STATUSES[status];
  return pageOf(await requests.list(ctx.db, tenantId, { ...query, statuses }), query.limit);
}
