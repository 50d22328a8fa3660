import { textIn } from "#adapters/vendor-http/json.ts";
import { listed, type TwilioApi } from "./api.ts";
import type { OwnNumber } from "./numbers.ts";

/** A tenant has a few messaging services; of more than this the rest is not read. */
const MOST_SERVICES = 20;
/** North American area codes whose numbers are verified in another way, and need no campaign. */
const TOLL_FREE = /^\+1(?:800|833|844|855|866|877|888)/;
const NORTH_AMERICAN = /^\+1\d{10}$/;

/**
 * The account's local numbers whose messaging service has no verified A2P campaign: carriers refuse their texts (30034). Throws a CarrierProblem
 * where that cannot be read.
 */
export async function unregistered(
  api: TwilioApi,
  numbers: readonly OwnNumber[],
  signal: AbortSignal,
): Promise<string[]> {
  const local = numbers.filter(
    ({ phone, capabilities }) => capabilities.sms && NORTH_AMERICAN.test(phone) && !TOLL_FREE.test(phone),
  );
  if (local.length === 0) return [];
  const { messagingServiceSid } = api.account;
  const services = messagingServiceSid ? [messagingServiceSid] : await serviceSids(api, signal);
  const registered = new Set<string>();
  for (const sid of services.slice(0, MOST_SERVICES)) {
    if (!(await isVerified(api, sid, signal))) continue;
    const path = `/v1/Services/${sid}/PhoneNumbers?PageSize=100`;
    for (const { phone_number: phone } of await listed(api, { host: "messaging", path, key: "phone_numbers" }, signal))
      registered.add(String(phone));
  }
  return local.map(({ phone }) => phone).filter((phone) => !registered.has(phone));
}

async function serviceSids(api: TwilioApi, signal: AbortSignal): Promise<string[]> {
  const path = "/v1/Services?PageSize=50";
  const services = await listed(api, { host: "messaging", path, key: "services" }, signal);
  return services.flatMap(({ sid }) => textIn(sid) ?? []);
}

async function isVerified(api: TwilioApi, sid: string, signal: AbortSignal): Promise<boolean> {
  const path = `/v1/Services/${sid}/Compliance/Usa2p?PageSize=50`;
  const campaigns = await listed(api, { host: "messaging", path, key: "compliance" }, signal);
  return campaigns.some(({ campaign_status: status }) => status === "VERIFIED");
}
