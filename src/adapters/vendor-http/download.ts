import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { guardedLookup, HostNotPublic, tenantHosts } from "#adapters/carrier-addresses/tenant-hosts.ts";
import type { MediaAnswer } from "#ports/carrier-account.ts";
import type { VendorHosts } from "./hosts.ts";

/** How files of a carrier are fetched: where they may be, and what goes along. */
export type DownloadWay = {
  hosts: VendorHosts;
  /** Hosts that a file may be at, or be redirected to, with all that end so: `twiliocdn.com`. */
  allowed: readonly string[];
  /** For this host alone: credentials go nowhere else. */
  headersFor?(host: string): Readonly<Record<string, string>>;
  maxBytes: number;
  withinMs: number;
};

const MOST_REDIRECTS = 4;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Only by name: whatever a name leads to, nothing within a private network is asked. */
const lookup = guardedLookup(tenantHosts());

/** Fetches a file, within a time and up to a size, and says why it could not. Rejects only when `signal` aborts. */
export async function download(url: string, way: DownloadWay, signal: AbortSignal): Promise<MediaAnswer> {
  const deadline = AbortSignal.timeout(way.withinMs);
  try {
    return await follow(url, way, AbortSignal.any([signal, deadline]));
  } catch (error) {
    signal.throwIfAborted();
    if (deadline.aborted) return failed(`The carrier did not send it within ${way.withinMs / 1_000} s`, true);
    const isPrivate = error instanceof HostNotPublic || (error as { cause?: unknown })?.cause instanceof HostNotPublic;
    if (isPrivate) return failed("It is at an address within a private network");
    return failed(`The carrier could not be reached (${codeOf(error)})`, true);
  }
}

async function follow(first: string, way: DownloadWay, signal: AbortSignal): Promise<MediaAnswer> {
  let url = first;
  for (let n = 0; n <= MOST_REDIRECTS; n++) {
    const problem = refusal(url, way.allowed);
    if (problem) return failed(problem);
    const response = await ask(new URL(url), way, signal);
    const { statusCode: status = 0, headers } = response;
    if (REDIRECTS.has(status) && headers.location !== undefined && URL.canParse(headers.location, url)) {
      response.destroy();
      url = new URL(headers.location, url).href;
      continue;
    }
    if (status === 200) return read(response, way.maxBytes);
    response.destroy();
    const again = status === 401 || status === 408 || status === 429 || status >= 500;
    if (status === 401 || status === 403) return failed(`The carrier does not hand it out (${status})`, again);
    if (status === 404 || status === 410) return failed(`The carrier does not have it any more (${status})`);
    return failed(`The carrier answered ${status}`, again);
  }
  return failed("The carrier redirects it again and again");
}

function refusal(url: string, allowed: readonly string[]): string | undefined {
  if (!URL.canParse(url)) return "Its address cannot be read";
  const { protocol, hostname, port, username, password } = new URL(url);
  const isOfCarrier = allowed.some((name) => hostname === name || hostname.endsWith(`.${name}`));
  if (!isOfCarrier) return `It is at a host that is not the carrier's: ${hostname.slice(0, 100)}`;
  const isPlain = protocol === "https:" && port === "" && username === "" && password === "";
  return isPlain ? undefined : "Its address is not a plain https address";
}

function ask({ hostname, pathname, search }: URL, way: DownloadWay, signal: AbortSignal): Promise<IncomingMessage> {
  const base = way.hosts(hostname);
  const url = `${base}${pathname}${search}`;
  // Where the operator has pointed the host elsewhere, that is the operator's own choice.
  const guard = base === `https://${hostname}` ? { lookup } : {};
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request = (url.startsWith("https:") ? httpsRequest : httpRequest)(url, {
    method: "GET",
    agent: false,
    headers: { accept: "*/*", "accept-encoding": "identity", ...way.headersFor?.(hostname) },
    signal,
    ...guard,
  });
  request.on("response", resolve);
  request.on("error", reject);
  request.end();
  return promise;
}

async function read(response: IncomingMessage, maxBytes: number): Promise<MediaAnswer> {
  const tooLarge = () => {
    response.destroy();
    return failed(`It is larger than ${maxBytes / 1024 / 1024} MB`);
  };
  if (Number(response.headers["content-length"]) > maxBytes) return tooLarge();
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) return tooLarge();
    chunks.push(chunk);
  }
  return { outcome: "fetched", contentType: response.headers["content-type"], bytes: Buffer.concat(chunks) };
}

const failed = (problem: string, again = false): MediaAnswer => ({ outcome: "failed", problem, again });

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown })?.code;
  return typeof code === "string" && /^[A-Z][A-Z0-9_]{2,63}$/.test(code) ? code : "network";
}
