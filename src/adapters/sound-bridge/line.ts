import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { WebSocket } from "ws";
import type { JoinSound, SoundLine } from "#ports/sound-bridge.ts";

/** Makes what both ends know, from a secret of the service: 32 bytes. */
export type Sign = (text: string) => Buffer;

/** Nodes are neighbours: one that does not answer by then will not. */
const JOIN_WITHIN_MS = 5_000;
/** What the other end has not taken is not worth hearing any more: 2 s of sound. */
const MAX_BUFFERED = 16_000;
/** Ten seconds of sound at once are no sound. */
export const MAX_MESSAGE = 80_000;

export const pathOf = (carrierId: string): string => `/calls/${encodeURIComponent(carrierId)}`;

/** A node that offers a call gives it to whoever shows this. */
export const passOf = (sign: Sign, carrierId: string): string => `Bearer ${sign(carrierId).toString("base64url")}`;

export function hasPass({ headers: { authorization = "" } }: IncomingMessage, pass: string): boolean {
  const [given, wanted] = [Buffer.from(authorization), Buffer.from(pass)];
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

/** Joins by WebSocket, with a pass that the bridge of `bridge.ts` knows. */
export const joinSound =
  (sign: Sign): JoinSound =>
  (address, carrierId) =>
    new Promise((resolve, reject) => {
      const socket = new WebSocket(`ws://${address}${pathOf(carrierId)}`, {
        headers: { authorization: passOf(sign, carrierId) },
        handshakeTimeout: JOIN_WITHIN_MS,
        maxPayload: MAX_MESSAGE,
        perMessageDeflate: false,
      });
      const line = soundLine(socket);
      socket.once("open", () => resolve(line));
      socket.once("error", reject);
    });

/** A socket as a line of sound. */
export function soundLine(socket: WebSocket): SoundLine {
  let isClosed = false;
  let listener: Parameters<SoundLine["listen"]>[0] | undefined;
  socket.on("message", (data, isBinary) => {
    if (isBinary) listener?.sound(data as Buffer);
  });
  // It is closed as well, and that is all there is to say of it.
  socket.on("error", () => {});
  socket.on("close", () => {
    isClosed = true;
    listener?.closed();
  });
  return {
    listen(on) {
      listener = on;
      if (isClosed) on.closed();
    },
    send(frames) {
      if (socket.readyState === socket.OPEN && socket.bufferedAmount < MAX_BUFFERED) socket.send(frames);
    },
    close: () => socket.close(),
  };
}
