import type { VendorAnswer, VendorClient, VendorRequest } from "#adapters/vendor-http/client.ts";
import { VendorFailure } from "#adapters/vendor-http/failure.ts";
import type { VendorHosts } from "#adapters/vendor-http/hosts.ts";
import { isObject, type JsonObject, jsonObject, objectsIn, textIn } from "#adapters/vendor-http/json.ts";
import { CarrierProblem } from "#ports/carrier-account.ts";
import type { TwilioAccount } from "./account.ts";
import { BARS, wordsOf } from "./errors.ts";

/** Form fields; one with several values is sent several times, one that is undefined not at all. */
export type Form = Readonly<Record<string, string | readonly string[] | undefined>>;
export type Host = "api" | "messaging" | "trusthub" | "lookups";

export type TwilioApi = {
  account: TwilioAccount;
  client: Pick<VendorClient, "once" | "safely">;
  /** A request to a path, which has its query with it. */
  request(host: Host, method: VendorRequest["method"], path: string, form?: Form): VendorRequest;
  /** Something that may be read or written again. Answers with the object, or throws a CarrierProblem. */
  ask(host: Host, method: VendorRequest["method"], path: string, signal: AbortSignal, form?: Form): Promise<JsonObject>;
  /** What time it was by Twilio's own clock at its latest answer, in milliseconds; undefined where no answer has said. */
  time(): number | undefined;
};

export function twilioApi(account: TwilioAccount, client: TwilioApi["client"], hosts: VendorHosts): TwilioApi {
  let time: number | undefined;
  const api: TwilioApi = {
    time: () => time,
    account,
    client,
    request: (host, method, path, form) => ({
      method,
      url: `${hosts(account.host(host))}${path}`,
      headers: { authorization: account.authorization },
      ...(form ? { body: { type: "application/x-www-form-urlencoded", text: encoded(form) } } : {}),
    }),
    async ask(host, method, path, signal, form) {
      const answer = await client.safely(api.request(host, method, path, form), signal).catch((error) => {
        throw unreachable(error);
      });
      const at = Date.parse(answer.headers.date ?? "");
      if (!Number.isNaN(at)) time = at;
      return objectIn(answer, path === accountPath(account) ? "account" : "other");
    },
  };
  return api;
}

/** Makes something, once: where Twilio does not say whether it did, that is undecided. */
export async function create(
  api: TwilioApi,
  host: Host,
  path: string,
  form: Form,
  signal: AbortSignal,
): Promise<JsonObject> {
  const answer = await api.client.once(api.request(host, "POST", path, form), signal).catch((error) => {
    if (error instanceof VendorFailure) throw unanswered(error.code, error.wasSent);
    throw error;
  });
  if (answer.status >= 500) throw unanswered(`http_${answer.status}`, true);
  return objectIn(answer);
}

const unanswered = (code: string, isUndecided: boolean): CarrierProblem =>
  new CarrierProblem("Twilio did not say whether it has taken this.", { code, isUndecided, remedy: TRY_AGAIN });

/** The account itself. */
export const accountPath = ({ sid }: TwilioAccount): string => `/2010-04-01/Accounts/${sid}.json`;

/** The path of something of the account's. */
export const pathOf = ({ sid }: TwilioAccount, rest: string): string => `/2010-04-01/Accounts/${sid}/${rest}`;

export function encoded(form: Form): string {
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(form))
    for (const one of typeof value === "string" ? [value] : (value ?? [])) fields.append(name, one);
  return fields.toString();
}

/** Twilio's own code of an error answer, or the HTTP status as `http_404`. */
export function codeOf({ status, text }: VendorAnswer): string {
  const code = jsonObject(text)?.code;
  return typeof code === "number" && Number.isSafeInteger(code) && code > 0 ? String(code) : `http_${status}`;
}

/** There is nothing at the path: of the account itself that says that it is none, and of all else it says nothing of the account. */
const NOT_FOUND = "20404";

/** The object of a good answer; a DELETE's is empty. */
export function objectIn(answer: VendorAnswer, asked: "account" | "other" = "other"): JsonObject {
  if (answer.status === 204) return {};
  const body = jsonObject(answer.text);
  if (answer.status >= 200 && answer.status < 300 && body) return body;
  if (answer.status < 400)
    throw new CarrierProblem("Twilio's answer cannot be read", { code: "invalid_answer", remedy: TRY_AGAIN });
  const code = codeOf(answer);
  if (code === NOT_FOUND && asked === "other")
    throw new CarrierProblem("Twilio does not know what it was asked for.", { code });
  if (answer.status === 401 || BARS[code])
    throw new CarrierProblem(`Twilio refuses the account: ${wordsOf(answer.status === 401 ? "20003" : code)}.`, {
      code: answer.status === 401 ? "20003" : code,
      remedy:
        "Copy the account SID and the auth token from Twilio's console, and see there whether the account is active.",
      account: BARS[code] === "carrier_account_suspended" ? "suspended" : "refused",
    });
  throw new CarrierProblem(`Twilio refused the request: ${wordsOf(code)}.`, { code });
}

export const TRY_AGAIN = "Try again in a minute; if it stays so, see Twilio's status page.";

function unreachable(error: unknown): unknown {
  if (!(error instanceof VendorFailure)) return error;
  return new CarrierProblem(`Twilio could not be reached: ${error.code}.`, {
    ...{ code: error.code, remedy: TRY_AGAIN },
    isUnanswered: error.wasSent,
  });
}

/** A list that does not end is no list. */
const MOST_PAGES = 200;

/** All of a list, page by page. `until` ends it early: it says whether what follows a page is still wanted. */
export async function listed(
  api: TwilioApi,
  {
    host = "api",
    path,
    key,
    until,
  }: { host?: Host; path: string; key: string; until?: (page: JsonObject[]) => boolean },
  signal: AbortSignal,
): Promise<JsonObject[]> {
  const all: JsonObject[] = [];
  let next: string | undefined = path;
  for (let page = 0; next !== undefined; page++) {
    if (page === MOST_PAGES) throw new CarrierProblem("Twilio's list has no end", { code: "endless_list" });
    const answer: JsonObject = await api.ask(host, "GET", next, signal);
    // Without its list it is not an empty one: of texts that would mean "never taken", of numbers that there are none.
    if (!Array.isArray(answer[key]))
      throw new CarrierProblem("Twilio's answer cannot be read", { code: "invalid_answer", remedy: TRY_AGAIN });
    const items = objectsIn(answer[key]);
    all.push(...items);
    next = until?.(items) ? undefined : nextPath(answer, path);
  }
  return all;
}

/** v2010 names the next page's path, the newer APIs its whole address: of that the path alone is used, and only of the same list. */
function nextPath({ next_page_uri: uri, meta }: JsonObject, first: string): string | undefined {
  const address = textIn(uri) ?? (isObject(meta) ? textIn(meta.next_page_url) : undefined);
  if (address === undefined || !URL.canParse(address, "https://api.twilio.com")) return undefined;
  const { pathname, search } = new URL(address, "https://api.twilio.com");
  return pathname === first.split("?")[0] ? `${pathname}${search}` : undefined;
}
