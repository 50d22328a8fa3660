import { isIP } from "node:net";
import { blockListOf } from "./gatekeeper.ts";
import type { RemoteMedia } from "./offer-answer.ts";

/** A source that has been silent for this long may be followed by another: the other side moved without a word. */
const QUIET_MS = 2_000;

export type Peer = { address: string; port: number };

/**
 * From where packets are taken, and whereto ours go. Symmetric: to where the other side's come from, which is often not what it said
 * (RFC 4961). Only where that is safe: from the address that was agreed on, at whatever port, or one that the trunk names; from anywhere
 * when the packet has proved itself (SRTP). Anybody else's is dropped, or one packet could take the call away.
 */
export function rtpSource(remote: RemoteMedia): {
  accepts(address: string, port: number, isAuthentic: boolean, nowMs: number): boolean;
  target(): Peer;
} {
  const others = blockListOf(remote.from);
  const agreed: Peer = { address: remote.address, port: remote.port };
  let latched: Peer | undefined;
  let heardAt = 0;

  const mayCome = (address: string): boolean =>
    address === agreed.address || others.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");

  return {
    accepts(address, port, isAuthentic, nowMs) {
      const isSame = latched !== undefined && latched.address === address && latched.port === port;
      if (!isSame) {
        if (!isAuthentic && !mayCome(address)) return false;
        if (!isAuthentic && latched !== undefined && nowMs - heardAt < QUIET_MS) return false;
        latched = { address, port };
      }
      heardAt = nowMs;
      return true;
    },
    target: () => latched ?? agreed,
  };
}
