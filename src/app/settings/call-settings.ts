import { isIP } from "node:net";
import { CODEC_NAMES, codecsNamed } from "#adapters/sip-messages/formats.ts";
import type { Server, Trunk } from "#adapters/sip-transport/trunk.ts";
import { normalizePhone } from "#domain/phones/phone.ts";
import {
  integer,
  matching,
  oneOf,
  optional,
  type Parse,
  preset,
  type Setting,
  SettingProblem,
  secret,
} from "./setting.ts";

/** A trunk, and the numbers that it lets us call from, which tenants can buy. */
export type NumberedTrunk = Trunk & { numbers: readonly string[] };

/** Optional fields of a trunk besides `name`, `host` and `numbers`, with their defaults. */
const TRUNK_DEFAULTS = {
  transport: "udp",
  allowedAddresses: [],
  srtp: "off",
  register: false,
  keepAliveSeconds: 30,
  maxCalls: 100,
  callsPerSecond: 5,
} as const;

const TEXTS = ["username", "password", "realm", "fromDomain"];
const LISTS = ["allowedAddresses", "mediaAddresses", "numbers", "proxies", "codecs"];
const WHOLE: Readonly<Record<string, readonly [number, number]>> = {
  port: [1, 65_535],
  keepAliveSeconds: [0, 3_600],
  maxCalls: [1, 100_000],
  callsPerSecond: [1, 1_000],
};
const CHOICES: Readonly<Record<string, readonly string[]>> = {
  transport: ["udp", "tcp", "tls"],
  srtp: ["off", "optional", "required"],
  numberFormat: ["plus", "digits"],
  dtmf: ["auto", "rtp", "info"],
};
const IDENTITY_HEADERS = ["p-asserted-identity", "p-preferred-identity"];
const OBJECTS = ["inboundCredentials", "tls", "identity"];
const KNOWN = new Set([
  "name",
  "host",
  "register",
  ...TEXTS,
  ...LISTS,
  ...OBJECTS,
  ...Object.keys(WHOLE),
  ...Object.keys(CHOICES),
]);

/** `[{"name": "acme", "host": "sip.example.com", "username": "...", "password": "...", "numbers": ["+12125550100"]}]` */
const trunks: Parse<readonly NumberedTrunk[]> = (text) => {
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    throw new SettingProblem("must be JSON");
  }
  if (!Array.isArray(list)) throw new SettingProblem("must be a JSON array of trunks");
  const read = list.map(readTrunk);
  if (new Set(read.map((trunk) => trunk.name)).size < read.length)
    throw new SettingProblem("must name each trunk differently");
  const seen = new Set<string>();
  for (const number of read.flatMap((trunk) => trunk.numbers)) {
    // A number has one owner, and calls from it leave by one trunk.
    if (seen.has(number)) throw new SettingProblem(`must have each number on one trunk: ${number} is there twice`);
    seen.add(number);
  }
  return read;
};

const SERVER = /^(\[[0-9A-Fa-f:.]+\]|[\w.-]{1,255})(?::(\d{1,5}))?$/;

/** `sip.example.com`, `192.0.2.1:5070`, `[2001:db8::1]:5060`. */
function serverOf(text: string): Server | undefined {
  const [, host, port] = SERVER.exec(text) ?? [];
  if (host === undefined || Number(port ?? 1) < 1 || Number(port ?? 1) > 65_535) return undefined;
  return { host, ...(port === undefined ? {} : { port: Number(port) }) };
}

function readTrunk(input: unknown, index: number): NumberedTrunk {
  const wrong = (what: string) => new SettingProblem(`must have trunks: [${index}]${what}`);
  if (typeof input !== "object" || input === null || Array.isArray(input)) throw wrong(" must be an object");
  const trunk = input as Record<string, unknown>;
  const unknown = Object.keys(trunk).find((name) => !KNOWN.has(name));
  if (unknown !== undefined) throw wrong(`.${unknown} is not a field of a trunk`);
  if (typeof trunk.name !== "string" || !/^[a-z0-9-]{1,40}$/.test(trunk.name)) {
    throw wrong(".name must be 1 to 40 of a-z, 0-9 and -");
  }
  if (typeof trunk.host !== "string" || !/^[\w.:-]{1,255}$/.test(trunk.host))
    throw wrong(".host must be a host name or address");
  for (const name of TEXTS) {
    if (trunk[name] !== undefined && typeof trunk[name] !== "string") throw wrong(`.${name} must be a string`);
  }
  for (const name of LISTS) {
    const list = trunk[name];
    const isList = Array.isArray(list) && list.every((item) => typeof item === "string");
    if (list !== undefined && !isList) throw wrong(`.${name} must be a list of strings`);
  }
  for (const [name, [min, max]] of Object.entries(WHOLE)) {
    const value = trunk[name];
    if (value === undefined) continue;
    if (!Number.isInteger(value) || (value as number) < min || (value as number) > max) {
      throw wrong(`.${name} must be a whole number from ${min} to ${max}`);
    }
  }
  for (const [name, choices] of Object.entries(CHOICES)) {
    const value = trunk[name];
    if (value !== undefined && !choices.includes(value as string))
      throw wrong(`.${name} must be one of ${choices.join(", ")}`);
  }
  if (trunk.register !== undefined && typeof trunk.register !== "boolean")
    throw wrong(".register must be true or false");
  for (const name of OBJECTS) {
    if (trunk[name] !== undefined && (typeof trunk[name] !== "object" || trunk[name] === null)) {
      throw wrong(`.${name} must be an object`);
    }
  }
  const numbers = ((trunk.numbers as string[] | undefined) ?? []).map((number) => {
    const normal = normalizePhone(number);
    if ("problem" in normal) throw wrong(`.numbers has ${number}, which is no phone number in E.164`);
    return normal.phone;
  });
  const identity = trunk.identity as Record<string, unknown> | undefined;
  const { fromUser, header } = identity ?? {};
  if (fromUser !== undefined && (typeof fromUser !== "string" || fromUser === ""))
    throw wrong(".identity.fromUser must be a string that is not empty");
  if (header !== undefined && !IDENTITY_HEADERS.includes(header as string))
    throw wrong(`.identity.header must be one of ${IDENTITY_HEADERS.join(", ")}`);
  const proxies = (trunk.proxies as string[] | undefined)?.map((proxy) => {
    const server = serverOf(proxy);
    if (!server) throw wrong(`.proxies has ${proxy}, which is no host and no host with a port`);
    return server;
  });
  const codecs = trunk.codecs as string[] | undefined;
  if (codecs?.length === 0 || codecs?.some((codec) => !CODEC_NAMES.includes(codec)))
    throw wrong(`.codecs must have at least one of ${CODEC_NAMES.join(", ")}`);
  const spoken = codecs ? { codecs: codecsNamed(codecs) } : {};
  return {
    ...TRUNK_DEFAULTS,
    ...trunk,
    ...spoken,
    numbers,
    ...(proxies ? { proxies } : {}),
  } as unknown as NumberedTrunk;
}

const address = matching(/^[0-9a-fA-F.:]+$/, "an IP address");
const ipAddress: Parse<string> = (text) => {
  if (isIP(address(text)) === 0) throw new SettingProblem("must be an IP address");
  return text;
};

/** `20000-29999` */
const portRange: Parse<readonly [number, number]> = (text) => {
  const [first, last] = (/^(\d+)-(\d+)$/.exec(text)?.slice(1) ?? []).map(Number);
  if (first === undefined || last === undefined || first < 1_024 || last > 65_535 || last - first < 3) {
    throw new SettingProblem("must be two ports from 1024 to 65535 with a hyphen between them, at least 4 in all");
  }
  // Printed as it is written. Not enumerable, since settings are copied to threads, and no function can be.
  return Object.defineProperty([first, last] as const, "toString", { value: () => text });
};

/** Settings of calls with sound. */
export const CALL_SETTINGS = {
  sipTrunks: {
    ...secret(
      "PARLEY_SIP_TRUNKS",
      (text) => text,
      "SIP trunks that live calls go over, as a JSON array; docs/voice.md says what is in it.",
    ),
    parse: trunks,
  } as Setting<readonly NumberedTrunk[] | undefined>,
  sipAddress: preset("PARLEY_SIP_ADDRESS", "127.0.0.1", ipAddress, "Address that SIP and RTP listen at."),
  sipPublicAddress: optional(
    "PARLEY_SIP_PUBLIC_ADDRESS",
    ipAddress,
    "Public address that is sent to trunks, behind a NAT.",
  ),
  sipPort: preset("PARLEY_SIP_PORT", "5060", integer(0, 65_535), "Port for SIP over UDP and TCP; `0` chooses one."),
  rtpPorts: preset(
    "PARLEY_RTP_PORTS",
    "20000-29999",
    portRange,
    "Ports for the sound of calls, first and last; two a call.",
  ),
  soundAddress: preset(
    "PARLEY_SOUND_ADDRESS",
    "127.0.0.1",
    (text) => {
      if (["0.0.0.0", "::"].includes(text)) throw new SettingProblem("must be an address that other nodes can reach");
      return ipAddress(text);
    },
    "Address of a media node for API nodes, which bring it the microphones of those who play simulated phones, and the sound of carriers' streams.",
  ),
  soundPort: preset("PARLEY_SOUND_PORT", "0", integer(0, 65_535), "Port of the same over TCP; `0` takes any free one."),
  mediaProcesses: optional(
    "PARLEY_MEDIA_PROCESSES",
    integer(1, 256),
    "Processes that hold the sound of calls; unset: one fewer than there are cores.",
  ),
  mediaCalls: preset(
    "PARLEY_MEDIA_CALLS",
    "300",
    integer(1, 5_000),
    "The most calls with sound in each of these processes at once. How many this machine carries is measured as the first starts; no more begin in each, and fewer while its sound comes near being late.",
  ),
  simulatorCalls: preset(
    "PARLEY_SIMULATOR_CALLS",
    "auto",
    oneOf("auto", "text", "audio"),
    "How simulated calls are held: in `text`, at full speed and without a recording, as `audio`, by phones that speak and listen in real time, or `auto`: as audio, and in text for large campaigns.",
  ),
  simulatorAudioLeads: preset(
    "PARLEY_SIMULATOR_AUDIO_LEADS",
    "60",
    integer(0, 10_000),
    "The most recipients of a campaign whose simulated calls are audio where `PARLEY_SIMULATOR_CALLS` is `auto`.",
  ),
};
