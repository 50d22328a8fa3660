import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import type { CustomFetch } from "openid-client";
import { guardedLookup, type TenantHosts } from "#adapters/carrier-addresses/tenant-hosts.ts";
import { ProviderProblem } from "#ports/sign-in.ts";

/** Metadata and keys of the largest providers have some tens of kilobytes. */
const MAX_BYTES = 512 * 1024;
/** For one request: somebody waits for it. */
const WITHIN_MS = 5_000;

/** Asks hosts of tenants and no others: what was looked up is what is connected to, and no redirect is followed. */
export function guardedFetch(hosts: TenantHosts): CustomFetch {
  const lookup = guardedLookup(hosts);
  return async (address, { method, headers, body }) => {
    const url = new URL(address);
    const problem = hosts.problem(url.hostname);
    if (problem !== undefined) throw new ProviderProblem(`The provider names ${url.hostname}, which ${problem}`);
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const signal = AbortSignal.timeout(WITHIN_MS);
    const ask = url.protocol === "https:" ? httpsRequest : httpRequest;
    const request = ask(url, { method, headers, agent: false, lookup, signal });
    request.on("response", resolve);
    request.on("error", reject);
    request.end(body === null || body === undefined ? undefined : String(body));
    const response = await promise;
    const bytes = await read(response);
    const { statusCode: status = 502 } = response;
    // A response of these may have no body.
    const isEmpty = status === 204 || status === 205 || status === 304;
    return new Response(isEmpty ? null : bytes, { status: status < 200 ? 502 : status, headers: plain(response) });
  };
}

async function read(response: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) {
      response.destroy();
      throw new ProviderProblem("The provider's answer is larger than 512 kB");
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** What its body is; the rest is of no use here. */
const plain = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    ["content-type", "www-authenticate"].flatMap((name) => {
      const value = headers[name];
      return typeof value === "string" ? [[name, value]] : [];
    }),
  );
