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

/** The number or name that a request is for. */
const calledIn = (request: SipRequest): string => {
  const uri = parseUri(request.uri);
  return uri === undefined ? "" : numberOf(uri);
};

/** Who may call us. Nobody may make us call: that no request can. */
export function gatekeeper(parts: {
  trunks: readonly Trunk[];
  realm: string;
  clock: Clock;
  random: Random;
  drops: DropCounter;
}): Gatekeeper {
  const { clock, drops } = parts;
  const secret = parts.random(32);
  const lists = parts.trunks.map((trunk) => ({ trunk, list: blockListOf(trunk.allowedAddresses) }));
  const peers = parts.trunks.filter(({ inboundCredentials }) => inboundCredentials !== undefined);
  // An address of UDP can be forged, and what we answer goes there: only where there is no other way to know a peer.
  const asksOverUdp = peers.some(
    ({ transport, allowedAddresses }) => transport === "udp" && allowedAddresses.length === 0,
  );
  // The first is taken by phones that know none but theirs: RFC 8760's list of all would lock them out.
  const algorithms = [...new Set(peers.map(({ inboundCredentials: own }) => own?.algorithm ?? "MD5"))];
  const counts = new Map<string, number>();
  const suspects = new Map<string, { wrong: number; sinceMs: number; lockedUntilMs: number }>();
  /** A nonce's count is used up by the first look at a request; the second look has to find the same. */
  const seen = new WeakMap<SipRequest, Trunk>();
  /** Of UDP, and of connections: a flood of forged addresses takes nothing from those that cannot be. */
  const refusals = { udp: perSecond(clock, REFUSALS), other: perSecond(clock, REFUSALS) };

  const listedIn = (address: string) => {
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    return lists.filter(({ list }) => list.check(address, family)).map(({ trunk }) => trunk);
  };

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
    isListed: (address) => listedIn(address).length > 0,
    isLocked,
    asksOverUdp,
    trunkOf(request, { address }) {
      const known = seen.get(request);
      if (known) return known;
      const listed = listedIn(address);
      // Trunks of one carrier share its addresses: whose number it is distinguishes them.
      const trunk =
        (listed.length > 1 ? listed.find(({ numbers }) => numbers?.includes(calledIn(request))) : undefined) ??
        listed[0] ??
        peerOf(request, address);
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
