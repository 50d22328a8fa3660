import { download } from "#adapters/vendor-http/download.ts";
import type { VendorHosts } from "#adapters/vendor-http/hosts.ts";
import { CarrierProblem } from "#ports/carrier-account.ts";
import type { TwilioAccount } from "./account.ts";
import { TRY_AGAIN } from "./api.ts";

/** A day has some hundred thousand numbers of twelve characters. */
const MAX_BYTES = 64 * 1024 * 1024;
const WITHIN_MS = 120_000;
const MESSAGING = /^messaging(?:\.[a-z0-9-]{1,40}){0,2}\.twilio\.com$/;
const NUMBER = /^\+?1(\d{10})$/;

/** The US numbers that mobile carriers took out of service on a day (YYYY-MM-DD), E.164. Twilio's API leads on to a file in its cloud, which gets no key. */
export async function deactivations(
  account: TwilioAccount,
  hosts: VendorHosts,
  day: string,
  signal: AbortSignal,
): Promise<string[]> {
  const url = `https://${account.host("messaging")}/v1/Deactivations?Date=${day}`;
  const answer = await download(
    url,
    {
      ...{ hosts, allowed: ["twilio.com", "amazonaws.com"], maxBytes: MAX_BYTES, withinMs: WITHIN_MS },
      headersFor: (host): Record<string, string> =>
        MESSAGING.test(host) ? { authorization: account.authorization } : {},
    },
    signal,
  );
  if (answer.outcome === "failed")
    throw new CarrierProblem(`Twilio's list of given-up numbers could not be read: ${answer.problem}.`, {
      code: "deactivations",
      remedy: TRY_AGAIN,
    });
  const lines = Buffer.from(answer.bytes).toString("latin1").split("\n");
  return lines.flatMap((line) => {
    const digits = NUMBER.exec(line.trim())?.[1];
    return digits === undefined ? [] : [`+1${digits}`];
  });
}
