/**
 * Every error that Parley answers with. The code is the stable name that programs test, the message one
 * sentence for a person. docs/errors.md is held to this list, both ways, by a test.
 */
export const ERRORS = {
  invalid_request: {
    status: 400,
    meaning: "The request is malformed, or a field is missing or wrong; `details` names every one.",
  },
  sms_not_enabled: {
    status: 400,
    meaning: "The agent is not an SMS agent, or the sender number is not one the tenant may text from.",
  },
  voice_not_enabled: { status: 400, meaning: "Voice was asked for where no voice carrier can place the call." },
  idempotency_key_invalid: { status: 400, meaning: "`Idempotency-Key` is not 1 to 255 printable characters." },
  unauthorized: {
    status: 401,
    meaning: "The API key is missing, malformed, unknown, revoked or expired: `details` says which.",
  },
  wrong_credentials: { status: 401, meaning: "The e-mail address or the password is wrong, or may not sign in." },
  session_over: { status: 401, meaning: "The cookie's session is over, or was never one: sign in." },
  missing_scope: { status: 403, meaning: "The key is valid but lacks the scope of this operation." },
  role_refused: {
    status: 403,
    meaning: "The role of whoever is signed in does not allow this: `docs/permissions.md`.",
  },
  address_refused: {
    status: 403,
    meaning: "The key has addresses from which it may be used, and this is none of them: `docs/api-keys.md`.",
  },
  organization_limited: {
    status: 403,
    meaning: "It is the whole tenant's, and the caller is limited to organizations.",
  },
  organization_archived: {
    status: 403,
    meaning: "Every organization that the caller is limited to is archived.",
  },
  wrong_tenant: { status: 403, meaning: "`tenant_id` names another tenant than the key's own." },
  test_key_required: { status: 403, meaning: "The simulator serves test keys only." },
  session_required: { status: 403, meaning: "The operation is for somebody who is signed in; an API key is nobody." },
  factor_required: {
    status: 403,
    meaning:
      "The sign-in is not complete: a second factor has to be shown, or added, first (`pending` of the session says which).",
  },
  proof_required: {
    status: 403,
    meaning:
      "It changes how people sign in, or gives away an admin's rights, and the last proof is too long ago: show a factor, or the password, by `POST /v1/session/proof` first.",
  },
  sign_on_refused: {
    status: 403,
    meaning: "A sign-in by an identity provider is not accepted: the sentence says why. Nothing has changed.",
  },
  sign_on_required: {
    status: 403,
    meaning: "The tenant signs in by its identity provider alone: `POST /v1/session/oidc`.",
  },
  csrf_refused: {
    status: 403,
    meaning: "A request by cookie lacks its session's `X-CSRF-Token`, or a browser sent it from another site.",
  },
  link_invalid: { status: 403, meaning: "The signed link is not one of ours, or its time is over." },
  live_key_required: {
    status: 403,
    meaning: "A test key cannot make a live key, change a user of both modes, or have carriers.",
  },
  not_found: { status: 404, meaning: "No such thing for this tenant, or no such path." },
  method_not_allowed: { status: 405, meaning: "The path exists, this method on it does not." },
  request_timeout: { status: 408, meaning: "The request did not arrive within the time that it has." },
  conflict: { status: 409, meaning: "The same id or name exists with other content, or the thing is in use." },
  order_pending: {
    status: 409,
    meaning:
      "The carrier has taken the order of a number or a registration, or may have: it completes by itself, and the request repeated goes on with the same one.",
  },
  request_in_progress: { status: 409, meaning: "A request with this `Idempotency-Key` is still running." },
  events_gone: {
    status: 410,
    meaning: "The log of events does not reach from `after` to now without a gap: read anew what you keep of it.",
  },
  payload_too_large: { status: 413, meaning: "The body, or the number of leads in it, is over the limit." },
  unsupported_media_type: { status: 415, meaning: "The body is not `application/json`." },
  range_not_satisfiable: { status: 416, meaning: "The file ends before the `Range` that was asked for." },
  upgrade_required: { status: 426, meaning: "The operation is a WebSocket: the request has to ask for the upgrade." },
  carrier_problem: {
    status: 422,
    meaning:
      "The carrier refuses the account's credentials, or what it was asked: the sentence says why and what to do.",
  },
  provider_problem: {
    status: 422,
    meaning: "The identity provider cannot be used now: the sentence says what is wrong with it.",
  },
  idempotency_key_reused: { status: 422, meaning: "This `Idempotency-Key` came before with another body." },
  rate_limited: {
    status: 429,
    meaning:
      "The key, its tenant or the address has used up its requests, or too many sign in at once; `Retry-After` says when to come back.",
  },
  too_many_failures: {
    status: 429,
    meaning:
      "Too many wrong API keys, links or passwords from this address, or for this account; `Retry-After` says when to come back.",
  },
  headers_too_large: { status: 431, meaning: "The headers are over 16 kB together." },
  internal: { status: 500, meaning: "Our fault; quote `request_id`. The request may be repeated." },
  agent_not_found: { status: 500, meaning: "The number cannot be linked: there is no voice agent of this `agent_id`." },
  provisioning_failed: { status: 500, meaning: "The carrier did not give out a number; the request may be repeated." },
  update_failed: { status: 500, meaning: "The number was given back while it was changed." },
  no_numbers_available: { status: 500, meaning: "The carrier has no number in that area code." },
  voice_configuration_failed: {
    status: 500,
    meaning: "The voice agent could not be configured: its `voice_id` is unknown.",
  },
  overloaded: {
    status: 503,
    meaning: "Too much to do at once: bulk posts and lists wait first; `Retry-After` says when.",
  },
  unavailable: { status: 503, meaning: "The service is draining, or its database is away; repeat the request later." },
} as const satisfies Record<string, { status: number; meaning: string }>;

export type ErrorCode = keyof typeof ERRORS;

/** One wrong field: its path as the caller wrote it (`contacts[3].phone_number`) and what it must be. */
export type FieldProblem = { field: string; message: string };

type More = {
  details?: FieldProblem[];
  retryAfterSeconds?: number;
  about?: readonly string[];
  keyFault?: KeyFault;
};

/** What can be wrong with an API key, as the details of a 401 say it. */
const KEY_FAULTS = {
  missing: "is missing: a key is read from this header alone",
  malformed: "is malformed: a key begins with pk_live_ or pk_test_ and has no spaces",
  unknown: "is unknown",
  mistyped: "is mistyped or cut: its last six characters are the checksum of the others, and are not theirs",
  revoked: "is revoked",
  expired: "has expired",
} as const;
export type KeyFault = keyof typeof KEY_FAULTS;

/** The one error class that reaches a caller. Made only by the functions below. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: FieldProblem[] | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** Fields of a request that may have named what this is about: domain/values/named-fault.ts finds the one that did. */
  readonly about: readonly string[];
  /** What is wrong with the key of a 401. */
  readonly keyFault: KeyFault | undefined;

  constructor(code: ErrorCode, message: string, more: More = {}) {
    super(message);
    this.name = "AppError";
    this.code = code;
    this.status = ERRORS[code].status;
    this.details = more.details;
    this.retryAfterSeconds = more.retryAfterSeconds;
    this.about = more.about ?? [];
    this.keyFault = more.keyFault;
  }
}

/** 400 that names every wrong field at once. The sentence is made of the first. */
export function invalid(...details: [FieldProblem, ...FieldProblem[]]): AppError {
  const rest = details.length > 1 ? ` (and ${details.length - 1} more, see details)` : "";
  return new AppError("invalid_request", `${details[0].field} ${details[0].message}${rest}`, { details });
}

/** Throws the 400 of `invalid` where anything is wrong. */
export function refuseInvalid(problems: readonly FieldProblem[]): void {
  const [first, ...rest] = problems;
  if (first) throw invalid(first, ...rest);
}

/** 400 for a single field: `invalidField("name", "is required")`. */
export const invalidField = (field: string, message: string): AppError => invalid({ field, message });

/** Where requests name things, by the noun of a 404. The first that a request has is what it is about. */
const NAMED_BY: Record<string, readonly string[]> = {
  Organization: ["org_id", "organization_id", "organization_ids"],
  User: ["user_id"],
  Agent: ["agent_id", "sms_agent_id"],
  "Voice agent": ["voice_agent_id", "agent_id"],
  Contact: ["lead_id", "phone_number"],
  Lead: ["lead_id"],
  List: ["list_id"],
  Campaign: ["campaign_id"],
  Thread: ["thread_id"],
  Message: ["message_id"],
  Call: ["call_id", "call"],
  Recording: ["call_id", "call"],
  Import: ["import_id"],
  Version: ["version"],
  Voice: ["voice_id"],
  Brand: ["brand_id", "brandId"],
  Carrier: ["carrier_id"],
  "10DLC campaign": ["campaign_id"],
  "Phone number": ["phone_number"],
  "Toll-free verification": ["phone_number"],
  "API key": ["key_id"],
  Session: ["session_id"],
  Factor: ["factor_id"],
  Task: ["task_id"],
};

/** 404. A foreign, deleted, malformed or random id all read the same: "Contact not found". */
export const notFound = (what: string, field?: string): AppError =>
  new AppError("not_found", `${what} not found`, { about: field === undefined ? (NAMED_BY[what] ?? []) : [field] });

/** 409 about a field of the request; without one it is about what the path names. */
export const conflict = (message: string, field?: string): AppError =>
  new AppError("conflict", message, { about: field === undefined ? [] : [field] });

/**
 * 401. One sentence for every cause; its details say which. That a key is revoked or has expired is said to who has the whole key alone: an id
 * that exists and one that does not are both unknown.
 */
export const unauthorized = (keyFault?: KeyFault): AppError =>
  new AppError("unauthorized", "Invalid API key", {
    ...(keyFault ? { keyFault, details: [{ field: "X-API-Key", message: KEY_FAULTS[keyFault] }] } : {}),
  });

/** 401 for the cookie of no session. */
export const sessionOver = (): AppError =>
  new AppError("session_over", "The session is over: sign in", {
    details: [{ field: "Cookie", message: "is that of a session that is over, or never was" }],
  });

/** 401. One text for an unknown address, a wrong password, and a user who has none. */
export const wrongCredentials = (): AppError =>
  new AppError("wrong_credentials", "The e-mail address or the password is wrong");

/** 403 for the link of an invitation or of the setup, whatever is wrong with it. */
export const linkUsed = (): AppError =>
  new AppError("link_invalid", "This link is not valid, has been used, or its time is over");

export const missingScope = (scope: string, area?: string): AppError =>
  new AppError(
    "missing_scope",
    area === undefined || scope === "admin"
      ? `This key lacks the "${scope}" scope`
      : `This key lacks the "${scope}" scope, or "${area}:${scope}" for this part alone`,
  );

/** Any other error of the catalogue, with its sentence. */
export const failure = (code: ErrorCode, message: string): AppError => new AppError(code, message);

/** Any other error of the catalogue about a field of the request, whose name or value (`said`) its sentence begins with. */
export const failedField = (code: ErrorCode, field: string, message: string, said = field): AppError =>
  new AppError(code, `${said} ${message}`, { details: [{ field, message }] });

export const rateLimited = (retryAfterSeconds: number, message = "Too many requests with this key"): AppError =>
  new AppError("rate_limited", message, { retryAfterSeconds });

/** 429 for an address that tries keys, or an account for which passwords are tried. It says nothing of the one at hand. */
export const tooManyFailures = (retryAfterSeconds: number, of = "API keys from this address"): AppError =>
  new AppError("too_many_failures", `Too many wrong ${of}`, { retryAfterSeconds });

/** 503 for what has to wait while there is too much to do. */
export const overloaded = (message: string, retryAfterSeconds: number): AppError =>
  new AppError("overloaded", message, { retryAfterSeconds });
