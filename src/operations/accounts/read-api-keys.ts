import { knownModes } from "#domain/api-key.ts";
import { type Page, type PageRequest, pageOf } from "#domain/paging.ts";
import type { ApiKey } from "#store/api-keys.ts";
import * as apiKeys from "#store/api-keys.ts";
import type { Caller, Context } from "./context.ts";

/** The tenant's keys, of a test key's those of test mode alone, newest first; of each what may be known, never the key. */
export async function listApiKeys(ctx: Context, caller: Caller, page: PageRequest): Promise<Page<ApiKey>> {
  return pageOf(await apiKeys.list(ctx.db, caller.accountId, { ...page, modes: knownModes(caller.mode) }), page.limit);
}
