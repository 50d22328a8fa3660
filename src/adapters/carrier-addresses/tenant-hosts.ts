import { type LookupAddress, type LookupAllOptions, lookup } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";

/** Which hosts the accounts of tenants may name: without it whoever has an account could have this service's own network probed. */
export type TenantHosts = {
  /** What is wrong with a host in an account, in the words of a 400. Undefined: nothing, or a name, which is looked up when it is used. */
  problem(host: string): string | undefined;
  /** Whether anything may be sent to this address, at which the host of an account was found. */
  mayReach(host: string, address: string): boolean;
};

/** A host of an account is within a private network, or is no single host's: nothing was sent to it. */
export class HostNotPublic extends Error {
  readonly code = "host_not_public";
  constructor(host: string) {
    super(`${host} is at no public address`);
    this.name = "HostNotPublic";
  }
}

/** What to do about it, for who set the account up. */
export const NOT_PUBLIC_REMEDY =
  "Name a host of the carrier's with a public address; one of your own network has to be in PARLEY_CARRIER_PRIVATE_HOSTS of this service";

/** Of IANA's registries of special-purpose addresses: what is not one host on the internet. */
const SPECIAL = [
  ...["0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24"],
  ...["192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24"],
  ...["224.0.0.0/4", "240.0.0.0/4"],
  ...["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"],
];
/** Everything else of IPv6 is unassigned, local, multicast, or an IPv4 address in another form. */
const UNICAST_V6 = "2000::/3";

const family = (address: string) => (isIP(address) === 6 ? "ipv6" : "ipv4");

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address, bits] = network.split("/") as [string, string | undefined];
    list.addSubnet(address, Number(bits ?? (isIP(address) === 6 ? 128 : 32)), family(address));
  }
  return list;
}

const special = listOf(SPECIAL);
const unicastV6 = listOf([UNICAST_V6]);

/** Whether it is the address of one host on the internet. */
export function isPublic(address: string): boolean {
  const version = isIP(address);
  if (version === 0 || address.includes("%") || special.check(address, family(address))) return false;
  return version === 4 || unicastV6.check(address, "ipv6");
}

/** Without the brackets of IPv6 and the dot at the end of a whole name, which change nothing about where it is. */
const plain = (host: string): string =>
  host
    .toLowerCase()
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "");

/** Old ways to write an IPv4 address: 127.1, 2130706433, 0x7f.1. No name ends so. */
const NUMERIC = /(?:^|\.)(?:\d+|0x[\da-f]*)$/;

/** Hosts of the internet, and those that the operator has listed: names, addresses and networks. */
export function tenantHosts(own: readonly string[] = []): TenantHosts {
  const isAddress = (entry: string) => isIP(entry.split("/")[0]!) > 0;
  const names = new Set(own.filter((entry) => !isAddress(entry)).map(plain));
  const networks = listOf(own.filter(isAddress));
  const isOwn = (address: string) => !address.includes("%") && networks.check(address, family(address));
  return {
    problem(host) {
      const name = plain(host);
      if (names.has(name)) return undefined;
      const isLiteral = isIP(name) > 0;
      const isFine = isLiteral
        ? isOwn(name) || isPublic(name)
        : name !== "localhost" && !name.endsWith(".localhost") && !NUMERIC.test(name);
      return isFine
        ? undefined
        : "must be a host of the internet: no address of a private network or of this machine, unless this service's operator allows it";
    },
    mayReach: (host, address) => isIP(address) > 0 && (names.has(plain(host)) || isOwn(address) || isPublic(address)),
  };
}

/** For a socket's `lookup`: only the addresses that may be reached, so that what was looked at is what is connected to. */
export function guardedLookup({ mayReach }: TenantHosts): LookupFunction {
  return (host, options, done) => {
    lookup(host, { ...options, all: true } as LookupAllOptions, (error, found: LookupAddress[]) => {
      if (error) return done(error, "", 0);
      const allowed = found.filter(({ address }) => mayReach(host, address));
      const [first] = allowed;
      if (first === undefined) return done(new HostNotPublic(host), "", 0);
      return options.all === true ? done(null, allowed) : done(null, first.address, first.family);
    });
  };
}
