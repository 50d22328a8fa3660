import { vendorClient } from "#adapters/vendor-http/client.ts";
import type { VendorHosts } from "#adapters/vendor-http/hosts.ts";
import type { CarrierDriver } from "#ports/carrier-account.ts";
import { problems, twilioAccount } from "./account.ts";
import { twilioApi } from "./api.ts";
import { check } from "./check.ts";
import { twilioLookup } from "./lookup.ts";
import { fetchMedia } from "./media.ts";
import { twilioSms } from "./messages.ts";
import { ownNumbers, twilioInventory } from "./numbers.ts";
import { twilioRegistry } from "./registry.ts";
import { apply, plan, shown } from "./set-up.ts";
import { readWebhook } from "./webhooks.ts";

type Parts = {
  hosts: VendorHosts;
  /** Where Twilio reaches this service. Without it no receipt and no text comes. */
  publicUrl: string | undefined;
};

/** Twilio answers 429 beyond an account's requests at a time, which begin at a hundred; two workers and the console share them. */
const CONCURRENCY = 32;

/** Twilio: texts, numbers and their set-up over one account. */
export function twilioDriver({ hosts, publicUrl }: Parts): CarrierDriver {
  return {
    kind: "twilio",
    identity: ["credentials.account_sid"],
    places: ["settings.region", "settings.edge"],
    problems,
    open(given) {
      const account = twilioAccount(given);
      const client = vendorClient({ concurrency: CONCURRENCY });
      const api = twilioApi(account, client, hosts);
      const base = publicUrl && `${publicUrl.replace(/\/$/, "")}/carrier/${given.carrier}`;
      return {
        sms: twilioSms(api, base),
        inventory: twilioInventory(api, base),
        registry: twilioRegistry(api),
        lookup: twilioLookup(api),
        async numbers(signal) {
          const numbers = await ownNumbers(api, signal);
          return numbers.map(({ phone, capabilities, carrierId }) => ({ phone, capabilities, carrierId }));
        },
        preview: async (urls, signal) => shown(await plan(api, urls, signal)),
        apply: (urls, options, signal) => apply(api, urls, options, signal),
        check: (urls, _options, signal) => check(api, urls, signal),
        readWebhook: (request) => readWebhook(account, request),
        fetchMedia: (media, signal) => fetchMedia(account, hosts, media, signal),
        close: () => client.close(),
      };
    },
  } satisfies CarrierDriver;
}
