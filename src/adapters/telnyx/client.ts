import { safeParse } from "secure-json-parse";
import { type VendorAnswer, type VendorClient, vendorClient } from "#adapters/vendor-http/client.ts";
import { VendorFailure } from "#adapters/vendor-http/failure.ts";
import type { VendorHosts } from "#adapters/vendor-http/hosts.ts";
import { isObject, type JsonObject, objectsIn } from "#adapters/vendor-http/json.ts";
import type { CarrierAccount } from "#ports/carrier-account.ts";
import { CarrierProblem } from "#ports/carrier-account.ts";
import { errorOf, errorsOf, type TelnyxError } from "./errors.ts";

export const TELNYX_HOST = "api.telnyx.com";

/** Of one account, of all its senders: also how many texts are in doubt when the process dies, since Telnyx cannot be asked about them. */
export const REQUESTS_AT_A_TIME = 32;
/** The most that Telnyx gives at a time. */
const PAGE_SIZE = 250;
/** 100,000 numbers: an account with more has an agreement of its own, and a listing without an end must end. */
const MAX_PAGES = 400;

export type Method = "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
export type Query = Readonly<Record<string, string | number | readonly string[] | undefined>>;

type More = { query?: Query; body?: JsonObject; isOnce?: boolean };

/** Telnyx's API for one account. */
export interface TelnyxClient {
  /** One text. Rejects with VendorFailure only; an answer of any status is an answer. */
  send(body: JsonObject, signal: AbortSignal, mayLeave: () => boolean): Promise<VendorAnswer>;
  /**
   * Anything else: the answer's body. What changes nothing, or the same again, is repeated where that helps; a POST never, nor what is to be done
   * once. Throws a CarrierProblem for what Telnyx refuses or does not answer.
   */
  ask(method: Method, path: string, more: More, signal: AbortSignal): Promise<unknown>;
  /** All pages of a listing. */
  all(path: string, query: Query, signal: AbortSignal): Promise<JsonObject[]>;
  /** For one of those who share the account. To be closed as the whole. */
  of(party: string): TelnyxClient;
  close(): void;
}

export function telnyxClient(account: Pick<CarrierAccount, "credentials">, hosts: VendorHosts): TelnyxClient {
  const http = vendorClient({ concurrency: REQUESTS_AT_A_TIME });
  return clientOver(http, account, hosts);
}

function clientOver(
  http: Pick<VendorClient, "once" | "safely"> & Partial<VendorClient>,
  account: Pick<CarrierAccount, "credentials">,
  hosts: VendorHosts,
): TelnyxClient {
  const base = `${hosts(TELNYX_HOST)}/v2`;
  const headers = { authorization: `Bearer ${account.credentials.api_key ?? ""}` };
  const requestOf = (method: Method, path: string, { query = {}, body }: More) => ({
    method,
    url: `${base}${path}${searchOf(query)}`,
    headers,
    ...(body ? { body: { type: "application/json", text: JSON.stringify(body) } } : {}),
  });

  const ask: TelnyxClient["ask"] = async (method, path, more, signal) => {
    const request = requestOf(method, path, more);
    const isOnce = more.isOnce ?? method === "POST";
    const answer = await (isOnce ? http.once(request, signal) : http.safely(request, signal)).catch(
      (error: unknown) => {
        throw error instanceof VendorFailure ? unanswered(error, isOnce) : error;
      },
    );
    const body = bodyOf(answer.text);
    // What changes something at Telnyx and was not answered, or by a failure of its own, may have been done.
    if (answer.status >= 500 && isOnce) throw unanswered({ code: `http_${answer.status}`, wasSent: true }, isOnce);
    if (answer.status < 200 || answer.status > 299) throw refused(answer.status, errorsOf(body));
    return body;
  };

  return {
    send: (body, signal, mayLeave) => http.once(requestOf("POST", "/messages", { body }), signal, mayLeave),
    ask,
    async all(path, query, signal) {
      const found: JsonObject[] = [];
      for (let page = 1; page <= MAX_PAGES; page++) {
        const body = await ask(
          "GET",
          path,
          { query: { ...query, "page[number]": page, "page[size]": PAGE_SIZE } },
          signal,
        );
        const { data, meta } = isObject(body) ? body : {};
        // Without its list it is not an empty one: that would mean that the account has nothing.
        if (!Array.isArray(data))
          throw new CarrierProblem("Telnyx's answer cannot be read.", { code: "invalid_answer", remedy: TRY_AGAIN });
        const rows = objectsIn(data);
        found.push(...rows);
        const pages = Number(isObject(meta) ? meta.total_pages : Number.NaN);
        if (rows.length === 0 || !(page < pages)) break;
      }
      return found;
    },
    of: (party) => clientOver(http.of?.(party) ?? http, account, hosts),
    close: () => void http.close?.(),
  };
}

/** A JSON body, whatever it is; undefined for what is none. A delete may be answered by nothing. */
export const bodyOf = (text: string): unknown => (text === "" ? undefined : (safeParse(text) ?? undefined));

/** What an answer is about: `data`, in most of them. */
export function dataOf(body: unknown): JsonObject {
  const data = isObject(body) ? body.data : undefined;
  return isObject(data) ? data : {};
}

function searchOf(query: Query): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value ?? []].flat()) search.append(name, String(one));
  }
  return search.size === 0 ? "" : `?${search}`;
}

const TRY_AGAIN = "Try again in a minute; if it stays so, see Telnyx's status page.";
/** The key may not do this: it may do other things, and texts still leave by it. */
export const NOT_PERMITTED = "10010";
const KEY_REMEDY = "Make an API key in Telnyx's portal that may do this, and enter it for this carrier account.";

function refused(status: number, errors: readonly TelnyxError[]): CarrierProblem {
  const [error = { code: String(status) }] = errors;
  const known = errorOf(error.code);
  const isCredentials = status === 401 || known.class === "credentials";
  const words = known.class === "refused" ? (error.detail ?? error.title ?? known.words) : known.words;
  return new CarrierProblem(`Telnyx refuses this: ${words} (${error.code}).`, {
    code: error.code,
    account:
      error.code === NOT_PERMITTED
        ? undefined
        : isCredentials
          ? "refused"
          : known.class === "account"
            ? "suspended"
            : undefined,
    ...(isCredentials ? { remedy: KEY_REMEDY } : {}),
  });
}

const unanswered = ({ code, wasSent }: Pick<VendorFailure, "code" | "wasSent">, isOnce: boolean): CarrierProblem =>
  new CarrierProblem(`Telnyx did not answer (${code}).`, {
    code,
    isUndecided: wasSent && isOnce,
    isUnanswered: wasSent,
    remedy: "Try again in a minute; if that does not help, check that this machine reaches api.telnyx.com.",
  });
