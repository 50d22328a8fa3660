import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import type { CallNodeHandlers, StreamBridge, StreamSocket } from "#ports/call-streams.ts";
import type { SoundBridge, SoundLine } from "#ports/sound-bridge.ts";
import { passedOn } from "./call-news.ts";
import { streamPath, type TicketSealer, ticketOf } from "./call-nodes.ts";
import { hasPass, MAX_MESSAGE, passOf, pathOf, type Sign, soundLine } from "./line.ts";
import { streamSocket } from "./stream-socket.ts";

/** A request that does nothing but ask for the upgrade needs no longer. */
const ASK_WITHIN_MS = 5_000;
/** How often that is looked after. */
const LOOK_EVERY_MS = 1_000;

type Offer = { pass: string; take(socket: WebSocket): void };

/**
 * Accepts WebSockets of our own nodes, each for a call, and what they pass on of calls; port 0 takes any free one. A connection without this
 * signature of `sign` gets the answer that there is no such call.
 */
export async function openSoundBridge({
  host,
  port,
  sign,
  sealer,
}: {
  host: string;
  port: number;
  sign: Sign;
  sealer: TicketSealer;
}): Promise<SoundBridge & StreamBridge> {
  const offers = new Map<string, Offer>();
  let handlers: CallNodeHandlers | undefined;
  const limits = { requestTimeout: ASK_WITHIN_MS, connectionsCheckingInterval: LOOK_EVERY_MS };
  const server = createServer(limits, (request, response) => {
    void passedOn(request, response, sign, () => handlers);
  });
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE, perMessageDeflate: false });

  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const offer = offers.get(request.url ?? "");
    if (offer === undefined || !hasPass(request, offer.pass)) return refuse(socket);
    offers.delete(request.url!);
    sockets.handleUpgrade(request, socket, head, offer.take);
  });
  server.listen(port, host);
  await once(server, "listening");
  const address = addressOf(server.address() as AddressInfo);

  function offerAt<T>(path: string, pass: string, as: (socket: WebSocket) => T) {
    const { promise: taken, resolve } = Promise.withResolvers<T>();
    const mine: Offer = { pass, take: (opened) => resolve(as(opened)) };
    offers.set(path, mine);
    return {
      taken,
      withdraw() {
        if (offers.get(path) === mine) offers.delete(path);
      },
    };
  }

  return {
    address,
    offer: (carrierId) => offerAt<SoundLine>(pathOf(carrierId), passOf(sign, carrierId), soundLine),
    expect(carrier, callId) {
      const path = streamPath(callId);
      const offered = offerAt<StreamSocket>(path, passOf(sign, path), streamSocket);
      return { ...offered, ticket: ticketOf(sealer, carrier, callId, address) };
    },
    serve(them) {
      handlers = them;
    },
    async close() {
      for (const socket of sockets.clients) socket.terminate();
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  } satisfies SoundBridge & StreamBridge;
}

/** The server has let go of a socket that asks for an upgrade: nobody else hears of its errors, or ends it. */
function refuse(socket: Duplex): void {
  socket.on("error", () => socket.destroy());
  socket.once("finish", () => socket.destroy());
  socket.end("HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n");
}

const addressOf = ({ address, family, port }: AddressInfo): string =>
  `${family === "IPv6" ? `[${address}]` : address}:${port}`;
