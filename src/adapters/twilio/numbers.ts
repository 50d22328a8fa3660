import { VendorFailure } from "#adapters/vendor-http/failure.ts";
import { isObject, type JsonObject, jsonObject, objectsIn, textIn } from "#adapters/vendor-http/json.ts";
import { type CarrierNumber, CarrierProblem } from "#ports/carrier-account.ts";
import type { Bought, NumberInventory } from "#ports/number-inventory.ts";
import { codeOf, listed, objectIn, pathOf, type TwilioApi } from "./api.ts";

const PAGE = 1_000;
/** North American area codes whose calls the called side pays. */
const TOLL_FREE = new Set(["800", "833", "844", "855", "866", "877", "888"]);
/** Codes of a number that is gone, or that nobody has to sell. */
const NOT_TO_BE_HAD = new Set(["21422", "21421", "21452", "21404"]);

/** An area code lies in one of them; which, Twilio knows. */
const COUNTRIES = ["US", "CA"] as const;

/** A number of the account, with what set-up has to know. */
export type OwnNumber = CarrierNumber & {
  carrierId: string;
  smsUrl: string | null;
  smsApplication: string | null;
  voiceUrl: string | null;
  voiceApplication: string | null;
  /** Its calls go to this SIP trunk of the account's, whatever its webhook is. */
  trunk: string | null;
};

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
      voiceUrl: textIn(item.voice_url) ?? null,
      voiceApplication: textIn(item.voice_application_sid) ?? null,
      trunk: textIn(item.trunk_sid) ?? null,
    },
  ];
}

/** Twilio's stock of numbers, bought for the account. A new number's texts come to us at once, where Twilio can reach us. */
export function twilioInventory(api: TwilioApi, base: string | undefined): NumberInventory {
  const own = async (phone: string, signal: AbortSignal): Promise<OwnNumber | undefined> =>
    (await ownNumbers(api, signal, phone)).find((number) => number.phone === phone);

  async function offered(
    country: string,
    { areaCode, contains, limit }: { areaCode?: string; contains?: string; limit: number },
    signal: AbortSignal,
  ): Promise<string[]> {
    const isTollFree = areaCode !== undefined && TOLL_FREE.has(areaCode);
    const query = new URLSearchParams({
      ...(areaCode ? { AreaCode: areaCode } : {}),
      ...(contains ? { Contains: `*${contains}*` } : {}),
      SmsEnabled: "true",
      VoiceEnabled: "true",
      PageSize: String(Math.min(limit, PAGE)),
    });
    const kind = isTollFree ? "TollFree" : "Local";
    const path = pathOf(api.account, `AvailablePhoneNumbers/${country}/${kind}.json?${query}`);
    try {
      const { available_phone_numbers: found } = await api.ask("api", "GET", path, signal);
      return objectsIn(found)
        .flatMap((number) => textIn(number.phone_number) ?? [])
        .slice(0, limit);
    } catch (error) {
      if (error instanceof CarrierProblem && NOT_TO_BE_HAD.has(error.code)) return [];
      throw error;
    }
  }

  /** Texts from a number go out by the account's messaging service only once it is in there. */
  async function settled(number: OwnNumber, signal: AbortSignal): Promise<Bought> {
    const { messagingServiceSid: service } = api.account;
    // The number is bought all the same; the check of the account says where it is missing.
    if (service)
      await addToService(api, service, number.carrierId, signal).catch((error) => {
        if (!(error instanceof CarrierProblem)) throw error;
      });
    return { capabilities: number.capabilities };
  }

  return {
    name: api.account.carrier,
    async search(wanted, signal) {
      const found: string[] = [];
      for (const country of COUNTRIES) {
        if (found.length < wanted.limit)
          found.push(...(await offered(country, { ...wanted, limit: wanted.limit - found.length }, signal)));
      }
      return found;
    },
    async purchase(_tenantId, phone, signal) {
      const before = await own(phone, signal);
      if (before) return settled(before, signal);
      const voice = api.account.voice === "stream" ? { VoiceUrl: `${base}/voice`, VoiceMethod: "POST" } : {};
      const webhook = base ? { SmsUrl: `${base}/sms`, SmsMethod: "POST", ...voice } : {};
      const form = { PhoneNumber: phone, ...webhook };
      const request = api.request("api", "POST", pathOf(api.account, "IncomingPhoneNumbers.json"), form);
      const answer = await api.client.once(request, signal).catch((error) => error);
      if (answer instanceof VendorFailure || answer.status >= 500) {
        // It may have been bought all the same, and is paid for: the account's list says so.
        const after = await own(phone, signal).catch(() => undefined);
        if (after) return settled(after, signal);
        const wasSent = !(answer instanceof VendorFailure) || answer.wasSent;
        throw new CarrierProblem("Twilio did not say whether the number was bought.", {
          code: codeOrStatus(answer),
          isUndecided: wasSent,
        });
      }
      if (answer instanceof Error) throw answer;
      if (NOT_TO_BE_HAD.has(codeOf(answer))) {
        // Perhaps since it is the account's, by another request or one whose answer is lost.
        const after = await own(phone, signal);
        return after && settled(after, signal);
      }
      // A good answer that cannot be read says as little as none.
      const [number] = answer.status < 300 ? numberOf(jsonObject(answer.text) ?? {}) : [];
      if (number) return settled(number, signal);
      objectIn(answer);
      throw new CarrierProblem("Twilio did not say whether the number was bought.", {
        code: "invalid_answer",
        isUndecided: true,
      });
    },
    async find(_tenantId, phone, signal) {
      const number = await own(phone, signal);
      return number && settled(number, signal);
    },
    async release(_tenantId, phone, signal) {
      const number = await own(phone, signal);
      if (number) await removeNumber(api, number.carrierId, signal);
    },
  } satisfies NumberInventory;
}

/** The number is in the messaging service already. */
const ALREADY_THERE = new Set(["21710"]);

/** Puts a number into a messaging service. Safe to repeat. */
export async function addToService(api: TwilioApi, service: string, numberSid: string, signal: AbortSignal) {
  const path = `/v1/Services/${service}/PhoneNumbers`;
  try {
    await api.ask("messaging", "POST", path, signal, { PhoneNumberSid: numberSid });
  } catch (error) {
    if (!(error instanceof CarrierProblem) || !ALREADY_THERE.has(error.code)) throw error;
  }
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
