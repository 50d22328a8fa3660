import type { TenantHosts } from "#adapters/carrier-addresses/tenant-hosts.ts";
import type { Alphabet } from "#adapters/smpp-pdus/alphabets.ts";
import { LONG_TEXTS, type LongTexts } from "#adapters/smpp-pdus/parts.ts";
import { RECEIPT_IDS, type ReceiptIds } from "#adapters/smpp-pdus/receipt.ts";
import type { FieldProblem } from "#ports/carrier-account.ts";

/** An account's settings, with what is left out filled in. */
export type SmppSettings = {
  host: string;
  port: number;
  tls: boolean;
  /** Certificates, in PEM, of the authority that vouches for the gateway where no public one does. */
  ca: string | undefined;
  bind: "trx" | "tx_rx";
  /** What is said at the bind: 3.4, or 5.0 for gateways that ask for it. */
  version: "3.4" | "5.0";
  systemType: string;
  /** Submits without an answer at once. */
  window: number;
  perSecond: number;
  /** Used where it has all of a text's characters, else UCS-2. GSM 03.38 and Latin-1 are also what the gateway means by data_coding 0. */
  encoding: Alphabet;
  longTexts: LongTexts;
  /** Undefined: by the kind of sender. */
  sourceTon: number | undefined;
  sourceNpi: number | undefined;
  receiptIds: ReceiptIds;
  senders: readonly string[];
};

export type SmppCredentials = { systemId: string; password: string };

const ENCODINGS = ["gsm7", "latin1", "ucs2"] as const;

type Given = { credentials: Readonly<Record<string, unknown>>; settings: Readonly<Record<string, unknown>> };

/** Reads them; each problem names its field. What a setting's default is stands here alone. */
export function readSettings(
  { credentials, settings }: Given,
  hosts: Pick<TenantHosts, "problem">,
): {
  settings: SmppSettings;
  credentials: SmppCredentials;
  problems: FieldProblem[];
} {
  const problems: FieldProblem[] = [];
  const wrong = (field: string, problem: string) => problems.push({ field, problem });
  const text = (field: string, value: unknown, least: number, most: number): string => {
    const isText = typeof value === "string" && value.length >= least && value.length <= most;
    if (isText && /^[\x20-\x7e]*$/.test(value)) return value;
    wrong(field, `must be ${least} to ${most} printable ASCII characters`);
    return "";
  };
  const number = (name: string, least: number, most: number, fallback?: number): number => {
    const value = settings[name] ?? fallback;
    if (Number.isInteger(value) && (value as number) >= least && (value as number) <= most) return value as number;
    wrong(`settings.${name}`, `must be a whole number from ${least} to ${most}`);
    return least;
  };
  const oneOf = <T extends string>(name: string, values: readonly T[], fallback: T): T => {
    const value = (settings[name] ?? fallback) as T;
    if (values.includes(value)) return value;
    wrong(`settings.${name}`, `must be one of ${values.join(", ")}`);
    return fallback;
  };
  const optional = (name: string) => (settings[name] === undefined ? undefined : number(name, 0, 255));
  const read: SmppSettings = {
    host: text("settings.host", settings.host, 1, 253),
    tls: settings.tls === true,
    ca: typeof settings.ca_certificate === "string" ? settings.ca_certificate : undefined,
    port: number("port", 1, 65_535, settings.tls === true ? 3550 : 2775),
    bind: oneOf("bind", ["trx", "tx_rx"], "trx"),
    version: oneOf("version", ["3.4", "5.0"], "3.4"),
    systemType: typeof settings.system_type === "string" ? settings.system_type.slice(0, 12) : "",
    // What gateways allow when they say nothing.
    window: number("window", 1, 1_000, 10),
    perSecond: number("per_second", 1, 10_000, 10),
    encoding: alphabetOf(oneOf("encoding", ENCODINGS, "gsm7")),
    longTexts: oneOf("long_texts", LONG_TEXTS, "udh"),
    sourceTon: optional("source_ton"),
    sourceNpi: optional("source_npi"),
    receiptIds: oneOf("receipt_id", RECEIPT_IDS, "as_sent"),
    senders: sendersOf(settings.senders, wrong),
  };
  const hostProblem = read.host === "" ? undefined : hosts.problem(read.host);
  if (hostProblem !== undefined) wrong("settings.host", hostProblem);
  if (settings.tls !== undefined && typeof settings.tls !== "boolean") wrong("settings.tls", "must be true or false");
  const login = {
    systemId: text("credentials.system_id", credentials.system_id, 1, 15),
    // There are gateways that know a client by its address alone.
    password: text("credentials.password", credentials.password, 0, 8),
  };
  return { settings: read, credentials: login, problems };
}

const alphabetOf = (encoding: (typeof ENCODINGS)[number]): Alphabet => (encoding === "gsm7" ? "gsm" : encoding);

/** E.164, a short code, or up to 11 letters and digits. */
const isSender = (sender: unknown): boolean =>
  typeof sender === "string" &&
  (/^(\+[1-9]\d{6,14}|\d{3,8})$/.test(sender) || (/^[A-Za-z0-9 ]{1,11}$/.test(sender) && /[A-Za-z]/.test(sender)));

function sendersOf(given: unknown, wrong: (field: string, problem: string) => void): string[] {
  const senders = Array.isArray(given) ? given : [];
  if (senders.length === 0 || senders.length > 1_000) {
    wrong("settings.senders", "must be a list of 1 to 1,000 numbers that the gateway lets you send from");
    return [];
  }
  senders.forEach((sender, i) => {
    if (isSender(sender)) return;
    wrong(
      `settings.senders[${i}]`,
      "must be a number with a plus and its country's code, a short code, or up to 11 letters",
    );
  });
  return senders as string[];
}

const [INTERNATIONAL, NETWORK_SPECIFIC, ALPHANUMERIC] = [1, 3, 5];
const ISDN = 1;

/** An address as SMPP has it: E.164 without its plus, and what kind of number it is. */
export function addressOf(phone: string): { ton: number; npi: number; addr: string } {
  if (phone.startsWith("+")) return { ton: INTERNATIONAL, npi: ISDN, addr: phone.slice(1) };
  return /^\d+$/.test(phone)
    ? { ton: NETWORK_SPECIFIC, npi: 0, addr: phone }
    : { ton: ALPHANUMERIC, npi: 0, addr: phone };
}

/** A number as the gateway writes it, in E.164; a short code or an alphanumeric sender as it is. Not every gateway says which kind it is. */
export function phoneOf(addr: string, ton: number): string {
  const digits = addr.replace(/^\+/, "");
  if (!/^\d{7,15}$/.test(digits)) return addr;
  // North American numbers without their country's code.
  if (ton !== INTERNATIONAL && digits.length === 10 && !addr.startsWith("+")) return `+1${digits}`;
  return `+${digits}`;
}
