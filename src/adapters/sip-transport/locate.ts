import { isIP } from "node:net";
import { fraction, type Random } from "./clock.ts";
import type { Hop, Protocol, TlsClient } from "./transports.ts";

/** What is asked of the name service; node:dns/promises fits. Each rejects when there is no such record, with one of `NO_RECORD` as `code`. */
export type Resolver = {
  resolveSrv(name: string): Promise<readonly SrvRecord[]>;
  resolve4(name: string): Promise<readonly string[]>;
  resolve6(name: string): Promise<readonly string[]>;
};

export type SrvRecord = { name: string; port: number; priority: number; weight: number };

export type Place = {
  host: string;
  port: number | undefined;
  protocol: Protocol;
  tls?: TlsClient;
  /** Whether anything may be sent to an address at which the host was found; anywhere, when absent. */
  mayReach?: MayReach;
};

export type MayReach = (host: string, address: string) => boolean;

/** There are servers, and none of them may be reached. */
export class OutOfReach extends Error {}

const DEFAULT_PORTS: Readonly<Record<Protocol, number>> = { udp: 5060, tcp: 5060, tls: 5061 };
const SRV_NAMES: Readonly<Record<Protocol, string>> = { udp: "_sip._udp", tcp: "_sip._tcp", tls: "_sips._tcp" };
/** There is none, or none of that kind; anything else is the name service's own failure. */
const NO_RECORD: readonly unknown[] = ["ENOTFOUND", "ENODATA"];
/** A name with more servers than this is a mistake; each is a try of a call. */
export const MAX_HOPS = 8;

/**
 * Where a name's servers are, the first to try first (RFC 3263, 4.2; RFC 2782 for the order). Empty when it has none; rejects when the
 * name service could not say, and with `OutOfReach` where nothing may be sent to any of them. The protocol is the trunk's choice, so that NAPTR has
 * nothing to say.
 */
export async function locate(place: Place, resolver: Resolver, random: Random): Promise<Hop[]> {
  const hops = await locateAny(place, resolver, random);
  const { mayReach } = place;
  const allowed = mayReach ? hops.filter(({ address }) => mayReach(place.host, address)) : hops;
  if (allowed.length === 0 && hops.length > 0)
    throw new OutOfReach(`${place.host} is at no address that may be reached`);
  return allowed.slice(0, MAX_HOPS);
}

async function locateAny(place: Place, resolver: Resolver, random: Random): Promise<Hop[]> {
  const { protocol } = place;
  const host = place.host.replace(/^\[|\]$/g, "");
  const tls = place.tls === undefined ? {} : { tls: place.tls };
  const port = place.port ?? DEFAULT_PORTS[protocol];
  if (isIP(host) > 0) return [{ protocol, address: host, port, ...tls }];
  const srv = place.port === undefined ? await found(resolver.resolveSrv(`${SRV_NAMES[protocol]}.${host}`)) : [];
  const servers = srv.length > 0 ? inOrder(srv, random) : [{ name: host, port }];
  const answers = await Promise.allSettled(
    servers.slice(0, MAX_HOPS).map(async (server) => {
      const v4 = await found(resolver.resolve4(server.name));
      const addresses = v4.length > 0 ? v4 : await found(resolver.resolve6(server.name));
      return addresses.map((address): Hop => ({ protocol, address, port: server.port, ...tls }));
    }),
  );
  const hops = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  const failed = answers.find((answer) => answer.status === "rejected");
  if (hops.length === 0 && failed) throw failed.reason;
  return hops;
}

const found = <T>(answer: Promise<readonly T[]>): Promise<readonly T[]> =>
  answer.catch((error: { code?: unknown }) => {
    if (NO_RECORD.includes(error.code)) return [];
    throw error;
  });

/** By priority, and within one by chance in proportion to the weights. */
function inOrder(records: readonly SrvRecord[], random: Random): SrvRecord[] {
  const priorities = [...new Set(records.map(({ priority }) => priority))].sort((a, b) => a - b);
  return priorities.flatMap((priority) => {
    const left = records.filter((record) => record.priority === priority).sort((a, b) => a.weight - b.weight);
    const ordered: SrvRecord[] = [];
    while (left.length > 0) {
      const drawn = fraction(random) * left.reduce((sum, { weight }) => sum + weight, 0);
      const upTo = (index: number) => left.slice(0, index + 1).reduce((sum, { weight }) => sum + weight, 0);
      const index = left.findIndex((_, index) => upTo(index) >= drawn);
      ordered.push(...left.splice(Math.max(0, index), 1));
    }
    return ordered;
  });
}
