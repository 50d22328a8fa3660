import assert from "node:assert/strict";
import type { Parley } from "#test/support/api/parley.ts";

type Api = Pick<Parley, "get" | "post">;

const BRAND = {
  entityType: "PRIVATE_PROFIT",
  displayName: "Acme",
  country: "US",
  email: "ops@acme.example",
  vertical: "FINANCE",
};

/** The simulated registry decides after this long, in the tenant's own time. */
export const REVIEW_MS = 5_000;

/** An ACTIVE brand; its score is the last two digits of the EIN, none without one. Moves the tenant's clock. */
export async function aBrand(api: Api, ein?: string): Promise<string> {
  const { status, body } = await api.post("/v1/10dlc/brand", { ...BRAND, ...(ein ? { ein } : {}) });
  assert.equal(status, 201, JSON.stringify(body));
  await api.post("/v1/simulator/clock", { advance_ms: REVIEW_MS });
  assert.equal((await api.get(`/v1/10dlc/brand/${body.brandId}`)).body.status, "ACTIVE");
  return body.brandId;
}

/** An ACTIVE 10DLC campaign of the brand with these numbers under it. Moves the tenant's clock. */
export async function aTenDlcCampaign(
  api: Api,
  wanted: { brandId: string; useCase: string; numbers: readonly string[] },
): Promise<string> {
  const { brandId, useCase, numbers } = wanted;
  const { status, body } = await api.post("/v1/10dlc/campaign", { brandId, useCase, description: "Follow-ups" });
  assert.equal(status, 201, JSON.stringify(body));
  await api.post("/v1/simulator/clock", { advance_ms: REVIEW_MS });
  const path = `/v1/10dlc/campaign/${body.campaignId}`;
  assert.equal((await api.get(path)).body.status, "ACTIVE");
  const assigned = await api.post(`${path}/phone-numbers`, { phone_numbers: numbers });
  assert.equal(assigned.status, 200, JSON.stringify(assigned.body));
  return body.campaignId;
}
