import { createHmac } from "node:crypto";
import { BlockList, isIP } from "node:net";
import { givenCredentials, provesPassword } from "#adapters/sip-messages/digest.ts";
import { type Header, header, type SipRequest } from "#adapters/sip-messages/message.ts";
import { numberOf, parseUri } from "#adapters/sip-messages/uri.ts";
import type { DropCounter, NetworkDrop } from "#domain/system/network-drop.ts";
import { type Clock, type Random, token } from "./clock.ts";
import { networkOf, perSecond } from "./rate.ts";
import type { Response } from "./transactions.ts";
import type { Source } from "./transports.ts";
import type { Trunk } from "./trunk.ts";

/** A nonce of ours is good for this long; after it the peer is answered that it is stale. */
const NONCE_MS = 60_000;
/** Nonces whose counts are remembered, so that no answer can be used twice. */
const MAX_NONCES = 10_000;
/**
 * Answers a second to addresses that are nobody's, and to one of them: enough to find a wrong allow-list over TCP and for peers that are known by their
 * password, too few to be used against others.
 */
const REFUSALS = { each: 5, all: 20 };
/** So many wrong passwords within so long lock an address out for so long. */
const WRONG_PASSWORDS = { most: 10, withinMs: 60_000, lockedMs: 5 * 60_000 };
/** Addresses whose wrong passwords are remembered. */
const MAX_SUSPECTS = 10_000;

/** Where a request came from: what of a `Source` matters here. */
type From = Pick<Source, "protocol" | "address">;

export type Gatekeeper = {
  /** Whose calls are taken from now on: those of an earlier list, and nobody else's, as each trunk is now. */
  admit(trunks: readonly Trunk[]): void;
  /** Whether calls may come from an address without a password. */
  isListed(address: string): boolean;
  isLocked(address: string): boolean;
  /** Whether a peer over UDP may be anywhere, so that strangers there are asked for a password. */
  readonly asksOverUdp: boolean;
  /** The trunk that may call us from there: by its address, or by the credentials that this request proves. */
  trunkOf(request: SipRequest, from: From): Trunk | undefined;
  /** What to say to the others; undefined = nothing. */
  refusal(request: SipRequest, from: From): Response | undefined;
};

/** The number or name that a request is for. A registrar sends what is for any of a trunk's numbers to our Contact: To has the number then. */
export function calledIn(request: SipRequest, trunk?: Pick<Trunk, "contactUser">): string {
  const uri = parseUri(request.uri);
  const named = trunk?.contactUser !== undefined && uri?.user === trunk.contactUser ? request.to.parsed : uri;
  return named === undefined ? "" : numberOf(named);
}

type Listed = { trunk: Trunk; list: BlockList };

/** Who may call us. Nobody may make us call: that no request can. */
export function gatekeeper(parts: {
  trunks: readonly Trunk[];
  realm: string;
  clock: Clock;
  random: Random;
  drops: DropCounter;
  /** Whether an address is of a server of the trunk's own, at which we ask. */
  isServerOf?(trunk: Trunk, address: string): boolean;
}): Gatekeeper {
  const { clock, drops } = parts;
  const secret = parts.random(32);
  let lists: Listed[] = [];
  /** Of all of them together: most of what comes is judged by this alone. */
  let anyList = blockListOf([]);
  let byNumber = new Map<string, Listed[]>();
  let byContact = new Map<string, Listed>();
  let peers: Trunk[] = [];
  let asksOverUdp = false;
  let algorithms: string[] = [];
  const counts = new Map<string, number>();
  const suspects = new Map<string, { wrong: number; sinceMs: number; lockedUntilMs: number }>();
  /** A nonce's count is used up by the first look at a request; the second look has to find the same. */
  const seen = new WeakMap<SipRequest, Trunk>();
  /** Of UDP, and of connections: a flood of forged addresses takes nothing from those that cannot be. */
  const refusals = { udp: perSecond(clock, REFUSALS), other: perSecond(clock, REFUSALS) };

  function admit(trunks: readonly Trunk[]): void {
    lists = trunks.map((trunk) => ({ trunk, list: blockListOf(trunk.allowedAddresses) }));
    anyList = blockListOf([...new Set(trunks.flatMap(({ allowedAddresses }) => allowedAddresses))]);
    byNumber = new Map();
    for (const one of lists) {
      for (const number of one.trunk.numbers ?? []) byNumber.set(number, [...(byNumber.get(number) ?? []), one]);
    }
    byContact = new Map(
      lists.flatMap((one) => (one.trunk.contactUser === undefined ? [] : [[one.trunk.contactUser, one]])),
    );
    peers = trunks.filter(({ inboundCredentials }) => inboundCredentials !== undefined);
    // An address of UDP can be forged, and what we answer goes there: only where there is no other way to know a peer.
    asksOverUdp = peers.some(({ transport, allowedAddresses }) => transport === "udp" && allowedAddresses.length === 0);
    // The first is taken by phones that know none but theirs: RFC 8760's list of all would lock them out.
    algorithms = [...new Set(peers.map(({ inboundCredentials: own }) => own?.algorithm ?? "MD5"))];
  }
  admit(parts.trunks);

  const isIn = (list: BlockList, address: string) => list.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
  const isListed = (address: string) => isIn(anyList, address);

  /** Trunks of one carrier share its addresses, also those of several tenants: whose number it is distinguishes them. */
  function listedFor(request: SipRequest, address: string): Trunk | undefined {
    const own = byContact.get(parseUri(request.uri)?.user ?? "");
    const isOwn = own && (isIn(own.list, address) || parts.isServerOf?.(own.trunk, address) === true);
    if (isOwn) return own.trunk;
    if (!isListed(address)) return undefined;
    const isTheirs = ({ list }: Listed) => isIn(list, address);
    return (byNumber.get(calledIn(request))?.find(isTheirs) ?? lists.find(isTheirs))?.trunk;
  }

  // For one address alone: nobody can lock another out, or use a nonce that was given to one address from many.
  const signed = (time: string, address: string) =>
    createHmac("sha256", secret).update(`${time} `).update(address).digest("hex").slice(0, 24);
  const newNonce = (address: string) => {
    const time = `${Math.floor(clock.now())}.${token(parts.random, 6)}`;
    return `${time}.${signed(time, address)}`;
  };

  /** Ours and fresh, ours and old, or not ours. */
  function ageOf(nonce: string, address: string): "fresh" | "stale" | "foreign" {
    const dot = nonce.lastIndexOf(".");
    if (signed(nonce.slice(0, dot), address) !== nonce.slice(dot + 1)) return "foreign";
    return clock.now() - Number.parseInt(nonce, 10) <= NONCE_MS ? "fresh" : "stale";
  }

  const isLocked = (address: string) => (suspects.get(networkOf(address))?.lockedUntilMs ?? 0) > clock.now();

  function suspect(address: string): void {
    drops.count("wrong_password");
    const [now, network] = [clock.now(), networkOf(address)];
    const before = suspects.get(network);
    const isOld = before === undefined || now - before.sinceMs > WRONG_PASSWORDS.withinMs;
    const its = isOld ? { wrong: 0, sinceMs: now, lockedUntilMs: 0 } : before;
    its.wrong++;
    if (its.wrong >= WRONG_PASSWORDS.most) its.lockedUntilMs = now + WRONG_PASSWORDS.lockedMs;
    suspects.delete(network);
    suspects.set(network, its);
    if (suspects.size > MAX_SUSPECTS) suspects.delete(suspects.keys().next().value!);
  }

  function peerOf(request: SipRequest, address: string): Trunk | undefined {
    const value = header(request, "authorization");
    const given = value === undefined ? undefined : givenCredentials(value);
    if (given === undefined || isLocked(address) || ageOf(given.nonce, address) !== "fresh") return undefined;
    if (given.count <= (counts.get(given.nonce) ?? 0)) return undefined;
    // Also of a wrong one: the same request once more is no second try.
    counts.delete(given.nonce);
    counts.set(given.nonce, given.count);
    if (counts.size > MAX_NONCES) counts.delete(counts.keys().next().value!);
    const trunk = peers.find(
      ({ inboundCredentials: own }) =>
        own?.username === given.username && provesPassword(given, own.password, request.method),
    );
    if (trunk === undefined) suspect(address);
    return trunk;
  }

  return {
    admit,
    isListed,
    isLocked,
    get asksOverUdp() {
      return asksOverUdp;
    },
    trunkOf(request, { address }) {
      const known = seen.get(request);
      if (known) return known;
      const trunk = listedFor(request, address) ?? peerOf(request, address);
      if (trunk) seen.set(request, trunk);
      return trunk;
    },
    refusal(request, { protocol, address }) {
      const nothing = (why: NetworkDrop) => void drops.count(why);
      if (isLocked(address)) return nothing("locked_out");
      const isInvite = request.method === "INVITE";
      const isUdp = protocol === "udp";
      if (request.method === "ACK" || (isUdp && !(isInvite && asksOverUdp))) return nothing("stranger");
      if (!refusals[isUdp ? "udp" : "other"](address)) return nothing("flooded");
      if (!isInvite) return { status: 405, reason: "Method Not Allowed", headers: [["allow", "INVITE"]] };
      if (peers.length === 0) return { status: 403, reason: "Forbidden" };
      const given = givenCredentials(header(request, "authorization") ?? "");
      const stale = given !== undefined && ageOf(given.nonce, address) === "stale" ? ", stale=true" : "";
      const nonce = newNonce(address);
      const challenge = (algorithm: string): Header => [
        "www-authenticate",
        `Digest realm="${parts.realm}", nonce="${nonce}", algorithm=${algorithm}, qop="auth"${stale}`,
      ];
      return { status: 401, reason: "Unauthorized", headers: algorithms.map(challenge) };
    },
  };
}

/** Addresses and networks, as `192.0.2.1` and `198.51.100.0/24`. */
export function blockListOf(addresses: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of addresses) {
    const [address, prefix] = entry.split("/") as [string, string | undefined];
    const version = isIP(address);
    if (version === 0) throw new Error(`${entry} is no IP address and no network of them.`);
    const family = version === 6 ? "ipv6" : "ipv4";
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return list;
}
