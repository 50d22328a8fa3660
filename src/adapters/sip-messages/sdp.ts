import { isIP } from "node:net";

/** A session description (RFC 8866), as far as a telephone call needs it. */
export type Sdp = {
  address: string | undefined;
  attributes: readonly SdpAttribute[];
  media: readonly SdpMedia[];
};

export type SdpAttribute = readonly [name: string, value: string];

export type SdpMedia = {
  kind: string;
  port: number;
  /** RTP/AVP, RTP/SAVP ... */
  profile: string;
  formats: readonly string[];
  address: string | undefined;
  attributes: readonly SdpAttribute[];
};

/** More lines, media, or formats than any telephone has. There are 128 payload types. */
const MAX_LINES = 500;
const MAX_MEDIA = 16;
const MAX_FORMATS = 128;
const MAX_LINE_CHARS = 2_048;

/** Undefined when it is no session description. */
export function parseSdp(text: string): Sdp | undefined {
  const all = text.split(/\r?\n/, MAX_LINES + 1);
  const lines = all.filter((line) => line !== "");
  if (lines[0] !== "v=0" || all.length > MAX_LINES) return undefined;
  type Open = { address: string | undefined; attributes: SdpAttribute[] };
  const session: Open = { address: undefined, attributes: [] };
  const media: (SdpMedia & Open)[] = [];
  for (const line of lines) {
    const open: Open = media.at(-1) ?? session;
    const value = line.slice(2);
    if (line[1] !== "=" || line.length > MAX_LINE_CHARS) return undefined;
    if (line[0] === "c") open.address = addressOf(value) ?? open.address;
    else if (line[0] === "a") {
      const colon = value.indexOf(":");
      open.attributes.push(colon < 0 ? [value.trim(), ""] : [value.slice(0, colon), value.slice(colon + 1).trim()]);
    } else if (line[0] === "m") {
      const [, kind, port, profile, formats] = /^(\S+) (\d{1,5})(?:\/\d+)? (\S+)((?: \S+)+)\s*$/.exec(value) ?? [];
      if (kind === undefined || Number(port) > 65_535 || media.length >= MAX_MEDIA) return undefined;
      const about = { kind, port: Number(port), profile: profile!, formats: formats!.trim().split(" ") };
      if (about.formats.length > MAX_FORMATS) return undefined;
      media.push({ ...about, address: undefined, attributes: [] });
    }
  }
  return { ...session, media };
}

/** Only addresses: a name would have to be looked up, at whose wish? */
function addressOf(value: string): string | undefined {
  const [, address] = /^IN IP[46] ([^\s/]+)/.exec(value) ?? [];
  return address !== undefined && isIP(address) > 0 ? address : undefined;
}

export function attribute(of: { attributes: readonly SdpAttribute[] }, name: string): string | undefined {
  return of.attributes.find((attribute) => attribute[0].toLowerCase() === name)?.[1];
}

export function attributesNamed(of: { attributes: readonly SdpAttribute[] }, name: string): string[] {
  return of.attributes.filter((attribute) => attribute[0].toLowerCase() === name).map(([, value]) => value);
}

export type Direction = "sendrecv" | "sendonly" | "recvonly" | "inactive";

const DIRECTIONS: readonly Direction[] = ["sendrecv", "sendonly", "recvonly", "inactive"];

/** As its writer sees it; the media's own before the session's, sendrecv when nothing is said. */
export function directionOf(sdp: Sdp, media: SdpMedia): Direction {
  for (const part of [media, sdp]) {
    const found = DIRECTIONS.find((direction) => attribute(part, direction) !== undefined);
    if (found) return found;
  }
  return "sendrecv";
}
