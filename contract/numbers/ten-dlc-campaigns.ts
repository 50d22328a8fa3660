import { Type } from "typebox";
import { operation } from "#contract/values/operation.ts";
import {
  freeText,
  id,
  named,
  nullable,
  page,
  paging,
  phone,
  tenantId,
  text,
  timestamp,
} from "#contract/values/shapes.ts";

const tag = "10DLC campaigns";

/** Carriers let a campaign have 49 numbers, and pools some hundreds. */
const MAX_NUMBERS = 400;

export const TenDlcCampaign = named("TenDlcCampaign", {
  campaignId: Type.String(),
  brandId: Type.String(),
  useCase: Type.String(),
  description: Type.String(),
  messageFlow: Type.String(),
  sample1: Type.String(),
  sample2: Type.String(),
  optInMessage: Type.String(),
  optOutMessage: Type.String(),
  helpMessage: Type.String(),
  status: Type.Union([Type.Literal("PENDING"), Type.Literal("ACTIVE"), Type.Literal("REJECTED")]),
  reasons: Type.Array(Type.String(), { description: "Why it was rejected" }),
  class: nullable(Type.String({ description: "AT&T's class, A to F or T; null until it is ACTIVE" })),
  limits: Type.Object({
    segments_per_minute: nullable(Type.Integer()),
    campaign_segments_per_day: nullable(Type.Integer()),
    brand_segments_per_day: Type.Integer({ description: "Shared by all campaigns of the brand; midnight Pacific" }),
  }),
  phone_numbers: Type.Array(Type.String()),
  created_at: timestamp(),
  updated_at: timestamp(),
});

export const createTenDlcCampaign = operation({
  id: "createTenDlcCampaign",
  method: "POST",
  path: "/v1/10dlc/campaign",
  tag,
  summary: "Register what an ACTIVE brand texts for; it is PENDING until the registry has decided",
  scope: "write",
  tenantWide: true,
  body: Type.Object({
    brandId: id("brand"),
    useCase: text(100, "MIXED, LOW_VOLUME, MARKETING, CUSTOMER_CARE ...: the registry's list is open"),
    description: text(4_096),
    messageFlow: Type.Optional(freeText(4_096)),
    sample1: Type.Optional(freeText(1_024)),
    sample2: Type.Optional(freeText(1_024)),
    optInMessage: Type.Optional(freeText(1_024)),
    optOutMessage: Type.Optional(freeText(1_024)),
    helpMessage: Type.Optional(freeText(1_024)),
    tenant_id: tenantId(),
  }),
  errors: ["carrier_problem", "order_pending"],
  status: 201,
  response: TenDlcCampaign,
});

export const listTenDlcCampaigns = operation({
  id: "listTenDlcCampaigns",
  method: "GET",
  path: "/v1/10dlc/campaign",
  tag,
  summary: "List the 10DLC campaigns, newest first",
  scope: "read",
  tenantWide: true,
  query: Type.Object({ brandId: Type.Optional(id("brand")), tenant_id: tenantId(), ...paging }),
  status: 200,
  response: page("campaigns", TenDlcCampaign),
});

const params = Type.Object({ campaign_id: id("10DLC campaign") });

export const getTenDlcCampaign = operation({
  id: "getTenDlcCampaign",
  method: "GET",
  path: "/v1/10dlc/campaign/:campaign_id",
  tag,
  summary: "Get a 10DLC campaign, with the registry's latest word, its limits and its numbers",
  scope: "read",
  tenantWide: true,
  params,
  status: 200,
  response: TenDlcCampaign,
});

export const assignTenDlcNumbers = operation({
  id: "assignTenDlcNumbers",
  method: "POST",
  path: "/v1/10dlc/campaign/:campaign_id/phone-numbers",
  tag,
  summary:
    "Put sender numbers under an ACTIVE 10DLC campaign: what leaves from them keeps to its limits and its brand's",
  scope: "write",
  tenantWide: true,
  params,
  body: Type.Object({
    phone_numbers: Type.Array(phone(), {
      minItems: 1,
      maxItems: MAX_NUMBERS,
      description: "A number that is under another campaign moves here",
    }),
    tenant_id: tenantId(),
  }),
  errors: ["carrier_problem", "order_pending"],
  status: 200,
  response: TenDlcCampaign,
});
