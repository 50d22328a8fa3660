import { VendorFailure } from "#adapters/vendor-http/failure.ts";
import { isObject, type JsonObject, objectsIn, textIn } from "#adapters/vendor-http/json.ts";
import { type CarrierNumber, CarrierProblem } from "#ports/carrier-account.ts";
import type { NumberInventory } from "#ports/number-inventory.ts";
import { codeOf, objectIn, pathOf, type TwilioApi } from "./api.ts";
import { listed } from "./pages.ts";

const PAGE = 1_000;
/** North American area codes whose calls the called side pays. */
const TOLL_FREE = new Set(["800", "833", "844", "855", "866", "877", "888"]);
/** Codes of a number that is gone, or that nobody has to sell. */
const NOT_TO_BE_HAD = new Set(["21422", "21421", "21452", "21404"]);

/** A number of the account, with what set-up has to know. */
export type OwnNumber = CarrierNumber & { carrierId: string; smsUrl: string | null; smsApplication: string | null };

export async function ownNumbers(api: TwilioApi, signal: AbortSignal, phone?: string): Promise<OwnNumber[]> {
  const query = new URLSearchParams({ ...(phone ? { PhoneNumber: phone } : {}), PageSize: String(PAGE) });
  const path = pathOf(api.account, `IncomingPhoneNumbers.json?${query}`);
  return (await listed(api, { path, key: "incoming_phone_numbers" }, signal)).flatMap(numberOf);
}

function numberOf(item: JsonObject): OwnNumber[] {
  const [phone, carrierId] = [textIn(item.phone_number), textIn(item.sid)];
  if (phone === undefined || carrierId === undefined) return [];
  const can = isObject(item.capabilities) ? item.capabilities : {};
  const [sms, mms, voice] = [can.sms ?? can.SMS, can.mms ?? can.MMS, can.voice].map((value) => value === true);
  return [
    {
      phone,
      carrierId,
      capabilities: { sms: sms!, mms: mms!, voice: voice! },
      smsUrl: textIn(item.sms_url) ?? null,
      smsApplication: textIn(item.sms_application_sid) ?? null,
    },
  ];
}

/** Twilio's stock of numbers, bought for the account. A new number's texts come to us at once, where Twilio can reach us. */
export function twilioInventory(api: TwilioApi, base: string | undefined): NumberInventory {
  const own = async (phone: string, signal: AbortSignal): Promise<OwnNumber | undefined> =>
    (await ownNumbers(api, signal, phone)).find((number) => number.phone === phone);
  return {
    name: api.account.carrier,
    async search({ areaCode, contains, limit }, signal) {
      const isTollFree = areaCode !== undefined && TOLL_FREE.has(areaCode);
      const query = new URLSearchParams({
        ...(areaCode ? { AreaCode: areaCode } : {}),
        ...(contains ? { Contains: `*${contains}*` } : {}),
        SmsEnabled: "true",
        VoiceEnabled: "true",
        PageSize: String(Math.min(limit, PAGE)),
      });
      const path = pathOf(api.account, `AvailablePhoneNumbers/US/${isTollFree ? "TollFree" : "Local"}.json?${query}`);
      try {
        const { available_phone_numbers: found } = await api.ask("api", "GET", path, signal);
        return objectsIn(found)
          .flatMap((number) => textIn(number.phone_number) ?? [])
          .slice(0, limit);
      } catch (error) {
        if (error instanceof CarrierProblem && NOT_TO_BE_HAD.has(error.code)) return [];
        throw error;
      }
    },
    async purchase(_tenantId, phone, signal) {
      if (await own(phone, signal)) return true;
      const webhook = base ? { SmsUrl: `${base}/sms`, SmsMethod: "POST" } : {};
      const form = { PhoneNumber: phone, ...webhook };
      const request = api.request("api", "POST", pathOf(api.account, "IncomingPhoneNumbers.json"), form);
      const answer = await api.client.once(request, signal).catch((error) => error);
      if (answer instanceof VendorFailure || answer.status >= 500) {
        // It may have been bought all the same, and is paid for: the account's list says so.
        if (await own(phone, signal)) return true;
        throw new CarrierProblem("Twilio did not say whether the number was bought.", { code: codeOrStatus(answer) });
      }
      if (answer instanceof Error) throw answer;
      if (NOT_TO_BE_HAD.has(codeOf(answer))) return false;
      objectIn(answer);
      return true;
    },
    async release(_tenantId, phone, signal) {
      const number = await own(phone, signal);
      if (number) await removeNumber(api, number.carrierId, signal);
    },
  } satisfies NumberInventory;
}

const codeOrStatus = (answer: VendorFailure | { status: number }): string =>
  answer instanceof VendorFailure ? answer.code : `http_${answer.status}`;

/** A number that is gone already has been released by an earlier try. */
async function removeNumber(api: TwilioApi, sid: string, signal: AbortSignal): Promise<void> {
  try {
    await api.ask("api", "DELETE", pathOf(api.account, `IncomingPhoneNumbers/${sid}.json`), signal);
  } catch (error) {
    if (!(error instanceof CarrierProblem) || !["20404", "http_404"].includes(error.code)) throw error;
  }
}
