import { shownAddress } from "#adapters/carrier-addresses/shown-address.ts";
import { isObject, type JsonObject, textIn } from "#adapters/vendor-http/json.ts";
import { CarrierProblem, type CarrierUrls, type SetUp, type SetUpChange } from "#ports/carrier-account.ts";
import { dataOf, type TelnyxClient } from "./client.ts";
import { listNumbers, type OwnNumber } from "./numbers.ts";

/** What is called so is ours. */
const PROFILE_NAME = "Parley";
/** Telnyx's webhooks in the form that is signed, and that webhooks.ts reads. */
const WEBHOOK_VERSION = "2";

export type Profile = { id: string; name: string; webhookUrl: string | null; version: string; enabled: boolean };

/** What the account has: its messaging profile, or a sentence about why none can be chosen, and its numbers. */
export type AccountState = { profile: Profile | undefined; unclear: string | undefined; numbers: OwnNumber[] };

/** One change, as it is shown and as it is made; a profile that does not exist yet has its id when the later ones are made. */
export type Step = SetUpChange & { make(profileId: string, signal: AbortSignal): Promise<string> };

const profileOf = (row: JsonObject): Profile => ({
  id: textIn(row.id) ?? "",
  name: textIn(row.name) ?? "",
  webhookUrl: textIn(row.webhook_url) ?? null,
  version: textIn(row.webhook_api_version) ?? "",
  enabled: row.enabled !== false,
});

/** The profile of the settings; else the one that points here already, or the only one. */
export async function readState(
  client: TelnyxClient,
  profileId: string | undefined,
  { base }: CarrierUrls,
  signal: AbortSignal,
): Promise<AccountState> {
  const numbers = listNumbers(client, signal);
  const chosen = chooseProfile(client, profileId, base, signal);
  const [found, own] = await Promise.all([chosen, numbers]);
  return { ...found, numbers: own };
}

async function chooseProfile(
  client: TelnyxClient,
  profileId: string | undefined,
  base: string | undefined,
  signal: AbortSignal,
): Promise<Pick<AccountState, "profile" | "unclear">> {
  if (profileId !== undefined) {
    const body = await client.ask("GET", `/messaging_profiles/${encodeURIComponent(profileId)}`, {}, signal);
    const profile = profileOf(dataOf(body));
    return profile.id === ""
      ? { profile: undefined, unclear: `The account has no messaging profile ${profileId}.` }
      : { profile, unclear: undefined };
  }
  const profiles = (await client.all("/messaging_profiles", {}, signal)).map(profileOf);
  const pointsHere = base === undefined ? [] : profiles.filter(({ webhookUrl }) => isOurs(webhookUrl, base));
  const [only, ...others] = pointsHere.length > 0 ? pointsHere : profiles;
  if (only && others.length > 0) {
    const names = [only, ...others].map(({ name, id }) => `${name} (${id})`).join(", ");
    return {
      profile: undefined,
      unclear: `The account has several messaging profiles: set messaging_profile_id to one of ${names}.`,
    };
  }
  return { profile: only, unclear: undefined };
}

/** The profile that texts go by once the account is connected; undefined where it is not clear which. */
export const profileIdOf = async (
  client: TelnyxClient,
  profileId: string | undefined,
  { base }: CarrierUrls,
  signal: AbortSignal,
): Promise<string | undefined> => profileId ?? (await chooseProfile(client, undefined, base, signal)).profile?.id;

const isOurs = (url: string | null, base: string): boolean => url?.startsWith(`${base}/`) ?? false;
export const textsUrl = (base: string): string => `${base}/sms`;

/** What is to change, in the order in which it is made. */
export function stepsOf(client: TelnyxClient, state: AccountState, { base }: CarrierUrls): Step[] {
  const { profile, numbers } = state;
  if (state.unclear !== undefined) return [];
  const steps: Step[] = [];
  if (profile === undefined) {
    steps.push({
      what: "A messaging profile is made",
      from: null,
      to: PROFILE_NAME,
      foreign: false,
      async make(_profileId, signal) {
        const body = {
          name: PROFILE_NAME,
          enabled: true,
          // Where it may text to; other countries are for whoever runs the account to add.
          whitelisted_destinations: ["US", "CA"],
          webhook_api_version: WEBHOOK_VERSION,
          ...(base === undefined ? {} : { webhook_url: textsUrl(base) }),
        } satisfies ProfileRequest;
        return profileOf(dataOf(await client.ask("POST", "/messaging_profiles", { body }, signal))).id;
      },
    });
  } else if (base !== undefined && (profile.webhookUrl !== textsUrl(base) || profile.version !== WEBHOOK_VERSION)) {
    steps.push({
      what: `The webhook of the messaging profile ${profile.name}`,
      from: profile.webhookUrl,
      to: textsUrl(base),
      foreign: profile.webhookUrl !== null && !isOurs(profile.webhookUrl, base),
      async make(id, signal) {
        const body = {
          webhook_url: textsUrl(base),
          webhook_api_version: WEBHOOK_VERSION,
        } satisfies Partial<ProfileRequest>;
        await client.ask("PATCH", `/messaging_profiles/${encodeURIComponent(id)}`, { body }, signal);
        return id;
      },
    });
  }
  const name = profile?.name ?? PROFILE_NAME;
  for (const number of numbers.filter((one) => one.capabilities.sms && one.profileId !== profile?.id)) {
    steps.push({
      what: `The messaging profile of ${number.phone}`,
      from: number.profileId,
      to: name,
      foreign: number.profileId !== null,
      async make(id, signal) {
        const path = `/phone_numbers/${encodeURIComponent(number.carrierId ?? number.phone)}/messaging`;
        await client.ask("PATCH", path, { body: { messaging_profile_id: id } }, signal);
        return id;
      },
    });
  }
  return steps;
}

/** The body of POST /v2/messaging_profiles, as far as we use it; of PATCH in parts. */
export type ProfileRequest = {
  name: string;
  enabled: boolean;
  whitelisted_destinations: string[];
  webhook_api_version: "2";
  webhook_url?: string;
};

export async function preview(
  client: TelnyxClient,
  profileId: string | undefined,
  urls: CarrierUrls,
  signal: AbortSignal,
): Promise<SetUp> {
  const state = await readState(client, profileId, urls, signal);
  return { changes: stepsOf(client, state, urls).map(shown), missing: missingOf(state) };
}

/** Makes the changes of a preview, in their order. Those to what is somebody else's are made only on request, and are named as missing otherwise. */
export async function apply(
  client: TelnyxClient,
  profileId: string | undefined,
  urls: CarrierUrls,
  { replace }: { replace: boolean },
  signal: AbortSignal,
): Promise<SetUp> {
  const state = await readState(client, profileId, urls, signal);
  const steps = stepsOf(client, state, urls);
  const left = replace ? [] : steps.filter(({ foreign }) => foreign);
  const made = steps.filter((step) => !left.includes(step));
  let id = state.profile?.id ?? "";
  for (const step of made) {
    id = await step.make(id, signal);
    if (id === "")
      throw new CarrierProblem("Telnyx's answer has no id of the messaging profile.", { code: "malformed_answer" });
  }
  const kept = left
    .map(shown)
    .map(({ what, from }) => `${what} is ${from} and was left so: connect with replace to change it.`);
  return { changes: made.map(shown), missing: [...missingOf(state), ...kept] };
}

const shown = ({ what, from, to, foreign }: Step): SetUpChange => ({
  what,
  from: from && shownAddress(from),
  to,
  foreign,
});

/** Numbers that are named one by one; of more it is said how many there are. */
const NAMED_NUMBERS = 3;

export const named = (numbers: readonly OwnNumber[]): string =>
  numbers.length <= NAMED_NUMBERS
    ? numbers.map(({ phone }) => phone).join(", ")
    : `${numbers.length} numbers (${numbers[0]!.phone} and others)`;

/** Local numbers that may not text US phones yet. */
export const unregistered = ({ numbers }: AccountState): OwnNumber[] =>
  numbers.filter(
    ({ phone, capabilities, campaignId, isTollFree }) =>
      capabilities.sms && phone.startsWith("+1") && !isTollFree && campaignId === null,
  );

/** In words: what somebody has to do. */
export function missingOf(state: AccountState): string[] {
  const { profile, unclear, numbers } = state;
  const missing = unclear === undefined ? [] : [unclear];
  if (profile && !profile.enabled)
    missing.push(`The messaging profile ${profile.name} is disabled: enable it in Telnyx's portal.`);
  if (!numbers.some(({ capabilities }) => capabilities.sms))
    missing.push("The account has no number that can text: buy one.");
  const without = unregistered(state);
  if (without.length > 0) {
    missing.push(
      `${named(without)}: not on a 10DLC campaign. Register a brand and a campaign, or texts to US phones are blocked.`,
    );
  }
  return missing;
}

/** Whether a toll-free number is verified, by Telnyx's list of requests for it. Undefined where the list cannot be read. */
export async function verifiedTollFree(client: TelnyxClient, signal: AbortSignal): Promise<Set<string> | undefined> {
  const query = { page: 1, page_size: 100 };
  const body = await client
    .ask("GET", "/messaging_tollfree/verification/requests", { query }, signal)
    .catch(() => undefined);
  const records = isObject(body) && Array.isArray(body.records) ? body.records.filter(isObject) : undefined;
  const verified = records?.filter(({ verificationStatus }) => verificationStatus === "Verified");
  return (
    verified &&
    new Set(
      verified.flatMap(({ phoneNumbers }) =>
        (Array.isArray(phoneNumbers) ? phoneNumbers : []).flatMap((one) =>
          isObject(one) ? (textIn(one.phoneNumber) ?? []) : [],
        ),
      ),
    )
  );
}
