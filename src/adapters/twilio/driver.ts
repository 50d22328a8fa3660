import { vendorClient } from "#adapters/vendor-http/client.ts";
import type { VendorHosts } from "#adapters/vendor-http/hosts.ts";
import {
  type CarrierAccount,
  type CarrierDriver,
  LENT,
  type OpenCarrier,
  type WebhookEvents,
} from "#ports/carrier-account.ts";
import { problems, twilioAccount } from "./account.ts";
import { type TwilioApi, twilioApi } from "./api.ts";
import { check } from "./check.ts";
import { deactivations } from "./deactivations.ts";
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
  /** Absent: no calls. */
  callsOf?(account: CarrierAccount, api: TwilioApi, baseOf: BaseOf, callsPerSecond: number): AccountCalls;
};

/** Where Twilio reaches this service for an account, by what its holder calls it. */
export type BaseOf = (carrier: string) => string | undefined;

/** Calls of an account without a trunk, as they are held by a process for calls, or seen from another. */
export type AccountCalls = Pick<OpenCarrier, "line" | "streamTicket"> & {
  /** Undefined: it is none of calls. */
  readWebhook(path: string, fields: URLSearchParams): WebhookEvents | undefined;
};

/** Twilio answers 429 beyond an account's requests at a time, which begin at a hundred; two workers and the console share them. */
const CONCURRENCY = 32;

/** Twilio: texts, numbers and their set-up over one account. */
export function twilioDriver({ hosts, publicUrl, callsOf }: Parts): CarrierDriver {
  return {
    kind: "twilio",
    identity: ["credentials.account_sid"],
    places: ["settings.region", "settings.edge"],
    problems,
    open(given) {
      const account = twilioAccount(given);
      const client = vendorClient({ concurrency: CONCURRENCY });
      const api = twilioApi(account, client, hosts);
      const baseOf: BaseOf = (carrier) => publicUrl && `${publicUrl.replace(/\/$/, "")}/carrier/${carrier}`;
      // A SIP trunk, an account of its own here, carries its calls, unless it says that they come by streams.
      const { callsPerSecond } = account;
      const base = baseOf(given.carrier);
      const callsBy = (whose: CarrierAccount, by: TwilioApi) =>
        account.voice === "stream" ? callsOf?.(whose, by, baseOf, callsPerSecond) : undefined;
      const calls = callsBy(given, api);
      return {
        ...lineOf(calls),
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
        readWebhook: (request) => readWebhook(account, request, calls?.readWebhook),
        fetchMedia: (media, signal) => fetchMedia(account, hosts, media, signal),
        deactivations: (day, signal) => deactivations(account, hosts, day, signal),
        // Over a messaging service Twilio keeps one list of STOPs for all its numbers: the account's own is not for the numbers of others.
        lend({ tenantId, carrier, settings: { messaging_service_sid: service } }) {
          const messagingServiceSid = typeof service === "string" ? service : undefined;
          const theirs = twilioApi({ ...account, carrier, messagingServiceSid }, client.of(carrier), hosts);
          const theirCalls = callsBy({ ...given, tenantId, carrier }, theirs);
          return {
            ...LENT,
            ...lineOf(theirCalls),
            sms: twilioSms(theirs, baseOf(carrier)),
            registry: twilioRegistry(theirs),
            readWebhook: (request) => readWebhook(theirs.account, request, theirCalls?.readWebhook),
            fetchMedia: (media, signal) => fetchMedia(theirs.account, hosts, media, signal),
          };
        },
        close: () => client.close(),
      };
    },
  } satisfies CarrierDriver;
}

const lineOf = (calls: AccountCalls | undefined) =>
  calls ? { line: calls.line, streamTicket: calls.streamTicket } : {};
