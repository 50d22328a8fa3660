import { isIPv6 } from "node:net";
import {
  type AudioFormat,
  type Codec,
  codecsOf,
  type DtmfFormat,
  dtmfOf,
  formatLines,
  type OpusWishes,
  offered,
  offeredDtmf,
  opusWishes,
} from "./formats.ts";
import { attribute, attributesNamed, type Direction, directionOf, parseSdp, type Sdp, type SdpMedia } from "./sdp.ts";

export type SrtpSuite = "AES_CM_128_HMAC_SHA1_80" | "AES_CM_128_HMAC_SHA1_32";

/** A master key and salt for one direction: 30 bytes in base64 (RFC 4568, 6.1). */
export type SrtpKey = { suite: SrtpSuite; key: string };

/** Where we hear and how, as the process with the socket says it. Plain JSON. */
export type LocalMedia = {
  address: string;
  port: number;
  /** In order of preference. */
  codecs: readonly Codec[];
  /** What we encrypt with, one a suite; empty or absent where nothing is to be encrypted. */
  srtp?: readonly SrtpKey[];
};

/** What both sides agreed on: all that a leg needs to know about the other. Plain JSON. */
export type RemoteMedia = {
  address: string;
  port: number;
  rtcpPort: number;
  /** RTCP comes and goes at the port of RTP (RFC 5761). */
  isRtcpMuxed: boolean;
  codec: Codec;
  payloadType: number;
  /** What its packets may be; `codec` and G.711 when absent. */
  accepts?: readonly AudioFormat[];
  /** What it asks of our encoder, where that is Opus. */
  opus?: OpusWishes;
  /** Of telephone-event; undefined where the other side knows no such thing. */
  dtmfPayloadType?: number;
  /** Ticks a second of its durations; 8,000 when absent. */
  dtmfClockRate?: number;
  /** Its keys may also come under these. */
  dtmfAlso?: readonly number[];
  /** Keys go to it by INFO, and not with the sound. */
  dtmfByInfo?: boolean;
  /** Whether the other side wants to hear us, and whether it speaks: false while it holds the call. */
  hears: boolean;
  speaks: boolean;
  srtp?: { suite: SrtpSuite; localKey: string; remoteKey: string };
  /** Addresses and networks besides `address` that its packets may come from. */
  from: readonly string[];
  /** The source numbers that its packets will have, where it says so (RFC 5576). */
  ssrcs?: readonly number[];
  /**
   * What may leave toward `address` before it has sent us any: all where it has sent us something else, or the trunk names it; a short `burst` (which is
   * what absence means); or nothing until it is `heard`, while who offered it has not proved to be where its INVITE came from.
   */
  reach?: "free" | "burst" | "heard";
};

export type SrtpPolicy = "off" | "optional" | "required";

const SUITES: readonly string[] = ["AES_CM_128_HMAC_SHA1_80", "AES_CM_128_HMAC_SHA1_32"];
const AVP = ["RTP/AVP", "RTP/AVPF"];
const SAVP = ["RTP/SAVP", "RTP/SAVPF"];

export type Description = { sessionId: string; version: number; direction: Direction };

/** An offer of ours. Where SRTP is optional the keys are in a plain offer (best effort), as phones do it. */
export function writeOffer(local: LocalMedia, srtp: SrtpPolicy, description: Description): string {
  const keys = srtp === "off" ? [] : (local.srtp ?? []);
  const lines = mediaLines(local, {
    profile: srtp === "required" ? "RTP/SAVP" : "RTP/AVP",
    codecs: local.codecs.map(offered),
    dtmf: offeredDtmf(local.codecs),
    crypto: keys.map(({ suite, key }, at) => `${at + 1} ${suite} inline:${key}`),
    direction: description.direction,
    isMuxed: true,
  });
  return [...head(local, description), ...lines, ""].join("\r\n");
}

function head(local: LocalMedia, { sessionId, version }: Description): string[] {
  const family = isIPv6(local.address) ? "IP6" : "IP4";
  return [
    "v=0",
    `o=- ${sessionId} ${version} IN ${family} ${local.address}`,
    "s=-",
    `c=IN ${family} ${local.address}`,
    "t=0 0",
  ];
}

type Lines = {
  profile: string;
  codecs: readonly AudioFormat[];
  dtmf: readonly DtmfFormat[];
  crypto: readonly string[];
  direction: Direction;
  isMuxed: boolean;
};

function mediaLines(local: LocalMedia, lines: Lines): string[] {
  const formats = [...lines.codecs, ...lines.dtmf].map(({ payloadType }) => payloadType);
  return [
    `m=audio ${local.port} ${lines.profile} ${formats.join(" ")}`,
    ...formatLines(lines.codecs, lines.dtmf),
    "a=ptime:20",
    "a=maxptime:20",
    ...lines.crypto.map((value) => `a=crypto:${value}`),
    ...(lines.isMuxed ? ["a=rtcp-mux"] : [`a=rtcp:${local.port + 1}`]),
    `a=${lines.direction}`,
  ];
}

export type Agreed = { ok: true; remote: RemoteMedia } | { ok: false; why: string };

/** What the answer to an offer of ours makes of it. */
export function readAnswer(text: string, local: LocalMedia, srtp: SrtpPolicy, from: readonly string[]): Agreed {
  const sdp = parseSdp(text);
  const audio = sdp?.media[0];
  if (sdp === undefined || audio === undefined || audio.kind !== "audio") return no("no answer to our audio");
  if (audio.port === 0) return no("our audio was refused");
  const agreed = agree(sdp, audio, local, srtp, from);
  if (!agreed.ok) return agreed;
  // It sends what it answered under the payload types of our offer (RFC 3264, 6.1), or, which is met too, under its own.
  const theirs = codecsOf(audio).filter(({ codec }) => local.codecs.includes(codec));
  return { ok: true, remote: { ...agreed.remote, accepts: [...theirs.map(({ codec }) => offered(codec)), ...theirs] } };
}

/** An answer to an offer of the other side's, written, and what it makes of the call. */
export function answerOffer(
  text: string,
  local: LocalMedia,
  srtp: SrtpPolicy,
  from: readonly string[],
  description: Description,
): (Extract<Agreed, { ok: true }> & { sdp: string }) | Extract<Agreed, { ok: false }> {
  const sdp = parseSdp(text);
  const at = sdp?.media.findIndex(({ kind, port, profile }) => kind === "audio" && port > 0 && isRtp(profile)) ?? -1;
  const audio = sdp?.media[at];
  if (sdp === undefined || audio === undefined) return no("no audio was offered");
  const agreed = agree(sdp, audio, local, srtp, from);
  if (!agreed.ok) return agreed;
  const { remote } = agreed;
  const tag = cryptoOf(audio).find(({ suite }) => suite === remote.srtp?.suite)?.tag;
  const ours = mediaLines(local, {
    profile: audio.profile,
    codecs: [remote],
    dtmf:
      remote.dtmfPayloadType === undefined
        ? []
        : [{ payloadType: remote.dtmfPayloadType, clockRate: remote.dtmfClockRate ?? 8_000 }],
    crypto: remote.srtp ? [`${tag} ${remote.srtp.suite} inline:${remote.srtp.localKey}`] : [],
    direction: mirrored(description.direction, directionOf(sdp, audio)),
    isMuxed: remote.isRtcpMuxed,
  });
  // RFC 3264, 6: as many media lines as were offered, the refused ones with port 0.
  const media = sdp.media.flatMap(({ kind, profile, formats }, index) =>
    index === at ? ours : [`m=${kind} 0 ${profile} ${formats[0]}`],
  );
  return { ok: true, remote, sdp: [...head(local, description), ...media, ""].join("\r\n") };
}

const isRtp = (profile: string) => AVP.includes(profile) || SAVP.includes(profile);

/** What we say where they said `theirs`, and would like to say `ours` (RFC 3264, 6.1). */
function mirrored(ours: Direction, theirs: Direction): Direction {
  const sends = ours.startsWith("send") && (theirs === "sendrecv" || theirs === "recvonly");
  const hears = (ours === "sendrecv" || ours === "recvonly") && theirs.startsWith("send");
  return sends ? (hears ? "sendrecv" : "sendonly") : hears ? "recvonly" : "inactive";
}

function agree(sdp: Sdp, audio: SdpMedia, local: LocalMedia, policy: SrtpPolicy, from: readonly string[]): Agreed {
  const codecs = codecsOf(audio);
  const chosen = codecs.find(({ codec }) => local.codecs.includes(codec));
  if (chosen === undefined) return no("no codec in common");
  const address = audio.address ?? sdp.address;
  if (address === undefined) return no("no address of the media");
  const srtp = policy === "off" ? undefined : srtpOf(audio, local);
  if (srtp === undefined && (policy === "required" || SAVP.includes(audio.profile))) return no("no SRTP in common");
  const direction = directionOf(sdp, audio);
  // RFC 2543's way to hold: an address of nothing.
  const isNowhere = address === "0.0.0.0" || address === "::";
  const isRtcpMuxed = attribute(audio, "rtcp-mux") !== undefined;
  const rtcp = Number.parseInt(attribute(audio, "rtcp") ?? "", 10);
  const [dtmf, ...dtmfAlso] = dtmfOf(audio, chosen.codec);
  const ssrcs = ssrcsOf(audio);
  return {
    ok: true,
    remote: {
      address,
      port: audio.port,
      rtcpPort: isRtcpMuxed ? audio.port : rtcp > 0 && rtcp < 65_536 ? rtcp : audio.port + 1,
      isRtcpMuxed,
      ...chosen,
      accepts: [chosen],
      ...(chosen.codec === "opus" ? { opus: opusWishes(audio, chosen.payloadType) } : {}),
      ...(dtmf === undefined ? {} : { dtmfPayloadType: dtmf.payloadType }),
      ...(dtmf === undefined || dtmf.clockRate === 8_000 ? {} : { dtmfClockRate: dtmf.clockRate }),
      ...(dtmfAlso.length === 0 ? {} : { dtmfAlso: dtmfAlso.map(({ payloadType }) => payloadType) }),
      hears: !isNowhere && (direction === "sendrecv" || direction === "recvonly"),
      speaks: direction === "sendrecv" || direction === "sendonly",
      ...(srtp === undefined ? {} : { srtp }),
      from,
      ...(ssrcs.length === 0 ? {} : { ssrcs }),
    },
  };
}

/** Of a telephone one; a few where there is more than sound. */
const MAX_SSRCS = 8;

function ssrcsOf(audio: SdpMedia): number[] {
  const named = attributesNamed(audio, "ssrc").map((value) =>
    Number(/^\d{1,10}(?=\s|$)/.exec(value)?.[0] ?? Number.NaN),
  );
  return [...new Set(named)].filter((ssrc) => ssrc < 2 ** 32).slice(0, MAX_SSRCS);
}

/** 16 bytes of key and 14 of salt. A lifetime may follow; with a master key index we would not know which key is meant. */
const INLINE = /^(\d{1,9})\s+(\S+)\s+inline:([A-Za-z0-9+/]{40})(?:\|[^:\s]*)?(?:\s.*)?$/;

function cryptoOf(audio: SdpMedia): { tag: string; suite: SrtpSuite; key: string }[] {
  return attributesNamed(audio, "crypto").flatMap((value) => {
    const [, tag, suite, key] = INLINE.exec(value) ?? [];
    return tag !== undefined && SUITES.includes(suite!) ? [{ tag, suite: suite as SrtpSuite, key: key! }] : [];
  });
}

function srtpOf(audio: SdpMedia, local: LocalMedia): RemoteMedia["srtp"] {
  for (const { suite, key } of cryptoOf(audio)) {
    const own = local.srtp?.find((offer) => offer.suite === suite);
    if (own) return { suite, localKey: own.key, remoteKey: key };
  }
  return undefined;
}

const no = (why: string) => ({ ok: false, why }) as const;
