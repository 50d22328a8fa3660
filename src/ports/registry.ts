import type { TollFreeFields } from "#domain/numbers/toll-free.ts";

/** A 10DLC registry: brands and their campaigns are sent to it, and it decides in its own time. */
export interface Registry {
  readonly name: string;
  /** Takes the brand's fields and answers with its id there. The verdict comes later, by `brandStatus`. */
  registerBrand(fields: BrandFields, brandId: string, now: Date, signal: AbortSignal): Promise<{ brandId: string }>;
  brandStatus(
    brandId: string,
    fields: BrandFields,
    registeredAt: Date,
    now: Date,
    signal: AbortSignal,
  ): Promise<BrandVerdict>;
  /** Takes what an ACTIVE brand texts for; `fields` has its `useCase`. The verdict comes later, by `campaignStatus`. */
  registerCampaign(
    brandId: string,
    fields: BrandFields,
    campaignId: string,
    now: Date,
    signal: AbortSignal,
  ): Promise<{ campaignId: string }>;
  campaignStatus(
    campaignId: string,
    fields: BrandFields,
    registeredAt: Date,
    now: Date,
    signal: AbortSignal,
  ): Promise<CampaignVerdict>;
  /** Says that these numbers (E.164) send for the campaign. Safe to repeat. */
  assignNumbers(campaignId: string, numbers: readonly string[], signal: AbortSignal): Promise<void>;
  readonly tollFree: TollFree;
}

/** Who has toll-free numbers verified: it gets who texts from one and what for, and decides in its own time. */
export interface TollFree {
  /**
   * Requests a number's verification; `reference` is ours. What the account has requested of it before is gone on with, unless that was refused.
   * Answers with the carrier's id of the request. The verdict comes later, by `status`.
   */
  request(phone: string, fields: TollFreeFields, reference: string, signal: AbortSignal): Promise<{ id: string }>;
  /** Corrects a refused request where it is; one that cannot be corrected any more is made anew, with another id. */
  resubmit(
    request: { id: string; phone: string; isEditable: boolean },
    fields: TollFreeFields,
    reference: string,
    signal: AbortSignal,
  ): Promise<{ id: string }>;
  status(
    request: { id: string; phone: string; fields: TollFreeFields },
    requestedAt: Date,
    now: Date,
    signal: AbortSignal,
  ): Promise<TollFreeVerdict>;
}

export type TollFreeVerdict = {
  status: "PENDING" | "VERIFIED" | "REJECTED";
  /** Why it was refused, in the carrier's words. */
  reasons: readonly string[];
  /** Until when a refused one may be corrected where it is; null: nobody says. */
  editableUntil: Date | null;
  isEditable: boolean;
};

/** The fields of the API's Brand, less the ids and statuses. All open-ended strings. */
export type BrandFields = Record<string, string>;

export type BrandVerdict = {
  status: "PENDING" | "ACTIVE" | "REJECTED";
  identityStatus: string;
  /** Why it was rejected, in the registry's words (`TAX_ID`). */
  reasons: readonly string[];
  /** Of the vetting, 1 to 100; null when there was none. */
  score: number | null;
};

export type CampaignVerdict = {
  status: "PENDING" | "ACTIVE" | "REJECTED";
  reasons: readonly string[];
  /** What the carriers granted, where the registry says so; else it follows from the use case and the brand's score. */
  class?: string;
  /** Segments. */
  perMinute?: number;
  perDay?: number;
};
