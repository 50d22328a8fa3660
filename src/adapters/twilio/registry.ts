import { isObject, type JsonObject, objectsIn, textIn } from "#adapters/vendor-http/json.ts";
import { CAMPAIGN_CLASSES } from "#domain/numbers/rate-limits.ts";
import { CarrierProblem } from "#ports/carrier-account.ts";
import type { BrandFields, BrandVerdict, CampaignVerdict, Registry } from "#ports/registry.ts";
import { create, listed, type TwilioApi } from "./api.ts";
import { addToService, ownNumbers } from "./numbers.ts";
import { twilioTollFree } from "./toll-free.ts";
import { a2pBundle, customerProfile } from "./trust-hub.ts";

const BRANDS = "/v1/a2p/BrandRegistrations";
const BRAND_SID = /^BN[0-9a-fA-F]{32}$/;

/** What is neither here nor rejected is under way. */
const BRAND_STATUS: ReadonlyMap<unknown, BrandVerdict["status"]> = new Map([
  ["APPROVED", "ACTIVE"],
  ["FAILED", "REJECTED"],
  ["SUSPENDED", "REJECTED"],
  ["DELETION_PENDING", "REJECTED"],
]);
const CAMPAIGN_STATUS: ReadonlyMap<unknown, CampaignVerdict["status"]> = new Map([
  ["VERIFIED", "ACTIVE"],
  ["FAILED", "REJECTED"],
  ["SUSPENDED", "REJECTED"],
]);

/** What the names of services begin with that are made here. */
const OUR_SERVICE = "Parley ";
/** A number is in one messaging service at a time. */
const IN_ANOTHER_SERVICE = "21712";
const LINK = /https?:\/\/|\bwww\.|\.(?:com|org|net|io|co|us)\b/i;
const PHONE = /\d{3}[-. ]\d{4}\b/;

/** A campaign is of a messaging service, and Twilio's own id of it is the same for all: ours names both. */
const idOf = (service: string, sid: string): string => `${service}.${sid}`;

function partsOf(campaignId: string): { service: string; sid: string } {
  const [service = "", sid = ""] = campaignId.split(".");
  return { service, sid };
}

/** A2P 10DLC by Twilio, which hands brands and campaigns on to The Campaign Registry. */
export function twilioRegistry(api: TwilioApi): Registry {
  const campaignsOf = (service: string, signal: AbortSignal) =>
    listed(
      api,
      { host: "messaging", path: `/v1/Services/${service}/Compliance/Usa2p?PageSize=50`, key: "compliance" },
      signal,
    );

  async function brandOf(bundle: string, signal: AbortSignal): Promise<string | undefined> {
    const brands = await listed(api, { host: "messaging", path: `${BRANDS}?PageSize=50`, key: "data" }, signal);
    const brand = brands.find((one) => one.a2p_profile_bundle_sid === bundle && one.status !== "FAILED");
    return textIn(brand?.sid);
  }

  const servicesOf = (signal: AbortSignal) =>
    listed(api, { host: "messaging", path: "/v1/Services?PageSize=50", key: "services" }, signal);

  /** Of the services that were made here: a request without a key has another name for its own when it is repeated. */
  async function sameCampaign(form: CampaignForm, services: JsonObject[], signal: AbortSignal) {
    for (const { sid, friendly_name: name } of services) {
      const service = textIn(sid);
      if (service === undefined || !String(name).startsWith(OUR_SERVICE)) continue;
      const [there] = await campaignsOf(service, signal);
      if (there && isSame(there, form)) return idOf(service, sidIn(there));
    }
    return undefined;
  }

  /** A service of the campaign's own, made where an earlier try has not made it. */
  async function serviceFor(campaignId: string, services: JsonObject[], signal: AbortSignal): Promise<string> {
    const name = OUR_SERVICE + campaignId;
    const made = textIn(services.find((one) => one.friendly_name === name)?.sid);
    if (made) return made;
    // Its numbers have their webhooks already: those count.
    const form = { FriendlyName: name, UseInboundWebhookOnNumber: "true" };
    return sidIn(await create(api, "messaging", "/v1/Services", form, signal));
  }

  async function leaveOther(phone: string, numberSid: string, signal: AbortSignal): Promise<void> {
    const services = await servicesOf(signal);
    for (const service of services.flatMap(({ sid }) => textIn(sid) ?? [])) {
      const path = `/v1/Services/${service}/PhoneNumbers`;
      const numbers = await listed(
        api,
        { host: "messaging", path: `${path}?PageSize=100`, key: "phone_numbers" },
        signal,
      );
      if (numbers.some((number) => number.phone_number === phone))
        await api.ask("messaging", "DELETE", `${path}/${numberSid}`, signal);
    }
  }

  return {
    name: api.account.carrier,
    tollFree: twilioTollFree(api),

    async registerBrand(fields, brandId, _now, signal) {
      if (BRAND_SID.test(brandId)) {
        // A brand that was rejected: it is looked at again, with what its customer profile says now.
        await create(api, "messaging", `${BRANDS}/${brandId}`, {}, signal);
        return { brandId };
      }
      const profile = await customerProfile(api, fields, signal);
      const bundle = await a2pBundle(api, profile, fields, signal);
      const before = await brandOf(bundle, signal);
      if (before) return { brandId: before };
      const form = {
        CustomerProfileBundleSid: profile,
        A2PProfileBundleSid: bundle,
        BrandType: fields.entityType === "SOLE_PROPRIETOR" ? "SOLE_PROPRIETOR" : "STANDARD",
      };
      try {
        return { brandId: sidIn(await create(api, "messaging", BRANDS, form, signal)) };
      } catch (error) {
        // It may have been registered all the same: the account's list says so.
        const after = isUndecided(error) ? await brandOf(bundle, signal) : undefined;
        if (after === undefined) throw error;
        return { brandId: after };
      }
    },

    async brandStatus(brandId, _fields, _registeredAt, _now, signal): Promise<BrandVerdict> {
      const brand = await api.ask("messaging", "GET", `${BRANDS}/${encodeURIComponent(brandId)}`, signal);
      const status = BRAND_STATUS.get(brand.status) ?? "PENDING";
      const score = Number(brand.brand_score);
      return {
        status,
        identityStatus: textIn(brand.identity_status) ?? "",
        reasons: status === "REJECTED" ? brandReasons(brand) : [],
        score: status !== "PENDING" && score >= 1 && score <= 100 ? score : null,
      };
    },

    async registerCampaign(brandId, fields, campaignId, _now, signal) {
      const { messagingServiceSid } = api.account;
      const form = campaignForm(brandId, fields);
      const services = messagingServiceSid ? [] : await servicesOf(signal);
      const same = await sameCampaign(form, services, signal);
      if (same) return { campaignId: same };
      const service = messagingServiceSid ?? (await serviceFor(campaignId, services, signal));
      const ofService = async (): Promise<string | undefined> => {
        const [there] = await campaignsOf(service, signal);
        if (there === undefined) return undefined;
        // What is in the campaign's own service is the campaign; what is in the account's may be any.
        if (messagingServiceSid ? isSame(there, form) : there.brand_registration_sid === brandId)
          return idOf(service, sidIn(there));
        throw new CarrierProblem(`The messaging service ${service} has another campaign.`, {
          code: "service_taken",
          remedy: "Name another service in the account's settings, or none: then each campaign gets its own.",
        });
      };
      const before = await ofService();
      if (before) return { campaignId: before };
      const path = `/v1/Services/${service}/Compliance/Usa2p`;
      try {
        const made = await create(api, "messaging", path, form, signal);
        return { campaignId: idOf(service, sidIn(made)) };
      } catch (error) {
        const after = isUndecided(error) ? await ofService() : undefined;
        if (after === undefined) throw error;
        return { campaignId: after };
      }
    },

    async campaignStatus(campaignId, _fields, _registeredAt, _now, signal): Promise<CampaignVerdict> {
      const { service, sid } = partsOf(campaignId);
      const campaign = await api.ask("messaging", "GET", `/v1/Services/${service}/Compliance/Usa2p/${sid}`, signal);
      const status = CAMPAIGN_STATUS.get(campaign.campaign_status) ?? "PENDING";
      const { rate_limits: limits } = campaign;
      const att = isObject(limits) && isObject(limits.att) ? limits.att : {};
      const granted = CAMPAIGN_CLASSES.find(({ id }) => id === att.msg_class);
      return {
        status,
        reasons: status === "REJECTED" ? wordsIn(campaign.errors) : [],
        ...(granted && status === "ACTIVE" ? { class: granted.id, perMinute: granted.perMinute } : {}),
      };
    },

    async assignNumbers(campaignId, numbers, signal) {
      const { service } = partsOf(campaignId);
      for (const phone of numbers) {
        const number = (await ownNumbers(api, signal, phone)).find((one) => one.phone === phone);
        if (!number) throw new CarrierProblem(`The account has no number ${phone}.`, { code: "no_such_number" });
        try {
          await addToService(api, service, number.carrierId, signal);
        } catch (error) {
          if (!(error instanceof CarrierProblem) || error.code !== IN_ANOTHER_SERVICE) throw error;
          await leaveOther(phone, number.carrierId, signal);
          await addToService(api, service, number.carrierId, signal);
        }
      }
    },
  } satisfies Registry;
}

/** The body of POST .../Compliance/Usa2p. */
function campaignForm(brandId: string, fields: BrandFields) {
  const samples = [fields.sample1, fields.sample2].filter(
    (sample) => sample !== undefined && sample !== "",
  ) as string[];
  const all = samples.join("\n");
  const given = (name: string, theirs: string) => (fields[name] ? { [theirs]: fields[name] } : {});
  return {
    BrandRegistrationSid: brandId,
    Description: fields.description ?? "",
    MessageFlow: fields.messageFlow ?? "",
    MessageSamples: samples,
    UsAppToPersonUsecase: (fields.useCase ?? "")
      .trim()
      .toUpperCase()
      .replaceAll(/[\s-]+/g, "_"),
    HasEmbeddedLinks: String(LINK.test(all)),
    HasEmbeddedPhone: String(PHONE.test(all)),
    ...given("optInMessage", "OptInMessage"),
    ...given("optOutMessage", "OptOutMessage"),
    ...given("helpMessage", "HelpMessage"),
    // Every text that comes in is read for these (domain/compliance/keyword.ts).
    ...(fields.optOutMessage ? { OptOutKeywords: ["STOP", "STOPALL", "UNSUBSCRIBE", "CANCEL", "END", "QUIT"] } : {}),
    ...(fields.helpMessage ? { HelpKeywords: ["HELP", "INFO"] } : {}),
  };
}

type CampaignForm = ReturnType<typeof campaignForm>;

/** A campaign with the same texts that has not failed. */
function isSame(there: JsonObject, form: CampaignForm): boolean {
  const samples = Array.isArray(there.message_samples) ? there.message_samples : [];
  return (
    there.brand_registration_sid === form.BrandRegistrationSid &&
    there.us_app_to_person_usecase === form.UsAppToPersonUsecase &&
    there.description === form.Description &&
    samples.length === form.MessageSamples.length &&
    form.MessageSamples.every((sample, at) => sample === samples[at]) &&
    CAMPAIGN_STATUS.get(there.campaign_status) !== "REJECTED"
  );
}

const isUndecided = (error: unknown): boolean => error instanceof CarrierProblem && error.isUndecided;

function sidIn({ sid }: JsonObject): string {
  const text = textIn(sid);
  if (text === undefined)
    throw new CarrierProblem("Twilio's answer has no id.", { code: "invalid_answer", isUndecided: true });
  return text;
}

/** The registry's categories, such as TAX_ID; where there are none, Twilio's own words. */
function brandReasons({ brand_feedback: feedback, failure_reason: reason, errors }: JsonObject): string[] {
  const categories = Array.isArray(feedback) ? feedback.flatMap((one) => textIn(one) ?? []) : [];
  if (categories.length > 0) return categories;
  const words = wordsIn(errors);
  return words.length > 0 ? words : [textIn(reason) ?? []].flat();
}

const wordsIn = (errors: unknown): string[] =>
  objectsIn(errors).flatMap(({ description, fields, error_code: code }) => {
    const text = textIn(description) ?? (code === undefined ? undefined : `Twilio's error ${String(code)}`);
    const where = Array.isArray(fields) && fields.length > 0 ? ` (${fields.join(", ")})` : "";
    return text === undefined ? [] : [`${text}${where}`.slice(0, 500)];
  });
