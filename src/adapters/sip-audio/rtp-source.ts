import { isIP } from "node:net";
import type { RemoteMedia } from "#adapters/sip-messages/offer-answer.ts";
import { blockListOf } from "#adapters/sip-transport/gatekeeper.ts";

/** A source that has been silent for this long may be followed by another: the other side moved without a word. */
const QUIET_MS = 2_000;

/**
 * Packets that leave toward an address which has not sent us any: two seconds of sound, for gateways that wait for our first packet to know
 * where we are. In all of a call, wherever it is moved.
 */
const BURST_PACKETS = 100;

export type Peer = { address: string; port: number };

/** What a packet is judged by. */
export type Arrival = Peer & { ssrc: number; isAuthentic: boolean; nowMs: number };

/** What is known of a call's other side however often it moves. */
export type RtpHistory = { burstLeft: number; heard: Set<string> };

export const rtpHistory = (): RtpHistory => ({ burstLeft: BURST_PACKETS, heard: new Set() });

/** Addresses of a call; more are not remembered. */
const MAX_HEARD = 16;

export type RtpSource = {
  accepts(packet: Arrival): boolean;
  /** Whether an address is one of the call's, for what has no source number and moves nothing: RTCP. */
  isFrom(address: string): boolean;
  /** Reports came from there. */
  heardOf(address: string): void;
  target(): Peer;
  /** Whether a packet may leave now; one more has left when it may. */
  mayLeave(): boolean;
  /** Nothing moved, but more may leave. */
  widen(reach: RemoteMedia["reach"]): void;
};

/**
 * From where packets are taken, and whereto ours go. From where the session description says; and once, until the next description, from where
 * they come instead, which is often not what it said (RFC 4961): from another port there, or an address that the trunk names, with the source number
 * that the description names or that was heard before. From anywhere when a packet has proved itself (SRTP). Anybody else's is dropped, or one packet
 * could take the call away. Nothing but a short burst leaves toward an address that has not sent us any: the description may name anybody's.
 */
export function rtpSource(remote: RemoteMedia, history: RtpHistory): RtpSource {
  const others = blockListOf(remote.from);
  const agreed: Peer = { address: remote.address, port: remote.port };
  let reach = remote.reach;
  let latched: Peer | undefined;
  /** The one place besides the agreed one. */
  let elsewhere: Peer | undefined;
  let heardAt = 0;
  let ssrc: number | undefined;

  const isAt = (a: Peer | undefined, b: Peer) => a !== undefined && a.address === b.address && a.port === b.port;
  const isFrom = (address: string): boolean =>
    address === agreed.address || others.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
  const isRight = (from: number) =>
    remote.ssrcs !== undefined ? remote.ssrcs.includes(from) : ssrc === undefined || ssrc === from;

  function mayTakeOver(packet: Arrival): boolean {
    if (packet.isAuthentic) return true;
    if (latched !== undefined && packet.nowMs - heardAt < QUIET_MS) return false;
    if (isAt(agreed, packet) || isAt(elsewhere, packet)) return true;
    return elsewhere === undefined && isFrom(packet.address) && isRight(packet.ssrc);
  }

  function heardOf(address: string): void {
    if (history.heard.size < MAX_HEARD) history.heard.add(address);
  }

  return {
    heardOf,
    accepts(packet) {
      const { address, port } = packet;
      if (!isAt(latched, packet)) {
        if (!mayTakeOver(packet)) return false;
        latched = { address, port };
        if (!isAt(agreed, packet)) elsewhere = latched;
        heardOf(address);
      }
      ssrc = packet.ssrc;
      heardAt = packet.nowMs;
      return true;
    },
    isFrom,
    target: () => latched ?? agreed,
    mayLeave() {
      if (latched !== undefined || reach === "free" || history.heard.has(agreed.address)) return true;
      if (reach === "heard" || history.burstLeft <= 0) return false;
      history.burstLeft--;
      return true;
    },
    widen(next) {
      reach = next;
    },
  };
}
