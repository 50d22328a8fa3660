import { parse } from "secure-json-parse";
import { failure, invalid } from "./errors.ts";
import { refuseHuge } from "./json-bounds.ts";
import { isStorable } from "./storable.ts";

/** Only a text with one of these escapes can hold a NUL or half a surrogate pair. */
const SUSPECT = /\\u(?:0000|d[89a-f])/i;

const decoder = new TextDecoder("utf-8", { fatal: true });

/**
 * The JSON value of a request's bytes. 400 for what is not JSON in UTF-8 or is nested too deep, for keys that would reach a
 * prototype, and for the two characters that PostgreSQL cannot store; 413 for more values than fit into memory. A byte order
 * mark is passed over; of duplicate keys the last wins.
 */
export function parseJson(bytes: Uint8Array): unknown {
  refuseHuge(bytes);
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
  const path = unstorable(root);
  if (path) throw invalid({ field: pathText(path) || "body", message: "holds a character that cannot be stored" });
}

const cannotBeStored = (text: string): boolean => !isStorable(text);

/** The way to the first such text, from its end; none is written down for the millions that are right. */
function unstorable(value: unknown): (string | number)[] | undefined {
  if (typeof value === "string") return cannotBeStored(value) ? [] : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const path = unstorable(value[i]);
      if (path) return [...path, i];
    }
    return undefined;
  }
  for (const key in value) {
    // A wrong name is reported by the object that has it.
    if (cannotBeStored(key)) return [];
    const path = unstorable((value as Record<string, unknown>)[key]);
    if (path) return [...path, key];
  }
  return undefined;
}

const pathText = (path: readonly (string | number)[]): string =>
  path.reduceRight<string>(
    (text, part) => (typeof part === "number" ? `${text}[${part}]` : text ? `${text}.${part}` : part),
    "",
  );
