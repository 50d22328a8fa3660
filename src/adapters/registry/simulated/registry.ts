import type { BrandVerdict, Registry } from "#ports/registry.ts";

/** Long enough to be seen PENDING, short enough to wait for. In the tenant's own time. */
const REVIEW_MS = 5_000;

/** An EIN that the tax office does not know, so that a rejection can be played through. */
const UNKNOWN_EIN = /0000$/;

/**
 * A registry that keeps nothing: a brand's verdict follows from its fields and its age. REJECTED for `TAX_ID` when the
 * EIN ends in 0000, else ACTIVE.
 */
export const simulatedRegistry = {
  name: "simulated",

  async registerBrand(_fields, brandId) {
    return { brandId };
  },

  async brandStatus(_brandId, fields, registeredAt, now): Promise<BrandVerdict> {
    if (now.getTime() - registeredAt.getTime() < REVIEW_MS) {
      return { status: "PENDING", identityStatus: "SELF_DECLARED", reasons: [] };
    }
    const rejected = UNKNOWN_EIN.test((fields.ein ?? "").replace(/\D/g, ""));
    return rejected
      ? { status: "REJECTED", identityStatus: "UNVERIFIED", reasons: ["TAX_ID"] }
      : { status: "ACTIVE", identityStatus: "VERIFIED", reasons: [] };
  },
} satisfies Registry;
