import type { TSchema } from "typebox";
import type { WebSocket } from "ws";
import { validator } from "#contract/values/validate.ts";
import { type AppError, refuseInvalid, unauthorized } from "#domain/values/errors.ts";
import { parseJson } from "#domain/values/json.ts";

/** Serves one socket, from its opening on. */
export type Spoken = (socket: WebSocket) => void;

/** A call lasts for minutes, in which a key may be revoked and a session ended. */
const CHECK_EVERY_MS = 5_000;

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
