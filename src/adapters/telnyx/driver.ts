import { download } from "#adapters/vendor-http/download.ts";
import { type VendorHosts, vendorHosts } from "#adapters/vendor-http/hosts.ts";
import { type CarrierDriver, type FieldProblem, LENT, type OpenCarrier } from "#ports/carrier-account.ts";
import { check } from "./check.ts";
import { telnyxClient } from "./client.ts";
import { telnyxLookup } from "./lookup.ts";
import { telnyxMessages } from "./messages.ts";
import { listNumbers, telnyxInventory } from "./numbers.ts";
import { telnyxRegistry } from "./registry.ts";
import { apply, preview, profileIdOf } from "./set-up.ts";
import { publicKeyOf } from "./signature.ts";
import { readWebhook } from "./webhooks.ts";

const PROFILE_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const CONNECTION_ID = /^\d{1,30}$/;
/** Where Telnyx keeps what came with a text, at addresses that need no key. */
const MEDIA_HOSTS = ["telnyx.com", "telnyxcloudstorage.com", "telnyxstorage.com", "amazonaws.com"];
/** What a header can carry. */
const API_KEY = /^[\x21-\x7e]{8,256}$/;

export type TelnyxSettings = {
  hosts?: VendorHosts;
  /** PARLEY_PUBLIC_URL, without a slash at its end. Without it no receipt and no text comes in. */
  publicUrl: string | undefined;
  /** How long a purchase waits for the order; for tests. */
  orderWithinMs?: number;
};

/** Accounts with Telnyx. Credentials: `api_key`, `public_key`; settings: `messaging_profile_id`, `connection_id`. */
export function telnyxDriver({ hosts = vendorHosts(), publicUrl, orderWithinMs }: TelnyxSettings): CarrierDriver {
  return {
    kind: "telnyx",
    // Nothing of it names the account. What left by it is settled by webhooks alone.
    identity: [],
    places: [],

    problems({ credentials, settings }) {
      const problems: FieldProblem[] = [];
      const add = (field: string, problem: string) => problems.push({ field, problem });
      if (!API_KEY.test(credentials.api_key ?? ""))
        add("credentials.api_key", "must be an API key from Telnyx's portal");
      if (!publicKeyOf(credentials.public_key ?? "")) {
        add("credentials.public_key", "must be the account's public key from Telnyx's portal: 32 bytes in base64");
      }
      const { messaging_profile_id: profileId, connection_id: connectionId } = settings;
      if (isGiven(profileId) && !PROFILE_ID.test(String(profileId))) {
        add("settings.messaging_profile_id", "must be a messaging profile's id: a UUID");
      }
      if (isGiven(connectionId) && !CONNECTION_ID.test(String(connectionId))) {
        add("settings.connection_id", "must be a connection's id: digits");
      }
      return problems;
    },

    open(account): OpenCarrier {
      const { carrier, credentials, settings } = account;
      const client = telnyxClient(account, hosts);
      const profileId = isGiven(settings.messaging_profile_id) ? String(settings.messaging_profile_id) : undefined;
      const connectionId = isGiven(settings.connection_id) ? String(settings.connection_id) : undefined;
      const key = publicKeyOf(credentials.public_key ?? "");
      const webhooksOf = (name: string) => (publicUrl === undefined ? undefined : `${publicUrl}/carrier/${name}`);
      const webhooks = webhooksOf(carrier);
      return {
        sms: telnyxMessages({ client, carrier, profileId, webhooks }),
        inventory: telnyxInventory({
          client,
          carrier,
          profileOf: (signal) => profileIdOf(client, profileId, { base: webhooks }, signal),
          connectionId,
          ...(orderWithinMs === undefined ? {} : { orderWithinMs }),
        }),
        registry: telnyxRegistry(client, carrier, webhooks),
        lookup: telnyxLookup(client, carrier),
        async numbers(signal) {
          const numbers = await listNumbers(client, signal);
          return numbers.map(({ phone, capabilities, carrierId }) => ({ phone, capabilities, carrierId }));
        },
        preview: (urls, signal) => preview(client, profileId, urls, signal),
        apply: (urls, options, signal) => apply(client, profileId, urls, options, signal),
        check: (urls, _options, signal) => check(client, profileId, urls, signal),
        readWebhook: (request) => (key ? readWebhook(request, { key, carrier }) : undefined),
        fetchMedia: ({ url, ...limits }, signal) => download(url, { hosts, allowed: MEDIA_HOSTS, ...limits }, signal),
        // Telnyx blocks whoever has said STOP to any number of a messaging profile: theirs are in profiles of their own.
        lend({ carrier: theirs, settings: { messaging_profile_id: profile } }) {
          const own = client.of(theirs);
          const webhooks = webhooksOf(theirs);
          const profileId = isGiven(profile) ? String(profile) : undefined;
          return {
            ...LENT,
            sms: telnyxMessages({ client: own, carrier: theirs, profileId, webhooks }),
            registry: telnyxRegistry(own, theirs, webhooks),
            readWebhook: (request) => (key ? readWebhook(request, { key, carrier: theirs }) : undefined),
            fetchMedia: ({ url, ...limits }, signal) =>
              download(url, { hosts, allowed: MEDIA_HOSTS, ...limits }, signal),
          };
        },
        async close() {
          client.close();
        },
      };
    },
  } satisfies CarrierDriver;
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== "";
