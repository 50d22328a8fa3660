import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type {
  MessageSendParams,
  MessageSendResponse,
  OutboundMessagePayload,
} from "telnyx/resources/messages/messages";
import { type Account, emptyAccount } from "./account.ts";
import { type Behavior, type Report, WELL } from "./behavior.ts";
import { type Asked, answerResource, errorBody } from "./resources.ts";
import { eventOf, post, type Signed, signer } from "./webhooks.ts";

export type TakenText = { id: string; params: MessageSendParams; at: Date };

export type TelnyxServer = {
  /** What stands for the host api.telnyx.com. */
  url: string;
  apiKey: string;
  publicKey: string;
  account: Account;
  /** Every text that it has taken, in order: what phones got. */
  taken: TakenText[];
  /** All creates, taken or not. */
  creates: MessageSendParams[];
  /** Method and path of every other request. */
  requests: string[];
  /** Webhooks that it has sent, with what was answered. */
  sent: { webhook: Signed; status: number }[];
  /** For creates to this phone, in order, the last one stays; `any` is for all others. */
  behave(to: string, ...behaviors: [Partial<Behavior>, ...Partial<Behavior>[]]): void;
  /** The next request (method and path) that fits is refused with this code, answered by this, done while its answer is lost, or let pass. */
  next(fits: RegExp, what: { refuse: string; status?: number } | { say: object } | "lose" | "pass"): void;
  /** Sends any event, signed. */
  sendEvent(url: string, event: object): Promise<number>;
  /** From now on this key is the account's. */
  changeKey(apiKey: string): void;
  /** Sends the webhooks that were kept for later, or these instead. */
  release(text: TakenText, reports?: readonly Report[], times?: number): Promise<void>;
  /** A text from a phone, to the webhook of the number's profile. */
  receive(text: InboundParams): Promise<number>;
  /** The webhook of such a text, not sent. */
  inbound(text: InboundParams): Signed;
  /** Sends a webhook as it is. */
  post(webhook: Signed): Promise<number>;
  /** No webhook is on its way. */
  quiet(): Promise<void>;
  close(): Promise<void>;
};

export type InboundParams = {
  from: string;
  to: string;
  text: string;
  id?: string;
  media?: { url: string; content_type: string }[];
  at?: Date;
};

const KEYWORDS = new Map([
  ["STOP", ["stop", "stopall", "stop all", "unsubscribe", "cancel", "end", "quit"]],
  ["START", ["start", "unstop"]],
  ["HELP", ["help", "info"]],
]);
const FINAL = new Set(["delivered", "delivery_failed", "sending_failed", "delivery_unconfirmed", "expired"]);

/** A stand-in for Telnyx's API on loopback, of one account. It blocks who has texted STOP, as Telnyx does, until a START. */
export async function startTelnyx(): Promise<TelnyxServer> {
  const { publicKey, sign } = signer();
  const account = emptyAccount();
  const [taken, creates, requests, sent]: [TakenText[], MessageSendParams[], string[], TelnyxServer["sent"]] = [
    [],
    [],
    [],
    [],
  ];
  const waiting: { fits: RegExp; what: Parameters<TelnyxServer["next"]>[1] }[] = [];
  const behaviors = new Map<string, Behavior[]>();
  const stopped = new Set<string>();
  const kept = new Map<string, Behavior>();
  const underWay = new Set<Promise<unknown>>();
  let apiKey = `KEY${randomUUID().replaceAll("-", "")}`;

  function behaviorFor(to: string): Behavior {
    const list = behaviors.get(to) ?? behaviors.get("any") ?? [WELL];
    return list.length > 1 ? list.shift()! : list[0]!;
  }

  const track = <T>(work: Promise<T>): Promise<T> => {
    underWay.add(work);
    return work.finally(() => underWay.delete(work));
  };

  async function send(webhook: Signed): Promise<number> {
    const status = await post(webhook);
    sent.push({ webhook, status });
    return status;
  }

  async function release(
    text: TakenText,
    reports = kept.get(text.id)?.reports ?? [],
    times = kept.get(text.id)?.times ?? 1,
  ) {
    const url = text.params.webhook_url ?? profileOf(text.params.from ?? "")?.webhook_url;
    if (!url) return;
    for (const report of reports) {
      const event = eventOf(FINAL.has(report.status) ? "message.finalized" : "message.sent", payloadOf(text, report));
      for (let n = 0; n < times; n++) await send(sign(url, event));
    }
  }

  const profileOf = (phone: string) => {
    const number = account.numbers.find((one) => one.phone_number === phone);
    return account.profiles.find(({ id }) => id === number?.messaging_profile_id);
  };

  async function create(params: MessageSendParams, response: ServerResponse): Promise<void> {
    creates.push(params);
    const behavior = behaviorFor(params.to);
    const { create: how } = behavior;
    const problem = problemWith(params);
    if (problem) return answer(response, 400, errorBody(...problem));
    if (how.kind === "refuse") {
      const headers: Record<string, string> = how.retryAfter === undefined ? {} : { "retry-after": how.retryAfter };
      return answer(response, how.status, errorBody(how.code ?? "10007", how.title ?? "Unexpected error"), headers);
    }
    const text = { id: randomUUID(), params, at: new Date() };
    if (how.kind !== "fail") {
      taken.push(text);
      kept.set(text.id, behavior);
      if (behavior.when === "before") await release(text);
    }
    if (how.kind === "lose" || how.kind === "fail") {
      if (how.how === "500") answer(response, 500, errorBody("10007", "Unexpected error"));
      else if (how.how === "reset") response.socket?.resetAndDestroy();
    } else if (how.kind === "malformed") {
      response.writeHead(200, { "content-type": "application/json" }).end(how.body);
    } else {
      if (how.kind === "accept" && how.afterMs) await pause(how.afterMs);
      answer(response, 200, { data: payloadOf(text, { status: "queued" }) } satisfies MessageSendResponse);
    }
    if (how.kind !== "fail" && behavior.when === "after") await track(release(text));
  }

  /** What Telnyx checks before anything else. */
  function problemWith(params: MessageSendParams): [code: string, title: string] | undefined {
    if (!params.to || !params.text) return ["10004", "Missing required parameter"];
    if (!/^\+\d{7,15}$/.test(params.to)) return ["10016", "Phone number must be in +E.164 format"];
    const number = account.numbers.find((one) => one.phone_number === params.from);
    const profileId = number?.messaging_profile_id;
    if (!profileId || (params.messaging_profile_id && params.messaging_profile_id !== profileId))
      return ["40305", "Invalid 'from' address"];
    if (stopped.has(`${profileId} ${params.to}`)) return ["40300", "Blocked due to STOP message"];
    return undefined;
  }

  function inbound({ from, to, text, id = randomUUID(), media = [], at = new Date() }: InboundParams): Signed {
    const profile = profileOf(to);
    const word = text.trim().toLowerCase();
    const keyword = [...KEYWORDS].find(([, words]) => words.includes(word))?.[0];
    if (keyword === "STOP") stopped.add(`${profile?.id} ${from}`);
    if (keyword === "START") stopped.delete(`${profile?.id} ${from}`);
    const payload = {
      id,
      record_type: "message" as const,
      direction: "inbound" as const,
      type: media.length > 0 ? ("MMS" as const) : ("SMS" as const),
      messaging_profile_id: profile?.id,
      from: { phone_number: from, carrier: "T-Mobile", line_type: "Wireless" as const },
      to: [{ phone_number: to, status: "webhook_delivered" as const }],
      text,
      media,
      received_at: at.toISOString(),
      ...(keyword ? { autoresponse_type: keyword } : {}),
    };
    return sign(profile?.webhook_url ?? "http://127.0.0.1:1/", eventOf("message.received", payload), at);
  }

  const server = createServer(async (request, response) => {
    response.on("error", () => {});
    const asked = await askedOf(request);
    if (request.headers.authorization !== `Bearer ${apiKey}`) {
      return answer(response, 401, errorBody("10009", "Authentication failed"));
    }
    if (asked.method === "POST" && asked.path === "/v2/messages") {
      return create(asked.body as unknown as MessageSendParams, response);
    }
    const what = `${asked.method} ${asked.path}`;
    requests.push(what);
    const at = waiting.findIndex(({ fits }) => fits.test(what));
    const [wish] = at === -1 ? [] : waiting.splice(at, 1);
    if (typeof wish?.what === "object") {
      if ("say" in wish.what) return answer(response, 200, wish.what.say);
      return answer(response, wish.what.status ?? 422, errorBody(wish.what.refuse, "Something of its own"));
    }
    const [status, body] = answerResource(account, asked);
    if (wish?.what === "lose") response.socket?.resetAndDestroy();
    else answer(response, status, body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get apiKey() {
      return apiKey;
    },
    publicKey,
    account,
    taken,
    creates,
    requests,
    sent,
    behave: (to, ...list) =>
      void behaviors.set(
        to,
        list.map((one) => ({ ...WELL, ...one })),
      ),
    sendEvent: (url, event) => post(sign(url, event)),
    next: (fits, what) => void waiting.push({ fits, what }),
    changeKey(key) {
      apiKey = key;
    },
    release: (text, reports, times) => track(release(text, reports, times)),
    receive: (text) => track(send(inbound(text))),
    inbound,
    post: (webhook) => track(send(webhook)),
    async quiet() {
      while (underWay.size > 0) await Promise.allSettled(underWay);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function payloadOf({ id, params, at }: TakenText, { status, errors = [] }: Report): OutboundMessagePayload {
  return {
    id,
    record_type: "message",
    direction: "outbound",
    type: "SMS",
    from: { phone_number: params.from, carrier: "Telnyx", line_type: "Wireless" },
    to: [{ phone_number: params.to, status: status as NonNullable<OutboundMessagePayload["to"]>[number]["status"] }],
    text: params.text,
    messaging_profile_id: params.messaging_profile_id,
    webhook_url: params.webhook_url ?? null,
    parts: 1,
    encoding: "GSM-7",
    errors: [...errors],
    received_at: at.toISOString(),
  };
}

function answer(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(body === undefined ? "" : JSON.stringify(body));
}

async function askedOf(request: IncomingMessage): Promise<Asked> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  const url = new URL(request.url ?? "/", "http://telnyx");
  const path = decodeURIComponent(url.pathname);
  return { method: request.method ?? "", path, query: url.searchParams, body: text === "" ? {} : JSON.parse(text) };
}
