import { isObject, type JsonObject, objectsIn, textIn } from "#adapters/vendor-http/json.ts";
import { BRAND_FIELDS } from "#domain/numbers/brand.ts";
import { CarrierProblem } from "#ports/carrier-account.ts";
import type { BrandFields, BrandVerdict, CampaignVerdict, Registry } from "#ports/registry.ts";
import { bodyOf, type TelnyxClient } from "./client.ts";
import { telnyxTollFree } from "./toll-free.ts";

/** Telnyx's ids of brands and campaigns. The registry's own (B and six characters) come later, and are not asked for by. */
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const BRAND_STATUS: ReadonlyMap<unknown, BrandVerdict["status"]> = new Map([
  ["OK", "ACTIVE"],
  ["REGISTRATION_PENDING", "PENDING"],
  ["REGISTRATION_FAILED", "REJECTED"],
]);

/** A campaign sends once the networks have provisioned it; what was accepted so far is still under way. */
const CAMPAIGN_STATUS: ReadonlyMap<unknown, CampaignVerdict["status"]> = new Map([
  ["MNO_PROVISIONED", "ACTIVE"],
  ["TCR_SUSPENDED", "REJECTED"],
  ["TCR_EXPIRED", "REJECTED"],
  ["TCR_FAILED", "REJECTED"],
  ["TELNYX_FAILED", "REJECTED"],
  ["MNO_REJECTED", "REJECTED"],
  ["MNO_PROVISIONING_FAILED", "REJECTED"],
]);

/** Telnyx's brand has our fields under our names, but for what the registry decides of the relationship. */
type BrandField = Exclude<(typeof BRAND_FIELDS)[number], "brandRelationship">;
const SENT_FIELDS = BRAND_FIELDS.filter((name): name is BrandField => name !== "brandRelationship");

export type BrandRequest = Partial<Record<BrandField, string>> & { webhookURL?: string };

export const brandRequest = (fields: BrandFields): BrandRequest =>
  Object.fromEntries(SENT_FIELDS.flatMap((name) => (fields[name] ? [[name, fields[name]]] : [])));

/** Where Telnyx says that something of the registry has changed. */
const webhookOf = (webhooks: string | undefined) =>
  webhooks === undefined ? {} : { webhookURL: `${webhooks}/registry` };

/** The body of POST /v2/10dlc/campaignBuilder, as far as we use it. */
export type CampaignRequest = {
  brandId: string;
  usecase: string;
  description: string;
  /** Ours: a second registration of the same campaign is refused by it. */
  referenceId: string;
  messageFlow?: string;
  sample1?: string;
  sample2?: string;
  optinMessage?: string;
  optoutMessage?: string;
  helpMessage?: string;
  subscriberOptin: boolean;
  subscriberOptout: boolean;
  subscriberHelp: boolean;
  optoutKeywords: string;
  helpKeywords: string;
  termsAndConditions: boolean;
  autoRenewal: boolean;
  webhookURL?: string;
};

const SAME_FIELDS = ["brandId", "usecase", "description", "sample1", "sample2"] as const;

export function campaignRequest(brandId: string, fields: BrandFields, referenceId: string): CampaignRequest {
  const given = (name: string, theirs: string) => (fields[name] ? { [theirs]: fields[name] } : {});
  return {
    brandId,
    usecase: fields.useCase ?? "",
    description: fields.description ?? "",
    referenceId,
    ...given("messageFlow", "messageFlow"),
    ...given("sample1", "sample1"),
    ...given("sample2", "sample2"),
    ...given("optInMessage", "optinMessage"),
    ...given("optOutMessage", "optoutMessage"),
    ...given("helpMessage", "helpMessage"),
    subscriberOptin: true,
    // Every text that comes in is read for these (domain/compliance/keyword.ts).
    subscriberOptout: true,
    subscriberHelp: true,
    optoutKeywords: "STOP,STOPALL,UNSUBSCRIBE,CANCEL,END,QUIT",
    helpKeywords: "HELP,INFO",
    termsAndConditions: true,
    autoRenewal: true,
  };
}

/** 10DLC by Telnyx, which hands brands and campaigns on to The Campaign Registry. */
export function telnyxRegistry(client: TelnyxClient, carrier: string, webhooks?: string): Registry {
  const read = async (path: string, signal: AbortSignal): Promise<JsonObject> => {
    const body = await client.ask("GET", path, {}, signal);
    return isObject(body) ? body : {};
  };

  /** A brand that has just these fields: Telnyx keeps no reference of ours. One that was rejected is another. */
  async function sameBrand(body: BrandRequest, signal: AbortSignal): Promise<string | undefined> {
    const query = { displayName: body.displayName, recordsPerPage: 100 };
    const found = await client.ask("GET", "/10dlc/brand", { query }, signal);
    const records = objectsIn(isObject(found) ? found.records : undefined);
    for (const id of records.filter(({ status }) => status !== "REGISTRATION_FAILED").map((one) => one.brandId)) {
      const brand = await read(`/10dlc/brand/${encodeURIComponent(String(id))}`, signal);
      if (SENT_FIELDS.every((name) => (textIn(brand[name]) ?? "") === (body[name] ?? ""))) return textIn(id);
    }
    return undefined;
  }

  /** The one with our reference; else one of the same texts that has not failed: a request without a key has another reference when it is repeated. */
  async function sameCampaign(body: CampaignRequest, signal: AbortSignal): Promise<string | undefined> {
    const query = { brandId: body.brandId, recordsPerPage: 100 };
    const found = await client.ask("GET", "/10dlc/campaign", { query }, signal);
    const records = objectsIn(isObject(found) ? found.records : undefined);
    const same = (one: JsonObject) =>
      SAME_FIELDS.every((name) => (textIn(one[name]) ?? "") === (body[name] ?? "")) &&
      CAMPAIGN_STATUS.get(one.campaignStatus) !== "REJECTED" &&
      one.submissionStatus !== "FAILED";
    const campaign = records.find((one) => one.referenceId === body.referenceId) ?? records.find(same);
    return textIn(campaign?.campaignId);
  }

  /** What an earlier try has registered, or one whose answer is lost, is gone on with. */
  async function once(
    name: "brandId" | "campaignId",
    there: () => Promise<string | undefined>,
    register: () => Promise<unknown>,
  ): Promise<string> {
    const before = await there();
    if (before !== undefined) return before;
    try {
      return idIn(await register(), name);
    } catch (error) {
      if (!(error instanceof CarrierProblem && error.isUndecided)) throw error;
      const after = await there().catch(() => undefined);
      if (after === undefined) throw error;
      return after;
    }
  }

  return {
    name: carrier,
    tollFree: telnyxTollFree(client, webhooks),

    async registerBrand(fields, brandId, _now, signal) {
      const body = brandRequest(fields);
      if (UUID.test(brandId)) {
        // A brand that was rejected: it is corrected, and looked at again.
        await client.ask("PUT", `/10dlc/brand/${brandId}`, { body }, signal);
        // A second look may be charged for.
        await client.ask("PUT", `/10dlc/brand/${brandId}/revet`, { isOnce: true }, signal);
        return { brandId };
      }
      const register = () => client.ask("POST", "/10dlc/brand", { body: { ...body, ...webhookOf(webhooks) } }, signal);
      return { brandId: await once("brandId", () => sameBrand(body, signal), register) };
    },

    async brandStatus(brandId, _fields, _registeredAt, _now, signal): Promise<BrandVerdict> {
      const path = `/10dlc/brand/${encodeURIComponent(brandId)}`;
      const brand = await read(path, signal);
      const status = BRAND_STATUS.get(brand.status) ?? "PENDING";
      const identityStatus = textIn(brand.identityStatus) ?? "";
      if (status === "PENDING") return { status, identityStatus, reasons: [], score: null };
      const [feedback, vettings] = await Promise.all([
        status === "REJECTED"
          ? read(`/10dlc/brand/feedback/${encodeURIComponent(brandId)}`, signal).catch(() => ({}))
          : {},
        client.ask("GET", `${path}/externalVetting`, {}, signal).catch(() => []),
      ]);
      return { status, identityStatus, reasons: brandReasons(brand, feedback), score: scoreIn(vettings) };
    },

    async registerCampaign(brandId, fields, campaignId, _now, signal) {
      const body = { ...campaignRequest(brandId, fields, campaignId), ...webhookOf(webhooks) };
      const register = () => client.ask("POST", "/10dlc/campaignBuilder", { body }, signal);
      return { campaignId: await once("campaignId", () => sameCampaign(body, signal), register) };
    },

    async campaignStatus(campaignId, _fields, _registeredAt, _now, signal): Promise<CampaignVerdict> {
      const campaign = await read(`/10dlc/campaign/${encodeURIComponent(campaignId)}`, signal);
      const failed = campaign.submissionStatus === "FAILED" ? "REJECTED" : "PENDING";
      const status = CAMPAIGN_STATUS.get(campaign.campaignStatus) ?? failed;
      return { status, reasons: status === "REJECTED" ? reasonsIn(campaign.failureReasons) : [] };
    },

    async assignNumbers(campaignId, numbers, signal) {
      for (const phoneNumber of numbers) {
        const path = `/10dlc/phone_number_campaigns/${encodeURIComponent(phoneNumber)}`;
        const present = await read(path, signal).catch((error) => {
          if (error instanceof CarrierProblem && ["10005", "404"].includes(error.code)) return {} as JsonObject;
          throw error;
        });
        if (present.campaignId === campaignId && present.assignmentStatus !== "FAILED_ASSIGNMENT") continue;
        const body = { phoneNumber, campaignId };
        if (present.campaignId === undefined)
          await client.ask("POST", "/10dlc/phone_number_campaigns", { body }, signal);
        else await client.ask("PUT", path, { body }, signal);
      }
    },
  } satisfies Registry;
}

function idIn(body: unknown, name: "brandId" | "campaignId"): string {
  const id = textIn(isObject(body) ? body[name] : undefined);
  if (id === undefined)
    throw new CarrierProblem(`Telnyx's answer has no ${name}.`, { code: "malformed_answer", isUndecided: true });
  return id;
}

/** The registry's categories, such as TAX_ID; where there are none, Telnyx's own words. */
function brandReasons(brand: JsonObject, feedback: JsonObject): string[] {
  const { category } = feedback;
  const ids = Array.isArray(category) ? category.flatMap((one) => (isObject(one) ? (textIn(one.id) ?? []) : [])) : [];
  return ids.length > 0 ? ids : reasonsIn(brand.failureReasons);
}

/** A text, or a list of objects with a description that is written as one. */
function reasonsIn(reasons: unknown): string[] {
  const parsed = typeof reasons === "string" ? (bodyOf(reasons) ?? reasons) : reasons;
  return [parsed].flat().flatMap((one) => {
    const text = isObject(one) ? (textIn(one.description) ?? textIn(one.title) ?? textIn(one.code)) : textIn(one);
    return text?.trim() ? [text.trim().slice(0, 500)] : [];
  });
}

/** The best of a brand's vetting scores, 1 to 100. */
function scoreIn(vettings: unknown): number | null {
  const scores = [vettings]
    .flat()
    .flatMap((one) => (isObject(one) && Number(one.vettingScore) > 0 ? Number(one.vettingScore) : []));
  return scores.length === 0 ? null : Math.max(...scores);
}
