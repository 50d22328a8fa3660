import { timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import type { SoundBridge, SoundLine } from "#ports/sound-bridge.ts";
import { MAX_MESSAGE, passOf, pathOf, type Sign, soundLine } from "./line.ts";

/** A request that does nothing but ask for the upgrade needs no longer. */
const ASK_WITHIN_MS = 5_000;
/** How often that is looked after. */
const LOOK_EVERY_MS = 1_000;

/**
 * Accepts WebSockets of our own nodes, each for a call; port 0 takes any free one. A connection without this signature of `sign` gets the answer
 * that there is no such call.
 */
export async function openSoundBridge({
  host,
  port,
  sign,
}: {
  host: string;
  port: number;
  sign: Sign;
}): Promise<SoundBridge> {
  const offers = new Map<string, { carrierId: string; take(line: SoundLine): void }>();
  const limits = { requestTimeout: ASK_WITHIN_MS, connectionsCheckingInterval: LOOK_EVERY_MS };
  const server = createServer(limits, (_, response) => response.writeHead(404).end());
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE, perMessageDeflate: false });

  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const offer = offers.get(request.url ?? "");
    if (offer === undefined || !hasPass(request, passOf(sign, offer.carrierId))) return refuse(socket);
    offers.delete(request.url!);
    sockets.handleUpgrade(request, socket, head, (opened) => offer.take(soundLine(opened)));
  });
  server.listen(port, host);
  await once(server, "listening");

  return {
    address: addressOf(server.address() as AddressInfo),
    offer(carrierId) {
      const { promise: taken, resolve: take } = Promise.withResolvers<SoundLine>();
      const path = pathOf(carrierId);
      const mine = { carrierId, take };
      offers.set(path, mine);
      return {
        taken,
        withdraw() {
          if (offers.get(path) === mine) offers.delete(path);
        },
      };
    },
    async close() {
      for (const socket of sockets.clients) socket.terminate();
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  } satisfies SoundBridge;
}

/** The server has let go of a socket that asks for an upgrade: nobody else hears of its errors, or ends it. */
function refuse(socket: Duplex): void {
  socket.on("error", () => socket.destroy());
  socket.once("finish", () => socket.destroy());
  socket.end("HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n");
}

function hasPass({ headers: { authorization = "" } }: IncomingMessage, pass: string): boolean {
  const [given, wanted] = [Buffer.from(authorization), Buffer.from(pass)];
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

const addressOf = ({ address, family, port }: AddressInfo): string =>
  `${family === "IPv6" ? `[${address}]` : address}:${port}`;
