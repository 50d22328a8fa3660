import * as contract from "#contract/numbers/brands.ts";
import { brandRecord } from "#domain/numbers/brand.ts";
import { brandPerDay } from "#domain/numbers/rate-limits.ts";
import { requireId } from "#domain/values/id.ts";
import { textPageRequest } from "#domain/values/page-key.ts";
import { pageAnswer } from "#http/server/page.ts";
import { type Edge, route } from "#http/server/route.ts";
import { createBrand } from "#operations/registration/create-brand.ts";
import { BRAND_KEY, getBrand, getBrandUse, listBrands } from "#operations/registration/read-brands.ts";
import { resubmitBrand } from "#operations/registration/resubmit-brand.ts";

export function brandRoutes(edge: Edge): void {
  route(edge, contract.createBrand, async ({ ctx, caller, body, signal }) =>
    brandRecord(
      await createBrand(
        ctx,
        caller,
        body,
        body.carrier_id === undefined ? undefined : requireId("carrier", body.carrier_id, "Carrier"),
        signal,
      ),
    ),
  );

  route(edge, contract.listBrands, async ({ ctx, caller, query, signal }) => {
    const page = await listBrands(ctx, caller, textPageRequest(query, BRAND_KEY), signal);
    return pageAnswer("brands", page, brandRecord);
  });

  route(edge, contract.getBrand, async ({ ctx, caller, params, signal }) =>
    brandRecord(await getBrand(ctx, caller, params.brand_id, signal)),
  );

  route(edge, contract.getBrandUse, async ({ ctx, caller, params }) => {
    const { brand, day, campaigns } = await getBrandUse(ctx, caller, params.brand_id);
    return {
      brandId: brand.id,
      day,
      segments: campaigns.reduce((sum, { segments }) => sum + segments, 0),
      segments_per_day: brandPerDay(brand.score),
      campaigns: campaigns.map(({ id, segments }) => ({ campaignId: id, segments })),
    };
  });

  route(edge, contract.resubmitBrand, async ({ ctx, caller, params, body, signal }) =>
    brandRecord(await resubmitBrand(ctx, caller, params.brand_id, body, signal)),
  );
}
