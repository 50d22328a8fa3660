import type { VendorAnswer } from "#adapters/vendor-http/client.ts";
import { isObject, objectsIn, textIn } from "#adapters/vendor-http/json.ts";
import { retryAfterMs } from "#adapters/vendor-http/retry-after.ts";
import { sendEach } from "#adapters/vendor-http/send-each.ts";
import type { OutgoingText, SendOutcome, SmsCarrier } from "#ports/sms-carrier.ts";
import { bodyOf, dataOf, REQUESTS_AT_A_TIME, type TelnyxClient } from "./client.ts";
import { errorsOf, refusal } from "./errors.ts";
import { statusPath } from "./webhooks.ts";

/** Nothing can be asked for by our reference, so this only has to outlast a request that is still on its way. */
const SETTLE_MS = 60_000;
/** Telnyx tries a webhook again over some minutes; what is reported later still counts, but is not waited for. */
const CALLBACK_WITHIN_MS = 15 * 60_000;
/** Telnyx's default for a whole account. A campaign's own limit is tighter, and a 429 says so. */
const ACCOUNT_PER_SECOND = 50;

/** The body of POST /v2/messages, as far as we use it. */
export type MessageRequest = {
  from: string;
  to: string;
  text: string;
  type?: "MMS";
  media_urls?: string[];
  messaging_profile_id?: string;
  webhook_url?: string;
};

type Parts = {
  client: TelnyxClient;
  /** As attempts store it. */
  carrier: string;
  profileId: string | undefined;
  /** The account's webhooks at our public address, without a slash at its end; undefined where there is none: no receipts come then. */
  webhooks: string | undefined;
};

/**
 * Texts by Telnyx. Our reference is planted in the address of the text's webhooks. Telnyx has no look-up by it, and repeats nothing on its own: a create
 * without an answer is settled by a webhook, or by nobody.
 */
export function telnyxMessages({ client, carrier, profileId, webhooks }: Parts): SmsCarrier {
  return {
    name: carrier,
    capabilities: {
      lookupByRef: false,
      mostClaimed: REQUESTS_AT_A_TIME,
      callbackCarriesRef: webhooks !== undefined,
      settleMs: SETTLE_MS,
      callbackWithinMs: CALLBACK_WITHIN_MS,
      defaultRatePerSecond: ACCOUNT_PER_SECOND,
      isPublic: true,
      media: true,
    },
    mayUseSender: async (_tenantId, sender) => SENDER.test(sender),
    send: (batch, signal) =>
      sendEach(batch, async (text, mayLeave) =>
        outcomeOf(await client.send(requestOf(batch.sender, text, profileId, webhooks), signal, mayLeave)),
      ),
    lookUp: async () => new Map(),
  } satisfies SmsCarrier;
}

/** E.164, a short code, or an alphanumeric sender with a letter in it. */
const SENDER = /^(?:\+[1-9]\d{6,14}|\d{5,6}|(?=[\w -]*[A-Za-z])[\w -]{1,11})$/;

const requestOf = (
  from: string,
  { to, text, media = [], ref }: OutgoingText,
  profileId: string | undefined,
  webhooks: string | undefined,
): MessageRequest => ({
  from,
  to,
  text,
  ...(media.length === 0 ? {} : { type: "MMS", media_urls: [...media] }),
  ...(profileId === undefined ? {} : { messaging_profile_id: profileId }),
  ...(webhooks === undefined ? {} : { webhook_url: `${webhooks}/${statusPath(ref)}` }),
});

/** States in which a message is over before it has begun. */
const FAILED = new Set<unknown>(["sending_failed", "delivery_failed", "expired"]);

/** What an answer says of the text. A 4xx is certain; a 5xx, a redirect, or a 2xx that cannot be read, may have taken it. */
export function outcomeOf({ status, headers, text }: VendorAnswer): SendOutcome {
  const body = bodyOf(text);
  if (status >= 200 && status <= 299) {
    const message = dataOf(body);
    const carrierId = textIn(message.id);
    if (carrierId === undefined) return { outcome: "uncertain", code: "malformed_answer" };
    const [to] = objectsIn(message.to);
    const [error] = errorsOf(message);
    if (FAILED.has(to?.status)) return refusal(status, error ? [error] : [{ code: String(to!.status) }], undefined);
    return { outcome: "accepted", carrierId };
  }
  if (status >= 400 && status <= 499 && status !== 408) return refusal(status, errorsOf(body), retryAfterMs(headers));
  const [error] = isObject(body) ? errorsOf(body) : [];
  return { outcome: "uncertain", code: error?.code ?? String(status) };
}
