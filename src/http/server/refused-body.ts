import type { IncomingMessage } from "node:http";

/** For so long, and so much, the rest of a body that was refused is let come and is dropped. */
const WITHIN_MS = 2_000;
const MOST_BYTES = 32 * 1024 * 1024;

/**
 * Reads a body that was refused to its end, and keeps nothing of it. A connection that is closed in the midst of it is reset, and whoever is
 * still sending would often get that error before the response (RFC 9112, 9.6). Who goes on for too long is not waited for. Never rejects.
 */
export function dropRest(request: IncomingMessage): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { socket } = request;
  if (request.complete || request.destroyed) return Promise.resolve();
  const before = socket.bytesRead;
  const look = () => {
    if (socket.bytesRead - before > MOST_BYTES) resolve();
  };
  const patience = setTimeout(resolve, WITHIN_MS);
  request.on("data", look);
  for (const event of ["end", "close"]) request.once(event, () => resolve());
  request.resume();
  return promise.finally(() => {
    clearTimeout(patience);
    request.off("data", look);
  });
}
