import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { parse, stringify } from "node:querystring";

/** A text with ten pictures has about fifty. */
const MOST_FIELDS = 500;
const AMPERSAND = 0x26;

/**
 * Whether X-Twilio-Signature is the auth token's over this address and all parameters. Twilio signs the address as it has it: with the port or
 * without, and some of its parts with an escaped query, so that each of these is tried, as in Twilio's own SDKs.
 */
export function isSigned(
  authToken: string,
  { signature, url, body, type }: { signature: string | undefined; url: string; body: Uint8Array; type: string },
): boolean {
  if (!signature || !URL.canParse(url)) return false;
  const hash = new URL(url).searchParams.get("bodySHA256");
  if (hash !== null && !isSame(hash, createHash("sha256").update(body).digest("hex"))) return false;
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(type);
  // Any other body without its hash would be covered by no signature.
  if (hash === null && body.length > 0 && (!isForm || hasTooManyFields(body))) return false;
  const text = hash === null && isForm ? parametersOf(body) : "";
  return [...addressesOf(url)].some((address) => isSame(signature, expected(authToken, address + text)));
}

const expected = (authToken: string, text: string): string =>
  createHmac("sha1", authToken).update(text, "utf8").digest("base64");

/** Sorted by name, each value of a name once, in order, with its name before it. */
function parametersOf(body: Uint8Array): string {
  const values = new Map<string, Set<string>>();
  for (const [name, value] of new URLSearchParams(Buffer.from(body).toString("utf8"))) {
    const ofName = values.get(name);
    if (ofName) ofName.add(value);
    else values.set(name, new Set([value]));
  }
  const names = [...values.keys()].sort();
  return names.map((name) => [...values.get(name)!].sort().reduce((text, value) => text + name + value, "")).join("");
}

/** Whoever sends the body may still be anybody: so many fields are counted before one is read. */
function hasTooManyFields(body: Uint8Array): boolean {
  let fields = 1;
  for (const byte of body) if (byte === AMPERSAND && ++fields > MOST_FIELDS) return true;
  return false;
}

function addressesOf(url: string): Set<string> {
  const asIs = [withoutPort(url), withPort(url)];
  const normal = new URL(url).toString();
  const both = [withoutPort(normal), withPort(normal)];
  return new Set([...asIs, ...both, ...both.map(escaped)]);
}

/** An address in its parts, characters untouched. `rest` is path and query. */
function parts(url: string): { scheme: string; host: string; port: string; rest: string } {
  const [, scheme = "", authority = ""] = /^([a-z][a-z0-9+.-]{0,20}:\/\/)([^/?#]*)/i.exec(url) ?? [];
  const colon = authority.indexOf(":", authority.lastIndexOf("]") + 1);
  const [host, port] = colon < 0 ? [authority, ""] : [authority.slice(0, colon), authority.slice(colon)];
  return { scheme, host, port, rest: url.slice(scheme.length + authority.length) };
}

function withoutPort(url: string): string {
  const { scheme, host, rest } = parts(url);
  return scheme + host + rest;
}

function withPort(url: string): string {
  const { scheme, host, port, rest } = parts(url);
  return port ? url : `${scheme}${host}:${scheme.toLowerCase() === "https://" ? 443 : 80}${rest}`;
}

function escaped(url: string): string {
  const at = url.indexOf("?");
  return at < 0 || at === url.length - 1 ? url : `${url.slice(0, at)}?${stringify(parse(url.slice(at + 1)))}`;
}

function isSame(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}
