import { jsonObject, textIn } from "#adapters/vendor-http/json.ts";
import { sendEach } from "#adapters/vendor-http/send-each.ts";
import type { OutgoingText, SendOutcome, SmsBatch, SmsCarrier } from "#ports/sms-carrier.ts";
import { codeOf, pathOf, type TwilioApi } from "./api.ts";
import { BARS, classOf } from "./errors.ts";
import { lookUp } from "./look-up.ts";

/** Twilio takes 1 to 36,000 seconds. */
const MOST_VALID_S = 36_000;
/** Our request's own time (vendor-http), what Twilio may still make of it after that, and the clocks' skew. */
const SETTLE_MS = 60_000;
/** Twilio reports for as long as a text may wait in its queue; after a day nothing comes. */
const CALLBACK_WITHIN_MS = 86_400_000;
/** What Twilio says is temporary, is tried again after this long. */
const RETRY_LATER_MS = 60_000;

/** As many as leave within the seconds that a claim holds (operations/sending/hand-over.ts), also where each takes Twilio one second. */
const LARGEST_BATCH = 100;

/** Texts by one POST each. `base`: where Twilio reaches us for this account; without it no receipts come. */
export function twilioSms(api: TwilioApi, base: string | undefined): SmsCarrier {
  const { account, client } = api;
  const formOf = (batch: SmsBatch, { ref, to, text, media, validUntil }: OutgoingText) => ({
    To: to,
    From: batch.sender,
    Body: text,
    MediaUrl: media,
    MessagingServiceSid: account.messagingServiceSid,
    StatusCallback: base && `${base}/status/${ref}`,
    ValidityPeriod: validityOf(validUntil, batch.now),
  });
  return {
    name: account.carrier,
    capabilities: {
      lookupByRef: true,
      callbackCarriesRef: base !== undefined,
      settleMs: SETTLE_MS,
      callbackWithinMs: CALLBACK_WITHIN_MS,
      defaultRatePerSecond: undefined,
      largestBatch: LARGEST_BATCH,
      isPublic: true,
      media: true,
    },
    // Which numbers are the account's is known by the import (`OpenCarrier.numbers`): Twilio refuses any other.
    mayUseSender: async () => true,
    send: (batch, signal) =>
      sendEach(batch, async (text, mayLeave) => {
        const request = api.request("api", "POST", pathOf(account, "Messages.json"), formOf(batch, text));
        return outcomeOf(await client.once(request, signal, mayLeave));
      }),
    lookUp: (_tenantId, attempts, signal) => lookUp(api, attempts, signal),
  } satisfies SmsCarrier;
}

/** Seconds until it may not arrive any more; undefined where that is further off than Twilio would keep it. */
function validityOf(until: Date | null, now: Date): string | undefined {
  if (until === null) return undefined;
  const seconds = Math.floor((until.getTime() - now.getTime()) / 1_000);
  return seconds > MOST_VALID_S ? undefined : String(Math.max(1, seconds));
}

function outcomeOf(answer: { status: number; headers: object; text: string }): SendOutcome {
  const { status, text } = answer;
  if (status >= 200 && status < 300) {
    const carrierId = textIn(jsonObject(text)?.sid);
    return carrierId === undefined
      ? { outcome: "uncertain", code: "invalid_answer" }
      : { outcome: "accepted", carrierId };
  }
  // What is no answer of the API to this request: a redirect, a proxy's time-out, a fault over there.
  if (status < 400 || status === 408 || status >= 500) return { outcome: "uncertain", code: `http_${status}` };
  const code = codeOf(answer as never);
  if (status === 401) return { outcome: "barred", because: "carrier_key_refused", code: "20003" };
  const because = Object.hasOwn(BARS, code) ? BARS[code] : undefined;
  if (because) return { outcome: "barred", because, code };
  if (classOf(code) === "stop_sender") return { outcome: "barred", because: "carrier_sender_refused", code };
  if (classOf(code) === "retry_later") return { outcome: "not_sent", code, retryAfterMs: RETRY_LATER_MS };
  return { outcome: "rejected", code, ...(classOf(code) === "opt_out" ? { optedOut: true } : {}) };
}
