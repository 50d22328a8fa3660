import type { Args, Item } from "#api/operations.ts";

export type Carrier = Item<"GET /v1/carriers">;
export type Kind = Carrier["kind"];

/** A field of an account's form, under the API's own name. `secret` is not shown while it is typed. */
export type Field = {
  name: string;
  label: string;
  description?: string;
  placeholder?: string;
  isSecret?: true;
  isRequired?: true;
  /** Text unless it is said; a list has one value a line or separated by commas. */
  type?: "number" | "list" | "switch" | { choices: readonly string[] };
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
    about: "Texts, by an account at twilio.com",
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
    where: "Your carrier sends these values when it opens a bind for you.",
    credentials: [
      { name: "system_id", label: "System ID", description: "At most 15 characters", isRequired: true },
      { name: "password", label: "Password", isSecret: true, isRequired: true },
    ],
    settings: [
      { name: "host", label: "Host", placeholder: "smpp.carrier.example", isRequired: true },
      { name: "port", label: "Port", type: "number", placeholder: "2775", isRequired: true },
      { name: "tls", label: "Encrypted (TLS)", type: "switch" },
      {
        name: "senders",
        label: "Your numbers",
        description: "One a line: the numbers that it sends from",
        type: "list",
        isRequired: true,
      },
    ],
    more: [
      { name: "bind", label: "Bind", type: { choices: ["trx", "tx_rx"] } },
      { name: "per_second", label: "Texts a second", description: "What your carrier allows", type: "number" },
      { name: "window", label: "Window", description: "Texts without an answer at the same time", type: "number" },
      { name: "encoding", label: "Encoding", type: { choices: ["gsm7", "latin1", "ucs2"] } },
      { name: "receipt_id", label: "Ids in receipts", type: { choices: ["hex", "decimal", "as_sent"] } },
      { name: "source_ton", label: "Source TON", type: "number" },
      { name: "source_npi", label: "Source NPI", type: "number" },
    ],
  },
  sip: {
    label: "SIP trunk",
    about: "Calls, by a trunk of any provider",
    where: "Your provider shows them with the trunk. Leave the user name empty where it knows you by your address.",
    credentials: [
      { name: "username", label: "User name" },
      { name: "password", label: "Password", isSecret: true },
    ],
    settings: [
      { name: "host", label: "Host", placeholder: "sip.provider.example", isRequired: true },
      { name: "port", label: "Port", type: "number", placeholder: "5060" },
      { name: "transport", label: "Transport", type: { choices: ["udp", "tcp", "tls"] } },
      { name: "numbers", label: "Your numbers", description: "One a line", type: "list", isRequired: true },
    ],
    more: [
      {
        name: "allowed_addresses",
        label: "Calls may come from",
        description: "Addresses and networks, one a line",
        type: "list",
      },
      { name: "outbound_proxy", label: "Outbound proxy", description: "Host, or host and port" },
      { name: "preset", label: "Preset", description: "The provider's name in the list of presets" },
    ],
  },
};

/** A form's values, as its fields hold them. */
export type Values = Record<string, string | number | boolean>;

/** The API's fields of what was filled in: without those that were left empty. */
export function filled(fields: readonly Field[], values: Values): Record<string, unknown> {
  return Object.fromEntries(
    fields.flatMap(({ name, type }): [string, unknown][] => {
      const value = values[name];
      if (type === "list") {
        const lines = String(value ?? "")
          .split(/[\n,]/)
          .flatMap((line) => line.trim() || []);
        return lines.length === 0 ? [] : [[name, [...new Set(lines)]]];
      }
      const given = typeof value === "string" ? value.trim() : value;
      return given === "" || given === undefined || given === false ? [] : [[name, given]];
    }),
  );
}

/** The same fields, empty. */
export const emptyOf = (fields: readonly Field[]): Values =>
  Object.fromEntries(fields.map(({ name, type }) => [name, type === "switch" ? false : ""]));

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
