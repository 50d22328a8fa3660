import { shownAddress } from "#adapters/carrier-addresses/shown-address.ts";
import { textIn } from "#adapters/vendor-http/json.ts";
import { CarrierProblem, type CarrierUrls, type SetUp, type SetUpChange } from "#ports/carrier-account.ts";
import { pathOf, type TwilioApi } from "./api.ts";
import { type OwnNumber, ownNumbers } from "./numbers.ts";
import { unregistered } from "./registration.ts";

/** What Twilio sets on a new number: nobody's own. */
const TWILIOS_OWN = /^https:\/\/(?:demo|www)\.twilio\.com\//;
/** Numbers that a sentence names; the rest is counted. */
const MOST_NAMED = 5;

export type Planned = SetUpChange & { make(signal: AbortSignal): Promise<unknown> };
export type Plan = { changes: Planned[]; missing: string[] };

/**
 * What has to change for the account's texts to come to us, by the messaging service's webhook where one is used, else each number's, and its calls,
 * where these come by streams.
 */
export async function plan(api: TwilioApi, { base }: CarrierUrls, signal: AbortSignal): Promise<Plan> {
  const numbers = await ownNumbers(api, signal);
  const missing = await missingOf(api, numbers, base, signal);
  if (base === undefined) return { changes: [], missing };
  const all = numbers.filter(({ capabilities }) => capabilities.sms).map((number) => ofNumber(api, number, base));
  const { messagingServiceSid } = api.account;
  if (messagingServiceSid) all.unshift(await ofService(api, messagingServiceSid, base, signal));
  const { voice } = api.account;
  const callable = voice === "stream" ? numbers.filter(({ capabilities }) => capabilities.voice) : [];
  all.push(...callable.filter(({ trunk }) => trunk === null).map((number) => voiceOfNumber(api, number, base)));
  const onTrunks = callable.filter(({ trunk }) => trunk !== null).map(({ phone }) => phone);
  if (onTrunks.length > 0)
    missing.push(`On a SIP trunk at Twilio, so that their calls do not come here: ${namesOf(onTrunks)}.`);
  return { changes: all.filter(({ from, to }) => from !== to), missing };
}

export const shown = ({ changes, missing }: Plan): SetUp => ({
  changes: changes.map(({ what, from, to, foreign }) => ({ what, from: from && shownAddress(from), to, foreign })),
  missing,
});

/** Answers with what was changed; a foreign webhook stays as it is, and is said to be missing, unless it is to be replaced. */
export async function apply(
  api: TwilioApi,
  urls: CarrierUrls,
  { replace }: { replace: boolean },
  signal: AbortSignal,
): Promise<SetUp> {
  const { changes, missing } = await plan(api, urls, signal);
  const due = changes.filter(({ foreign }) => replace || !foreign);
  for (const change of due) await change.make(signal);
  const left = changes
    .filter((change) => !due.includes(change))
    .map(({ what, from }) => `${what} points to ${shownAddress(from ?? "")}`);
  return shown({ changes: due, missing: [...missing, ...left] });
}

function ofNumber(api: TwilioApi, number: OwnNumber, base: string): Planned {
  const wanted = `${base}/sms`;
  const { phone, carrierId, smsUrl, smsApplication } = number;
  // An application's webhook counts, not the number's own.
  const from = smsApplication ?? smsUrl;
  return {
    what: `The webhook for texts to ${phone}`,
    from,
    to: wanted,
    foreign: isForeign(from, base),
    make: (signal) =>
      api.ask("api", "POST", pathOf(api.account, `IncomingPhoneNumbers/${carrierId}.json`), signal, {
        SmsUrl: wanted,
        SmsMethod: "POST",
        ...(smsApplication ? { SmsApplicationSid: "" } : {}),
      }),
  };
}

function voiceOfNumber(api: TwilioApi, number: OwnNumber, base: string): Planned {
  const wanted = `${base}/voice`;
  const { phone, carrierId, voiceUrl, voiceApplication } = number;
  const from = voiceApplication ?? voiceUrl;
  return {
    what: `The webhook for calls to ${phone}`,
    from,
    to: wanted,
    foreign: isForeign(from, base),
    make: (signal) =>
      api.ask("api", "POST", pathOf(api.account, `IncomingPhoneNumbers/${carrierId}.json`), signal, {
        VoiceUrl: wanted,
        VoiceMethod: "POST",
        ...(voiceApplication ? { VoiceApplicationSid: "" } : {}),
      }),
  };
}

async function ofService(api: TwilioApi, sid: string, base: string, signal: AbortSignal): Promise<Planned> {
  const wanted = `${base}/sms`;
  const path = `/v1/Services/${sid}`;
  const { inbound_request_url: url, use_inbound_webhook_on_number: byNumber } = await api.ask(
    "messaging",
    "GET",
    path,
    signal,
  );
  // Where the service leaves it to its numbers, their webhooks are enough.
  const from = byNumber === true ? wanted : (textIn(url) ?? null);
  return {
    what: `The webhook for texts to the messaging service ${sid}`,
    from,
    to: wanted,
    foreign: isForeign(from, base),
    make: (signal) => api.ask("messaging", "POST", path, signal, { InboundRequestUrl: wanted, InboundMethod: "POST" }),
  };
}

/** Only what is under this account's own address is ours: at the same origin may be another account, tenant or program. */
function isForeign(from: string | null, base: string): boolean {
  return from !== null && !TWILIOS_OWN.test(from) && !from.startsWith(`${base}/`);
}

async function missingOf(
  api: TwilioApi,
  numbers: readonly OwnNumber[],
  base: string | undefined,
  signal: AbortSignal,
): Promise<string[]> {
  const missing: string[] = [];
  if (base === undefined)
    missing.push("Twilio cannot reach this service: set PARLEY_PUBLIC_URL to its public address.");
  if (!numbers.some(({ capabilities }) => capabilities.sms))
    missing.push("The account has no number that can text: buy one in Twilio's console or here.");
  const open = await unregistered(api, numbers, signal).catch((error) => {
    if (error instanceof CarrierProblem) return [];
    throw error;
  });
  if (open.length > 0)
    missing.push(`Not registered for A2P 10DLC, so that US carriers refuse their texts: ${namesOf(open)}.`);
  return missing;
}

export function namesOf(phones: readonly string[]): string {
  const rest = phones.length - MOST_NAMED;
  return `${phones.slice(0, MOST_NAMED).join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}
