import { text } from "node:stream/consumers";
import { WebSocket } from "ws";

/** An answer as it came: nothing parsed, so that nothing of it is overlooked. */
export type RawAnswer = { status: number; headers: Record<string, string>; text: string };

/** Differ from answer to answer whatever was asked: when, which one, how much is left, by which line. Length goes with the body. */
const PASSING_HEADERS = /^(date|x-request-id|content-length|retry-after|connection|keep-alive|(x-)?ratelimit.*)$/;
const lasting = (headers: Iterable<[string, string]>): Record<string, string> =>
  Object.fromEntries([...headers].filter(([name]) => !PASSING_HEADERS.test(name)).sort());

/** Asks and keeps the answer as it came. A form is sent as one; who asks is in the headers. */
export async function ask(
  url: string,
  method: string,
  body: FormData | object | undefined,
  headers: Record<string, string>,
): Promise<RawAnswer> {
  const isForm = body instanceof FormData;
  const response = await fetch(url, {
    method,
    headers: {
      ...(body === undefined || isForm ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
  });
  return { status: response.status, headers: lasting(response.headers), text: await textOf(response) };
}

/** Asks for a WebSocket. Where it is one (101), the text is the first that it says by itself. */
export function askForSocket(url: string, headers: Record<string, string>): Promise<RawAnswer> {
  const socket = new WebSocket(url.replace(/^http/, "ws"), { headers });
  return new Promise((resolve, reject) => {
    socket.once("error", reject);
    socket.once("unexpected-response", async (_, response) => {
      const headers = lasting(Object.entries(response.headers).map(([name, value]) => [name, String(value)]));
      resolve({ status: response.statusCode!, headers, text: await text(response) });
    });
    socket.once("message", (data) => {
      resolve({ status: 101, headers: {}, text: String(data) });
      socket.close();
    });
  });
}

/** An answer's text; of a stream of events, which does not end by itself, what it begins with. Of an archive, which has times of its own, that it is one. */
export async function textOf(response: Response): Promise<string> {
  if (response.headers.get("content-type") === "application/zip") {
    await response.arrayBuffer();
    return "(archive)";
  }
  if (!response.headers.get("content-type")?.startsWith("text/event-stream")) return response.text();
  const reader = response.body!.getReader();
  const { value } = await reader.read();
  await reader.cancel();
  return new TextDecoder().decode(value);
}

/**
 * What two answers must have in common when the one thing that differs in what was asked is `sent`. A success may also
 * contain what it has made, which has its own ids and times.
 */
export function wordsOf({ status, headers, text }: RawAnswer, sent: string): string {
  const said = text
    .replaceAll(sent, "<sent>")
    .replaceAll(encodeURIComponent(sent), "<sent>")
    // Of two fields with one id, the 404 may be about the other one.
    .replace(/"message":"not found: [^"]*"/, '"message":"not found: <sent>"')
    .replace(/"request_id":"[^"]*"/, '"request_id":""');
  const made = said
    .replace(/\b(org|usr|agt|vagt|llm|lead|list|msg|imp|key|tnt)_[0-9a-z]{26}\b/g, "<id>")
    .replace(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, "<uuid>")
    .replace(/\bpk_(test|live)_[\w-]+/g, "<key>")
    .replace(/\?token=[\w.-]+/g, "?token=<token>")
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")
    .replace(/"matrix-\d+"/g, '"<made>"')
    .replace(/"(offset_ms|brandId|campaignId|carrier_id)":("[^"]*"|\d+)/g, '"$1":"<made>"');
  return JSON.stringify([status, headers, status < 400 ? made : said]);
}
