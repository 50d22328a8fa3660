import { randomUUID } from "node:crypto";
import type {
  AvailablePhoneNumberListParams,
  AvailablePhoneNumberListResponse,
} from "telnyx/resources/available-phone-numbers";
import type {
  BrandCreateParams,
  BrandGetFeedbackResponse,
  BrandRetrieveResponse,
} from "telnyx/resources/messaging-10dlc/brand/brand";
import type { ExternalVettingListResponse } from "telnyx/resources/messaging-10dlc/brand/external-vetting";
import type { TelnyxCampaignCsp } from "telnyx/resources/messaging-10dlc/campaign/campaign";
import type { CampaignBuilderSubmitParams } from "telnyx/resources/messaging-10dlc/campaign-builder/campaign-builder";
import type {
  PhoneNumberCampaign,
  PhoneNumberCampaignCreateParams,
} from "telnyx/resources/messaging-10dlc/phone-number-campaigns";
import type {
  MessagingProfileCreateParams,
  MessagingProfileRetrieveResponse,
} from "telnyx/resources/messaging-profiles/messaging-profiles";
import type { RequestCreateParams } from "telnyx/resources/messaging-tollfree/verification/requests";
import type { NumberLookupRetrieveResponse } from "telnyx/resources/number-lookup";
import type { NumberOrderCreateParams, NumberOrderRetrieveResponse } from "telnyx/resources/number-orders";
import type { PhoneNumberWithMessagingSettings } from "telnyx/resources/shared";
import { type Account, addNumber, addProfile } from "./account.ts";

export type Asked = { method: string; path: string; query: URLSearchParams; body: Record<string, unknown> };
type Answer = [status: number, body: unknown];

export const errorBody = (code: string, title: string) => ({ errors: [{ code, title, detail: `${title}.` }] });

/** What a request cannot do without, by Telnyx's own package. */
const TOLL_FREE_NEEDED = [
  ...(["additionalInformation", "businessAddr1", "businessCity", "businessContactEmail"] as const),
  ...(["businessContactFirstName", "businessContactLastName", "businessContactPhone", "businessName"] as const),
  ...(["businessState", "businessZip", "corporateWebsite", "messageVolume", "optInWorkflow"] as const),
  ...(["optInWorkflowImageURLs", "phoneNumbers", "productionMessageContent", "useCase", "useCaseSummary"] as const),
] satisfies (keyof RequestCreateParams)[];

const NOT_FOUND: Answer = [404, errorBody("10005", "Resource not found")];

/** A page of a listing, as `page[number]` and `page[size]` have it. */
function pageOf(rows: readonly unknown[], query: URLSearchParams): Answer {
  const size = Number(query.get("page[size]") ?? 20);
  const page_number = Number(query.get("page[number]") ?? 1);
  const meta = { page_number, page_size: size, total_pages: Math.ceil(rows.length / size), total_results: rows.length };
  return [200, { data: rows.slice((page_number - 1) * size, page_number * size), meta }];
}

/** Everything but texts: method and path decide. */
export function answerResource(account: Account, asked: Asked): Answer {
  const { method, path, query, body } = asked;
  for (const [pattern, handle] of ROUTES) {
    const match = pattern.exec(`${method} ${path}`);
    if (match) return handle(account, { id: match[1] ?? "", query, body });
  }
  return NOT_FOUND;
}

type Handle = (
  account: Account,
  asked: { id: string; query: URLSearchParams; body: Record<string, unknown> },
) => Answer;
const ROUTES: [RegExp, Handle][] = [
  [
    /^GET \/v2\/number_lookup\/(\+\d+)$/,
    ({ lines }, { id, query }) => {
      if (query.get("type") !== "carrier") return [400, errorBody("10015", "Bad Request")];
      const data = {
        record_type: "number_lookup",
        phone_number: id,
        carrier: lines.get(id) ?? { type: "unknown" as const },
      };
      return [200, { data } satisfies NumberLookupRetrieveResponse];
    },
  ],
  [/^GET \/v2\/messaging_profiles$/, ({ profiles }, { query }) => pageOf(profiles, query)],
  [
    /^POST \/v2\/messaging_profiles$/,
    (account, { body }) => {
      const params = body as unknown as MessagingProfileCreateParams;
      if (!params.name || !params.whitelisted_destinations)
        return [422, errorBody("10004", "Missing required parameter")];
      return [200, { data: addProfile(account, params) } satisfies MessagingProfileRetrieveResponse];
    },
  ],
  [
    /^(?:GET|PATCH) \/v2\/messaging_profiles\/([^/]+)$/,
    ({ profiles }, { id, body }) => {
      const profile = profiles.find((one) => one.id === id);
      if (!profile) return NOT_FOUND;
      Object.assign(profile, body);
      return [200, { data: profile } satisfies MessagingProfileRetrieveResponse];
    },
  ],
  [
    /^GET \/v2\/phone_numbers$/,
    ({ numbers }, { query }) => {
      const [phone, status] = [query.get("filter[phone_number]"), query.get("filter[status]")];
      const found = numbers
        .filter(
          (one) => (phone === null || one.phone_number.includes(phone)) && (status === null || one.status === status),
        )
        .map(({ features: _, ...number }) => ({ ...number, record_type: "phone_number" }));
      return pageOf(found, query);
    },
  ],
  [
    /^GET \/v2\/phone_numbers\/messaging$/,
    ({ numbers }, { query }) =>
      pageOf(
        numbers.map(({ id, phone_number, messaging_profile_id, features }) => ({
          ...{ id, phone_number, messaging_profile_id, features },
          record_type: "messaging_settings",
          type: "long-code",
        })),
        query,
      ),
  ],
  [
    /^GET \/v2\/phone_numbers\/([^/]+)\/messaging$/,
    ({ numbers }, { id }) => {
      const number = numbers.find((one) => one.id === id);
      if (!number) return NOT_FOUND;
      const { phone_number, messaging_profile_id, features } = number;
      return [
        200,
        { data: { id, phone_number, messaging_profile_id, features } satisfies PhoneNumberWithMessagingSettings },
      ];
    },
  ],
  [
    /^PATCH \/v2\/phone_numbers\/([^/]+)\/messaging$/,
    ({ numbers, profiles }, { id, body }) => {
      const number = numbers.find((one) => one.id === id || one.phone_number === id);
      if (!number || !profiles.some((profile) => profile.id === body.messaging_profile_id)) return NOT_FOUND;
      number.messaging_profile_id = String(body.messaging_profile_id);
      return [
        200,
        { data: { id, phone_number: number.phone_number, messaging_profile_id: number.messaging_profile_id } },
      ];
    },
  ],
  [
    /^DELETE \/v2\/phone_numbers\/([^/]+)$/,
    (account, { id }) => {
      const number = account.numbers.find((one) => one.id === id);
      if (!number) return NOT_FOUND;
      account.numbers = account.numbers.filter((one) => one !== number);
      account.stock.push(number.phone_number);
      return [200, { data: { ...number, status: "deleted" } }];
    },
  ],
  [
    /^GET \/v2\/available_phone_numbers$/,
    ({ stock }, { query }) => {
      const name = (field: keyof NonNullable<AvailablePhoneNumberListParams["filter"]>, more = "") =>
        query.get(`filter[${field}]${more}`);
      const [area, contains] = [name("national_destination_code") ?? "", name("phone_number", "[contains]") ?? ""];
      // Canada's, of those that tests use.
      const isCanadian = (phone: string) => /^\+1(?:416|604|514)/.test(phone);
      const found = stock
        .filter((phone) => phone.startsWith(`+1${area}`) && phone.slice(2).includes(contains))
        .filter((phone) => isCanadian(phone) === (name("country_code") === "CA"))
        .slice(0, Number(name("limit") ?? 100));
      const data = found.map((phone_number) => ({ record_type: "available_phone_number" as const, phone_number }));
      return [
        200,
        {
          data,
          meta: { total_results: data.length, best_effort_results: 0 },
        } satisfies AvailablePhoneNumberListResponse,
      ];
    },
  ],
  [
    /^POST \/v2\/number_orders$/,
    (account, { body }) => {
      const params = body as unknown as NumberOrderCreateParams;
      const [phone] = (params.phone_numbers ?? []).map((one) => one.phone_number);
      if (phone === undefined) return [422, errorBody("10004", "Missing required parameter")];
      if (!account.stock.includes(phone)) return [400, errorBody("85001", "Number is not available")];
      account.stock = account.stock.filter((one) => one !== phone);
      const order = {
        ...{ id: randomUUID(), record_type: "number_order", status: "pending" as const },
        ...{ customer_reference: params.customer_reference, messaging_profile_id: params.messaging_profile_id },
        ...{ connection_id: params.connection_id, phone_numbers_count: 1, created_at: new Date().toISOString() },
        phone_numbers: [{ id: randomUUID(), phone_number: phone, status: "pending" as const }],
      };
      account.orders.push(order);
      return [200, { data: order } satisfies NumberOrderRetrieveResponse];
    },
  ],
  [
    /^GET \/v2\/number_orders$/,
    ({ orders }, { query }) => {
      const reference = query.get("filter[customer_reference]");
      return pageOf(
        orders.filter((one) => reference === null || one.customer_reference === reference),
        query,
      );
    },
  ],
  [
    /^GET \/v2\/number_orders\/([^/]+)$/,
    (account, { id }) => {
      const order = account.orders.find((one) => one.id === id);
      if (!order) return NOT_FOUND;
      if (account.orderReads !== null && account.orderReads-- <= 0 && order.status === "pending")
        completeOrder(account, id);
      return [200, { data: order } satisfies NumberOrderRetrieveResponse];
    },
  ],
  [
    /^POST \/v2\/10dlc\/brand$/,
    (account, { body }) => {
      const params = body as unknown as BrandCreateParams;
      const { entityType, displayName, country, email, vertical } = params;
      if (![entityType, displayName, country, email, vertical].every(Boolean))
        return [422, errorBody("10004", "Missing required parameter")];
      const brand: Account["brands"][number] = {
        ...params,
        ...{ brandRelationship: "BASIC_ACCOUNT", identityStatus: "SELF_DECLARED", status: "REGISTRATION_PENDING" },
        ...{ brandId: randomUUID(), tcrBrandId: `B${randomUUID().slice(0, 6).toUpperCase()}` },
      };
      account.brands.push(brand);
      return [200, brand];
    },
  ],
  [
    /^GET \/v2\/10dlc\/brand$/,
    ({ brands }, { query }) => {
      const records = brands
        .filter(({ displayName }) => displayName === query.get("displayName"))
        .map(({ brandId, displayName, status }) => ({ brandId, displayName, status }));
      return [200, { page: 1, records, totalRecords: records.length }];
    },
  ],
  [
    /^GET \/v2\/10dlc\/campaign$/,
    ({ campaigns }, { query }) => {
      const records = campaigns.filter(({ brandId }) => brandId === query.get("brandId"));
      return [200, { page: 1, records, totalRecords: records.length }];
    },
  ],
  [
    /^GET \/v2\/10dlc\/brand\/feedback\/([^/]+)$/,
    ({ feedback }, { id: brandId }) => {
      const category = (feedback.get(brandId) ?? []).map((id) => ({
        id,
        description: id,
        displayName: id,
        fields: [],
      }));
      return [200, { brandId, category } satisfies BrandGetFeedbackResponse];
    },
  ],
  [
    /^GET \/v2\/10dlc\/brand\/([^/]+)\/externalVetting$/,
    ({ scores }, { id }) => {
      const vettingScore = scores.get(id);
      return [
        200,
        (vettingScore === undefined ? [] : [{ vettingId: "v", vettingScore }]) satisfies ExternalVettingListResponse,
      ];
    },
  ],
  [
    /^PUT \/v2\/10dlc\/brand\/([^/]+)(?:\/revet)?$/,
    ({ brands }, { id, body }) => {
      const brand = brands.find((one) => one.brandId === id);
      if (!brand) return NOT_FOUND;
      Object.assign(brand, body, { status: "REGISTRATION_PENDING" });
      return [200, brand];
    },
  ],
  [
    /^GET \/v2\/10dlc\/brand\/([^/]+)$/,
    ({ brands }, { id }) => {
      const brand = brands.find((one) => one.brandId === id);
      return brand ? [200, brand satisfies BrandRetrieveResponse] : NOT_FOUND;
    },
  ],
  [
    /^POST \/v2\/10dlc\/campaignBuilder$/,
    (account, { body }) => {
      const params = body as unknown as CampaignBuilderSubmitParams;
      if (account.campaigns.some(({ referenceId }) => referenceId !== undefined && referenceId === params.referenceId))
        return [422, errorBody("10012", "Duplicate resource")];
      const campaign: TelnyxCampaignCsp = {
        ...{ subUsecases: [], termsAndConditions: true, cspId: "S000001", mock: false },
        ...params,
        ...{ campaignId: randomUUID(), campaignStatus: "TCR_PENDING", submissionStatus: "CREATED" },
      };
      account.campaigns.push(campaign);
      return [200, campaign];
    },
  ],
  [
    /^GET \/v2\/10dlc\/campaign\/([^/]+)$/,
    ({ campaigns }, { id }) => {
      const campaign = campaigns.find((one) => one.campaignId === id);
      return campaign ? [200, campaign] : NOT_FOUND;
    },
  ],
  [
    /^(?:POST|PUT) \/v2\/10dlc\/phone_number_campaigns(?:\/[^/]+)?$/,
    (account, { body }) => {
      const { phoneNumber, campaignId } = body as unknown as PhoneNumberCampaignCreateParams;
      const at = new Date().toISOString();
      const row: PhoneNumberCampaign = {
        phoneNumber,
        campaignId,
        createdAt: at,
        updatedAt: at,
        assignmentStatus: "ASSIGNED",
      };
      account.assigned = [...account.assigned.filter((one) => one.phoneNumber !== phoneNumber), row];
      return [200, row];
    },
  ],
  [
    /^GET \/v2\/10dlc\/phone_number_campaigns\/([^/]+)$/,
    ({ assigned }, { id }) => {
      const row = assigned.find((one) => one.phoneNumber === id);
      return row ? [200, row] : NOT_FOUND;
    },
  ],
  [
    /^GET \/v2\/messaging_tollfree\/verification\/requests$/,
    ({ verifiedTollFree, tollFree }, { query }) => {
      const wanted = query.get("phone_number");
      const others = verifiedTollFree.map((phoneNumber) => ({
        ...{ id: randomUUID(), verificationStatus: "Verified" },
        phoneNumbers: [{ phoneNumber }],
      }));
      const records = [...tollFree, ...others].filter(
        ({ phoneNumbers }) => wanted === null || phoneNumbers.some(({ phoneNumber }) => phoneNumber === wanted),
      );
      return [200, { records, total_records: records.length }];
    },
  ],
  [
    /^POST \/v2\/messaging_tollfree\/verification\/requests$/,
    ({ tollFree }, { body }) => {
      const params = body as unknown as RequestCreateParams;
      if (TOLL_FREE_NEEDED.some((name) => params[name] === undefined))
        return [400, errorBody("10004", "Missing required parameter")];
      const request = { ...params, id: randomUUID(), verificationStatus: "Waiting For Vendor" } as (typeof tollFree)[0];
      tollFree.unshift(request);
      return [200, { ...request, verificationRequestId: request.id }];
    },
  ],
  [
    /^GET \/v2\/messaging_tollfree\/verification\/requests\/([^/]+)$/,
    ({ tollFree }, { id }) => {
      const request = tollFree.find((one) => one.id === id);
      return request ? [200, request] : NOT_FOUND;
    },
  ],
  [
    /^PATCH \/v2\/messaging_tollfree\/verification\/requests\/([^/]+)$/,
    ({ tollFree }, { id, body }) => {
      const request = tollFree.find((one) => one.id === id);
      if (!request) return NOT_FOUND;
      Object.assign(request, body, { verificationStatus: "In Progress", reason: undefined });
      return [200, { ...request, verificationRequestId: id }];
    },
  ],
];

/** The ordered number becomes the account's. */
export function completeOrder(account: Account, id: string, status: "success" | "failure" = "success"): void {
  const order = account.orders.find((one) => one.id === id)!;
  order.status = status;
  if (status === "failure") return;
  const profile = order.messaging_profile_id ?? null;
  addNumber(account, order.phone_numbers![0]!.phone_number!, {
    messaging_profile_id: profile,
    connection_id: order.connection_id ?? null,
  });
}
