import { knownModes } from "#domain/accounts/api-key.ts";
import { type Page, type PageRequest, pageOf } from "#domain/values/paging.ts";
import type { Caller, Context } from "#operations/context.ts";
import type { ApiKey } from "#store/accounts/api-keys.ts";
import * as apiKeys from "#store/accounts/api-keys.ts";

/** The tenant's keys, newest first; for a test key those of test mode alone. Without the secrets. */
export async function listApiKeys(ctx: Context, caller: Caller, page: PageRequest): Promise<Page<ApiKey>> {
  return pageOf(await apiKeys.list(ctx.db, caller.accountId, { ...page, modes: knownModes(caller.mode) }), page.limit);
}
