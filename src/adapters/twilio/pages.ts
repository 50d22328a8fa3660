import { isObject, type JsonObject, objectsIn, textIn } from "#adapters/vendor-http/json.ts";
import { CarrierProblem } from "#ports/carrier-account.ts";
import { type Host, TRY_AGAIN, type TwilioApi } from "./api.ts";

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
