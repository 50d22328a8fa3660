import { ApiError, type FieldError } from "./error.ts";
import type { Answer, FormFields, Given, Key } from "./operations.ts";

type Parts = { params?: Record<string, unknown>; query?: Record<string, unknown>; body?: unknown };

/** A POST whose answer was lost is asked again under the same Idempotency-Key: it happens once. */
const LOST_ANSWER_TRIES = 3;
const LOST_ANSWER_PAUSE_MS = 700;

let csrfToken: string | undefined;

/** What the session's answer says; sent with everything that changes something. */
export function setCsrfToken(token: string | undefined): void {
  csrfToken = token;
}

let warn: (warning: string) => void = () => {};

/** Set once by the app: where a person sees what the API took and says will not work as it was meant. */
export function onWarning(show: (warning: string) => void): void {
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

async function send<A>(path: string, { method, headers, body, signal }: Sent): Promise<A> {
  const all = {
    ...headers,
    ...(method !== "GET" && csrfToken !== undefined ? { "x-csrf-token": csrfToken } : {}),
    ...(method === "POST" ? { "idempotency-key": randomKey() } : {}),
  };
  const response = await withoutLoss(method, () =>
    fetch(path, { method, headers: all, body, signal, credentials: "same-origin" }),
  );
  const answer = (await response.json().catch(() => undefined)) as
    | { error?: string; code?: string; details?: FieldError[]; request_id?: string; warnings?: string[] }
    | undefined;
  if (response.ok && answer !== undefined) {
    for (const warning of answer.warnings ?? []) warn(warning);
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

/** What may be repeated is, when no answer came. */
async function withoutLoss(method: string, ask: () => Promise<Response>): Promise<Response> {
  for (let tried = 1; ; tried++) {
    try {
      return await ask();
    } catch (error) {
      if (error instanceof DOMException && error.name === "AbortError") throw error;
      if (method !== "POST" || tried === LOST_ANSWER_TRIES) {
        throw new ApiError(0, "no_connection", "The service cannot be reached. Check your connection.");
      }
      await new Promise((resolve) => setTimeout(resolve, LOST_ANSWER_PAUSE_MS * tried));
    }
  }
}

/** 128 random bits. `crypto.randomUUID` is there on https and localhost only. */
function randomKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
