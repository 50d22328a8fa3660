import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as bodyOf } from "node:stream/consumers";
// Twilio's own package signs.
import { getExpectedTwilioSignature } from "twilio/lib/webhooks/webhooks.js";
import type { Owner } from "#test/support/processes/processes.ts";
import { answerCalls, type CallsStandIn, callsStandIn } from "./calls.ts";
import { answerProblems, describedAt, requestProblems } from "./description.ts";
import { type LineIntelligence, lineOf } from "./lines.ts";
import { answerRegistry, emptyRegistry, type TwilioRegistry, UNDESCRIBED } from "./registry.ts";

export const ACCOUNT_SID = `AC${"a1".repeat(16)}`;
export const AUTH_TOKEN = "0123456789abcdef0123456789abcdef";

/** What becomes of a text for a phone. A number is a refusal with that code of Twilio's. */
export type Behaviour =
  | number
  | "429"
  | "500"
  | "500_after"
  | "reset_after"
  | "silent_after"
  | "silent"
  | "malformed"
  /** Accepted, and answered after `lateMs`. */
  | "late"
  /** Accepted, but its queue keeps it: it has no DateSent. */
  | "queued"
  /** Accepted, and delivered before the answer is written. */
  | "report_first";

type Wish = number | "lose" | "fail" | "pass";

type Item = Record<string, unknown>;
export type Sent = Item & {
  sid: string;
  to: string;
  from: string;
  body: string;
  status: string;
  callback: string | undefined;
  mediaUrls: string[];
};

export type TwilioStandIn = {
  url: string;
  /** The one that it takes, and signs by. */
  authToken: string;
  messages: Sent[];
  numbers: Item[];
  stock: string[];
  service: Item;
  campaignStatus: string;
  /** What Lookup knows of phones. */
  lines: Map<string, LineIntelligence>;
  /** Numbers that were given up, by day; a day without a list has none yet. */
  deactivated: Map<string, string[]>;
  account: Item;
  registry: TwilioRegistry;
  calls: CallsStandIn;
  requests: { method: string; path: string; form: URLSearchParams }[];
  /** It takes requests, and answers none. */
  isSilent: boolean;
  lateMs: number;
  /** For each text to a phone in turn; the last stays. */
  behave(phone: string, ...behaviours: Behaviour[]): void;
  /** The next request (method and path) that fits is refused with this code, done while its answer is lost, lost itself, or let pass. */
  next(fits: RegExp, what: Wish): void;
  /** The answer of the next request that fits is made at once, and written once `until` resolves. Resolves when it is made. */
  hold(fits: RegExp, until: Promise<void>): Promise<void>;
  /** Reports a text's status to the address that it was sent with, signed. */
  report(message: Sent, status: string, more?: Record<string, string>): Promise<Response>;
  /** Posts any webhook, signed by the account's token; to another place than it is signed for, as a proxy passes it on. */
  webhook(url: string, fields: Record<string, string>, token?: string, at?: string): Promise<Response>;
  addNumber(phone: string, more?: Item): Item;
};

/** Of Twilio's cloud: its lists are there, and its key does not go there. */
export const DEACTIVATIONS_HOST = "com-twilio-prod-messaging-deactivations.s3.amazonaws.com";

const STATUSES: Record<number, number> = { 20003: 401, 20005: 403, 20404: 404, 20429: 429 };

/** Twilio's API on a port of this machine, for one account. What is not as Twilio describes it fails the test at its end. */
export async function startTwilio(
  owner: Owner,
  { now: time = () => new Date(), taken }: { now?: () => Date; taken?(message: Sent): void } = {},
): Promise<TwilioStandIn> {
  const problems: string[] = [];
  const behaviours = new Map<string, Behaviour[]>();
  const holds: { fits: RegExp; until: Promise<void>; made: () => void }[] = [];
  const waiting: { fits: RegExp; what: Wish }[] = [];
  let serial = 0;
  const sidOf = (prefix: string) => prefix + (++serial).toString(16).padStart(32, "0");
  const twilio: TwilioStandIn = {
    url: "",
    authToken: AUTH_TOKEN,
    messages: [],
    numbers: [],
    stock: [],
    service: { sid: `MG${"b2".repeat(16)}`, inbound_request_url: null, use_inbound_webhook_on_number: false },
    campaignStatus: "VERIFIED",
    lines: new Map(),
    deactivated: new Map(),
    account: { sid: ACCOUNT_SID, status: "active", type: "Full" },
    registry: emptyRegistry(),
    calls: callsStandIn(() => twilio.authToken),
    requests: [],
    isSilent: false,
    next: (fits, what) => void waiting.push({ fits, what }),
    hold: (fits, until) => new Promise((made) => void holds.push({ fits, until, made })),
    lateMs: 0,
    behave: (phone, ...them) => void behaviours.set(phone, them),
    report: (message, status, more = {}) =>
      twilio.webhook(message.callback!, {
        AccountSid: ACCOUNT_SID,
        ApiVersion: "2010-04-01",
        From: message.from,
        MessageSid: message.sid,
        MessageStatus: status,
        SmsSid: message.sid,
        SmsStatus: status,
        To: message.to,
        ...more,
      }),
    webhook: (url, fields, token = twilio.authToken, at = url) =>
      fetch(at, {
        method: "POST",
        headers: { "x-twilio-signature": getExpectedTwilioSignature(token, url, fields) },
        body: new URLSearchParams(fields),
      }),
    addNumber(phone, more = {}) {
      const number = {
        sid: sidOf("PN"),
        account_sid: ACCOUNT_SID,
        phone_number: phone,
        capabilities: { sms: true, mms: true, voice: true, fax: false },
        sms_url: "",
        voice_url: "",
        voice_application_sid: "",
        trunk_sid: null,
        sms_application_sid: "",
        sms_method: "POST",
        ...more,
      };
      twilio.numbers.push(number);
      return number;
    },
  };

  const server = createServer((request, response) => {
    response.setHeader("date", time().toUTCString());
    handle(request, response).catch((error) => {
      problems.push(String(error?.stack ?? error));
      response.destroy();
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  twilio.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  owner.after(() => {
    twilio.calls.close();
    server.closeAllConnections();
    server.close();
    assert.deepEqual(problems, [], "requests and answers are as Twilio describes them");
  });

  function handOutDay(request: IncomingMessage, response: ServerResponse, day: string): unknown {
    if (request.headers.authorization !== undefined) problems.push("the account's key went to the cloud");
    const numbers = twilio.deactivated.get(day) ?? [];
    return response
      .writeHead(200, { "content-type": "text/plain" })
      .end(numbers.map((number) => `${number}\n`).join(""));
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const { pathname: path, searchParams: query } = new URL(request.url!, twilio.url);
    const body = await bodyOf(request);
    const method = request.method!;
    const form = new URLSearchParams(body);
    twilio.requests.push({ method, path, form });
    if (twilio.isSilent) return;
    const media = /^\/2010-04-01\/Accounts\/(\w+)\/Messages\/\w+\/Media\/([\w.-]+)$/.exec(path);
    if (media && method === "GET" && !path.endsWith(".json")) return handOut(request, response, media[1]!, media[2]!);
    const described = describedAt(path.startsWith("/v1/") ? "messaging.twilio.com" : "api.twilio.com", method, path);
    if (!described && !UNDESCRIBED.test(`${method} ${path}`)) {
      problems.push(`${method} ${path} is no operation`);
      return response.writeHead(404).end();
    }
    if (described)
      problems.push(...requestProblems(described, query, body).map((what) => `${method} ${path}: ${what}`));
    const at = waiting.findIndex(({ fits }) => fits.test(`${method} ${path}`));
    const [wish] = at === -1 ? [] : waiting.splice(at, 1);
    const answer = (status: number, item: Item | undefined): unknown => {
      if (wish?.what === "lose") return response.socket!.resetAndDestroy();
      if (described)
        problems.push(...answerProblems(described, status, item).map((what) => `answer of ${method} ${path}: ${what}`));
      const held = holds.findIndex(({ fits }) => fits.test(`${method} ${path}`));
      const [hold] = held === -1 ? [] : holds.splice(held, 1);
      hold?.made();
      const headers = status === 429 ? { "retry-after": "3" } : {};
      const text = item && JSON.stringify(item);
      const write = () => response.writeHead(status, { "content-type": "application/json", ...headers }).end(text);
      return hold ? hold.until.then(write) : write();
    };
    const refuse = (code: number): unknown => {
      const status = STATUSES[code] ?? 400;
      return answer(status, {
        code,
        message: "refused",
        more_info: `https://www.twilio.com/docs/errors/${code}`,
        status,
      });
    };
    if (path.startsWith("/deactivated/")) return handOutDay(request, response, path.slice("/deactivated/".length));
    const basic = Buffer.from(String(request.headers.authorization).replace("Basic ", ""), "base64").toString();
    if (basic !== `${ACCOUNT_SID}:${twilio.authToken}`) return refuse(20003);
    if (wish?.what === "fail") return response.socket!.resetAndDestroy();
    if (typeof wish?.what === "number") return refuse(wish.what);
    if (path === `/2010-04-01/Accounts/${ACCOUNT_SID}.json`) return answer(200, twilio.account);
    if (path.endsWith("/Messages.json"))
      return method === "POST"
        ? create(form, response, answer, refuse)
        : list(answer, "messages", found(query), query, path);
    if (path.endsWith("/IncomingPhoneNumbers.json") && method === "GET") {
      const wanted = query.get("PhoneNumber");
      const them = twilio.numbers.filter(({ phone_number: phone }) => !wanted || phone === wanted);
      return list(answer, "incoming_phone_numbers", them, query, path);
    }
    if (path.endsWith("/IncomingPhoneNumbers.json")) {
      const phone = form.get("PhoneNumber")!;
      if (!twilio.stock.includes(phone)) return refuse(21422);
      twilio.stock = twilio.stock.filter((other) => other !== phone);
      const urls = { sms_url: form.get("SmsUrl") ?? "", voice_url: form.get("VoiceUrl") ?? "" };
      return answer(201, twilio.addNumber(phone, urls));
    }
    if (path.includes("/IncomingPhoneNumbers/")) {
      const number = twilio.numbers.find(({ sid }) => path.includes(String(sid)));
      if (!number) return refuse(20404);
      if (method === "DELETE") {
        twilio.numbers = twilio.numbers.filter((other) => other !== number);
        return answer(204, undefined);
      }
      if (form.has("VoiceUrl")) number.voice_url = form.get("VoiceUrl");
      if (form.has("SmsUrl")) number.sms_url = form.get("SmsUrl");
      if (form.has("SmsApplicationSid")) number.sms_application_sid = form.get("SmsApplicationSid");
      return answer(200, number);
    }
    if (path.includes("/AvailablePhoneNumbers/")) {
      const isTollFree = path.endsWith("/TollFree.json");
      const isCanadian = (phone: string) => /^\+1(?:416|604|514)/.test(phone);
      const them = twilio.stock.filter(
        (phone) =>
          isCanadian(phone) === path.includes("/CA/") &&
          phone.startsWith(`+1${query.get("AreaCode") ?? ""}`) &&
          /^\+18[0-8]{2}/.test(phone) === isTollFree,
      );
      return answer(200, { available_phone_numbers: them.map((phone_number) => ({ phone_number })), uri: path });
    }
    if (path === "/v1/Deactivations") {
      const day = query.get("Date") ?? "";
      if (!twilio.deactivated.has(day)) return refuse(20404);
      const redirect_to = `https://${DEACTIVATIONS_HOST}/deactivated/${day}`;
      return response.writeHead(307, { location: redirect_to }).end(JSON.stringify({ redirect_to }));
    }
    if (path.startsWith("/v2/PhoneNumbers/")) return answer(200, lineOf(twilio.lines, path, query));
    const called = answerCalls(twilio.calls, { method, path, query, form }, sidOf, time());
    if (called === "reset") return response.socket!.resetAndDestroy();
    if (called) return "refuse" in called ? refuse(called.refuse) : answer(called.status, called.body);
    const registered = answerRegistry(twilio.registry, { method, path, query, form }, sidOf);
    if (registered)
      return "refuse" in registered ? refuse(registered.refuse) : answer(registered.status, registered.body);
    if (path === "/v1/Services")
      return answer(200, { services: [twilio.service, ...twilio.registry.services], meta: { page: 0 } });
    if (method === "DELETE") {
      const number = twilio.numbers.find(({ sid }) => path.endsWith(String(sid)));
      if (number) delete number.service;
      return answer(204, undefined);
    }
    if (path.endsWith("/PhoneNumbers") && method === "POST") {
      const number = twilio.numbers.find(({ sid }) => sid === form.get("PhoneNumberSid"));
      if (!number) return refuse(20404);
      const service = path.split("/")[3]!;
      if (number.service === service) return refuse(21710);
      if (number.service !== undefined) return refuse(21712);
      number.service = service;
      return answer(201, { sid: number.sid, phone_number: number.phone_number, service_sid: service });
    }
    if (path.endsWith("/PhoneNumbers")) {
      // A number that no test has put anywhere is in the account's own service.
      const service = path.split("/")[3];
      const them = twilio.numbers
        .filter((number) => (number.service ?? twilio.service.sid) === service)
        .map(({ sid, phone_number }) => ({ sid, phone_number }));
      return answer(200, { phone_numbers: them, meta: { page: 0 } });
    }
    if (path.endsWith("/Compliance/Usa2p"))
      return answer(200, { compliance: [{ campaign_status: twilio.campaignStatus }], meta: { page: 0 } });
    if (method === "POST") twilio.service.inbound_request_url = form.get("InboundRequestUrl");
    return answer(200, twilio.service);
  }

  /** What came with a text: Twilio leads on to its storage. The description has only its record as JSON. */
  function handOut(request: IncomingMessage, response: ServerResponse, account: string, name: string): unknown {
    const key = Buffer.from(`${ACCOUNT_SID}:${twilio.authToken}`).toString("base64");
    const isOwn = account === ACCOUNT_SID && request.headers.authorization === `Basic ${key}`;
    return isOwn
      ? response.writeHead(307, { location: `https://mms.twiliocdn.com/${name}` }).end()
      : response.writeHead(401).end();
  }

  function create(
    form: URLSearchParams,
    response: ServerResponse,
    answer: (status: number, item: Item) => unknown,
    refuse: (code: number) => unknown,
  ): unknown {
    const to = form.get("To")!;
    const them = behaviours.get(to) ?? [];
    const behaviour = them.length > 1 ? them.shift() : them[0];
    if (typeof behaviour === "number") return refuse(behaviour);
    if (behaviour === "429") return refuse(20429);
    if (behaviour === "500") return answer(500, {});
    if (behaviour === "silent") return undefined;
    const now = time().toUTCString().replace("GMT", "+0000");
    const message: Sent = {
      sid: sidOf("SM"),
      account_sid: ACCOUNT_SID,
      to,
      from: form.get("From")!,
      body: form.get("Body")!,
      status: "queued",
      direction: "outbound-api",
      num_media: String(form.getAll("MediaUrl").length),
      mediaUrls: form.getAll("MediaUrl"),
      date_created: now,
      date_sent: behaviour === "queued" ? null : now,
      callback: form.get("StatusCallback") ?? undefined,
    };
    twilio.messages.unshift(message);
    taken?.(message);
    if (behaviour === "500_after") return answer(503, {});
    if (behaviour === "reset_after") return response.socket!.resetAndDestroy();
    if (behaviour === "silent_after") return undefined;
    if (behaviour === "malformed") return response.writeHead(201).end('{"sid": ');
    const { callback: _, mediaUrls: __, ...shown } = message;
    if (behaviour === "late") return setTimeout(() => answer(201, shown), twilio.lateMs).unref();
    if (behaviour === "report_first") return twilio.report(message, "delivered").then(() => answer(201, shown));
    return answer(201, shown);
  }

  function found(query: URLSearchParams): Item[] {
    return twilio.messages
      .filter(({ to, from }) => to === query.get("To") && from === query.get("From"))
      .map(({ callback: _, mediaUrls: __, ...shown }) => shown);
  }

  /** A page at a time, as many as are asked for. */
  function list(
    answer: (status: number, item: Item) => unknown,
    key: string,
    items: Item[],
    query: URLSearchParams,
    path: string,
  ): void {
    const [size, page] = [Number(query.get("PageSize") ?? 50), Number(query.get("Page") ?? 0)];
    const more = items.length > (page + 1) * size;
    const next = new URLSearchParams(query);
    next.set("Page", String(page + 1));
    answer(200, {
      [key]: items.slice(page * size, (page + 1) * size),
      page,
      page_size: size,
      next_page_uri: more ? `${path}?${next}` : null,
      uri: path,
    });
  }
  return twilio;
}
