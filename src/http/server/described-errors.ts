import { loadOf, type Operation } from "#contract/values/operation.ts";
import { ERRORS, type ErrorCode } from "#domain/values/errors.ts";

/** Not described: the answer to what is no request for an operation at all. */
const OF_NO_OPERATION: readonly ErrorCode[] = ["method_not_allowed", "headers_too_large"];

/** Every code that an operation's errors may have, in the order of the catalogue. */
export function errorsOf(operation: Operation): ErrorCode[] {
  const may = new Set<string>([...common(operation), ...(operation.errors ?? [])]);
  return (Object.keys(ERRORS) as ErrorCode[]).filter((code) => may.has(code) && !OF_NO_OPERATION.includes(code));
}

/** Of all that ask like it: by key or session, with a body, with ids. */
function* common({ caller, method, ...operation }: Operation): Generator<ErrorCode> {
  yield* ["invalid_request", "rate_limited", "too_many_failures", "internal", "unavailable"];
  // Even a GET may say that its body is compressed.
  yield "unsupported_media_type";
  if (loadOf(operation) !== "inbound") yield "overloaded";
  if (caller === undefined)
    yield* ["unauthorized", "missing_scope", "wrong_tenant", "address_refused", "organization_limited"];
  if (caller === "person") yield* ["unauthorized", "session_required"];
  if (caller !== "anyone") yield* ["session_over", "role_refused"];
  if (operation.testKeysOnly) yield "test_key_required";
  if (operation.liveKeysOnly) yield "live_key_required";
  // Also an organization, user or agent that the query or the body names.
  if (operation.params || operation.query || operation.body || operation.upload) yield "not_found";
  if (method !== "GET") yield* ["csrf_refused", "conflict", "request_timeout", "payload_too_large"];
  if (method === "POST" && caller === undefined) {
    yield* ["idempotency_key_invalid", "request_in_progress", "idempotency_key_reused"];
  }
  if (operation.audio || operation.media) yield "range_not_satisfiable";
  if (operation.socket) yield* ["csrf_refused", "upgrade_required"];
}
