import { shownAddress } from "#adapters/carrier-addresses/shown-address.ts";
import { type CarrierCheck, CarrierProblem, type CarrierUrls, failedCheck } from "#ports/carrier-account.ts";
import { NOT_PERMITTED, type TelnyxClient } from "./client.ts";
import { type AccountState, named, readState, textsUrl, unregistered, verifiedTollFree } from "./set-up.ts";

/** The doctor: from the key to the registration, each with what to do. Never throws. */
export async function check(
  client: TelnyxClient,
  profileId: string | undefined,
  urls: CarrierUrls,
  signal: AbortSignal,
): Promise<CarrierCheck[]> {
  let state: AccountState;
  try {
    await client.ask("GET", "/messaging_profiles", { query: { "page[size]": 1 } }, signal);
  } catch (error) {
    const failed = failedBy("credentials", error);
    // A key that may not even read the profiles sends nothing.
    const isOfNoUse = error instanceof CarrierProblem && error.code === NOT_PERMITTED;
    return [isOfNoUse ? { ...failed, account: "refused" } : failed];
  }
  try {
    state = await readState(client, profileId, urls, signal);
  } catch (error) {
    return [fine("credentials"), failedBy("messaging_profile", error)];
  }
  return [
    fine("credentials"),
    profileCheck(state),
    webhookCheck(state, urls),
    numbersCheck(state),
    registrationCheck(state),
    ...(await tollFreeCheck(client, state, signal)),
  ];
}

const fine = (name: string): CarrierCheck => ({ name, ok: true, problem: null, remedy: null });
const bad = (name: string, problem: string, remedy: string | null): CarrierCheck => ({
  name,
  ok: false,
  problem,
  remedy,
});

const failedBy = (name: string, error: unknown): CarrierCheck =>
  error instanceof CarrierProblem ? failedCheck(name, error) : bad(name, "The check could not be made.", null);

function profileCheck({ profile, unclear }: AccountState): CarrierCheck {
  const name = "messaging_profile";
  if (unclear !== undefined) return bad(name, unclear, "Change the settings of this carrier account.");
  if (!profile) return bad(name, "The account has no messaging profile.", "Connect the account: that makes one.");
  if (!profile.enabled)
    return bad(name, `The messaging profile ${profile.name} is disabled.`, "Enable it in Telnyx's portal.");
  return fine(name);
}

function webhookCheck({ profile }: AccountState, { base }: CarrierUrls): CarrierCheck {
  const name = "webhook";
  if (base === undefined) return bad(name, "This service has no public address.", "Set PARLEY_PUBLIC_URL.");
  if (profile?.webhookUrl !== textsUrl(base)) {
    const points = profile?.webhookUrl ? `points to ${shownAddress(profile.webhookUrl)}` : "is not set";
    return bad(
      name,
      `The messaging profile's webhook ${points}.`,
      "Connect the account, with replace where it is another's.",
    );
  }
  if (profile.version !== "2")
    return bad(name, "The messaging profile's webhooks are of an older form.", "Connect the account.");
  return fine(name);
}

function numbersCheck({ profile, numbers }: AccountState): CarrierCheck {
  const name = "numbers";
  const able = numbers.filter(({ capabilities }) => capabilities.sms);
  if (able.length === 0) return bad(name, "The account has no number that can text.", "Buy a number.");
  const off = able.filter(({ profileId }) => profileId !== profile?.id);
  if (off.length > 0) return bad(name, `Not on the messaging profile: ${named(off)}.`, "Connect the account.");
  return fine(name);
}

function registrationCheck(state: AccountState): CarrierCheck {
  const without = unregistered(state);
  if (without.length === 0) return fine("ten_dlc");
  return bad(
    "ten_dlc",
    `Not on a 10DLC campaign: ${named(without)}. Networks in the US block what they send.`,
    "Register a brand and a campaign, and assign these numbers to it.",
  );
}

/** Only where there are toll-free numbers, and the list of verifications can be read. */
async function tollFreeCheck(
  client: TelnyxClient,
  { numbers }: AccountState,
  signal: AbortSignal,
): Promise<CarrierCheck[]> {
  const tollFree = numbers.filter(({ isTollFree, capabilities }) => isTollFree && capabilities.sms);
  const verified = tollFree.length === 0 ? undefined : await verifiedTollFree(client, signal);
  if (!verified) return [];
  const without = tollFree.filter(({ phone }) => !verified.has(phone));
  if (without.length === 0) return [fine("toll_free")];
  const problem = `Toll-free numbers that are not verified: ${named(without)}. Networks block what they send.`;
  return [
    bad("toll_free", problem, "Request their verification: POST /v1/toll-free/verifications, or Telnyx's portal."),
  ];
}
