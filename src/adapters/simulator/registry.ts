import type { BrandVerdict, CampaignVerdict, Registry, TollFreeVerdict } from "#ports/registry.ts";

/** Long enough to be seen PENDING, short enough to wait for. In the tenant's own time. */
const REVIEW_MS = 5_000;

/** An EIN that the tax office does not know, so that a rejection can be played through. */
const UNKNOWN_EIN = /0000$/;

/** One whose papers are looked through by hand. */
const SLOW_EIN = /9999$/;
const SLOW_REVIEW_MS = 7 * 86_400_000;

/** Use cases that carriers do not take: gambling and the like. */
const FORBIDDEN_USE_CASE = /gambling|cannabis|payday/i;

/** How its recipients have agreed cannot be seen, so that a refusal can be played through. */
const UNREADABLE_OPT_IN = /^\s*none\b/i;
const EDITABLE_MS = 7 * 86_400_000;

/**
 * A registry that keeps nothing: a verdict follows from the fields and their age. A brand is PENDING for a week when its EIN
 * ends in 9999, REJECTED for `TAX_ID` when it ends in 0000, else ACTIVE, with a vetting score of the EIN's last two digits (00 is 100); without an EIN it has none.
 * A campaign is REJECTED for a use case that no carrier takes, and a toll-free number's verification where `opt_in_description` begins with "none".
 */
export const simulatedRegistry = {
  name: "simulated",

  async registerBrand(_fields, brandId) {
    return { brandId };
  },

  async brandStatus(_brandId, fields, registeredAt, now): Promise<BrandVerdict> {
    const ein = (fields.ein ?? "").replace(/\D/g, "");
    if (isUnderReview(registeredAt, now, SLOW_EIN.test(ein) ? SLOW_REVIEW_MS : REVIEW_MS)) {
      return { status: "PENDING", identityStatus: "SELF_DECLARED", reasons: [], score: null };
    }
    if (UNKNOWN_EIN.test(ein)) {
      return { status: "REJECTED", identityStatus: "UNVERIFIED", reasons: ["TAX_ID"], score: null };
    }
    const score = ein === "" ? null : Number(ein.slice(-2)) || 100;
    return { status: "ACTIVE", identityStatus: "VERIFIED", reasons: [], score };
  },

  async registerCampaign(_brandId, _fields, campaignId) {
    return { campaignId };
  },

  async campaignStatus(_campaignId, fields, registeredAt, now): Promise<CampaignVerdict> {
    if (isUnderReview(registeredAt, now)) return { status: "PENDING", reasons: [] };
    const refused = FORBIDDEN_USE_CASE.test(fields.useCase ?? "");
    return refused ? { status: "REJECTED", reasons: ["USE_CASE"] } : { status: "ACTIVE", reasons: [] };
  },

  async assignNumbers() {},

  tollFree: {
    async request(phone) {
      return { id: `simulated ${phone}` };
    },

    async resubmit({ id }) {
      return { id };
    },

    async status({ fields }, requestedAt, now): Promise<TollFreeVerdict> {
      const open = { reasons: [], editableUntil: null, isEditable: true };
      if (isUnderReview(requestedAt, now)) return { ...open, status: "PENDING" };
      if (!UNREADABLE_OPT_IN.test(fields.opt_in_description)) return { ...open, status: "VERIFIED" };
      const editableUntil = new Date(requestedAt.getTime() + EDITABLE_MS);
      return { ...open, status: "REJECTED", reasons: ["The opt-in cannot be verified."], editableUntil };
    },
  },
} satisfies Registry;

const isUnderReview = (registeredAt: Date, now: Date, reviewMs = REVIEW_MS): boolean =>
  now.getTime() - registeredAt.getTime() < reviewMs;
