import { Agent } from "node:http";
import { Agent as TlsAgent } from "node:https";
import { tenantHosts } from "#adapters/carrier-addresses/tenant-hosts.ts";
import type { PublicAddress } from "#ports/public-address.ts";
import { exchange } from "./exchange.ts";
import { VendorFailure } from "./failure.ts";

/** What answers for this service is a line; a page of a proxy's own is read no further. */
const LIMITS = { connectMs: 4_000, answerMs: 4_000, maxBytes: 64 * 1024 };

/** The operator's own setting, so that it may be within this network: that is a problem to report, not one to refuse. */
export function publicAddress(): PublicAddress {
  const hosts = tenantHosts();
  return {
    problem(url) {
      const { protocol, hostname } = new URL(url);
      if (hosts.problem(hostname) !== undefined) return `${hostname} is within your own network: no carrier reaches it`;
      return protocol === "https:" ? undefined : "It is not https: carriers send what contacts write over it";
    },
    async post(url, signal) {
      // Of its own, so that no kept connection hides that a new one fails.
      const agents = { http: new Agent(), https: new TlsAgent() };
      const body = { type: "application/x-www-form-urlencoded", text: "" };
      try {
        const request = { method: "POST", url, headers: {}, body } as const;
        const { status, text } = await exchange(agents, request, { limits: LIMITS, refusal: () => undefined }, signal);
        return { status, text };
      } catch (error) {
        return { failure: error instanceof VendorFailure ? error.code : "network" };
      } finally {
        agents.http.destroy();
        agents.https.destroy();
      }
    },
  } satisfies PublicAddress;
}
