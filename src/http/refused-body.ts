import type { IncomingMessage } from "node:http";

/** For so long, and so much, of a body that was refused is let come and is dropped. */
const WITHIN_MS = 2_000;
const MOST_BYTES = 32 * 1024 * 1024;

/**
 * Reads on in a body that was refused before its end. A connection that is closed in the midst of it is reset, and whoever is still sending
 * would often hear of that before he has read why: RFC 9112, 9.6. Who goes on for too long is cut off.
 */
export function dropRest(request: IncomingMessage): void {
  const { socket } = request;
  if (request.complete) return;
  const before = socket.bytesRead;
  const patience = setTimeout(() => socket.destroy(), WITHIN_MS);
  const look = () => {
    if (socket.bytesRead - before > MOST_BYTES) socket.destroy();
  };
  request.on("data", look);
  for (const event of ["end", "close"])
    request.once(event, () => {
      clearTimeout(patience);
      request.off("data", look);
    });
  request.resume();
}
