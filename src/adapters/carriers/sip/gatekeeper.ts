import { createHmac } from "node:crypto";
import { BlockList, isIP } from "node:net";
import { type Clock, type Random, token } from "./clock.ts";
import { givenCredentials, provesPassword } from "./digest.ts";
import { type Header, header, type SipRequest } from "./message.ts";
import type { Response } from "./transactions.ts";
import type { Trunk } from "./trunk.ts";

/** A nonce of ours is good for this long; after it the peer is told that it is stale. */
const NONCE_MS = 60_000;
/** Nonces whose counts are remembered, so that no answer can be used twice. */
const MAX_NONCES = 10_000;
/** Answers a second to addresses that are nobody's: enough to find a wrong allow-list, too few to be used against others. */
const REFUSALS_PER_SECOND = 20;

export type Gatekeeper = {
  /** The trunk that may call us from there: by its address, or by the credentials that this request proves. */
  trunkOf(request: SipRequest, address: string): Trunk | undefined;
  /** What to say to the others; undefined = nothing. */
  refusal(request: SipRequest): Response | undefined;
};

/** Who may call us. Nobody may make us call: that no request can. */
export function gatekeeper(it: { trunks: readonly Trunk[]; realm: string; clock: Clock; random: Random }): Gatekeeper {
  const secret = it.random(32);
  const lists = it.trunks.map((trunk) => ({ trunk, list: blockListOf(trunk.allowedAddresses) }));
  const peers = it.trunks.filter(({ inboundCredentials }) => inboundCredentials !== undefined);
  // The first is taken by phones that know none but theirs: RFC 8760's list of all would lock them out.
  const algorithms = [...new Set(peers.map(({ inboundCredentials: own }) => own?.algorithm ?? "MD5"))];
  const counts = new Map<string, number>();
  /** A nonce's count is used up by the first look at a request; the second look has to find the same. */
  const seen = new WeakMap<SipRequest, Trunk>();
  let refusals = REFUSALS_PER_SECOND;
  let refilledAt = it.clock.now();

  const signed = (time: string) => createHmac("sha256", secret).update(time).digest("hex").slice(0, 24);
  const newNonce = () => {
    const time = `${Math.floor(it.clock.now())}.${token(it.random, 6)}`;
    return `${time}.${signed(time)}`;
  };

  /** Ours and fresh, ours and old, or not ours. */
  function ageOf(nonce: string): "fresh" | "stale" | "foreign" {
    const dot = nonce.lastIndexOf(".");
    if (signed(nonce.slice(0, dot)) !== nonce.slice(dot + 1)) return "foreign";
    return it.clock.now() - Number.parseInt(nonce, 10) <= NONCE_MS ? "fresh" : "stale";
  }

  function peerOf(request: SipRequest): Trunk | undefined {
    const value = header(request, "authorization");
    const given = value === undefined ? undefined : givenCredentials(value);
    if (given === undefined || ageOf(given.nonce) !== "fresh" || given.count <= (counts.get(given.nonce) ?? 0)) return;
    const trunk = peers.find(
      ({ inboundCredentials: own }) =>
        own?.username === given.username && provesPassword(given, own.password, request.method),
    );
    if (trunk === undefined) return undefined;
    counts.delete(given.nonce);
    counts.set(given.nonce, given.count);
    if (counts.size > MAX_NONCES) counts.delete(counts.keys().next().value!);
    return trunk;
  }

  function mayRefuse(): boolean {
    const now = it.clock.now();
    refusals = Math.min(REFUSALS_PER_SECOND, refusals + ((now - refilledAt) / 1_000) * REFUSALS_PER_SECOND);
    refilledAt = now;
    if (refusals < 1) return false;
    refusals--;
    return true;
  }

  return {
    trunkOf(request, address) {
      const family = isIP(address) === 6 ? "ipv6" : "ipv4";
      const trunk =
        seen.get(request) ?? lists.find(({ list }) => list.check(address, family))?.trunk ?? peerOf(request);
      if (trunk) seen.set(request, trunk);
      return trunk;
    },
    refusal(request) {
      if (request.method === "ACK" || !mayRefuse()) return undefined;
      if (request.method !== "INVITE")
        return { status: 405, reason: "Method Not Allowed", headers: [["allow", "INVITE"]] };
      if (peers.length === 0) return { status: 403, reason: "Forbidden" };
      const given = givenCredentials(header(request, "authorization") ?? "");
      const stale = given !== undefined && ageOf(given.nonce) === "stale" ? ", stale=true" : "";
      const nonce = newNonce();
      const challenge = (algorithm: string): Header => [
        "www-authenticate",
        `Digest realm="${it.realm}", nonce="${nonce}", algorithm=${algorithm}, qop="auth"${stale}`,
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
