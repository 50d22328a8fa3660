import { storable } from "#domain/values/storable.ts";
import type { NameAddr } from "./name-addr.ts";
import { splitOutside } from "./syntax.ts";

/** A header by its long name in lower case, its value unfolded and trimmed. Bytes above 127 are as they came, one a character. */
export type Header = readonly [name: string, value: string];

type Parts = {
  headers: readonly Header[];
  body: Buffer;
  /** The topmost. */
  via: Via;
  from: NameAddr;
  to: NameAddr;
  callId: string;
  cseq: number;
  /** Of a response: its request's, by CSeq. */
  method: string;
};

export type SipRequest = Parts & { kind: "request"; uri: string };
export type SipResponse = Parts & { kind: "response"; status: number; reason: string };
export type SipMessage = SipRequest | SipResponse;

/** `version` is SIP's; `host` and `port` are where the sender says that it is. */
export type Via = {
  version: string;
  transport: string;
  host: string;
  port: number | undefined;
  params: ReadonlyMap<string, string>;
};

/** A request on its way out: the transaction puts the Via on top of it, the writer the Content-Length. */
export type OutgoingRequest = { method: string; uri: string; headers: readonly Header[]; body?: string };

/** The first header of that name; undefined when there is none. */
export function header(message: { headers: readonly Header[] }, name: string): string | undefined {
  return message.headers.find((header) => header[0] === name)?.[1];
}

/** All values of a header that may be a list, in order; one that cannot be split is left out. */
export function headerList(message: { headers: readonly Header[] }, name: string): string[] {
  return message.headers.filter((header) => header[0] === name).flatMap(([, value]) => splitOutside(value, ",") ?? []);
}

/** Of the other side's own words; more is cut off. */
const MAX_WORDS_CHARS = 300;

/** Words of the other side as they may be kept: what no database takes is left out, or all that is written with it would be lost. */
export const keptWords = (text: string): string => storable(text).slice(0, MAX_WORDS_CHARS);

/** Whether a list header (Supported, Require, Allow) names a token. */
export function lists(message: { headers: readonly Header[] }, name: string, token: string): boolean {
  return headerList(message, name).some((value) => value.toLowerCase() === token.toLowerCase());
}

/** Names that are not simply written with capitals. */
const SPELLING: Readonly<Record<string, string>> = {
  "call-id": "Call-ID",
  cseq: "CSeq",
  rack: "RAck",
  rseq: "RSeq",
  "min-se": "Min-SE",
  "p-asserted-identity": "P-Asserted-Identity",
  "p-preferred-identity": "P-Preferred-Identity",
  "www-authenticate": "WWW-Authenticate",
};

const nameOf = (name: string): string => SPELLING[name] ?? name.replace(/(^|-)([a-z])/g, (part) => part.toUpperCase());

/** No value may smuggle in a header of its own: line ends become spaces. */
const lineOf = ([name, value]: Header): string => `${nameOf(name)}: ${value.replace(/[\r\n]+/g, " ")}\r\n`;

export function writeMessage(startLine: string, headers: readonly Header[], body = ""): Buffer {
  const bytes = Buffer.from(body, "utf8");
  const head = `${startLine}\r\n${headers.map(lineOf).join("")}Content-Length: ${bytes.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head, "latin1"), bytes]);
}

/** RFC 3261, 8.2.6.2: what every response takes over from its request. */
const TAKEN_OVER = ["via", "from", "call-id", "cseq", "record-route"];

/** A response: `toTag` is appended to a To that has none; `received` and rport are added to the topmost Via (RFC 3581). */
export function writeResponse(
  request: SipRequest,
  response: { status: number; reason: string; toTag?: string; headers?: readonly Header[]; body?: string },
  source: { address: string; port: number },
): Buffer {
  const to = header(request, "to");
  const tag = response.toTag === undefined || request.to.params.has("tag") ? "" : `;tag=${response.toTag}`;
  let isTop = true;
  const taken = request.headers
    .filter(([name]) => TAKEN_OVER.includes(name))
    .map((header): Header => {
      if (header[0] !== "via" || !isTop) return header;
      isTop = false;
      return ["via", withSource(header[1], request.via, source)];
    });
  // One that cannot be read may have none.
  const headers: Header[] = [...taken, ...(to === undefined ? [] : [["to", `${to}${tag}`] as Header])];
  headers.push(...(response.headers ?? []));
  return writeMessage(`SIP/2.0 ${response.status} ${response.reason}`, headers, response.body);
}

function withSource(value: string, via: Via, source: { address: string; port: number }): string {
  const [top, ...below] = splitOutside(value, ",") ?? [value];
  let written = top!;
  if (via.params.has("rport")) written = written.replace(/;\s*rport(\s*=\s*\d*)?/i, `;rport=${source.port}`);
  const isTold = via.params.has("received");
  if (!isTold && (via.params.has("rport") || via.host !== source.address)) written += `;received=${source.address}`;
  return [written, ...below].join(", ");
}
