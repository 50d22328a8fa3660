import { type Agent, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import type { Socket } from "node:net";
import { networkCode, VendorFailure } from "./failure.ts";

export type VendorRequest = {
  method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  url: string;
  headers: Readonly<Record<string, string>>;
  body?: { type: string; text: string };
};

export type VendorAnswer = { status: number; headers: IncomingHttpHeaders; text: string };

export type Limits = {
  /** Until a connection stands, TLS and all. */
  connectMs: number;
  /** From the request's first byte to the answer's last. */
  answerMs: number;
  maxBytes: number;
};

/** Trying again a moment later is enough after a connection that did not come about. */
const CONNECT_AGAIN_MS = 2_000;

/**
 * One request. `refusal` is asked right before its first byte is written, on a connection that stands: a failure from it keeps the request from
 * leaving. Rejects with VendorFailure only.
 */
export function exchange(
  agents: { http: Agent; https: Agent },
  { method, url, headers, body }: VendorRequest,
  { limits, refusal }: { limits: Limits; refusal: () => VendorFailure | undefined },
  signal: AbortSignal,
): Promise<VendorAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<VendorAnswer>();
  if (signal.aborted) return Promise.reject(new VendorFailure("aborted", { wasSent: false }));
  const isTls = url.startsWith("https:");
  const request = (isTls ? httpsRequest : httpRequest)(url, {
    method,
    agent: isTls ? agents.https : agents.http,
    headers: {
      accept: "application/json",
      ...headers,
      ...(body ? { "content-type": body.type, "content-length": String(Buffer.byteLength(body.text)) } : {}),
    },
  });
  let wasSent = false;
  let timer: NodeJS.Timeout | undefined;
  /** Takes its connection with it: what may still come over that is nobody's answer. */
  function fail(failure: VendorFailure): void {
    reject(failure);
    request.destroy();
  }
  const within = (ms: number, code: string) => {
    clearTimeout(timer);
    timer = setTimeout(() => fail(failed(code)), ms);
  };
  const failed = (code: string) => new VendorFailure(code, { wasSent, retryAfterMs: wasSent ? 0 : CONNECT_AGAIN_MS });
  const abort = () => fail(new VendorFailure("aborted", { wasSent }));

  function begin(): void {
    const refused = refusal();
    if (refused) fail(refused);
    else {
      wasSent = true;
      within(limits.answerMs, "timeout");
      request.end(body?.text);
    }
  }

  signal.addEventListener("abort", abort, { once: true });
  request.once("socket", (socket: Socket) => {
    if (!socket.connecting && !(socket as { secureConnecting?: boolean }).secureConnecting) begin();
    else {
      within(limits.connectMs, "connect_timeout");
      socket.once(isTls ? "secureConnect" : "connect", begin);
    }
  });
  request.once("response", (response) => {
    read(response, limits.maxBytes).then(
      (text) => resolve({ status: response.statusCode!, headers: response.headers, text }),
      (error) => fail(error instanceof VendorFailure ? error : failed(networkCode(error))),
    );
  });
  request.on("error", (error) => fail(failed(networkCode(error))));
  return promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  });
}

async function read(response: IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new VendorFailure("too_large", { wasSent: true });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
