import { shownAddress } from "#adapters/carrier-addresses/shown-address.ts";
import type { JsonObject } from "#adapters/vendor-http/json.ts";
import { type CarrierCheck, CarrierProblem, type CarrierUrls, failedCheck } from "#ports/carrier-account.ts";
import { accountPath, type TwilioApi } from "./api.ts";
import { ownNumbers } from "./numbers.ts";
import { unregistered } from "./registration.ts";
import { namesOf, plan } from "./set-up.ts";

type Found = { problem: string; remedy: string; account?: "suspended" } | undefined;

/** Each check by itself: one that fails hides no other. */
export async function check(api: TwilioApi, urls: CarrierUrls, signal: AbortSignal): Promise<CarrierCheck[]> {
  let account: JsonObject = {};
  const credentials = await checked("credentials", async () => {
    account = await api.ask("api", "GET", accountPath(api.account), signal);
    return undefined;
  });
  // With a key that is refused all others would say the same.
  if (!credentials.ok) return [credentials];
  const rest = [
    checked("account", async () => ofAccount(account)),
    checked("public address", async () =>
      urls.base === undefined
        ? { problem: "Twilio cannot reach this service.", remedy: "Set PARLEY_PUBLIC_URL to its public address." }
        : undefined,
    ),
    checked("numbers", async () => {
      const numbers = await ownNumbers(api, signal);
      return numbers.some(({ capabilities }) => capabilities.sms)
        ? undefined
        : { problem: "The account has no number that can text.", remedy: "Buy one in Twilio's console or here." };
    }),
    checked("webhooks", async () => {
      const { changes } = await plan(api, urls, signal);
      return changes.length === 0
        ? undefined
        : {
            problem: changes
              .map(({ what, from }) => `${what} ${from ? `points to ${shownAddress(from)}` : "is not set"}.`)
              .join(" "),
            remedy: "Connect the account; webhooks of other services are replaced only where you say so.",
          };
    }),
    checked("10DLC registration", async () => {
      const open = await unregistered(api, await ownNumbers(api, signal), signal);
      return open.length === 0
        ? undefined
        : {
            problem: `No verified A2P campaign has these numbers: ${namesOf(open)}.`,
            remedy: "Register the brand and a campaign, and add the numbers to the campaign's messaging service.",
          };
    }),
  ];
  return [credentials, ...(await Promise.all(rest))];
}

async function checked(name: string, ask: () => Promise<Found>): Promise<CarrierCheck> {
  try {
    const found = await ask();
    return found ? { name, ok: false, ...found } : { name, ok: true, problem: null, remedy: null };
  } catch (error) {
    if (error instanceof CarrierProblem) return failedCheck(name, error);
    return { name, ok: false, problem: "The check failed.", remedy: "Try again in a minute." };
  }
}

function ofAccount({ status, type }: JsonObject): Found {
  if (status !== "active")
    return {
      problem: `The account is ${String(status)}.`,
      remedy: "See Twilio's console for what it waits for.",
      account: "suspended",
    };
  return type === "Trial"
    ? {
        problem: "A trial account texts verified numbers only, and puts its own words before each text.",
        remedy: "Upgrade the account in Twilio's console.",
      }
    : undefined;
}
