import type { WebsocketPluginOptions } from "@fastify/websocket";
import type { TSchema } from "typebox";
import type { WebSocket } from "ws";
import { validator } from "#contract/values/validate.ts";
import { type AppError, refuseInvalid, unauthorized } from "#domain/values/errors.ts";
import { parseJson } from "#domain/values/json.ts";
import type { Log } from "#operations/context.ts";

/** Serves one socket, from its opening on. */
export type Spoken = (socket: WebSocket) => void;

/** A call lasts for minutes, in which a key may be revoked and a session ended. */
const CHECK_EVERY_MS = 5_000;

const LIMITS = {
  /** Of a message, in bytes: as large as any body of ordinary operations. */
  maxPayload: 1024 * 1024,
  /** Whoever is refused has this long, in milliseconds, to send what he has begun and to read why. */
  closeTimeout: 5_000,
};
const INTERNAL_ERROR = 1011;

/**
 * How all sockets are served. An invalid message has been answered with its close code when the error handler hears of it. The connection is not
 * destroyed then, as the plugin would: TCP resets a connection that still has unread data, and the peer would never read the code.
 */
export const socketOptions = (log: Log): WebsocketPluginOptions => ({
  options: LIMITS,
  errorHandler(err, socket) {
    if (socket.readyState !== socket.OPEN) return;
    log.error({ err }, "a socket could not be served");
    socket.close(INTERNAL_ERROR);
  },
});

/** Serves a socket for as long as whoever opened it might open it again. */
export const whileAllowed =
  (serve: Spoken, isAllowed: () => Promise<boolean>): Spoken =>
  (socket) => {
    const looking = setInterval(async () => {
      if ((await isAllowed()) || socket.readyState !== socket.OPEN) return;
      socket.send(JSON.stringify(lastWord(unauthorized())));
      socket.close(1008);
    }, CHECK_EVERY_MS);
    socket.once("close", () => clearInterval(looking));
    serve(socket);
  };

const checks = new WeakMap<TSchema, ReturnType<typeof validator>>();

/** A message as its schema has it, read as any body is. Fails with what is wrong with it. */
export function messageOf(schema: TSchema, data: Buffer): Record<string, unknown> {
  const value = parseJson(data);
  const check = checks.get(schema) ?? validator(schema, "message");
  checks.set(schema, check);
  refuseInvalid(check(value));
  return value as Record<string, unknown>;
}

/** What could not be done, as the last message of a socket. */
export const lastWord = ({ message, code, details }: AppError): object => ({
  type: "error",
  error: message,
  code,
  ...(details ? { details } : {}),
});
