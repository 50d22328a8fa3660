import type { Header, SipMessage, Via } from "./message.ts";
import { type NameAddr, parseNameAddr } from "./name-addr.ts";
import { lacksPart, parseParams, splitOutside, TOKEN } from "./syntax.ts";

/** The largest that UDP carries; nothing that belongs to a call comes near it. */
export const MAX_MESSAGE_BYTES = 65_535;
/** Of a datagram, and of a connection's message before it has proved anything. The largest of a telephone's have some 3 kB. */
export const MAX_STRANGERS_BYTES = 8_192;
const MAX_HEADERS = 100;
/** Of a start line or a header, with the lines that go on with it. */
const MAX_LINE_CHARS = 2_048;

/** RFC 3261, 20, and the later ones of the event, refer and timer extensions. */
const LONG_NAMES: Readonly<Record<string, string>> = {
  a: "accept-contact",
  b: "referred-by",
  c: "content-type",
  d: "request-disposition",
  e: "content-encoding",
  f: "from",
  i: "call-id",
  j: "reject-contact",
  k: "supported",
  l: "content-length",
  m: "contact",
  o: "event",
  r: "refer-to",
  s: "subject",
  t: "to",
  u: "allow-events",
  v: "via",
  x: "session-expires",
  y: "identity",
};

/** RFC 3261 and its extensions: a method that is none of them is not known (501), one of them may be not for us (405). */
export const KNOWN_METHODS: ReadonlySet<string> = new Set(
  "INVITE ACK BYE CANCEL OPTIONS REGISTER INFO PRACK UPDATE SUBSCRIBE NOTIFY REFER MESSAGE PUBLISH".split(" "),
);

/** Headers of which a second one makes the message ambiguous: whose call, which request, how long. */
const SINGLE = ["from", "to", "call-id", "cseq", "max-forwards", "content-length"];

/**
 * What was wrong, and the response that it deserves, where there is enough to answer by (`message`). Without: dropped.
 */
export type Malformed = { kind: "malformed"; why: string; status: number; message?: SipMessage };

/** The bytes of one message, body included. On UDP `isStream` is false: the body ends with the packet where no length is given. */
export function parseMessage(bytes: Buffer, isStream: boolean): SipMessage | Malformed {
  if (bytes.length > MAX_MESSAGE_BYTES) return bad("message too large");
  const end = bytes.indexOf("\r\n\r\n");
  const head = bytes.toString("latin1", 0, end < 0 ? bytes.length : end);
  const lines = head.replace(/\r\n[ \t]+/g, " ").split("\r\n");
  if (lines[0]!.length > MAX_LINE_CHARS) return bad("start line too long");
  const headers: Header[] = [];
  let broken = end < 0 ? "no empty line after the headers" : lines.length > MAX_HEADERS + 1 ? "too many headers" : "";
  for (const line of lines.slice(1, MAX_HEADERS + 1)) {
    if (line.length > MAX_LINE_CHARS) {
      broken ||= "a header is too long";
      continue;
    }
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(0, colon)).trimEnd().toLowerCase();
    if (colon < 0 || !TOKEN.test(name)) broken ||= line === "" ? "" : "a malformed header";
    else headers.push([LONG_NAMES[name] ?? name, line.slice(colon + 1).trim()]);
  }
  const rest = bytes.subarray(end < 0 ? bytes.length : end + 4);
  return assemble(lines[0]!, headers, rest, isStream, broken);
}

function assemble(
  startLine: string,
  headers: readonly Header[],
  rest: Buffer,
  isStream: boolean,
  /** What was wrong with the lines; empty for nothing. */
  broken: string,
): SipMessage | Malformed {
  const all = new Map<string, string[]>();
  for (const [name, value] of headers) {
    const known = all.get(name);
    if (known) known.push(value);
    else all.set(name, [value]);
  }
  const from = parseNameAddr(all.get("from")?.[0] ?? "");
  const to = parseNameAddr(all.get("to")?.[0] ?? "");
  const callId = all.get("call-id")?.[0] ?? "";
  const [, cseqText, cseqMethod] = /^(\d{1,20})[ \t]+(\S+)$/.exec(all.get("cseq")?.[0] ?? "") ?? [];
  // RFC 3261, 18.2.2, sends an answer by it. What ends a call or acknowledges it counts all the same: the call would go on, or be given up.
  const isOfCall = (cseqMethod === "BYE" || cseqMethod === "ACK") && startLine.startsWith(`${cseqMethod} `);
  const readable = parseVia(splitOutside(all.get("via")?.[0] ?? "", ",")?.[0] ?? "");
  const via = readable ?? (isOfCall ? UNREADABLE : undefined);
  const why = "a mandatory header is missing or malformed";
  if (!via) return bad(why);
  if (!from || !to || !/^\S{1,512}$/.test(callId) || cseqMethod === undefined || !TOKEN.test(cseqMethod)) {
    const { method, uri, version } = requestLine(startLine);
    if (!TOKEN.test(method) || uri === "" || version === undefined) return bad(why);
    // A response takes what is there as it is (RFC 4475, 3.1.2.6 and 3.3.1).
    const known = { via, from: from ?? NOBODY, to: to ?? NOBODY, callId, cseq: 0 };
    const message: SipMessage = { kind: "request", method, uri, headers, body: rest.subarray(0, 0), ...known };
    return { kind: "malformed", why, status: version === "2.0" ? 400 : 505, message };
  }
  const cseq = Number(cseqText);
  const status = /^SIP\/2\.0 (\d{3})(?: (.*))?$/s.exec(startLine);
  const length = lengthOf(all.get("content-length"), rest.length, isStream);
  const body = rest.subarray(0, length ?? 0);
  const parts = { headers, body, via, from, to, callId, cseq, method: cseqMethod };
  if (status) {
    const code = Number(status[1]);
    const isBroken = broken !== "" || length === undefined || cseq > MAX_CSEQ || via.version !== "2.0";
    if (code < 100 || code > 699 || isBroken) return bad("a bad response");
    return { kind: "response", status: code, reason: status[2] ?? "", ...parts };
  }
  const { method, uri, version } = requestLine(startLine);
  if (!TOKEN.test(method) || uri === "") return bad("no start line");
  const message: SipMessage = { kind: "request", uri, ...parts };
  const wrong = (why: string, code = 400): Malformed => ({ kind: "malformed", why, status: code, message });
  if (version !== "2.0") return wrong("only SIP/2.0 is spoken", 505);
  if (startLine !== `${method} ${uri} SIP/2.0` || /[\s<>"]/.test(uri)) return wrong("a malformed request line");
  if (broken !== "") return wrong(broken);
  if (via.version !== "2.0") return wrong("Via is of another version");
  // RFC 4475, 3.1.2.18: of a method that nobody here knows it is said so.
  if (method !== cseqMethod) return wrong("CSeq names another method", KNOWN_METHODS.has(method) ? 400 : 501);
  if (cseq > MAX_CSEQ) return wrong("CSeq is too large");
  if (SINGLE.some((name) => (all.get(name)?.length ?? 0) > 1)) return wrong("a header that may come once came twice");
  if (length === undefined) return wrong("Content-Length is wrong");
  if (!/^\d{1,3}$|^0+\d{1,3}$/.test(all.get("max-forwards")?.[0] ?? "70")) return wrong("Max-Forwards is wrong");
  if (!isOfCall && all.get("via")!.some(lacksPart)) return wrong("Via is malformed");
  if (all.get("contact")?.some((value) => lacksPart(value) || !isContact(value))) return wrong("Contact is malformed");
  return message;
}

/** Of a request that is answered where it came from, and known by its Call-ID and number. */
const UNREADABLE: Via = { version: "2.0", transport: "", host: "", port: undefined, params: new Map() };

/** Where there is no address that could be read. */
const NOBODY: NameAddr = { display: "", uri: "", parsed: undefined, params: new Map() };

/** A list of addresses, or the star of a REGISTER. */
const isContact = (value: string): boolean =>
  value === "*" || (splitOutside(value, ",")?.every((one) => parseNameAddr(one) !== undefined) ?? false);

/** What stands before the first space, between, and after the last: more than one space is found later, by comparing. */
function requestLine(line: string): { method: string; uri: string; version: string | undefined } {
  const words = line.split(" ").filter((word) => word !== "");
  const version = /^SIP\/(\d+\.\d+)$/.exec(words.at(-1) ?? "")?.[1];
  const uri = version === undefined ? (words.length === 2 ? words[1]! : "") : words.slice(1, -1).join(" ");
  return { method: line.startsWith(" ") ? "" : (words[0] ?? ""), uri, version };
}

/** RFC 3261, 8.1.1.5. */
const MAX_CSEQ = 2 ** 31 - 1;

/** How much of what follows the headers is the body; undefined when it is said wrongly, or not at all on a stream. */
function lengthOf(values: readonly string[] | undefined, available: number, isStream: boolean): number | undefined {
  if (values === undefined) return isStream ? undefined : available;
  const length = /^\d{1,9}$/.test(values[0]!) ? Number(values[0]) : undefined;
  return length === undefined || length > available ? undefined : length;
}

const VIA =
  /^SIP\s*\/\s*(\d{1,3}\.\d{1,3})\s*\/\s*([A-Za-z0-9\-.!%*_+`'~]+)\s+(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9_.-]+)(?:\s*:\s*(\d{1,5}))?$/;

export function parseVia(text: string): Via | undefined {
  const semicolon = text.indexOf(";");
  const [, version, transport, host, port] = VIA.exec(semicolon < 0 ? text : text.slice(0, semicolon).trim()) ?? [];
  const params = parseParams(semicolon < 0 ? "" : text.slice(semicolon));
  if (version === undefined || transport === undefined || host === undefined || params === undefined) return undefined;
  return {
    version,
    transport: transport.toUpperCase(),
    host,
    port: port === undefined ? undefined : Number(port),
    params,
  };
}

const bad = (why: string): Malformed => ({ kind: "malformed", why, status: 400 });
