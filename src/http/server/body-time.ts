import type { Socket } from "node:net";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

/** A large file over a slow line: 1 GB at 300 kB a second. The server's own limit, which knows no routes, is this. */
export const UPLOAD_TIMEOUT_MS = 3_600_000;
/** A sender of a file who is silent for this long has gone. */
const UPLOAD_IDLE_MS = 60_000;

/**
 * Cuts off a sender that takes longer than `timeoutMs` for a body, or that pauses too long in a file. `cut` answers and
 * closes the connection.
 */
export function limitBodyTime(app: FastifyInstance, timeoutMs: number, cut: (socket: Socket) => void): void {
  app.addHook("onRequest", (request, reply, done) => {
    const { "content-length": length, "transfer-encoding": encoding } = request.headers;
    if (encoding !== undefined || (length !== undefined && length !== "0")) limit(request, reply);
    done();
  });

  function limit(request: FastifyRequest, reply: FastifyReply): void {
    const { raw } = request;
    const { socket } = raw;
    const isUpload = (request.routeOptions.config as { upload?: boolean }).upload === true;
    let received = socket.bytesRead;
    const look = () => {
      // A file may take as long as it comes: only who sends nothing at all is cut off.
      const isComing = isUpload && socket.bytesRead > received;
      received = socket.bytesRead;
      if (isComing) patience.refresh();
      else {
        cut(socket);
        socket.destroySoon();
      }
    };
    const patience = setTimeout(look, isUpload ? UPLOAD_IDLE_MS : timeoutMs);
    const enough = () => clearTimeout(patience);
    for (const event of ["end", "close"]) raw.once(event, enough);
    // One that was refused before its end is not waited for: by then the connection may be another request's.
    reply.raw.once("close", enough);
  }
}
