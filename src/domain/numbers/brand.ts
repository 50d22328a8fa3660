import type { Uuid } from "#domain/values/id.ts";
import { brandPerDay } from "./rate-limits.ts";

export type BrandStatus = "PENDING" | "ACTIVE" | "REJECTED";

/** What the owner enters for a brand, all open-ended strings. */
export const BRAND_FIELDS = [
  "entityType",
  "companyName",
  "displayName",
  "ein",
  "vertical",
  "phone",
  "email",
  "street",
  "city",
  "state",
  "postalCode",
  "country",
  "website",
  "brandRelationship",
] as const;

/** A brand as stored. `fields` are the owner's and the registry's `identityStatus`; `updated_at` is when its status last began. */
export type Brand = {
  id: string;
  fields: Record<string, string>;
  status: BrandStatus;
  reasons: string[];
  /** The registry's vetting score, 1 to 100; null when the brand is not vetted. */
  score: number | null;
  /** The carrier account that it is registered by, by its public id; null in test mode: the simulated registry. */
  carrier: string | null;
  created_at: Date;
  updated_at: Date;
};

/** The brand's own fields of a request's body. */
export function brandFields(body: Readonly<Record<string, unknown>>): Record<string, string> {
  const given = BRAND_FIELDS.filter((name) => typeof body[name] === "string");
  return Object.fromEntries(given.map((name) => [name, body[name] as string]));
}

/** A brand as the API returns it: all of the interface's fields, empty where nothing is known. */
export function brandRecord(brand: Brand): Record<string, unknown> {
  return {
    brandId: brand.id,
    ...Object.fromEntries(BRAND_FIELDS.map((name) => [name, brand.fields[name] ?? ""])),
    identityStatus: brand.fields.identityStatus ?? "",
    status: brand.status,
    reasons: brand.reasons,
    score: brand.score,
    segments_per_day: brandPerDay(brand.score),
    carrier_id: brand.carrier,
    created_at: brand.created_at.toISOString(),
    updated_at: brand.updated_at.toISOString(),
  };
}

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/** An id in the registry's form, a letter and 6 characters, made of the random end of a UUIDv7. */
export function registryId(letter: string, uuid: Uuid): string {
  let rest = Number.parseInt(uuid.slice(-12), 16);
  let text = "";
  for (let i = 0; i < 6; i++) {
    text += ALPHABET[rest % 36];
    rest = Math.floor(rest / 36);
  }
  return letter + text;
}

export const brandId = (uuid: Uuid): string => registryId("B", uuid);

/** Of the simulated registry, of Telnyx (a UUID), or of Twilio (BN and 32 hexadecimal digits). */
export const BRAND_ID = /^(?:B[0-9A-Z]{6}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|BN[0-9a-fA-F]{32})$/;
