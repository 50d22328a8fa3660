import { Type } from "typebox";
import { operation } from "#contract/values/operation.ts";
import {
  email,
  freeText,
  id,
  named,
  nullable,
  page,
  paging,
  tenantId,
  text,
  timestamp,
} from "#contract/values/shapes.ts";

const tag = "10DLC brands";

export const Brand = named("Brand", {
  brandId: Type.String(),
  entityType: Type.String(),
  companyName: Type.String(),
  displayName: Type.String(),
  ein: Type.String(),
  vertical: Type.String(),
  phone: Type.String(),
  email: Type.String(),
  street: Type.String(),
  city: Type.String(),
  state: Type.String(),
  postalCode: Type.String(),
  country: Type.String(),
  website: Type.String(),
  brandRelationship: Type.String(),
  identityStatus: Type.String(),
  status: Type.Union([Type.Literal("PENDING"), Type.Literal("ACTIVE"), Type.Literal("REJECTED")]),
  reasons: Type.Array(Type.String(), { description: "Why it was rejected" }),
  score: nullable(Type.Integer({ description: "The registry's vetting score, 1 to 100; null: not vetted" })),
  segments_per_day: Type.Integer({ description: "T-Mobile's daily budget of the brand, all its campaigns together" }),
  carrier_id: nullable(Type.String({ description: "The carrier account that it is registered by; null in test mode" })),
  created_at: timestamp(),
  updated_at: timestamp(),
});

const required = {
  entityType: text(255),
  displayName: text(255),
  country: text(255),
  email: email(),
  vertical: text(255),
};

const optional = {
  companyName: Type.Optional(freeText(255)),
  ein: Type.Optional(freeText(255)),
  phone: Type.Optional(freeText(255)),
  street: Type.Optional(freeText(255)),
  city: Type.Optional(freeText(255)),
  state: Type.Optional(freeText(255)),
  postalCode: Type.Optional(freeText(255)),
  website: Type.Optional(freeText(255)),
  brandRelationship: Type.Optional(freeText(255)),
  tenant_id: tenantId(),
};

export const createBrand = operation({
  id: "createBrand",
  method: "POST",
  path: "/v1/10dlc/brand",
  tag,
  summary: "Register a brand; it is PENDING until the registry has decided",
  scope: "write",
  tenantWide: true,
  body: Type.Object({
    ...required,
    ...optional,
    carrier_id: Type.Optional(
      id("carrier account to register by, in live mode; without it: the only connected one that registers brands"),
    ),
  }),
  errors: ["carrier_problem", "order_pending"],
  status: 201,
  response: Brand,
});

export const listBrands = operation({
  id: "listBrands",
  method: "GET",
  path: "/v1/10dlc/brand",
  tag,
  summary: "List the brands, newest first",
  scope: "read",
  tenantWide: true,
  query: Type.Object({ tenant_id: tenantId(), ...paging }),
  status: 200,
  response: page("brands", Brand),
});

const params = Type.Object({ brand_id: id("brand") });

export const getBrand = operation({
  id: "getBrand",
  method: "GET",
  path: "/v1/10dlc/brand/:brand_id",
  tag,
  summary: "Get a brand, with the registry's latest word",
  scope: "read",
  tenantWide: true,
  params,
  status: 200,
  response: Brand,
});

export const getBrandUse = operation({
  id: "getBrandUse",
  method: "GET",
  path: "/v1/10dlc/brand/:brand_id/use",
  tag,
  summary: "Get what a brand has sent today of its daily budget, by 10DLC campaign; the day is Pacific",
  scope: "read",
  tenantWide: true,
  params,
  status: 200,
  response: Type.Object({
    brandId: Type.String(),
    day: Type.String({ description: "YYYY-MM-DD, Pacific" }),
    segments: Type.Integer({ description: "Sent or on their way today" }),
    segments_per_day: Type.Integer({ description: "The brand's budget" }),
    campaigns: Type.Array(named("BrandUseOfCampaign", { campaignId: Type.String(), segments: Type.Integer() })),
  }),
});

export const resubmitBrand = operation({
  id: "resubmitBrand",
  method: "POST",
  path: "/v1/10dlc/brand/:brand_id/resubmit",
  tag,
  summary: "Send a rejected brand to the registry again, with the given fields changed",
  scope: "write",
  tenantWide: true,
  params,
  body: Type.Object({ ...Type.Partial(Type.Object(required)).properties, ...optional }),
  errors: ["carrier_problem", "order_pending"],
  status: 200,
  response: Brand,
});
