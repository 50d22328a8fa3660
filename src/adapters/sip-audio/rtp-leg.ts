import { type Codec, clockRateOf } from "#adapters/sip-messages/formats.ts";
import type { RemoteMedia } from "#adapters/sip-messages/offer-answer.ts";
import { type Clock, fraction, type Random, token } from "#adapters/sip-transport/clock.ts";
import { FRAME_MS, FRAME_SAMPLES, G711_RATE } from "#domain/calls/g711.ts";
import type { NetworkDrop } from "#domain/system/network-drop.ts";
import type { LegEvents, MediaLeg } from "#ports/media-leg.ts";
import { packetRing } from "./packet-ring.ts";
import { type Reception, reception } from "./reception.ts";
import { isRtcp, readReports, writeBye, writeReport } from "./rtcp.ts";
import type { RtpPort } from "./rtp-port.ts";
import { rtpHistory, rtpSource } from "./rtp-source.ts";
import { isWideband, soundCoding, ticksOf, WIDE_RATE } from "./sound-coding.ts";
import { MAX_TAG_BYTES, payloadAt, type SrtpReceiver, type SrtpSender, srtpReceiver, srtpSender } from "./srtp.ts";
import {
  digitOfEvent,
  eventOf,
  isKey,
  PRESSED_FRAMES,
  RELEASED_FRAMES,
  toneFrame,
  writeEvent,
} from "./telephone-event.ts";

const HEADER_BYTES = 12;
/** RFC 3550, 6.2: five seconds, half as much to one and a half times as much by chance. */
const REPORT_MS = 5_000;
/** A pause of the session's that is longer than this moves the timestamps on: the other side would take it for a delay. */
const PAUSE_FRAMES = 3;
/** The end of a key is sent three times (RFC 4733, 2.5.1.4). */
const END_PACKETS = 3;
const EVENT_BYTES = 4;
/** More keys than any menu asks for. */
const MAX_KEYS = 100;
/** Frames of one packet; 60 ms is the most that is met. */
const MAX_FRAMES = 6;
/** What an Ethernet carries. */
const MAX_PACKET_BYTES = 1_500;

export type RtpLeg = MediaLeg & {
  /** The other side moved, took another codec, or holds the call. */
  update(remote: RemoteMedia): void;
  statistics(): RtpStatistics;
};

export type RtpStatistics = {
  sent: number;
  received: number;
  lost: number;
  jitterMs: number;
  /** By the other side's reports; undefined until there is one. */
  lostThere: number | undefined;
  roundTripMs: number | undefined;
  /** Packets from elsewhere, forged ones, what is no RTP, and what cannot be decoded. */
  refused: number;
  /** Packets of ours that did not leave, since nothing came from where they would have gone. */
  withheld: number;
};

/** A leg over RTP at a port that is open already, which the leg closes at its end. */
export function openRtpLeg(
  port: RtpPort,
  first: RemoteMedia,
  parts: {
    clock: Clock;
    random: Random;
    count?(drop: NetworkDrop): void;
    /** Presses keys by the signalling, where they go that way. */
    press?(digits: string): void;
  },
): RtpLeg {
  const { clock, random } = parts;
  const ssrc = random(4).readUInt32BE();
  const name = token(random, 8);
  const ring = packetRing(port.rtp, HEADER_BYTES + FRAME_SAMPLES + MAX_TAG_BYTES);
  const tone = new Uint8Array(FRAME_SAMPLES);
  const coding = soundCoding(port.opus);
  if (first.opus) coding.shape(first.opus);
  let remote = first;
  const history = rtpHistory();
  let source = rtpSource(first, history);
  let sealing: { key: string; sender: SrtpSender } | undefined;
  let opening: { key: string; receiver: SrtpReceiver } | undefined;
  let events: LegEvents | undefined;
  let sequence = random(2).readUInt16BE();
  let timestamp = random(4).readUInt32BE();
  let lastFrameAt: number | undefined;
  let isMarked = true;
  const sent = { packets: 0, bytes: 0, sinceReport: false };
  let stream: Reception | undefined;
  /** The stream's clock as the session has it, 8 kHz: where it began, and how far it is. */
  let clocked = { raw: 0, at: 0 };
  /** What is added to a stream's numbers, so that one that follows another goes on where it ended. */
  let shift = { sequence: 0, timestamp: 0 };
  let last: { sequence: number; timestamp: number; atMs: number } | undefined;
  let lastEvent: { ssrc: number; timestamp: number } | undefined;
  let heard: { ntpMiddle: number; atMs: number } | undefined;
  let seenThere: { lost: number; roundTripMs: number | undefined } | undefined;
  let refused = 0;
  let withheld = 0;
  let isClosed = false;
  const keys: string[] = [];
  let pressing: { digit: string; frame: number; began: number } | undefined;
  let stopKeys = () => {};
  let stopReports = clock.after(reportMs(), report);

  keySrtp();

  function keySrtp(): void {
    const { srtp } = remote;
    // A key that stays keeps its count: the same number under the same key twice would give both packets away.
    if (srtp?.localKey !== sealing?.key) {
      const master = srtp && Buffer.from(srtp.localKey, "base64");
      sealing = srtp && { key: srtp.localKey, sender: srtpSender(srtp.suite, master!) };
    }
    if (srtp?.remoteKey !== opening?.key) {
      const master = srtp && Buffer.from(srtp.remoteKey, "base64");
      opening = srtp && { key: srtp.remoteKey, receiver: srtpReceiver(srtp.suite, master!) };
    }
  }

  function refuse(): void {
    refused++;
    parts.count?.("rtp_refused");
  }

  function mayLeave(): boolean {
    if (source.mayLeave()) return true;
    withheld++;
    parts.count?.("rtp_withheld");
    return false;
  }

  /** Writes the header, lets `fill` write the payload and say how long that is, and sends. */
  function transmit(payloadType: number, stamp: number, fill: (packet: Buffer) => number): void {
    if (isClosed || !remote.hears || !mayLeave()) return;
    const packet = ring.next();
    packet[0] = 0x80;
    packet[1] = payloadType | (isMarked ? 0x80 : 0);
    packet.writeUInt16BE(sequence, 2);
    packet.writeUInt32BE(stamp, 4);
    packet.writeUInt32BE(ssrc, 8);
    const bytes = fill(packet);
    isMarked = false;
    sequence = (sequence + 1) & 0xffff;
    sent.packets++;
    sent.bytes += bytes;
    sent.sinceReport = true;
    const length = HEADER_BYTES + bytes;
    const { port: to, address } = source.target();
    ring.send(sealing ? sealing.sender.protect(packet, length) : length, to, address);
  }

  /** The timestamp of the frame that is due now; the next one's is a frame on. */
  function stampNow(): number {
    const now = clock.now();
    const pause = lastFrameAt === undefined ? 0 : Math.round((now - lastFrameAt) / FRAME_MS) - 1;
    if (pause >= PAUSE_FRAMES) {
      timestamp = (timestamp + pause * ticksOf(remote.codec)) >>> 0;
      isMarked = true;
    }
    lastFrameAt = now;
    const stamp = timestamp;
    timestamp = (timestamp + ticksOf(remote.codec)) >>> 0;
    return stamp;
  }

  function transmitSound(frame: Uint8Array): void {
    transmit(remote.payloadType, stampNow(), (packet) => coding.encode(remote.codec, frame, packet, HEADER_BYTES));
  }

  /** One frame of the key that is pressed; sound of the session's waits as long. */
  function pressOn(): void {
    const startedAt = clock.now();
    pressing ??= { digit: keys.shift()!, frame: 0, began: timestamp };
    const { digit, frame } = pressing;
    if (remote.dtmfPayloadType === undefined) {
      if (frame < PRESSED_FRAMES) toneFrame(digit, frame, tone);
      else tone.fill(0xff);
      transmitSound(tone);
    } else {
      const stamp = stampNow();
      if (frame === 0) {
        pressing.began = stamp;
        isMarked = true;
      }
      const isEnd = frame >= PRESSED_FRAMES;
      const ticks = ((remote.dtmfClockRate ?? G711_RATE) * FRAME_MS) / 1_000;
      const duration = Math.min(frame + 1, PRESSED_FRAMES) * ticks;
      if (frame < PRESSED_FRAMES + END_PACKETS) {
        transmit(remote.dtmfPayloadType, pressing.began, (packet) => {
          writeEvent(packet, HEADER_BYTES, eventOf(digit), duration, isEnd);
          return EVENT_BYTES;
        });
      }
    }
    pressing = frame + 1 < PRESSED_FRAMES + RELEASED_FRAMES ? { ...pressing, frame: frame + 1 } : undefined;
    const isMore = pressing !== undefined || keys.length > 0;
    stopKeys = isMore ? clock.after(Math.max(0, startedAt + FRAME_MS - clock.now()), pressOn) : () => {};
    if (!isMore) isMarked = true;
  }

  function received(packet: Buffer, address: string, from: number): void {
    if (isClosed) return;
    if (isRtcp(packet)) {
      receivedReport(packet, address);
      return;
    }
    if (packet.length <= HEADER_BYTES || packet.length > MAX_PACKET_BYTES || packet[0]! >> 6 !== 2)
      return void refuse();
    const plain = opening ? opening.receiver.unprotect(packet) : packet;
    if (plain === undefined) return void refuse();
    const arrival = { address, port: from, ssrc: plain.readUInt32BE(8), isAuthentic: opening !== undefined };
    if (!source.accepts({ ...arrival, nowMs: clock.now() })) return void refuse();
    const at = payloadAt(plain);
    const padding = (plain[0]! & 0x20) !== 0 ? plain[plain.length - 1]! : 0;
    if (at === undefined || at + padding >= plain.length) return void refuse();
    take(plain, plain.subarray(at, plain.length - padding));
  }

  function take(packet: Buffer, payload: Buffer): void {
    const payloadType = packet[1]! & 0x7f;
    const sequence = packet.readUInt16BE(2);
    const raw = packet.readUInt32BE(4);
    const from = packet.readUInt32BE(8);
    const now = clock.now();
    const codec = codecOf(payloadType);
    const rate = clockRateOf(codec ?? remote.codec);
    // Keys may have another clock than the sound that they come with.
    if (stream?.ssrc !== from || (codec !== undefined && stream.clockRate !== rate))
      follow(from, { sequence, raw, rate }, now);
    stream!.packet(sequence, raw, now);
    if (payloadType === remote.dtmfPayloadType || remote.dtmfAlso?.includes(payloadType)) {
      takeKey(from, raw, payload);
      return;
    }
    if (codec === undefined) return;
    clocked = { raw, at: clocked.at + (((raw - clocked.raw) | 0) * G711_RATE) / rate };
    const shifted = {
      sequence: (sequence + shift.sequence) & 0xffff,
      timestamp: (Math.floor(clocked.at) + shift.timestamp) >>> 0,
    };
    last = { ...shifted, atMs: now };
    const isSound = coding.decode(codec, sequence, payload, (back, sound, wide) => {
      if (codec !== "opus") return hand(shifted, sound, wide);
      const [number, stamp] = [shifted.sequence - back, shifted.timestamp - back * sound.length];
      events?.packet(number & 0xffff, stamp >>> 0, sound, wide);
    });
    if (!isSound) refuse();
  }

  /** Only what was agreed on, and G.711, which some fall back to without a word. */
  function codecOf(payloadType: number): Codec | undefined {
    const accepts = remote.accepts ?? [remote];
    const agreed = accepts.find((format) => format.payloadType === payloadType)?.codec;
    return agreed ?? (payloadType === 0 ? "PCMU" : payloadType === 8 ? "PCMA" : undefined);
  }

  /** Frames of 160 each: a packet of several becomes as many, numbered so that they wrap where the packets do. */
  function hand(
    { sequence: number, timestamp: stamp }: { sequence: number; timestamp: number },
    payload: Uint8Array,
    wide: Int16Array | undefined,
  ): void {
    const frames = payload.length / FRAME_SAMPLES;
    if (frames === 1 || !Number.isInteger(frames) || frames > MAX_FRAMES) {
      events?.packet(number, stamp, payload, wide);
      return;
    }
    for (let i = 0; i < frames; i++) {
      const [from, to] = [i * FRAME_SAMPLES, (i + 1) * FRAME_SAMPLES];
      const place = [(number * frames + i) & 0xffff, (stamp + from) >>> 0] as const;
      events?.packet(...place, payload.subarray(from, to), wide?.subarray(2 * from, 2 * to));
    }
  }

  /** Another stream takes over, as after a transfer, or one with another clock: its numbers go on from the last one's, the time between included. */
  function follow(from: number, { sequence, raw, rate }: { sequence: number; raw: number; rate: number }, now: number) {
    stream = reception(from, sequence, rate);
    clocked = { raw, at: raw };
    coding.restart();
    if (last === undefined) return;
    const frames = Math.max(1, Math.round((now - last.atMs) / FRAME_MS));
    shift = {
      sequence: last.sequence + 1 - sequence,
      timestamp: last.timestamp + frames * FRAME_SAMPLES - raw,
    };
  }

  /** All packets of one press have the timestamp of its begin, and any one of them is enough. */
  function takeKey(from: number, stamp: number, payload: Buffer): void {
    const isOld = lastEvent?.ssrc === from && ((stamp - lastEvent.timestamp) | 0) <= 0;
    const digit = digitOfEvent(payload);
    if (isOld || digit === undefined) return;
    lastEvent = { ssrc: from, timestamp: stamp };
    events?.dtmf(digit);
  }

  function receivedReport(packet: Buffer, address: string): void {
    if (packet.length > MAX_PACKET_BYTES || (!opening && !source.isFrom(address))) return void refuse();
    const plain = opening ? opening.receiver.unprotectRtcp(packet) : packet;
    if (plain === undefined) return void refuse();
    const now = clock.now();
    const reports = readReports(plain);
    // A silent side sends these alone.
    if (reports.length > 0) source.heardOf(address);
    for (const { ssrc: from, ntpMiddle, blocks } of reports) {
      if (from === stream?.ssrc && ntpMiddle !== undefined) heard = { ntpMiddle, atMs: now };
      const block = blocks.find((block) => block.ssrc === ssrc);
      if (block === undefined) continue;
      const trip = ((ntpMiddleOf(now) - block.lastReport - block.delay) | 0) / 65.536;
      const roundTripMs = block.lastReport === 0 || trip < 0 ? seenThere?.roundTripMs : trip;
      seenThere = { lost: block.lost, roundTripMs };
    }
  }

  function report(): void {
    stopReports = clock.after(reportMs(), report);
    const now = clock.now();
    const sender = sent.sinceReport
      ? { ntp: now / 1_000, timestamp, packets: sent.packets, bytes: sent.bytes }
      : undefined;
    sent.sinceReport = false;
    const delay = heard ? Math.round((now - heard.atMs) * 65.536) : 0;
    sendRtcp(writeReport(ssrc, name, sender, stream?.block(heard?.ntpMiddle ?? 0, delay)));
  }

  function sendRtcp(packet: Buffer): void {
    if (!mayLeave()) return;
    const out = sealing ? sealing.sender.protectRtcp(packet) : packet;
    const to = source.target();
    // When the RTP port has moved (symmetric RTP), so has RTCP's: it is the next one.
    const rtcpPort = to.port === remote.port ? remote.rtcpPort : to.port + 1;
    if (remote.isRtcpMuxed) port.rtp.send(out, to.port, to.address);
    else port.rtcp.send(out, rtcpPort, to.address);
  }

  function reportMs(): number {
    return REPORT_MS * (0.5 + fraction(random));
  }

  port.rtp.on("message", (packet, { address, port: from }) => received(packet, address, from));
  port.rtcp.on("message", (packet, { address }) => {
    if (isClosed) return;
    if (isRtcp(packet)) receivedReport(packet, address);
    else refuse();
  });

  return {
    wideRate: isWideband(first.codec) ? WIDE_RATE : undefined,
    listen(next) {
      events = next;
    },
    send(frame) {
      if (pressing === undefined && keys.length === 0) transmitSound(frame);
    },
    // RTP is played as it comes: nothing waits at the far end.
    clear() {},
    dtmf(digits) {
      if (remote.dtmfByInfo && parts.press) {
        parts.press([...digits].filter(isKey).slice(0, MAX_KEYS).join("").toUpperCase());
        return;
      }
      const isIdle = pressing === undefined && keys.length === 0;
      keys.push(...[...digits].filter(isKey).slice(0, MAX_KEYS - keys.length));
      if (isIdle && keys.length > 0 && !isClosed) pressOn();
    },
    update(next) {
      const hasMoved =
        next.address !== remote.address ||
        next.port !== remote.port ||
        !sameList(next.from, remote.from) ||
        !sameList(next.ssrcs ?? [], remote.ssrcs ?? []);
      remote = next;
      if (next.opus) coding.shape(next.opus);
      if (hasMoved) source = rtpSource(next, history);
      else source.widen(next.reach);
      keySrtp();
      isMarked = true;
    },
    statistics: () => ({
      sent: sent.packets,
      ...(stream?.figures() ?? { received: 0, lost: 0, jitterMs: 0 }),
      lostThere: seenThere?.lost,
      roundTripMs: seenThere?.roundTripMs,
      refused,
      withheld,
    }),
    close() {
      if (isClosed) return;
      stopKeys();
      stopReports();
      if (sent.packets > 0) {
        sendRtcp(Buffer.concat([writeReport(ssrc, name, undefined, undefined), writeBye(ssrc)]));
      }
      isClosed = true;
      // Closing waits for what has been handed over: a turn of the loop is enough.
      setImmediate(port.close);
    },
  } satisfies RtpLeg;
}

const sameList = (a: readonly (string | number)[], b: readonly (string | number)[]): boolean => a.join() === b.join();

/** The middle 32 bits of the NTP time that our reports contain: seconds of the clock, and fractions of 65,536. */
const ntpMiddleOf = (ms: number): number => Math.floor(ms * 65.536) >>> 0;
