import { ApiError, type FieldError } from "./error.ts";
import type { Answer, FormFields, Given, Key } from "./operations.ts";
import { answered, keyFor } from "./unanswered.ts";

type Parts = { params?: Record<string, unknown>; query?: Record<string, unknown>; body?: unknown };

/** A POST whose answer was lost is asked again under the same Idempotency-Key, by itself and then by whoever presses again: it happens once. */
const LOST_ANSWER_TRIES = 3;
const LOST_ANSWER_PAUSE_MS = 700;
/** Longer than any request of the console takes; then it is said, and pressing again asks for the same. */
const STILL_RUNNING_TRIES = 30;

let csrfToken: string | undefined;

/** What the session's answer says; sent with everything that changes something. */
export function setCsrfToken(token: string | undefined): void {
  csrfToken = token;
}

type Warn = (warning: string, of: { isCheck: boolean }) => void;
let warn: Warn = () => {};

/**
 * Set once by the app: where a person sees what the API took and says will not work as it was meant. `isCheck` where nothing was changed: it is asked
 * again and again.
 */
export function onWarning(show: Warn): void {
  warn = show;
}

/** The path of an operation with its parameters and query filled in: also for a link to a file, or the source of a recording. */
export function pathOf<K extends Key>(key: K, ...given: Given<K>): string {
  const { params = {}, query = {} } = (given[0] ?? {}) as Parts;
  const path = key
    .slice(key.indexOf(" ") + 1)
    .replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name])));
  const said = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  const search = new URLSearchParams(said.map(([name, value]) => [name, String(value)])).toString();
  return search === "" ? path : `${path}?${search}`;
}

/**
 * Asks one operation of the contract, as the signed-in user.
 *
 * @throws ApiError with the API's own code, sentence and wrong fields
 */
export function call<K extends Key>(key: K, ...given: Given<K>): Promise<Answer<K>> {
  return callUntil(undefined, key, ...given);
}

/** As `call`, until the signal says that nobody waits any more. */
export async function callUntil<K extends Key>(
  signal: AbortSignal | undefined,
  key: K,
  ...given: Given<K>
): Promise<Answer<K>> {
  const { body } = (given[0] ?? {}) as Parts;
  const method = key.slice(0, key.indexOf(" "));
  const headers: Record<string, string> = body === undefined ? {} : { "content-type": "application/json" };
  return send(pathOf(key, ...given), {
    method,
    headers,
    body: body === undefined ? undefined : JSON.stringify(body),
    signal,
  });
}

/** Sends a form with one file to an operation that takes uploads. */
export function sendFile<K extends Key>(key: K, file: File, fields: FormFields<K>): Promise<Answer<K>> {
  const form = new FormData();
  // Fields come first: the API reads the form as a stream and has to know them before the file.
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.append(name, String(value));
  form.append("file", file);
  return send(pathOf(key, ...([{}] as unknown as Given<K>)), { method: "POST", headers: {}, body: form });
}

type Sent = { method: string; headers: Record<string, string>; body?: string | FormData; signal?: AbortSignal };

type Answered = {
  error?: string;
  code?: string;
  details?: FieldError[];
  request_id?: string;
  warnings?: string[];
};

/** What gives the session another cookie: POSTs by the last part of their path. */
const RENEWING: ReadonlySet<string> = new Set(["proof", "password", "confirmation", "passkey"]);
/** Those that are under way, and how many have been answered. */
const renewing = new Set<Promise<unknown>>();
let renewed = 0;

let prove: () => Promise<boolean> = async () => false;
let proving: Promise<boolean> | undefined;

/** Set once by the app: has a person show who it is. False when the person would rather not. Returns what ends that. */
export function onProofNeeded(ask: () => Promise<boolean>): () => void {
  prove = ask;
  return () => {
    prove = async () => false;
  };
}

/** As `sendAnew`. What wants a fresh proof first is sent again once that was given; several at once ask for one. */
async function send<A>(path: string, sent: Sent): Promise<A> {
  try {
    return await sendAnew(path, sent);
  } catch (error) {
    if (!(error instanceof ApiError && error.code === "proof_required")) throw error;
    proving ??= prove().finally(() => {
      proving = undefined;
    });
    if (!(await proving)) throw error;
    return sendAnew(path, sent);
  }
}

/** As `sendOnce`. What was under way while the session got another cookie went with the one before, and is sent again with the new one. */
async function sendAnew<A>(path: string, sent: Sent): Promise<A> {
  const before = renewed;
  if (sent.method === "POST" && RENEWING.has(lastPart(path))) return renew(path, sent);
  try {
    return await sendOnce(path, sent);
  } catch (error) {
    if (!(error instanceof ApiError && error.code === "session_over")) throw error;
    await Promise.allSettled(renewing);
    if (renewed === before) throw error;
    return sendOnce(path, sent);
  }
}

async function renew<A>(path: string, sent: Sent): Promise<A> {
  const asked = sendOnce<A & { session?: { csrf_token?: string } }>(path, sent).then((answer) => {
    setCsrfToken(answer.session?.csrf_token);
    renewed++;
    return answer;
  });
  renewing.add(asked);
  try {
    return await asked;
  } finally {
    renewing.delete(asked);
  }
}

async function sendOnce<A>(path: string, { method, headers, body, signal }: Sent): Promise<A> {
  const isCheck = isRepeatable(path, body);
  const sent = method === "POST" && !isCheck ? `${path} ${contentOf(body)}` : undefined;
  const all = {
    ...headers,
    ...(method !== "GET" && csrfToken !== undefined ? { "x-csrf-token": csrfToken } : {}),
    ...(sent === undefined ? {} : { "idempotency-key": keyFor(sent) }),
  };
  const { response, answer } = await withoutLoss(method, async () => {
    const response = await fetch(path, { method, headers: all, body, signal, credentials: "same-origin" });
    return { response, answer: (await bodyOf(response)) as Answered | undefined };
  });
  if (sent !== undefined && isSettled(response, answer)) answered(sent);
  if (response.ok && answer !== undefined) {
    for (const warning of answer.warnings ?? []) warn(warning, { isCheck });
    return answer as A;
  }
  throw new ApiError(
    response.status,
    answer?.code ?? "unknown",
    answer?.error ?? `The service answered with ${response.status}.`,
    answer?.details,
    answer?.request_id,
  );
}

/**
 * What comes to the same however often it is asked, or only asks, or signs in. It goes without a key: the answer to an earlier "pause", or to an earlier check,
 * must not stand for the one that is wanted now.
 */
const REPEATABLE: ReadonlySet<string> = new Set([
  ...["preflight", "preview", "test-carrier", "test-model", "check", "connect"],
  // Nothing of a password is kept, and the service takes no key with it.
  ...["session", "password", "setup"],
  ...["pause", "resume", "stop", "stop-calls", "pause-agent", "resume-agent", "assign", "read", "add", "remove"],
]);
const lastPart = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
const isRepeatable = (path: string, body: string | FormData | undefined): boolean =>
  REPEATABLE.has(lastPart(path)) ||
  (typeof body === "string" && (JSON.parse(body) as { dry_run?: boolean }).dry_run === true);

/** What a request would do, as a text: of a file what makes it this file and no other. */
function contentOf(body: string | FormData | undefined): string {
  if (!(body instanceof FormData)) return body ?? "";
  return JSON.stringify(
    [...body].map(([name, value]) =>
      typeof value === "string" ? [name, value] : [name, value.name, value.size, value.lastModified],
    ),
  );
}

/** A connection that is lost in mid-answer throws; what is no JSON is an answer of something between us and the service. */
async function bodyOf(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Refused before the service has looked whether an earlier try was done. */
const BEFORE_THE_KEY: readonly number[] = [401, 408, 425, 429];
const STILL_RUNNING = "request_in_progress";
/** A carrier has yet to say: the same request again goes on with what it has begun. */
const UNDER_WAY = "order_pending";

/** Whether this answer is about the request itself, so that the same sent again is another one. */
function isSettled(response: Response, answer: Answered | undefined): boolean {
  if (response.headers.get("idempotent-replayed") === "true") return true;
  if (response.status >= 500 || BEFORE_THE_KEY.includes(response.status) || answer === undefined) return false;
  return answer.code !== STILL_RUNNING && answer.code !== UNDER_WAY && answer.code !== "csrf_refused";
}

/** What may be repeated is, when no answer came, and while the service still works on a try whose connection was lost. */
async function withoutLoss<A extends { response: Response; answer: Answered | undefined }>(
  method: string,
  ask: () => Promise<A>,
): Promise<A> {
  for (let tried = 1, waited = 0; ; ) {
    try {
      const asked = await ask();
      if (asked.answer?.code !== STILL_RUNNING || waited++ === STILL_RUNNING_TRIES) return asked;
    } catch (error) {
      if (error instanceof DOMException && error.name === "AbortError") throw error;
      if (method !== "POST" || tried === LOST_ANSWER_TRIES) {
        throw new ApiError(0, "no_connection", "The service cannot be reached. Check your connection.");
      }
      tried++;
    }
    await new Promise((resolve) => setTimeout(resolve, LOST_ANSWER_PAUSE_MS * tried));
  }
}
