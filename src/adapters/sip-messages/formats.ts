import { attributesNamed, type SdpMedia } from "./sdp.ts";

export type Codec = "opus" | "G722" | "PCMU" | "PCMA";

/** A codec under a payload type: plain JSON. */
export type AudioFormat = { codec: Codec; payloadType: number };

/** What the other side asks of an Opus encoder (RFC 7587, 6.1). Plain JSON. */
export type OpusWishes = { fec: boolean; maxBitrate?: number; isConstant?: boolean };

type Known = { payloadType: number; map: string; clockRate: number; fmtp?: string };

/** G.722's clock is 8,000 by a mistake that stayed (RFC 3551, 4.5.2); Opus's is 48,000 and its channels are two, whatever is sent (RFC 7587, 7). */
const KNOWN: Readonly<Record<Codec, Known>> = {
  opus: {
    payloadType: 107,
    map: "opus/48000/2",
    clockRate: 48_000,
    fmtp: "maxplaybackrate=16000; sprop-maxcapturerate=8000; stereo=0; sprop-stereo=0; useinbandfec=1; minptime=20",
  },
  G722: { payloadType: 9, map: "G722/8000", clockRate: 8_000 },
  PCMU: { payloadType: 0, map: "PCMU/8000", clockRate: 8_000 },
  PCMA: { payloadType: 8, map: "PCMA/8000", clockRate: 8_000 },
};
export const CODECS = Object.keys(KNOWN) as readonly Codec[];
const STATIC: Readonly<Record<string, Codec>> = { "0": "PCMU", "8": "PCMA", "9": "G722" };

/** As settings have them, in lower case. */
export const CODEC_NAMES: readonly string[] = CODECS.map((codec) => codec.toLowerCase());

/** What a trunk has whose settings name none: what every telephone network speaks. */
export const USUAL_CODECS = ["PCMU", "PCMA"] as const satisfies readonly Codec[];

/** Of names that have been checked, each once. */
export const codecsNamed = (names: readonly string[]): Codec[] =>
  [...new Set(names)].flatMap((name) => CODECS.find((codec) => codec.toLowerCase() === name) ?? []);

/** Ticks of RTP's clock in a second. */
export const clockRateOf = (codec: Codec): number => KNOWN[codec].clockRate;

/** As we offer it. */
export const offered = (codec: Codec): AudioFormat => ({ codec, payloadType: KNOWN[codec].payloadType });

/** What most of the field takes for telephone-event, and another for keys on Opus's clock. */
const DTMF_PAYLOAD_TYPES: Readonly<Record<number, number>> = { 8000: 101, 48000: 102 };

export type DtmfFormat = { payloadType: number; clockRate: number };

/** Keys on the clock of each codec that is offered (RFC 4733, 2.1). */
export function offeredDtmf(codecs: readonly Codec[]): DtmfFormat[] {
  const rates = [...new Set(codecs.map(clockRateOf))];
  return rates.map((clockRate) => ({ payloadType: DTMF_PAYLOAD_TYPES[clockRate]!, clockRate }));
}

/** The lines of a description that explain the payload types. */
export function formatLines(audio: readonly AudioFormat[], dtmf: readonly DtmfFormat[]): string[] {
  return [
    ...audio.flatMap(({ codec, payloadType }) => {
      const { map, fmtp } = KNOWN[codec];
      return [`a=rtpmap:${payloadType} ${map}`, ...(fmtp === undefined ? [] : [`a=fmtp:${payloadType} ${fmtp}`])];
    }),
    ...dtmf.flatMap(({ payloadType, clockRate }) => [
      `a=rtpmap:${payloadType} telephone-event/${clockRate}`,
      `a=fmtp:${payloadType} 0-15`,
    ]),
  ];
}

type Map_ = { payloadType: number; name: string };

/** In the order of the media line. A payload type that is explained twice has its first meaning. */
function mapsOf(audio: SdpMedia): Map_[] {
  const maps = new Map<string, string>();
  for (const value of attributesNamed(audio, "rtpmap")) {
    const [format, name] = value.split(/\s+/, 2);
    if (format !== undefined && name !== undefined && !maps.has(format)) maps.set(format, name.toLowerCase());
  }
  return [...new Set(audio.formats)].flatMap((format) => {
    const fixed = STATIC[format];
    const name = maps.get(format) ?? (fixed && KNOWN[fixed].map.toLowerCase());
    return name !== undefined && isPayloadType(format) ? [{ payloadType: Number(format), name }] : [];
  });
}

/** 64 to 95 with a marker look like RTCP (RFC 5761, 4). */
const isPayloadType = (format: string) =>
  /^\d{1,3}$/.test(format) && Number(format) < 128 && (Number(format) < 64 || Number(format) > 95);

/** Those that we have, in the other side's order of preference. */
export function codecsOf(audio: SdpMedia): AudioFormat[] {
  return mapsOf(audio).flatMap(({ payloadType, name }) => {
    const codec = CODECS.find((codec) => {
      const map = KNOWN[codec].map.toLowerCase();
      return name === map || (codec !== "opus" && name === `${map}/1`);
    });
    return codec === undefined ? [] : [{ codec, payloadType }];
  });
}

/** Keys that the other side knows, those on the clock of `codec` first: some name one clock alone, whatever the sound has. */
export function dtmfOf(audio: SdpMedia, codec: Codec): DtmfFormat[] {
  const all = mapsOf(audio).flatMap(({ payloadType, name }) => {
    const [, rate] = /^telephone-event\/(8000|48000)$/.exec(name) ?? [];
    return rate === undefined ? [] : [{ payloadType, clockRate: Number(rate) }];
  });
  const isRight = ({ clockRate }: DtmfFormat) => clockRate === clockRateOf(codec);
  return [...all.filter(isRight), ...all.filter((format) => !isRight(format))];
}

/** RFC 7587, 6.1: less is no speech, more no Opus. */
const BITRATES = [6_000, 510_000] as const;

/** What follows `a=fmtp` of an Opus payload type; what is absurd counts as not said. */
export function opusWishes(audio: SdpMedia, payloadType: number): OpusWishes {
  const prefix = `${payloadType} `;
  const text = attributesNamed(audio, "fmtp").find((value) => value.startsWith(prefix)) ?? prefix;
  const said = new Map(
    text
      .slice(prefix.length)
      .split(";")
      .map((part) => {
        const equals = part.indexOf("=");
        return equals < 0
          ? [part.trim(), ""]
          : [part.slice(0, equals).trim().toLowerCase(), part.slice(equals + 1).trim()];
      }),
  );
  const asked = said.get("maxaveragebitrate") ?? "";
  const bitrate = /^\d{1,7}$/.test(asked) ? Number(asked) : 0;
  const isKnown = bitrate >= BITRATES[0] && bitrate <= BITRATES[1];
  return {
    fec: said.get("useinbandfec") === "1",
    ...(isKnown ? { maxBitrate: bitrate } : {}),
    ...(said.get("cbr") === "1" ? { isConstant: true } : {}),
  };
}
