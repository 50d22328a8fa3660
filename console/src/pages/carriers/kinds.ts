import type { Args, Item } from "#api/operations.ts";

export type Carrier = Item<"GET /v1/carriers">;
export type Kind = Carrier["kind"];

/** A field of an account's form, under the API's own name, also one within another such as `identity.header`. `secret` is not shown while it is typed. */
export type Field = {
  name: string;
  label: string;
  description?: string;
  placeholder?: string;
  isSecret?: true;
  isRequired?: true;
  /** Text unless it is said; a list has one value a line or separated by commas, a block is kept with its lines. */
  type?: "number" | "list" | "block" | "switch" | { choices: readonly string[] };
};

type Words = {
  label: string;
  /** What it is for who has to choose. */
  about: string;
  /** Where the values are found. */
  where: string;
  credentials: readonly Field[];
  settings: readonly Field[];
  /** Folded: what most accounts leave as it is. */
  more: readonly Field[];
};

/** What each kind of carrier asks for, in the order in which it is pasted. */
export const KINDS: Readonly<Record<Kind, Words>> = {
  twilio: {
    label: "Twilio",
    about: "Texts and calls, by an account at twilio.com",
    where: "Both values are on the first page of the Twilio Console, under Account Info.",
    credentials: [
      {
        name: "account_sid",
        label: "Account SID",
        description: "AC and 32 digits and letters",
        placeholder: "AC…",
        isRequired: true,
      },
      { name: "auth_token", label: "Auth token", isSecret: true, isRequired: true },
    ],
    settings: [],
    more: [
      {
        name: "messaging_service_sid",
        label: "Messaging service",
        description: "Texts go out by this service",
        placeholder: "MG…",
      },
      {
        name: "customer_profile_sid",
        label: "Customer profile",
        description: "Brands are registered with it; without it: the approved one",
        placeholder: "BU…",
      },
      {
        name: "voice",
        label: "Calls",
        description:
          "stream: by Twilio's API and Media Streams; trunk: by a SIP trunk, connected as an account of its own",
        type: { choices: ["trunk", "stream"] },
      },
      {
        name: "calls_per_second",
        label: "Calls a second",
        description: "That Twilio begins for the account; 1 unless it has raised that",
        type: "number",
      },
      {
        name: "deactivations",
        label: "Read given-up numbers",
        description:
          "Twilio's daily list of US numbers that were given up: consents of their former owners end, and nothing more goes to them until there is a new one",
        type: "switch",
      },
      { name: "region", label: "Region", placeholder: "ie1" },
      { name: "edge", label: "Edge", placeholder: "dublin" },
    ],
  },
  telnyx: {
    label: "Telnyx",
    about: "Texts, by an account at telnyx.com",
    where: "Both values are in the Telnyx Portal, under Account, Keys & Credentials.",
    credentials: [
      { name: "api_key", label: "API key", placeholder: "KEY…", isSecret: true, isRequired: true },
      {
        name: "public_key",
        label: "Public key",
        description: "Checks that what comes in was sent by Telnyx",
        isRequired: true,
      },
    ],
    settings: [],
    more: [
      { name: "messaging_profile_id", label: "Messaging profile", description: "Texts go out by this profile" },
      { name: "connection_id", label: "Connection", description: "Calls go out by this connection" },
    ],
  },
  smpp: {
    label: "SMPP",
    about: "Texts, by a gateway of a carrier or an aggregator",
    where:
      "Your carrier sends these values when it opens a bind for you. Give it the address of the machines that run Parley's workers: most gateways know a client by it.",
    credentials: [
      {
        name: "system_id",
        label: "System ID",
        description: "The user name of the bind, at most 15 characters",
        isRequired: true,
      },
      {
        name: "password",
        label: "Password",
        description: "Of the bind, at most 8 characters",
        isSecret: true,
        isRequired: true,
      },
    ],
    settings: [
      {
        name: "host",
        label: "Host",
        description: "The gateway's name or address, without a port",
        placeholder: "smpp.carrier.example",
        isRequired: true,
      },
      {
        name: "port",
        label: "Port",
        description: "Mostly 2775, with TLS 3550",
        type: "number",
        placeholder: "2775",
        isRequired: true,
      },
      {
        name: "tls",
        label: "Encrypted (TLS)",
        description: "Without it the password and all texts can be read on their way: only over a private network",
        type: "switch",
      },
      {
        name: "senders",
        label: "Your numbers",
        description:
          "One a line: the numbers that the gateway lets you send from, with a plus and their country's code, short codes, or names of up to 11 letters",
        type: "list",
        isRequired: true,
      },
    ],
    more: [
      {
        name: "bind",
        label: "Bind",
        description: "trx: one connection both ways. tx_rx: one to send and one to receive",
        type: { choices: ["trx", "tx_rx"] },
      },
      {
        name: "per_second",
        label: "Texts a second",
        description: "Parts of texts that your contract allows, 10 unless you say so",
        type: "number",
        placeholder: "10",
      },
      {
        name: "window",
        label: "Window",
        description: "Texts that may be without an answer at the same time, 10 unless you say so",
        type: "number",
        placeholder: "10",
      },
      {
        name: "encoding",
        label: "Encoding",
        description: "Used where it has all of a text's characters; other texts go as ucs2. gsm7 unless you say so",
        type: { choices: ["gsm7", "latin1", "ucs2"] },
      },
      {
        name: "long_texts",
        label: "Long texts",
        description: "How a text of several parts is sent: udh, udh16, sar, or whole as payload. udh unless you say so",
        type: { choices: ["udh", "udh16", "sar", "payload"] },
      },
      {
        name: "receipt_id",
        label: "Ids in receipts",
        description: "Only where receipts write a text's id in another way than the answer to it did",
        type: { choices: ["hex", "decimal", "as_sent"] },
      },
      {
        name: "version",
        label: "Version of SMPP",
        description: "3.4 unless the gateway asks for 5.0",
        type: { choices: ["3.4", "5.0"] },
      },
      {
        name: "system_type",
        label: "System type",
        description: "Only where your carrier gave you one, at most 12 characters",
      },
      {
        name: "source_ton",
        label: "Source TON",
        description: "The kind of your numbers; empty: by the number itself, as most gateways want it",
        type: "number",
      },
      {
        name: "source_npi",
        label: "Source NPI",
        description: "The numbering plan of your numbers; empty: by the number itself",
        type: "number",
      },
      {
        name: "ca_certificate",
        label: "Certificate of its authority",
        description: "PEM: only where the gateway's certificate is by an authority of its own",
        placeholder: "-----BEGIN CERTIFICATE-----",
        type: "block",
      },
    ],
  },
  sip: {
    label: "SIP trunk",
    about: "Calls, by a trunk of any provider",
    where: "Your provider shows them with the trunk. Leave the user name empty where it knows you by your address.",
    credentials: [
      { name: "username", label: "User name", description: "Where the trunk asks for one" },
      { name: "password", label: "Password", description: "Of that user name", isSecret: true },
    ],
    settings: [
      {
        name: "preset",
        label: "Provider",
        description: "Fills in what this provider needs; what you enter yourself counts before it",
        type: { choices: ["twilio", "telnyx", "bandwidth", "plivo", "vonage", "asterisk", "freeswitch"] },
      },
      {
        name: "host",
        label: "Host",
        description: "The trunk's name or address, without a port",
        placeholder: "sip.provider.example",
        isRequired: true,
      },
      { name: "port", label: "Port", description: "Mostly 5060, with TLS 5061", type: "number", placeholder: "5060" },
      {
        name: "transport",
        label: "Transport",
        description: "tls is encrypted; udp unless you or the provider's preset say so",
        type: { choices: ["udp", "tcp", "tls"] },
      },
      {
        name: "numbers",
        label: "Your numbers",
        description: "One a line: the numbers of the trunk, with a plus and their country's code",
        type: "list",
        isRequired: true,
      },
    ],
    more: [
      {
        name: "srtp",
        label: "Encrypted sound (SRTP)",
        description: "required: no call without it. optional: where the provider offers it. off unless you say so",
        type: { choices: ["off", "optional", "required"] },
      },
      {
        name: "register",
        label: "Register with the trunk",
        description: "For providers that find you by a registration and not by your address; it needs a user name",
        type: "switch",
      },
      {
        name: "outbound_proxy",
        label: "Outbound proxy",
        description:
          "Where calls are sent instead of the host: a host, or host and port; up to four with commas, the first first",
        placeholder: "proxy.provider.example:5060",
      },
      {
        name: "allowed_addresses",
        label: "Calls may come from",
        description: "Addresses and networks of the provider, one a line, such as 198.51.100.0/24",
        type: "list",
      },
      {
        name: "number_format",
        label: "Form of numbers",
        description: "plus: +12125550100. digits: 12125550100",
        type: { choices: ["plus", "digits"] },
      },
      {
        name: "codecs",
        label: "Codecs",
        description:
          "opus, g722, pcmu, pcma: one a line, the first is offered first. Empty: pcmu and pcma. The others sound better, and cost more processor time",
        type: "list",
      },
      {
        name: "dtmf",
        label: "Keys",
        description:
          "auto: with the sound, and by INFO where the other side takes them no other way. rtp or info: always so",
        type: { choices: ["auto", "rtp", "info"] },
      },
      { name: "from_domain", label: "Domain in From", description: "Where it is not the host" },
      {
        name: "identity.from_user",
        label: "User in From",
        description: "Where the provider wants your account there and not the number",
      },
      {
        name: "identity.header",
        label: "Number besides From",
        description: "The header in which the provider wants the caller's number",
        type: { choices: ["p-asserted-identity", "p-preferred-identity"] },
      },
    ],
  },
};

type Value = string | number | boolean;
/** A form's values, as its fields hold them: one within another is one level deep. */
export type Values = { [name: string]: Value | { [name: string]: Value } };

/** `identity.header` as `identity` and `header`; a field of its own has no second part. */
const partsOf = (name: string): [string, string | undefined] => {
  const [outer = "", inner] = name.split(".");
  return [outer, inner];
};

function valueAt(values: Values, name: string): unknown {
  const [outer, inner] = partsOf(name);
  const value = values[outer];
  return inner === undefined ? value : (value as Values | undefined)?.[inner];
}

function put(into: Record<string, unknown>, name: string, value: unknown): void {
  const [outer, inner] = partsOf(name);
  if (inner === undefined) into[outer] = value;
  else into[outer] = { ...(into[outer] as object | undefined), [inner]: value };
}

/** The API's fields of what was filled in: without those that were left empty. */
export function filled(fields: readonly Field[], values: Values): Record<string, unknown> {
  const all: Record<string, unknown> = {};
  for (const { name, type } of fields) {
    const value = valueAt(values, name);
    if (type === "list") {
      const lines = String(value ?? "")
        .split(/[\n,]/)
        .flatMap((line) => line.trim() || []);
      if (lines.length > 0) put(all, name, [...new Set(lines)]);
      continue;
    }
    const given = typeof value === "string" ? value.trim() : value;
    if (given !== "" && given !== undefined && given !== false) put(all, name, given);
  }
  return all;
}

/** The same fields, empty. */
export function emptyOf(fields: readonly Field[]): Values {
  const all: Values = {};
  for (const { name, type } of fields) put(all, name, type === "switch" ? false : "");
  return all;
}

export type NewCarrier = Args<"POST /v1/carriers">["body"];

const STATUS: Readonly<Record<Carrier["status"], { label: string; tone: "good" | "bad" | "plain" }>> = {
  new: { label: "Not connected", tone: "plain" },
  connected: { label: "Connected", tone: "good" },
  problem: { label: "Problem", tone: "bad" },
  suspended: { label: "Suspended", tone: "bad" },
};
export const statusOf = ({ status }: Carrier) => STATUS[status];

/** "Texts, pictures and calls" */
export function abilities({ sms, mms, voice }: { sms: boolean; mms: boolean; voice: boolean }): string {
  const all = [sms && "texts", mms && "pictures", voice && "calls"].filter((one): one is string => one !== false);
  if (all.length === 0) return "Nothing yet";
  const words = new Intl.ListFormat("en").format(all);
  return words[0]!.toUpperCase() + words.slice(1);
}
