import type { TSchema } from "typebox";
import type { WebSocket } from "ws";
import { validator } from "#contract/validate.ts";
import { type AppError, invalid } from "#domain/errors.ts";

/** Serves one socket, from its opening on. */
export type Spoken = (socket: WebSocket) => void;

const checks = new WeakMap<TSchema, ReturnType<typeof validator>>();

/** A message as its schema has it. Fails with what is wrong with it. */
export function messageOf(schema: TSchema, data: Buffer): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(data.toString());
  } catch {
    throw invalid({ field: "message", message: "is not JSON" });
  }
  const check = checks.get(schema) ?? validator(schema, "message");
  checks.set(schema, check);
  const [first, ...rest] = check(value);
  if (first) throw invalid(first, ...rest);
  return value as Record<string, unknown>;
}

/** What could not be done, as the last message of a socket. */
export const lastWord = ({ message, code, details }: AppError): object => ({
  type: "error",
  error: message,
  code,
  ...(details ? { details } : {}),
});
