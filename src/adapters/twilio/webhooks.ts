import { failure } from "#domain/values/errors.ts";
import { isStorable, storable } from "#domain/values/storable.ts";
import type { WebhookEvents, WebhookRequest } from "#ports/carrier-account.ts";
import type { DeliveryReceipt, InboundMedia, InboundText } from "#ports/sms-carrier.ts";
import type { TwilioAccount } from "./account.ts";
import { classOf } from "./errors.ts";
import { isSigned } from "./signature.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const SID = /^(?:SM|MM)[0-9a-fA-F]{32}$/;
/** Our word for each status that says something of where a text is. Those before are passed over: none is sent for the first. */
const STATUSES: Readonly<Record<string, DeliveryReceipt["status"]>> = {
  sent: "sent",
  delivered: "delivered",
  read: "delivered",
  undelivered: "undelivered",
  failed: "failed",
  canceled: "failed",
};
const KEYWORDS: ReadonlyMap<string, InboundText["keyword"]> = new Map([
  ["stop", "stop"],
  ["start", "start"],
  ["help", "help"],
]);
/** Twilio takes ten media a message. */
const MOST_MEDIA = 10;
/** Twilio asks for TwiML after a text: none answers nothing. */
const ANSWER: WebhookEvents["answer"] = { status: 200, type: "text/xml", body: "<Response/>" };
const NOTHING: WebhookEvents = { receipts: [], inbound: [], answer: ANSWER };

const STREAM = "stream";

/** `sms` is an inbound text, `status/{ref}` a receipt of ours, the rest is of calls. Undefined: not signed by the account. */
export function readWebhook(
  account: TwilioAccount,
  request: WebhookRequest,
  readCall?: (path: string, fields: URLSearchParams) => WebhookEvents | undefined,
): WebhookEvents | undefined {
  const { headers, url, body } = request;
  const type = headers["content-type"] ?? "";
  const signature = headers["x-twilio-signature"];
  const isStream = request.path === STREAM;
  const urls = isStream ? streamAddresses(url) : [url];
  if (!urls.some((one) => isSigned(account.authToken, { signature, url: one, body, type }))) return undefined;
  const fields = new URLSearchParams(Buffer.from(body).toString("utf8"));
  // The upgrade of a stream's WebSocket: nothing but its signature.
  if (isStream) return NOTHING;
  const call = readCall?.(request.path, fields);
  if (call) return call;
  if (request.path === "sms") return inboundOf(account, fields, request.now);
  const [, ref = ""] = /^status\/([^/]+)$/.exec(request.path) ?? [];
  if (!UUID.test(ref)) throw failure("invalid_request", "The path is none of the carrier's");
  return receiptOf(ref, fields);
}

/** The upgrade of a WebSocket is signed with its own scheme or that of the request, with a slash at the end or without. */
function streamAddresses(url: string): string[] {
  const http = url.replace(/^ws/, "http");
  return [url, http, `${url}/`, `${http}/`];
}

function receiptOf(ref: string, fields: URLSearchParams): WebhookEvents {
  const word = fields.get("MessageStatus") ?? fields.get("SmsStatus");
  if (!word) throw failure("invalid_request", "MessageStatus is missing");
  const status = Object.hasOwn(STATUSES, word) ? STATUSES[word] : undefined;
  // A status that we do not know yet must not be sent to us again and again.
  if (status === undefined) return NOTHING;
  const carrierId = sidOf(fields);
  const code = fields.get("ErrorCode") ?? "";
  const errorCode = /^\d{1,9}$/.test(code) && code !== "0" ? code : undefined;
  const receipt: DeliveryReceipt = {
    ref,
    status,
    ...(carrierId ? { carrierId } : {}),
    ...(errorCode ? { errorCode } : {}),
    ...(errorCode && classOf(errorCode) === "opt_out" ? { optedOut: true } : {}),
  };
  return { ...NOTHING, receipts: [receipt] };
}

function inboundOf({ carrier }: TwilioAccount, fields: URLSearchParams, now: Date): WebhookEvents {
  const [from, to, carrierId] = [fields.get("From"), fields.get("To"), sidOf(fields)];
  if (!from || !to || !carrierId) throw failure("invalid_request", "From, To or MessageSid is missing");
  if (!isStorable(from) || !isStorable(to)) throw failure("invalid_request", "From or To is no phone number");
  // WhatsApp's and other channels' addresses are no phones of ours.
  if (/^[a-z]{1,20}:/.test(from)) return NOTHING;
  // What Twilio has answered is a keyword of the messaging service's own list, which ours need not know.
  const keyword = KEYWORDS.get((fields.get("OptOutType") ?? "").toLowerCase());
  const media = mediaOf(fields);
  const text: InboundText = {
    carrier,
    carrierId,
    from,
    to,
    text: storable(fields.get("Body") ?? ""),
    sentAt: now,
    ...(media.length > 0 ? { media } : {}),
    ...(keyword ? { keyword, isAnswered: true } : {}),
  };
  return { ...NOTHING, inbound: [text] };
}

function mediaOf(fields: URLSearchParams): InboundMedia[] {
  const count = Math.min(Number(fields.get("NumMedia")) || 0, MOST_MEDIA);
  return Array.from({ length: Math.max(0, Math.trunc(count)) }, (_, n) => ({
    // One without an address is shown as one that could not be fetched.
    url: storable(fields.get(`MediaUrl${n}`) ?? ""),
    contentType: storable(fields.get(`MediaContentType${n}`) ?? "") || null,
  }));
}

function sidOf(fields: URLSearchParams): string | undefined {
  const sid = fields.get("MessageSid") ?? fields.get("SmsSid") ?? "";
  return SID.test(sid) ? sid : undefined;
}
