type Item = Record<string, unknown>;
type Answer = { status: number; body?: Item } | { refuse: number };

/** Operations that data/specs/twilio.json does not describe: Trust Hub's, and some of the messaging API's. */
export const UNDESCRIBED =
  /^(?:GET \/v2\/PhoneNumbers\/|GET \/v1\/Deactivations$|GET \/deactivated\/|(?:GET|POST) \/v1\/(?:CustomerProfiles|TrustProducts|EndUsers)\b|(?:GET|POST|DELETE) \/v1\/Tollfree\/Verifications\b|GET \/v1\/a2p\/BrandRegistrations$|POST \/v1\/a2p\/BrandRegistrations\/BN|POST \/v1\/Services$|DELETE \/v1\/Services\/MG\w+\/PhoneNumbers\/)/;

/** The compliance resource of every messaging service has this id. */
export const CAMPAIGN_SID = "QE2c6890da8086d771620e9b13fadeba0b";

export type TwilioRegistry = {
  /** Customer profiles, which their owners make in Twilio's console. */
  profiles: Item[];
  bundles: (Item & { objects: string[] })[];
  endUsers: Item[];
  brands: Item[];
  services: Item[];
  campaigns: Item[];
  /** Requests to verify toll-free numbers. */
  tollFree: Item[];
  /** What an A2P profile lacks; nothing: it is compliant. */
  lacking: string[];
};

export const emptyRegistry = (): TwilioRegistry => ({
  profiles: [],
  bundles: [],
  endUsers: [],
  brands: [],
  services: [],
  campaigns: [],
  tollFree: [],
  lacking: [],
});

/** Answers what is Trust Hub's, and brands, services and campaigns; undefined for anything else. */
export function answerRegistry(
  registry: TwilioRegistry,
  { method, path, query, form }: { method: string; path: string; query: URLSearchParams; form: URLSearchParams },
  sidOf: (prefix: string) => string,
): Answer | undefined {
  const made = (body: Item): Answer => ({ status: 201, body });
  const page = (results: Item[], key = "results"): Answer => ({
    status: 200,
    body: { [key]: results, meta: { page: 0 } },
  });
  const missing: Answer = { refuse: 20404 };
  if (path.startsWith(TOLL_FREE)) return answerTollFree(registry, { method, path, query, form }, sidOf);
  if (path === "/v1/CustomerProfiles") return page(registry.profiles);
  if (path === "/v1/EndUsers") {
    const user = { sid: sidOf("IT"), type: form.get("Type"), attributes: JSON.parse(form.get("Attributes")!) };
    registry.endUsers.push(user);
    return made(user);
  }
  if (path === "/v1/TrustProducts" && method === "GET") return page(registry.bundles.map(shown));
  if (path === "/v1/TrustProducts") {
    const bundle = { sid: sidOf("BU"), friendly_name: form.get("FriendlyName"), status: "draft", objects: [] };
    registry.bundles.push(bundle);
    return made(shown(bundle));
  }
  const [, bundleSid, part] = /^\/v1\/TrustProducts\/(\w+)(?:\/(\w+))?$/.exec(path) ?? [];
  if (bundleSid !== undefined) {
    const bundle = registry.bundles.find(({ sid }) => sid === bundleSid);
    if (!bundle) return missing;
    if (part === "EntityAssignments" && method === "GET")
      return page(bundle.objects.map((object_sid) => ({ object_sid })));
    if (part === "EntityAssignments") {
      bundle.objects.push(form.get("ObjectSid")!);
      return made({ object_sid: form.get("ObjectSid") });
    }
    if (part === "Evaluations") {
      const results = registry.lacking.map((failure_reason) => ({ passed: false, failure_reason }));
      return made({ status: results.length > 0 ? "noncompliant" : "compliant", results });
    }
    bundle.status = "in-review";
    return { status: 200, body: shown(bundle) };
  }
  if (path === "/v1/a2p/BrandRegistrations" && method === "GET") return page(registry.brands, "data");
  if (path === "/v1/a2p/BrandRegistrations") {
    const brand = {
      ...{ sid: sidOf("BN"), brand_type: form.get("BrandType"), status: "PENDING", identity_status: "SELF_DECLARED" },
      customer_profile_bundle_sid: form.get("CustomerProfileBundleSid"),
      a2p_profile_bundle_sid: form.get("A2PProfileBundleSid"),
    };
    registry.brands.push(brand);
    return made(brand);
  }
  const [, brandSid] = /^\/v1\/a2p\/BrandRegistrations\/(\w+)$/.exec(path) ?? [];
  if (brandSid !== undefined) {
    const brand = registry.brands.find(({ sid }) => sid === brandSid);
    if (!brand) return missing;
    if (method === "POST") Object.assign(brand, { status: "PENDING", brand_feedback: null });
    return { status: 200, body: brand };
  }
  if (path === "/v1/Services" && method === "POST") {
    const service = { sid: sidOf("MG"), friendly_name: form.get("FriendlyName") };
    registry.services.push(service);
    return made(service);
  }
  const [, serviceSid, campaignSid] = /^\/v1\/Services\/(\w+)\/Compliance\/Usa2p(?:\/(\w+))?$/.exec(path) ?? [];
  const isOurs = registry.services.some(({ sid }) => sid === serviceSid);
  if (serviceSid === undefined || !isOurs) return undefined;
  const campaign = registry.campaigns.find((one) => one.messaging_service_sid === serviceSid);
  if (campaignSid !== undefined) return campaign ? { status: 200, body: campaign } : missing;
  if (method === "GET") return page(campaign ? [campaign] : [], "compliance");
  const fresh = {
    ...{ sid: CAMPAIGN_SID, messaging_service_sid: serviceSid, campaign_status: "PENDING" },
    brand_registration_sid: form.get("BrandRegistrationSid"),
    us_app_to_person_usecase: form.get("UsAppToPersonUsecase"),
    ...{ message_samples: form.getAll("MessageSamples"), description: form.get("Description") },
    has_embedded_links: form.get("HasEmbeddedLinks") === "true",
  };
  registry.campaigns.push(fresh);
  return made(fresh);
}

const shown = ({ objects: _, ...bundle }: Item): Item => bundle;

const TOLL_FREE = "/v1/Tollfree/Verifications";
const LISTS = ["UseCaseCategories", "OptInImageUrls", "OptInKeywords"];
/** What a request cannot do without, by Twilio's own package. */
const NEEDED = [
  ...["BusinessName", "BusinessWebsite", "NotificationEmail", "UseCaseCategories", "UseCaseSummary"],
  ...["ProductionMessageSample", "OptInImageUrls", "OptInType", "MessageVolume", "TollfreePhoneNumberSid"],
];

const snake = (name: string): string => name.replaceAll(/(?<=[a-z])(?=[A-Z0-9])/g, "_").toLowerCase();

/** A form as the resource has it. */
const resourceOf = (form: URLSearchParams): Item =>
  Object.fromEntries(
    [...new Set(form.keys())].map((name) => [snake(name), LISTS.includes(name) ? form.getAll(name) : form.get(name)]),
  );

function answerTollFree(
  { tollFree }: TwilioRegistry,
  { method, path, query, form }: { method: string; path: string; query: URLSearchParams; form: URLSearchParams },
  sidOf: (prefix: string) => string,
): Answer {
  const [, sid] = /^\/v1\/Tollfree\/Verifications\/(\w+)$/.exec(path) ?? [];
  if (sid === undefined && method === "GET") {
    const wanted = query.get("TollfreePhoneNumberSid");
    const them = tollFree.filter((one) => wanted === null || one.tollfree_phone_number_sid === wanted);
    return { status: 200, body: { verifications: them, meta: { page: 0 } } };
  }
  if (sid === undefined) {
    if (NEEDED.some((name) => !form.has(name))) return { refuse: 20001 };
    const one = {
      ...{ sid: sidOf("HH"), status: "PENDING_REVIEW", edit_allowed: null, rejection_reasons: null },
      ...{ rejection_reason: null, edit_expiration: null, error_code: null },
      ...resourceOf(form),
    };
    tollFree.push(one);
    return { status: 201, body: one };
  }
  const one = tollFree.find((each) => each.sid === sid);
  if (!one) return { refuse: 20404 };
  if (method === "DELETE") {
    tollFree.splice(tollFree.indexOf(one), 1);
    return { status: 204 };
  }
  if (method === "GET") return { status: 200, body: one };
  if (one.edit_allowed === false) return { refuse: 20001 };
  Object.assign(one, resourceOf(form), { status: "IN_REVIEW", rejection_reasons: null, rejection_reason: null });
  return { status: 202, body: one };
}
