import type { KeyObject } from "node:crypto";
import { failure } from "#domain/values/errors.ts";
import type { Uuid } from "#domain/values/id.ts";
import { isStorable, storable } from "#domain/values/storable.ts";
import type { WebhookEvents, WebhookRequest } from "#ports/carrier-account.ts";
import type { DeliveryReceipt, InboundMedia, InboundText } from "#ports/sms-carrier.ts";
import { errorsOf, isOptOut } from "./errors.ts";
import { isSigned } from "./signature.ts";

/** Of a message, the states that say something new; `queued` and `sending` do not. */
const STATUSES: ReadonlyMap<unknown, DeliveryReceipt["status"]> = new Map([
  ["sent", "sent"],
  // It was handed to the recipient's network, which reports no more than that.
  ["delivery_unconfirmed", "sent"],
  ["delivered", "delivered"],
  ["read", "delivered"],
  ["delivery_failed", "undelivered"],
  ["expired", "failed"],
  ["sending_failed", "failed"],
]);

/** Telnyx takes ten media a message; more are not looked at. */
const MAX_MEDIA = 20;
/** Telnyx's ids are UUIDs. */
const MAX_ID = 100;
/** The words that Telnyx answers itself, on the profile's behalf. */
const KEYWORDS: ReadonlyMap<string, InboundText["keyword"]> = new Map([
  ["STOP", "stop"],
  ["START", "start"],
  ["UNSTOP", "start"],
  ["HELP", "help"],
]);

/** Where changes of brands, campaigns and verifications are reported (registry.ts, toll-free.ts). */
const REGISTRY_PATH = /(?:^|\/)registry$/;

const TAKEN: WebhookEvents["answer"] = { status: 200, type: "text/plain", body: "" };

/** The path behind the account's own, and where the text's reference is in it. */
export const statusPath = (ref: Uuid): string => `status/${ref}`;
const STATUS_PATH = /(?:^|\/)status\/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/;
const refIn = (path: string): Uuid | undefined => STATUS_PATH.exec(path)?.[1];

type Payload = {
  id?: unknown;
  direction?: unknown;
  from?: { phone_number?: unknown };
  to?: unknown;
  text?: unknown;
  media?: unknown;
  received_at?: unknown;
  webhook_url?: unknown;
  autoresponse_type?: unknown;
};

/** Reads a webhook of an account after its signature; undefined when that is missing, stale or wrong. 400 for a signed body that cannot be read. */
export function readWebhook(
  request: WebhookRequest,
  account: { key: KeyObject; carrier: string },
): WebhookEvents | undefined {
  if (!isSigned(request, account.key)) return undefined;
  const { type, payload } = eventOf(request.body);
  if (type === "message.received")
    return { receipts: [], inbound: inboundOf(payload, account.carrier, request.now), answer: TAKEN };
  // What it says is asked for: a brand's state has more to it than its event. Of a toll-free verification the address says that it is one.
  if ((typeof type === "string" && type.startsWith("10dlc.")) || REGISTRY_PATH.test(request.path))
    return { receipts: [], inbound: [], isRegistry: true, answer: TAKEN };
  const isReceipt = type === "message.sent" || type === "message.finalized";
  // Of other events, such as those of orders, nothing is kept: their states are polled.
  return { receipts: isReceipt ? receiptsOf(payload, request.path) : [], inbound: [], answer: TAKEN };
}

function eventOf(body: Uint8Array): { type: unknown; payload: Payload } {
  let event: { data?: { event_type?: unknown; payload?: unknown } } | null;
  try {
    event = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    throw failure("invalid_request", "The body is not JSON.");
  }
  const data = event?.data;
  if (typeof data !== "object" || data === null) throw failure("invalid_request", "`data` is not an event.");
  const payload = typeof data.payload === "object" && data.payload !== null ? data.payload : {};
  return { type: data.event_type, payload };
}

/**
 * The receipt of a text. Its reference is in the address that was given with the text: Telnyx repeats that in the body, which is signed, as the
 * address that it calls is not. It also calls the profile's own address when ours was not reached.
 */
function receiptsOf(payload: Payload, path: string): DeliveryReceipt[] {
  const ref = refIn(pathOf(payload.webhook_url)) ?? refIn(path);
  const [to] = recipients(payload.to);
  const status = STATUSES.get(to?.status);
  if (ref === undefined || status === undefined) return [];
  if (typeof payload.id === "string") checkId(payload.id);
  const failed = status === "failed" || status === "undelivered";
  const errors = failed ? errorsOf(payload) : [];
  return [
    {
      ref,
      status,
      ...(typeof payload.id === "string" ? { carrierId: payload.id } : {}),
      ...(errors[0] ? { errorCode: errors[0].code } : failed ? { errorCode: String(to?.status) } : {}),
      ...(errors.some(isOptOut) ? { optedOut: true } : {}),
    },
  ];
}

function checkId(id: string): void {
  if (!isStorable(id)) throw failure("invalid_request", "`id` of a text has characters that cannot be stored.");
  if (id.length > MAX_ID) throw failure("invalid_request", `\`id\` of a text has more than ${MAX_ID} characters.`);
}

function pathOf(url: unknown): string {
  if (typeof url !== "string" || url.length > 2_000 || !URL.canParse(url)) return "";
  return new URL(url).pathname;
}

type Recipient = { phone_number?: unknown; status?: unknown };

const recipients = (to: unknown): Recipient[] =>
  (Array.isArray(to) ? to : [{ phone_number: to }]).filter((one) => typeof one === "object" && one !== null);

function inboundOf(payload: Payload, carrier: string, now: Date): InboundText[] {
  const all = recipients(payload.to);
  // In a group it is one of many: the one that the webhook is about.
  const to = (all.find((one) => one.status === "webhook_delivered") ?? all[0])?.phone_number;
  const from = payload.from?.phone_number;
  if (typeof payload.id !== "string" || typeof from !== "string" || typeof to !== "string") {
    throw failure("invalid_request", "`id`, `from` and `to` of a text are required.");
  }
  checkId(payload.id);
  if (![from, to].every(isStorable))
    throw failure("invalid_request", "`from` or `to` of a text has characters that cannot be stored.");
  const sentAt = new Date(String(payload.received_at));
  const media = mediaOf(payload.media);
  const keyword = KEYWORDS.get(String(payload.autoresponse_type).toUpperCase());
  return [
    {
      carrier,
      carrierId: payload.id,
      from,
      to,
      text: typeof payload.text === "string" ? storable(payload.text) : "",
      sentAt: Number.isNaN(sentAt.getTime()) ? now : sentAt,
      ...(media.length > 0 ? { media } : {}),
      ...(keyword ? { keyword, isAnswered: true } : {}),
    },
  ];
}

function mediaOf(media: unknown): InboundMedia[] {
  if (!Array.isArray(media)) return [];
  return media.slice(0, MAX_MEDIA).flatMap((one: { url?: unknown; content_type?: unknown } | null) => {
    if (typeof one?.url !== "string") return [];
    const contentType = typeof one.content_type === "string" ? storable(one.content_type) : null;
    return [{ url: storable(one.url), contentType }];
  });
}
