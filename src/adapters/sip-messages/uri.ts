import { parseParams } from "./syntax.ts";

/** `sip:user@host:port;params?headers`, or `tel:number;params`, whose host is "". */
export type SipUri = {
  scheme: "sip" | "sips" | "tel";
  /** As written, escapes and password and all; "" when there is none. */
  user: string;
  host: string;
  port: number | undefined;
  params: ReadonlyMap<string, string>;
  /** It has headers (`?Route=...`), which a Request-URI may not have. */
  hasHeaders: boolean;
};

const HOST = /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9_.-]+)(?::(\d{1,5}))?$/;
/** RFC 3261's unreserved, user-unreserved, the password's colon, and escapes; anything else there is an attack or a mistake. */
const USER = /^(?:[A-Za-z0-9\-_.!~*'()&=+$,;?/:#]|%[0-9A-Fa-f]{2})+$/;

/** Undefined when it is none of the three schemes, or malformed. */
export function parseUri(text: string): SipUri | undefined {
  const [, scheme, rest] = /^([a-z][a-z0-9+.-]*):(.+)$/is.exec(text) ?? [];
  switch (scheme?.toLowerCase()) {
    case "sip":
      return parseSip("sip", rest!);
    case "sips":
      return parseSip("sips", rest!);
    case "tel":
      return parseTel(rest!);
    default:
      return undefined;
  }
}

function parseSip(scheme: "sip" | "sips", rest: string): SipUri | undefined {
  const at = rest.lastIndexOf("@");
  const user = at < 0 ? "" : rest.slice(0, at);
  if (at >= 0 && !USER.test(user)) return undefined;
  const [address, headers] = splitOnce(rest.slice(at + 1), "?");
  if (headers !== undefined && /[\s<>"]/.test(headers)) return undefined;
  const [hostPort, paramText] = splitOnce(address, ";");
  const [, host, port] = HOST.exec(hostPort) ?? [];
  const params = parseParams(paramText ?? "");
  if (host === undefined || params === undefined || Number(port ?? 0) > 65_535) return undefined;
  return {
    scheme,
    user,
    host: host.toLowerCase(),
    port: port === undefined ? undefined : Number(port),
    params,
    hasHeaders: headers !== undefined,
  };
}

function parseTel(rest: string): SipUri | undefined {
  const [number, paramText] = splitOnce(rest, ";");
  const params = parseParams(paramText ?? "");
  if (!/^\+?[0-9A-Fa-f*#\-.()]+$/.test(number) || params === undefined) return undefined;
  return { scheme: "tel", user: number.replace(/[-.()]/g, ""), host: "", port: undefined, params, hasHeaders: false };
}

function splitOnce(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

/** The number or name of a URI, unescaped and without what carriers append (`+12125550100;npdi`). */
export function userOf(uri: SipUri): string {
  const user = uri.user.split(/[;:]/)[0]!;
  return user.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** Numbers that a carrier may write without their plus: ten digits, or eleven with the country code. */
const NANP_DIGITS = /^1?[2-9]\d{2}[2-9]\d{6}$/;

/** As `userOf`, with a number of +1 in E.164 however the carrier writes it. */
export function numberOf(uri: SipUri): string {
  const user = userOf(uri);
  return NANP_DIGITS.test(user) ? `+${user.length === 10 ? "1" : ""}${user}` : user;
}

/** Characters that a user part may not have as they are become escapes. */
export function escapeUser(user: string): string {
  return user.replace(/[^A-Za-z0-9\-_.!~*'()&=+$,/]/g, (char) =>
    [...Buffer.from(char)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join(""),
  );
}

/** An address for a URI or a Via: version 6 goes in brackets. */
export const hostOf = (address: string): string =>
  address.includes(":") && !address.startsWith("[") ? `[${address}]` : address;
