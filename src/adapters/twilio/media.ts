import { download } from "#adapters/vendor-http/download.ts";
import type { VendorHosts } from "#adapters/vendor-http/hosts.ts";
import type { MediaAnswer, MediaLimits } from "#ports/carrier-account.ts";
import type { TwilioAccount } from "./account.ts";

/** Twilio's API leads on to its own storage, or to that of its cloud. */
const HOSTS = ["twilio.com", "twiliocdn.com", "amazonaws.com"];
const API = /^api(?:\.[a-z0-9-]{1,40}){0,2}\.twilio\.com$/;

/** Fetches a file that came with a text. The account's key goes to Twilio's API alone, not to where that leads. */
export const fetchMedia = (
  { authorization }: TwilioAccount,
  hosts: VendorHosts,
  { url, ...limits }: { url: string } & MediaLimits,
  signal: AbortSignal,
): Promise<MediaAnswer> =>
  download(
    url,
    {
      hosts,
      allowed: HOSTS,
      headersFor: (host): Record<string, string> => (API.test(host) ? { authorization } : {}),
      ...limits,
    },
    signal,
  );
