import { parse } from "secure-json-parse";
import { failure, invalid } from "./errors.ts";

/** Only a text with one of these escapes can hold a NUL or half a surrogate pair. */
const SUSPECT = /\\u(?:0000|d[89a-f])/i;

const decoder = new TextDecoder("utf-8", { fatal: true });

/**
 * The JSON value of a request's bytes. 400 for what is not JSON in UTF-8, for keys that would reach a prototype, and
 * for the two characters that PostgreSQL cannot store. A byte order mark is passed over; of duplicate keys the last wins.
 */
export function parseJson(bytes: Uint8Array): unknown {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    throw failure("invalid_request", "The body must be JSON in UTF-8");
  }
  let value: unknown;
  try {
    value = parse(text, undefined, { protoAction: "error", constructorAction: "error" });
  } catch (error) {
    const forbidden = error instanceof SyntaxError && error.message.includes("forbidden prototype");
    throw failure(
      "invalid_request",
      forbidden ? "The body has a key that is not allowed" : "The body must be valid JSON",
    );
  }
  if (SUSPECT.test(text)) refuseUnstorable(value);
  return value;
}

/** 400, with the field, for a NUL or half a surrogate pair anywhere in a value: PostgreSQL can store neither. */
export function refuseUnstorable(root: unknown): void {
  const waiting: { at: string; value: unknown }[] = [{ at: "", value: root }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { at, value } = next;
    if (typeof value === "string") {
      if (value.includes("\0") || !value.isWellFormed()) {
        throw invalid({ field: at || "body", message: "holds a character that cannot be stored" });
      }
    } else if (Array.isArray(value)) {
      for (const [i, item] of value.entries()) waiting.push({ at: `${at}[${i}]`, value: item });
    } else if (value !== null && typeof value === "object") {
      for (const [key, item] of Object.entries(value)) {
        waiting.push({ at: at ? `${at}.${key}` : key, value: item }, { at: at || "body", value: key });
      }
    }
  }
}
