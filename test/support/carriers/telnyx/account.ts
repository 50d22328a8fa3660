import { randomUUID } from "node:crypto";
import type { TelnyxBrand } from "telnyx/resources/messaging-10dlc/brand/brand";
import type { TelnyxCampaignCsp } from "telnyx/resources/messaging-10dlc/campaign/campaign";
import type { PhoneNumberCampaign } from "telnyx/resources/messaging-10dlc/phone-number-campaigns";
import type { MessagingMessagingProfile } from "telnyx/resources/messaging-profiles/messaging-profiles";
import type { VerificationRequestStatus } from "telnyx/resources/messaging-tollfree/verification/requests";
import type { NumberLookupRetrieveResponse } from "telnyx/resources/number-lookup";
import type { NumberOrderWithPhoneNumbers } from "telnyx/resources/number-orders";
import type { PhoneNumberDetailed } from "telnyx/resources/phone-numbers/phone-numbers";
import type { PhoneNumberWithMessagingSettings } from "telnyx/resources/shared";

type OwnNumber = Required<Pick<PhoneNumberDetailed, "id" | "phone_number" | "phone_number_type" | "status">> & {
  messaging_profile_id: string | null;
  messaging_campaign_id: string | null;
  connection_id: string | null;
  features: PhoneNumberWithMessagingSettings["features"];
};

/** All that an account has, with Telnyx's own types, so that what the stand-in answers is what Telnyx's package reads. */
export type Account = {
  profiles: (MessagingMessagingProfile & { id: string })[];
  numbers: OwnNumber[];
  orders: (NumberOrderWithPhoneNumbers & { id: string })[];
  /** Numbers to be had. */
  stock: string[];
  /** How many times an order is read until it is completed; null: never. */
  orderReads: number | null;
  brands: (TelnyxBrand & { brandId: string })[];
  feedback: Map<string, string[]>;
  scores: Map<string, number>;
  campaigns: TelnyxCampaignCsp[];
  assigned: PhoneNumberCampaign[];
  verifiedTollFree: string[];
  /** Requests to verify toll-free numbers. */
  tollFree: VerificationRequestStatus[];
  /** What number lookup knows of phones. */
  lines: Map<string, NumberLookupRetrieveResponse.Data.Carrier>;
};

const TWO_WAY = { domestic_two_way: true, international_inbound: false, international_outbound: false };

export const emptyAccount = (): Account => ({
  profiles: [],
  numbers: [],
  orders: [],
  stock: [],
  orderReads: 1,
  brands: [],
  feedback: new Map(),
  scores: new Map(),
  campaigns: [],
  assigned: [],
  verifiedTollFree: [],
  tollFree: [],
  lines: new Map(),
});

export function addProfile(account: Account, more: Partial<MessagingMessagingProfile> = {}) {
  const profile = {
    id: randomUUID(),
    record_type: "messaging_profile" as const,
    name: "Default",
    enabled: true,
    webhook_url: null,
    webhook_api_version: "2" as const,
    whitelisted_destinations: ["US"],
    ...more,
  };
  account.profiles.push(profile);
  return profile;
}

export function addNumber(account: Account, phone: string, more: Partial<OwnNumber> = {}): OwnNumber {
  const number: OwnNumber = {
    id: String(10 ** 15 + account.numbers.length),
    phone_number: phone,
    phone_number_type: /^\+18(?:00|33|44|55|66|77|88)/.test(phone) ? "toll_free" : "local",
    status: "active",
    messaging_profile_id: null,
    messaging_campaign_id: null,
    connection_id: null,
    features: { sms: TWO_WAY, mms: TWO_WAY },
    ...more,
  };
  account.numbers.push(number);
  return number;
}
