import * as contract from "#contract/numbers/area-codes.ts";
import { numberedPage } from "#domain/values/page-number.ts";
import { type Edge, route } from "#http/server/route.ts";
import { areaCodesByState, searchAreaCodes } from "#operations/numbers/search-area-codes.ts";

export function areaCodeRoutes(edge: Edge): void {
  route(edge, contract.searchAreaCodes, async ({ ctx, query }) => {
    const { state, city, areaCode } = query;
    const { entries, total } = searchAreaCodes(ctx, { state, city, areaCode }, numberedPage(query));
    return { area_codes: entries, count: entries.length, total };
  });

  route(edge, contract.listAreaCodeStates, async ({ ctx }) => {
    const states = areaCodesByState(ctx).map(({ areaCodes, ...state }) => ({ ...state, area_codes: areaCodes }));
    return { states, count: states.length };
  });
}
