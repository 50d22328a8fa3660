import { objectsIn, textIn } from "#adapters/vendor-http/json.ts";
import { CarrierProblem } from "#ports/carrier-account.ts";
import type { BrandFields } from "#ports/registry.ts";
import { create, listed, type TwilioApi } from "./api.ts";

/** Twilio's policy of an A2P messaging profile of a business. */
const A2P_POLICY = "RNb0d4771c2c98518d916a3d4cd70a8f8b";

/** A public company's needs its stock's symbol, which our brand has not. */
const COMPANY_TYPES: ReadonlyMap<string, string> = new Map([
  ["PRIVATE_PROFIT", "private"],
  ["NON_PROFIT", "non-profit"],
  ["GOVERNMENT", "government"],
  ["SOLE_PROPRIETOR", "private"],
]);

const MAKE_ONE =
  "Make one for your business in Twilio's console under Trust Hub, and register the brand once it is approved.";

/** The approved customer profile of the business: the settings' one, the only one, or the one that is called as the brand is. */
export async function customerProfile(api: TwilioApi, fields: BrandFields, signal: AbortSignal): Promise<string> {
  const { customerProfileSid } = api.account;
  if (customerProfileSid) return customerProfileSid;
  const path = "/v1/CustomerProfiles?Status=twilio-approved&PageSize=50";
  const profiles = await listed(api, { host: "trusthub", path, key: "results" }, signal);
  const approved = profiles.filter(({ status }) => status === "twilio-approved");
  const names = new Set([fields.companyName, fields.displayName]);
  const [only, ...others] = approved;
  const chosen = others.length === 0 ? only : approved.find((one) => names.has(String(one.friendly_name)));
  const sid = textIn(chosen?.sid);
  if (sid !== undefined) return sid;
  if (!only)
    throw new CarrierProblem("The account has no approved customer profile.", { code: "no_profile", remedy: MAKE_ONE });
  const several = approved.map((one) => `${String(one.friendly_name)} (${String(one.sid)})`).join(", ");
  throw new CarrierProblem("The account has several customer profiles, and none is called as the brand is.", {
    code: "unclear_profile",
    remedy: `Set customer_profile_sid in the account's settings to one of ${several}`,
  });
}

/** The A2P profile of a brand, submitted to Twilio. One that an earlier try has made is gone on with. */
export async function a2pBundle(
  api: TwilioApi,
  profile: string,
  fields: BrandFields,
  signal: AbortSignal,
): Promise<string> {
  const company_type = COMPANY_TYPES.get(fields.entityType ?? "");
  if (company_type === undefined)
    throw new CarrierProblem(`Twilio registers no brand of the kind ${fields.entityType} by this service.`, {
      code: "entity_type",
      remedy: "Register it in Twilio's console",
    });
  const name = ["Parley", fields.displayName, fields.ein].filter((part) => part).join(" ");
  const found = await listed(
    api,
    {
      host: "trusthub",
      path: `/v1/TrustProducts?${new URLSearchParams({ FriendlyName: name, PolicySid: A2P_POLICY, PageSize: "50" })}`,
      key: "results",
    },
    signal,
  );
  const there = found.find((one) => one.friendly_name === name && one.status !== "twilio-rejected");
  const sid = textIn(there?.sid) ?? (await draft(api, name, fields, signal));
  if (there && there.status !== "draft") return sid;

  const assigned = await listed(
    api,
    { host: "trusthub", path: `/v1/TrustProducts/${sid}/EntityAssignments?PageSize=50`, key: "results" },
    signal,
  );
  const has = (begin: string) => assigned.some(({ object_sid: object }) => String(object).startsWith(begin));
  const assign = (ObjectSid: string) =>
    create(api, "trusthub", `/v1/TrustProducts/${sid}/EntityAssignments`, { ObjectSid }, signal);
  if (!has("IT")) {
    const attributes = { company_type, ...(fields.email ? { brand_contact_email: fields.email } : {}) };
    const form = {
      FriendlyName: name,
      Type: "us_a2p_messaging_profile_information",
      Attributes: JSON.stringify(attributes),
    };
    await assign(String((await create(api, "trusthub", "/v1/EndUsers", form, signal)).sid));
  }
  if (!has(profile)) await assign(profile);
  await evaluate(api, sid, signal);
  await create(api, "trusthub", `/v1/TrustProducts/${sid}`, { Status: "pending-review" }, signal);
  return sid;
}

async function draft(api: TwilioApi, name: string, fields: BrandFields, signal: AbortSignal): Promise<string> {
  const form = { FriendlyName: name, Email: fields.email ?? "", PolicySid: A2P_POLICY };
  const sid = textIn((await create(api, "trusthub", "/v1/TrustProducts", form, signal)).sid);
  if (sid === undefined)
    throw new CarrierProblem("Twilio's answer has no id.", { code: "invalid_answer", isUndecided: true });
  return sid;
}

/** What Twilio would refuse in review, it says at once. */
async function evaluate(api: TwilioApi, sid: string, signal: AbortSignal): Promise<void> {
  const path = `/v1/TrustProducts/${sid}/Evaluations`;
  const { status, results } = await create(api, "trusthub", path, { PolicySid: A2P_POLICY }, signal);
  if (status !== "noncompliant") return;
  const lacking = objectsIn(results)
    .filter(({ passed }) => passed === false)
    .flatMap((one) => textIn(one.failure_reason) ?? textIn(one.friendly_name) ?? []);
  throw new CarrierProblem(`Twilio does not take the A2P profile: ${lacking.join(", ") || "it lacks something"}.`, {
    code: "noncompliant",
  });
}
