/** An answer as it came: nothing parsed, so that nothing of it is overlooked. */
export type RawAnswer = { status: number; headers: Record<string, string>; text: string };

/** Differ from answer to answer whatever was asked: when, which one, how much is left. Length goes with the body. */
const PASSING_HEADERS = /^(date|x-request-id|content-length|retry-after|(x-)?ratelimit.*)$/;

/** Asks and keeps the answer as it came. A form is sent as one; without a key there is no header for it. */
export async function ask(
  url: string,
  method: string,
  key: string | undefined,
  body: FormData | object | undefined,
  headers: Record<string, string> = {},
): Promise<RawAnswer> {
  const isForm = body instanceof FormData;
  const response = await fetch(url, {
    method,
    headers: {
      ...(key === undefined ? {} : { "x-api-key": key }),
      ...(body === undefined || isForm ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
  });
  const kept = [...response.headers].filter(([name]) => !PASSING_HEADERS.test(name));
  return { status: response.status, headers: Object.fromEntries(kept), text: await textOf(response) };
}

/** An answer's text; of a stream of events, which does not end by itself, what it begins with. */
export async function textOf(response: Response): Promise<string> {
  if (!response.headers.get("content-type")?.startsWith("text/event-stream")) return response.text();
  const reader = response.body!.getReader();
  const { value } = await reader.read();
  await reader.cancel();
  return new TextDecoder().decode(value);
}

/**
 * What two answers must have in common when the one thing that differs in what was asked is `sent`. A success may also
 * tell of what it has made, which has its own ids and times.
 */
export function wordsOf({ status, headers, text }: RawAnswer, sent: string): string {
  const said = text
    .replaceAll(sent, "<sent>")
    .replaceAll(encodeURIComponent(sent), "<sent>")
    .replace(/"request_id":"[^"]*"/, '"request_id":""');
  const made = said
    .replace(/\b(org|usr|agt|vagt|llm|lead|list|msg|imp|key|tnt)_[0-9a-z]{26}\b/g, "<id>")
    .replace(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, "<uuid>")
    .replace(/\bpk_(test|live)_[\w-]+/g, "<key>")
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")
    .replace(/"matrix-\d+"/g, '"<made>"')
    .replace(/"(offset_ms|brandId|campaignId|carrier_id)":("[^"]*"|\d+)/g, '"$1":"<made>"');
  return JSON.stringify([status, headers, status < 400 ? made : said]);
}
