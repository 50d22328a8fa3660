import { AppError, type FieldProblem } from "./errors.ts";

/** A longer value is no id: it is not said again. */
const MAX_VALUE = 200;

/**
 * The details of an error: its own, else of a 404 or 409 the field of the request that names what it is about, with the field's value, unless
 * that is a phone number.
 * `parts` are the request's path parameters, query and body; a 409 that is about no field of its own is about the last parameter of the path.
 */
export function detailsOf(error: AppError, parts: readonly unknown[]): FieldProblem[] | undefined {
  const { code, details, message } = error;
  if (details || (code !== "not_found" && code !== "conflict")) return details;
  const ofPath = code === "conflict" ? Object.keys((parts[0] as object | undefined) ?? {}).slice(-1) : [];
  for (const field of error.about.length > 0 ? error.about : ofPath) {
    const value = parts.map((part) => valueAt(part, field)).find((found) => found !== undefined);
    if (value === undefined) continue;
    // However a number was written, neither the log of requests nor an erasure would know it again.
    const said = field === "phone_number" ? "" : `: ${value}`;
    return [{ field, message: `${code === "not_found" ? "not found" : message}${said}` }];
  }
  return undefined;
}

/** Throws what was thrown where the body of a request was read, with the details that only the body has. */
export function rethrowNamed(error: unknown, body: unknown): never {
  const details = error instanceof AppError && error.about.length > 0 ? detailsOf(error, [body]) : undefined;
  throw details ? new AppError((error as AppError).code, (error as AppError).message, { details }) : error;
}

/** The text of a field, `from_campaign.campaign_id` of one within another; of a list of ids all. */
function valueAt(part: unknown, field: string): string | undefined {
  let at = part;
  for (const name of field.split(".")) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, name)) return undefined;
    at = (at as Record<string, unknown>)[name];
  }
  const text = Array.isArray(at) ? at.join(", ") : at;
  return typeof text === "string" && text !== "" && text.length <= MAX_VALUE ? text : undefined;
}
