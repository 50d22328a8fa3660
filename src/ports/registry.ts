/** A 10DLC registry: brands are sent to it, and it decides in its own time. */
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
}

/** The fields of interface.md's Brand, less the ids and statuses. All open-ended strings. */
export type BrandFields = Record<string, string>;

export type BrandVerdict = {
  status: "PENDING" | "ACTIVE" | "REJECTED";
  identityStatus: string;
  /** Why it was rejected, in the registry's words (`TAX_ID`). */
  reasons: readonly string[];
};
