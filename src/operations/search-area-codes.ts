import type { AreaCodeEntry, AreaCodeFilter } from "#domain/number-plan.ts";
import { cutPage, type NumberedPage } from "#domain/page-number.ts";
import type { Context } from "./context.ts";

/** One page of the area codes that match, and how many match in all. Nothing in it is a tenant's. */
export function searchAreaCodes(
  ctx: Context,
  filter: AreaCodeFilter,
  page: NumberedPage,
): { entries: AreaCodeEntry[]; total: number } {
  const found = ctx.numberPlan.search(filter);
  return { entries: cutPage(found, page), total: found.length };
}
