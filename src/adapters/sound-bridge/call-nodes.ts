import { WebSocket } from "ws";
import type { Uuid } from "#domain/values/id.ts";
import type { BroughtAnswer, CallNews, CallNodes } from "#ports/call-streams.ts";
import { MAX_MESSAGE, passOf, type Sign } from "./line.ts";
import { streamSocket } from "./stream-socket.ts";

/** Nodes are neighbours: one that does not answer by then will not. A call that comes in is answered by its caller's carrier within 15 s. */
const ANSWER_WITHIN_MS = 8_000;
const JOIN_WITHIN_MS = 5_000;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const ADDRESS = /^(?:\[[0-9a-f:]{2,45}\]|[\w.-]{1,253}):\d{1,5}$/;

/** Makes what only this service can read, and opens it; what was sealed under another name does not open. */
export type TicketSealer = { seal(text: string, under: string): string; open(sealed: string, under: string): string };

export const streamPath = (callId: Uuid): string => `/streams/${callId}`;
export const NEWS_PATH = "/call-news";
export const BROUGHT_PATH = "/brought-calls";

const underOf = (carrier: string): string => `stream|${carrier}`;

/** What a stream shows, sealed: nobody but this service can make one, for another account or another call. */
export const ticketOf = (sealer: TicketSealer, carrier: string, callId: Uuid, address: string): string =>
  sealer.seal(`${callId} ${address}`, underOf(carrier));

function openTicket(
  sealer: TicketSealer,
  carrier: string,
  ticket: string,
): { callId: Uuid; address: string } | undefined {
  try {
    const [callId = "", address = ""] = sealer.open(ticket, underOf(carrier)).split(" ");
    return UUID.test(callId) && ADDRESS.test(address) ? { callId, address } : undefined;
  } catch {
    return undefined;
  }
}

/** By requests and WebSockets, with passes that the bridge of `bridge.ts` knows. */
export function callNodes(sign: Sign, sealer: TicketSealer): CallNodes {
  const post = async (address: string, path: string, message: object): Promise<unknown> => {
    const body = JSON.stringify(message);
    try {
      const answer = await fetch(`http://${address}${path}`, {
        method: "POST",
        headers: { authorization: passOf(sign, `${path} ${body}`), "content-type": "application/json" },
        body,
        redirect: "error",
        signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      });
      const text = await answer.text();
      return answer.status === 200 ? JSON.parse(text) : undefined;
    } catch {
      return undefined;
    }
  };
  return {
    async join(carrier, ticket) {
      const opened = openTicket(sealer, carrier, ticket);
      if (!opened) return undefined;
      const path = streamPath(opened.callId);
      const socket = new WebSocket(`ws://${opened.address}${path}`, {
        headers: { authorization: passOf(sign, path) },
        handshakeTimeout: JOIN_WITHIN_MS,
        maxPayload: MAX_MESSAGE,
        perMessageDeflate: false,
      });
      const stream = streamSocket(socket);
      const { promise, resolve } = Promise.withResolvers<typeof stream | undefined>();
      socket.once("open", () => resolve(stream));
      socket.once("close", () => resolve(undefined));
      return promise;
    },
    async report(address, of, news: CallNews) {
      return (await post(address, NEWS_PATH, { of, news })) === true;
    },
    async bring(address, of, call) {
      return ((await post(address, BROUGHT_PATH, { of, call })) as BroughtAnswer | null | undefined) ?? undefined;
    },
  } satisfies CallNodes;
}
