import { createCipheriv, createHmac, timingSafeEqual } from "node:crypto";
import type { SrtpSuite } from "#adapters/sip-messages/offer-answer.ts";

/** SRTP with AES-128 in counter mode and HMAC-SHA1 (RFC 3711), keyed by SDES (RFC 4568). */
export type SrtpSender = {
  /** Encrypts the first `length` bytes in place and appends the tag; the packet's new length. There must be room for it. */
  protect(packet: Buffer, length: number): number;
  protectRtcp(packet: Buffer): Buffer;
};

export type SrtpReceiver = {
  /** The packet without its tag, decrypted in place; undefined for one that is forged, or came before. */
  unprotect(packet: Buffer): Buffer | undefined;
  unprotectRtcp(packet: Buffer): Buffer | undefined;
};

/** What the tag adds to a packet. That of RTCP is 10 bytes in both suites (RFC 4568, 6.2.2). */
const TAG_BYTES: Readonly<Record<SrtpSuite, number>> = { AES_CM_128_HMAC_SHA1_80: 10, AES_CM_128_HMAC_SHA1_32: 4 };
const RTCP_TAG_BYTES = 10;
/** The most that `protect` adds. */
export const MAX_TAG_BYTES = 10;

const KEY_BYTES = 16;
const SALT_BYTES = 14;
const AUTH_BYTES = 20;
export const MASTER_BYTES = KEY_BYTES + SALT_BYTES;

/** Packets that may come late, and are known to have come (RFC 3711, 3.3.2). */
const WINDOW = 64n;
/** Streams a side has one, or a new one after a change; more are somebody's noise. */
const MAX_STREAMS = 8;

type Keys = { cipher: Buffer; salt: Buffer; auth: Buffer };

/** RFC 3711, 4.3: `label` is 0 for RTP, 3 for RTCP. */
export function deriveKeys(master: Buffer, label: 0 | 3): Keys {
  const [key, salt] = [master.subarray(0, KEY_BYTES), master.subarray(KEY_BYTES, MASTER_BYTES)];
  const derive = (of: number, bytes: number): Buffer => {
    const iv = Buffer.alloc(16);
    salt.copy(iv);
    iv[7]! ^= of;
    return createCipheriv("aes-128-ctr", key, iv).update(Buffer.alloc(bytes));
  };
  return { cipher: derive(label, KEY_BYTES), auth: derive(label + 1, AUTH_BYTES), salt: derive(label + 2, SALT_BYTES) };
}

/** In place: encryption and decryption are the same. */
function crypt(keys: Keys, ssrc: number, index: number, part: Buffer): void {
  const iv = Buffer.alloc(16);
  keys.salt.copy(iv);
  iv.writeUInt32BE((iv.readUInt32BE(4) ^ ssrc) >>> 0, 4);
  const [high, low] = [Math.floor(index / 2 ** 16), index % 2 ** 16];
  iv.writeUInt32BE((iv.readUInt32BE(8) ^ high) >>> 0, 8);
  iv.writeUInt16BE(iv.readUInt16BE(12) ^ low, 12);
  createCipheriv("aes-128-ctr", keys.cipher, iv).update(part).copy(part);
}

function tagOf(keys: Keys, part: Buffer, rollover: number): Buffer {
  const roc = Buffer.alloc(4);
  roc.writeUInt32BE(rollover);
  return createHmac("sha1", keys.auth).update(part).update(roc).digest();
}

/** Where the payload of an RTP packet begins; undefined when the header is longer than the packet. */
export function payloadAt(packet: Buffer): number | undefined {
  let at = 12 + 4 * (packet[0]! & 0x0f);
  if ((packet[0]! & 0x10) !== 0) {
    if (packet.length < at + 4) return undefined;
    at += 4 + 4 * packet.readUInt16BE(at + 2);
  }
  return at <= packet.length ? at : undefined;
}

export function srtpSender(suite: SrtpSuite, master: Buffer): SrtpSender {
  const [rtp, rtcp] = [deriveKeys(master, 0), deriveKeys(master, 3)];
  const tagBytes = TAG_BYTES[suite];
  let rollover = 0;
  let last = -1;
  let rtcpIndex = 0;
  return {
    protect(packet, length) {
      const sequence = packet.readUInt16BE(2);
      if (last >= 0 && sequence < last && last - sequence > 2 ** 15) rollover++;
      last = sequence;
      crypt(rtp, packet.readUInt32BE(8), rollover * 2 ** 16 + sequence, packet.subarray(12, length));
      tagOf(rtp, packet.subarray(0, length), rollover).copy(packet, length, 0, tagBytes);
      return length + tagBytes;
    },
    protectRtcp(packet) {
      const out = Buffer.alloc(packet.length + 4 + RTCP_TAG_BYTES);
      packet.copy(out);
      crypt(rtcp, packet.readUInt32BE(4), rtcpIndex, out.subarray(8, packet.length));
      out.writeUInt32BE((0x80000000 | rtcpIndex) >>> 0, packet.length);
      rtcpIndex = (rtcpIndex + 1) % 2 ** 31;
      const tag = createHmac("sha1", rtcp.auth)
        .update(out.subarray(0, packet.length + 4))
        .digest();
      tag.copy(out, packet.length + 4, 0, RTCP_TAG_BYTES);
      return out;
    },
  };
}

/** What has come of one stream: the highest index, and the 64 before it as bits. */
type Seen = { highest: number; bits: bigint };

const isRepeated = (seen: Seen, index: number): boolean => {
  const behind = BigInt(seen.highest - index);
  return behind >= 0n && (behind >= WINDOW || ((seen.bits >> behind) & 1n) === 1n);
};

function note(seen: Seen, index: number): void {
  const ahead = BigInt(index - seen.highest);
  if (ahead > 0n) {
    seen.bits = ahead >= WINDOW ? 1n : BigInt.asUintN(64, (seen.bits << ahead) | 1n);
    seen.highest = index;
  } else seen.bits |= 1n << -ahead;
}

export function srtpReceiver(suite: SrtpSuite, master: Buffer): SrtpReceiver {
  const [rtp, rtcp] = [deriveKeys(master, 0), deriveKeys(master, 3)];
  const tagBytes = TAG_BYTES[suite];
  const streams = new Map<number, Seen>();
  const controls = new Map<number, Seen>();

  /** RFC 3711, 3.3.1: the index that is nearest to the highest so far. */
  function indexOf(seen: Seen | undefined, sequence: number): number {
    if (seen === undefined) return sequence;
    const rollover = Math.floor(seen.highest / 2 ** 16);
    const before = seen.highest % 2 ** 16;
    if (before < 2 ** 15)
      return sequence - before > 2 ** 15 ? (rollover - 1) * 2 ** 16 + sequence : rollover * 2 ** 16 + sequence;
    return before - 2 ** 15 > sequence ? (rollover + 1) * 2 ** 16 + sequence : rollover * 2 ** 16 + sequence;
  }

  /** Only what is authentic is remembered. */
  function remember(of: Map<number, Seen>, ssrc: number, seen: Seen | undefined, index: number): void {
    if (seen) note(seen, index);
    else {
      if (of.size >= MAX_STREAMS) of.delete(of.keys().next().value!);
      of.set(ssrc, { highest: index, bits: 1n });
    }
  }

  return {
    unprotect(packet) {
      const length = packet.length - tagBytes;
      const at = length < 12 ? undefined : payloadAt(packet.subarray(0, length));
      if (at === undefined) return undefined;
      const [sequence, ssrc] = [packet.readUInt16BE(2), packet.readUInt32BE(8)];
      const seen = streams.get(ssrc);
      const index = indexOf(seen, sequence);
      if (index < 0 || (seen && isRepeated(seen, index))) return undefined;
      const tag = tagOf(rtp, packet.subarray(0, length), Math.floor(index / 2 ** 16)).subarray(0, tagBytes);
      if (!timingSafeEqual(tag, packet.subarray(length))) return undefined;
      remember(streams, ssrc, seen, index);
      crypt(rtp, ssrc, index, packet.subarray(at, length));
      return packet.subarray(0, length);
    },
    unprotectRtcp(packet) {
      const length = packet.length - RTCP_TAG_BYTES - 4;
      if (length < 8) return undefined;
      const tag = createHmac("sha1", rtcp.auth)
        .update(packet.subarray(0, length + 4))
        .digest();
      if (!timingSafeEqual(tag.subarray(0, RTCP_TAG_BYTES), packet.subarray(length + 4))) return undefined;
      const word = packet.readUInt32BE(length);
      const [ssrc, index] = [packet.readUInt32BE(4), word & 0x7fffffff];
      const seen = controls.get(ssrc);
      if (seen && isRepeated(seen, index)) return undefined;
      remember(controls, ssrc, seen, index);
      if (word >= 0x80000000) crypt(rtcp, ssrc, index, packet.subarray(8, length));
      return packet.subarray(0, length);
    },
  };
}
