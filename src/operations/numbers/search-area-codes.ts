import type { AreaCodeEntry, AreaCodeFilter } from "#domain/phones/number-plan.ts";
import { STATES } from "#domain/phones/state.ts";
import { cutPage, type NumberedPage } from "#domain/values/page-number.ts";
import type { Context } from "#operations/context.ts";

/** One page of the area codes that match, and how many match in all. The same for every tenant. */
export function searchAreaCodes(
  ctx: Context,
  filter: AreaCodeFilter,
  page: NumberedPage,
): { entries: AreaCodeEntry[]; total: number } {
  const found = ctx.numberPlan.search(filter);
  return { entries: cutPage(found, page), total: found.length };
}

export type StateCodes = { state: string; name: string; country: string; areaCodes: string[] };

/** Every state and province that has area codes, by name, with its codes in order. One code may be in several. */
export function areaCodesByState(ctx: Context): StateCodes[] {
  const codes = new Map<string, Set<string>>();
  for (const { state, areaCode } of ctx.numberPlan.search({})) {
    const known = codes.get(state) ?? new Set();
    codes.set(state, known.add(areaCode));
  }
  const states = [...STATES.values()].flatMap(({ code, name, country }) => {
    const theirs = codes.get(code);
    return theirs ? [{ state: code, name, country, areaCodes: [...theirs].sort() }] : [];
  });
  return states.sort((a, b) => (a.name < b.name ? -1 : 1));
}
