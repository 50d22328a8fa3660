import type { CarrierAccount, FieldProblem } from "#ports/carrier-account.ts";

/** What is used of an account, read once. */
export type TwilioAccount = {
  /** Its name in lanes, attempts and numbers. */
  carrier: string;
  sid: string;
  /** Signs webhooks, also of an account that is called by an API key. */
  authToken: string;
  authorization: string;
  messagingServiceSid: string | undefined;
  /** The customer profile (Trust Hub) that brands are registered with. */
  customerProfileSid: string | undefined;
  /** How its calls go: over the account's SIP trunk, which is an account of its own here, or over its API with Media Streams. */
  voice: "trunk" | "stream";
  /** Calls that Twilio begins a second; what is more waits at Twilio. */
  callsPerSecond: number;
  /** Of Twilio's hosts, by their first part: `api` is api.twilio.com, or its edge and region. */
  host(name: "api" | "messaging" | "trusthub" | "lookups"): string;
};

type Given = Pick<CarrierAccount, "credentials" | "settings">;

const sid = (prefix: string) => new RegExp(`^${prefix}[0-9a-fA-F]{32}$`);
const ACCOUNT = sid("AC");
const API_KEY = sid("SK");
const SERVICE = sid("MG");
const BUNDLE = sid("BU");
/** A secret of Twilio's is 32 characters; a longer one is no reason to refuse it. */
const SECRET = /^[\x21-\x7e]{8,200}$/;
/** `us1`, `ie1`, `dublin`, `sao-paulo`. */
const PLACE = /^[a-z][a-z0-9-]{1,30}$/;

/** What is wrong with credentials and settings, as far as their form shows. */
export function problems({ credentials, settings }: Given): FieldProblem[] {
  const found: FieldProblem[] = [];
  const check = (field: string, value: unknown, pattern: RegExp, problem: string) => {
    if (typeof value !== "string" || !pattern.test(value)) found.push({ field, problem });
  };
  check("credentials.account_sid", credentials.account_sid, ACCOUNT, "must be AC and 32 hexadecimal digits");
  check("credentials.auth_token", credentials.auth_token, SECRET, "must be the account's auth token");
  const { api_key_sid: key, api_key_secret: secret } = credentials;
  if (key !== undefined || secret !== undefined) {
    check("credentials.api_key_sid", key, API_KEY, "must be SK and 32 hexadecimal digits, beside api_key_secret");
    check("credentials.api_key_secret", secret, SECRET, "must be the secret of api_key_sid");
  }
  const { messaging_service_sid: service, customer_profile_sid: profile, region, edge, voice } = settings;
  if (voice !== undefined && voice !== "trunk" && voice !== "stream")
    found.push({ field: "settings.voice", problem: "must be trunk or stream" });
  if (service !== undefined)
    check("settings.messaging_service_sid", service, SERVICE, "must be MG and 32 hexadecimal digits");
  if (profile !== undefined)
    check("settings.customer_profile_sid", profile, BUNDLE, "must be BU and 32 hexadecimal digits");
  if (region !== undefined) check("settings.region", region, PLACE, "must be a region of Twilio's such as ie1");
  if (edge !== undefined) check("settings.edge", edge, PLACE, "must be an edge of Twilio's such as dublin");
  return found;
}

/** What Twilio begins for an account that has not asked for more. */
const CALLS_PER_SECOND = 1;

export function twilioAccount({ carrier, credentials, settings }: CarrierAccount): TwilioAccount {
  const { account_sid: sid = "", auth_token: authToken = "", api_key_sid: key, api_key_secret: secret } = credentials;
  const text = (field: string) => (typeof settings[field] === "string" ? (settings[field] as string) : undefined);
  const [region, edge] = [text("region"), text("edge")];
  // An edge without a region leads to the first region (Twilio's SDKs).
  const place = edge ? `.${edge}.${region ?? "us1"}` : region ? `.${region}` : "";
  return {
    carrier,
    sid,
    authToken,
    authorization: `Basic ${Buffer.from(key && secret ? `${key}:${secret}` : `${sid}:${authToken}`).toString("base64")}`,
    messagingServiceSid: text("messaging_service_sid"),
    customerProfileSid: text("customer_profile_sid"),
    voice: settings.voice === "stream" ? "stream" : "trunk",
    callsPerSecond: typeof settings.calls_per_second === "number" ? settings.calls_per_second : CALLS_PER_SECOND,
    host: (name) => `${name}${place}.twilio.com`,
  };
}
