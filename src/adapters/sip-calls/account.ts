import { isIP } from "node:net";
import type { TenantHosts } from "#adapters/carrier-addresses/tenant-hosts.ts";
import { CODEC_NAMES, codecsNamed } from "#adapters/sip-messages/formats.ts";
import { blockListOf } from "#adapters/sip-transport/gatekeeper.ts";
import type { Server, Trunk } from "#adapters/sip-transport/trunk.ts";
import { normalizePhone } from "#domain/phones/phone.ts";
import type { CarrierAccount, FieldProblem } from "#ports/carrier-account.ts";

/** A tenant's trunk as its account has it. */
export type SipSettings = {
  host: string;
  port?: number;
  transport?: string;
  srtp?: string;
  preset?: string;
  identity?: { from_user?: string; header?: string };
  from_domain?: string;
  number_format?: string;
  codecs?: string[];
  dtmf?: string;
  register?: boolean;
  outbound_proxy?: string;
  allowed_addresses?: string[];
  numbers?: string[];
};

/** What a provider's preset sets where the account does not. */
export type Presets = Readonly<Record<string, { settings: Readonly<Record<string, unknown>> }>>;

const CHOICES = {
  transport: ["udp", "tcp", "tls"],
  srtp: ["off", "optional", "required"],
  number_format: ["plus", "digits"],
  dtmf: ["auto", "rtp", "info"],
} as const;
const IDENTITY_HEADERS = ["p-asserted-identity", "p-preferred-identity"];
const SERVER = /^(\[[0-9A-Fa-f:.]+\]|[\w.-]{1,255})(?::(\d{1,5}))?$/;
const HOST = /^(?:[\w.-]{1,253}|\[[0-9A-Fa-f:.]+\])$/;
/** More servers than this are no trunk of one provider's. */
const MAX_PROXIES = 4;
const KEEP_ALIVE_SECONDS = 30;
const MAX_CALLS = 100;
const CALLS_PER_SECOND = 5;

type Given = Pick<CarrierAccount, "credentials" | "settings">;

/** What is wrong with an account's fields, beyond what the contract says of their types. */
export function problemsOf({ credentials, settings }: Given, presets: Presets, hosts: TenantHosts): FieldProblem[] {
  const given = settings as SipSettings;
  const problems: FieldProblem[] = [];
  const wrong = (field: string, problem: string) => void problems.push({ field, problem });
  const hostProblem = HOST.test(given.host)
    ? hosts.problem(given.host)
    : "must be a host name or an address, without a port";
  if (hostProblem !== undefined) wrong("settings.host", hostProblem);
  for (const [name, choices] of Object.entries(CHOICES)) {
    const value = settings[name];
    if (value !== undefined && !(choices as readonly unknown[]).includes(value))
      wrong(`settings.${name}`, `must be one of ${choices.join(", ")}`);
  }
  if (given.preset !== undefined && !Object.hasOwn(presets, given.preset))
    wrong("settings.preset", `must be one of ${Object.keys(presets).join(", ")}`);
  const { header } = given.identity ?? {};
  if (header !== undefined && !IDENTITY_HEADERS.includes(header))
    wrong("settings.identity.header", `must be one of ${IDENTITY_HEADERS.join(", ")}`);
  const proxies = given.outbound_proxy === undefined ? [] : serversOf(given.outbound_proxy);
  const proxyProblem = proxies
    ? proxies.map(({ host }) => hosts.problem(host)).find((problem) => problem !== undefined)
    : `must be at most ${MAX_PROXIES} hosts, each with a port or without, with commas`;
  if (proxyProblem !== undefined) wrong("settings.outbound_proxy", proxyProblem);
  (given.allowed_addresses ?? []).forEach((address, i) => {
    const field = `settings.allowed_addresses[${i}]`;
    if (!isNetwork(address)) wrong(field, "must be an address or a network such as 198.51.100.0/24, of /16 or smaller");
    // A proxy within the service's own network would bring everybody's calls.
    else if (hosts.problem(address.split("/")[0]!) !== undefined)
      wrong(field, "must be of the internet, not of a private network");
  });
  (given.codecs ?? []).forEach((codec, i) => {
    if (!CODEC_NAMES.includes(codec)) wrong(`settings.codecs[${i}]`, `must be one of ${CODEC_NAMES.join(", ")}`);
  });
  if (given.codecs?.length === 0) wrong("settings.codecs", `must name at least one of ${CODEC_NAMES.join(", ")}`);
  (given.numbers ?? []).forEach((number, i) => {
    const normal = normalizePhone(number);
    if ("problem" in normal) wrong(`settings.numbers[${i}]`, normal.problem);
  });
  const { username, password } = credentials;
  if ((username === undefined) !== (password === undefined))
    wrong(`credentials.${username === undefined ? "username" : "password"}`, "is required with the other of the pair");
  if (given.register === true && username === undefined)
    wrong("credentials.username", "is required with settings.register");
  return problems;
}

function isNetwork(text: string): boolean {
  const [address, prefix, ...more] = text.split("/");
  const version = isIP(address ?? "");
  if (version === 0 || more.length > 0) return false;
  if (prefix === undefined) return true;
  const [least, most] = version === 6 ? [32, 128] : [16, 32];
  // A network of half the world would let strangers in as the trunk.
  if (!/^\d{1,3}$/.test(prefix) || Number(prefix) < least || Number(prefix) > most) return false;
  blockListOf([text]);
  return true;
}

function serversOf(text: string): Server[] | undefined {
  const servers = text.split(",").map((part): Server | undefined => {
    const [, host, port] = SERVER.exec(part.trim()) ?? [];
    if (host === undefined || Number(port ?? 1) < 1 || Number(port ?? 1) > 65_535) return undefined;
    return { host, ...(port === undefined ? {} : { port: Number(port) }) };
  });
  return servers.length > MAX_PROXIES || servers.includes(undefined) ? undefined : (servers as Server[]);
}

/** The numbers of an account in E.164, each once. */
export function numbersOf(settings: Readonly<Record<string, unknown>>): string[] {
  const normal = ((settings as SipSettings).numbers ?? []).map(normalizePhone);
  return [...new Set(normal.flatMap((number) => ("phone" in number ? [number.phone] : [])))];
}

/** An account as a trunk, by its own settings, its preset's, and the defaults. Its fields have been checked. */
export function trunkOf(
  account: Given & Pick<CarrierAccount, "carrier">,
  presets: Presets,
  { mayReach }: TenantHosts,
): Trunk {
  const own = account.settings as SipSettings;
  const set = { ...presets[own.preset ?? ""]?.settings, ...own } as SipSettings & { calls_per_second?: number };
  const { username, password } = account.credentials;
  const { from_user, header } = set.identity ?? {};
  const proxies = set.outbound_proxy === undefined ? undefined : serversOf(set.outbound_proxy);
  return {
    name: account.carrier,
    host: set.host,
    ...(set.port === undefined ? {} : { port: set.port }),
    transport: (set.transport ?? "udp") as Trunk["transport"],
    srtp: (set.srtp ?? "off") as Trunk["srtp"],
    ...(username === undefined || password === undefined ? {} : { username, password }),
    ...(set.from_domain === undefined ? {} : { fromDomain: set.from_domain }),
    ...(proxies === undefined ? {} : { proxies }),
    identity: {
      ...(from_user === undefined ? {} : { fromUser: from_user }),
      ...(header === undefined ? {} : { header: header as "p-asserted-identity" }),
    },
    numberFormat: (set.number_format ?? "plus") as "plus",
    ...(set.codecs === undefined ? {} : { codecs: codecsNamed(set.codecs) }),
    ...(set.dtmf === undefined ? {} : { dtmf: set.dtmf as "auto" }),
    allowedAddresses: set.allowed_addresses ?? [],
    numbers: numbersOf(account.settings),
    register: set.register ?? false,
    // What a registrar sends there is this account's, whoever else is registered from here.
    ...(set.register ? { contactUser: account.carrier } : {}),
    keepAliveSeconds: KEEP_ALIVE_SECONDS,
    maxCalls: MAX_CALLS,
    mayReach,
    callsPerSecond: set.calls_per_second ?? CALLS_PER_SECOND,
  };
}
