import type { Uuid } from "#domain/values/id.ts";
import { registryId } from "./brand.ts";
import { brandPerDay, classOf } from "./rate-limits.ts";

export type TenDlcStatus = "PENDING" | "ACTIVE" | "REJECTED";

/** What the owner enters for a 10DLC campaign, all open-ended strings. */
export const TEN_DLC_FIELDS = [
  "description",
  "messageFlow",
  "sample1",
  "sample2",
  "optInMessage",
  "optOutMessage",
  "helpMessage",
] as const;

/**
 * A 10DLC campaign as stored: what a brand texts for, in the registry's eyes. `fields` are the owner's, with `useCase`. The
 * class and what it grants are known once it is ACTIVE.
 */
export type TenDlcCampaign = {
  id: string;
  brand_id: string;
  fields: Record<string, string>;
  status: TenDlcStatus;
  reasons: string[];
  class: string | null;
  /** Segments. */
  per_minute: number | null;
  per_day: number | null;
  created_at: Date;
  updated_at: Date;
};

/** With its brand's vetting score, and its numbers. */
export type RegisteredCampaign = { campaign: TenDlcCampaign; score: number | null; numbers: readonly string[] };

/** What the registry granted an ACTIVE campaign, or, where it says nothing, what the use case and the brand's score stand for; nothing to any other. */
export function grantOf(
  useCase: string,
  score: number | null,
  said: { status: TenDlcCampaign["status"]; class?: string; perMinute?: number; perDay?: number },
): Pick<TenDlcCampaign, "class" | "per_minute" | "per_day"> {
  if (said.status !== "ACTIVE") return { class: null, per_minute: null, per_day: null };
  const own = classOf(useCase, score);
  return {
    class: said.class ?? own.id,
    per_minute: said.perMinute ?? own.perMinute,
    per_day: said.perDay ?? own.perDay,
  };
}

/** The campaign's own fields of a request's body. */
export function tenDlcFields(body: Readonly<Record<string, unknown>>): Record<string, string> {
  const given = [...TEN_DLC_FIELDS, "useCase"].filter((name) => typeof body[name] === "string");
  return Object.fromEntries(given.map((name) => [name, body[name] as string]));
}

/** As the API returns it: like a brand, empty where nothing is known. */
export function tenDlcRecord({ campaign, score, numbers }: RegisteredCampaign): Record<string, unknown> {
  return {
    campaignId: campaign.id,
    brandId: campaign.brand_id,
    useCase: campaign.fields.useCase ?? "",
    ...Object.fromEntries(TEN_DLC_FIELDS.map((name) => [name, campaign.fields[name] ?? ""])),
    status: campaign.status,
    reasons: campaign.reasons,
    class: campaign.class,
    limits: {
      segments_per_minute: campaign.per_minute,
      campaign_segments_per_day: campaign.per_day,
      brand_segments_per_day: brandPerDay(score),
    },
    phone_numbers: numbers,
    created_at: campaign.created_at.toISOString(),
    updated_at: campaign.updated_at.toISOString(),
  };
}

/** A campaign's id in the registry's form: `C` and 6 characters. */
export const tenDlcCampaignId = (uuid: Uuid): string => registryId("C", uuid);

/** Of the simulated registry, of Telnyx (a UUID), or of Twilio: the messaging service and the campaign on it. */
export const TEN_DLC_CAMPAIGN_ID =
  /^(?:C[0-9A-Z]{6}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|MG[0-9a-fA-F]{32}\.QE[0-9a-fA-F]{32})$/;
