import { namesIn } from "#contract/values/names.ts";
import { ERRORS, type ErrorCode } from "#domain/values/errors.ts";
import { type Described, nonconformance } from "#test/support/api/openapi.ts";
import type { Answer } from "#test/support/api/parley.ts";
import type { Case } from "./cases.ts";

/** A broken promise: which of Schemathesis's checks failed, and how. */
export type Broken = { check: string; how: string };

/**
 * Fields with rules that a schema cannot say: numbers that exist, templates that render, times that come after others. A
 * value of the schema may be a 400 that names one of these, and no other field.
 */
const SEMANTIC = new RegExp(
  [
    "phone|number|^from$|^to$|^interval$|file|contacts|clients|leads|^contact\\b|birthday|area_code",
    "starting_message|voicemail_message|drip_schedule|extraction_fields|allowed_links|language|working_hours",
    "boosted_keywords|transfer_to|voice_id|agent_name|prompt|agent_type|_agent_id|_id$",
    "calling_window|_time$|^begin$|^end$|expires_at|advance_ms|^text$|^says|pagination_key|^search$|^time_zone$|^page$|^limit$",
    // Who ends an opt-out needs an express basis and a proof.
    "^basis$|^proof$",
    // A question of a script is one sentence that asks.
    "^questions\\[",
  ].join("|"),
);

/** What the interface has codes of its own for: what is asked is of the schema, and cannot be. */
const REFUSALS = new Set(["sms_not_enabled", "voice_not_enabled", "idempotency_key_invalid"]);

/** The interface lists some 500s of its own; they are no fault of the server's. */
export const isOwnFailure = ({ status, body }: Answer): boolean =>
  status === 500 && body?.code !== "internal" && ERRORS[body?.code as ErrorCode]?.status === 500;

/** Paths as they are described: where `{campaign_id}` stands, `preflight` may. */
export type IsTaken = (method: string, path: string) => boolean;

/** Everything that an answer breaks. `isTakenBy` says whether an operation has a method at a path. */
export function broken(operation: Described, sent: Case, answer: Answer, isTakenBy: IsTaken): Broken[] {
  const found: Broken[] = [];
  const said = JSON.stringify(answer.body).slice(0, 300);
  const add = (check: string, how: string) => found.push({ check, how: `${how}: ${said}` });
  if (answer.status >= 500 && !isOwnFailure(answer)) add("not_a_server_error", String(answer.status));
  if (sent.method !== operation.method) {
    // Another operation of the path took it, or it is one that the path does not have: that is a 405, whoever asks.
    if (answer.status === 405 && !answer.headers.get("allow")) add("unsupported_method", "a 405 without Allow");
    const isTaken = isTakenBy(sent.method, operation.path);
    // A body that cannot be read at all, or is said to be of another kind, is refused before the method is checked.
    const isOdd = sent.isValid !== true || Object.keys(sent.headers).length > 0;
    const isUnread = isOdd && [400, 413, 415].includes(answer.status);
    if (!isTaken && isRouted(sent) && !isUnread && answer.status !== 405)
      add("unsupported_method", String(answer.status));
    return found;
  }
  // A dot in place of an id leads to another operation's path.
  if (!isRouted(sent)) return found;
  const problem = nonconformance(operation, answer);
  if (problem?.startsWith("status")) add("status_code_conformance", problem);
  else if (problem?.startsWith("content type")) add("content_type_conformance", problem);
  else if (problem) add("response_schema_conformance", problem);
  if (sent.auth !== "key") {
    const check = sent.auth === "none" ? "missing_required_header" : "ignored_auth";
    // A link that is not ours is refused as one: it is no missing key.
    const isRefusedLink = operation.byLink && sent.auth === "none" && "token" in sent.query && answer.status === 403;
    if (answer.status !== 401 && !isRefusedLink) add(check, String(answer.status));
    return found;
  }
  if (sent.isValid === false && answer.status < 400) add("negative_data_rejection", String(answer.status));
  if (sent.isValid && sent.isThere && Object.keys(sent.headers).length === 0 && !isTaken(operation, sent, answer)) {
    add("positive_data_acceptance", String(answer.status));
  }
  return found;
}

/** What is no path of ours is a 404 to everybody, before any key is looked at: an empty id, dots, one that is too long. */
const isRouted = ({ params }: Case): boolean =>
  Object.values(params).every((param) => !["", ".", ".."].includes(param) && encodeURIComponent(param).length <= 400);

/** Success, or a refusal that no schema could have described. */
function isTaken(operation: Described, sent: Case, answer: Answer): boolean {
  // Who asks for a WebSocket without an upgrade (426) has asked for the right thing in the wrong way, of which schemas know nothing.
  if (answer.status < 400 || [404, 409, 410, 426].includes(answer.status) || isOwnFailure(answer)) return true;
  // The keys here are test keys, which may not ask for what is of live mode alone, and no persons, who have read or not.
  if (answer.status === 403)
    return ["wrong_tenant", "live_key_required", "session_required"].includes(answer.body.code);
  if (answer.status === 413) return sent.isLarge;
  if (answer.status !== 400) return false;
  if (answer.body.code !== "invalid_request") return REFUSALS.has(answer.body.code);
  const details: Detail[] = answer.body.details ?? [];
  return details.length > 0 && details.every((detail) => SEMANTIC.test(detail.field) || isMisspelt(operation, detail));
}

type Detail = { field: string; message: string };

/** A name that the schema leaves free, and that is next to one of its own: of few letters even a made-up one may be (`o` and `to`). */
function isMisspelt(operation: Described, { field, message }: Detail): boolean {
  const meant = /^is not a known (?:field|parameter), did you mean (\w+)\?$/.exec(message)?.[1];
  const known = new Set([...Object.keys(operation.query), ...namesIn(operation.body ?? {})]);
  return meant !== undefined && known.has(meant) && !known.has(field.split(".").at(-1)!);
}
