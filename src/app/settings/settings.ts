import { resolve } from "node:path";
import { PRICE } from "#domain/messaging/price.ts";
import { CALL_SETTINGS } from "./call-settings.ts";
import { OBJECT_SETTINGS } from "./object-settings.ts";
import {
  anyText,
  decimal,
  hostAddresses,
  hostList,
  httpUrl,
  integer,
  listOf,
  MAX_MS,
  matching,
  networks,
  oneOf,
  optional,
  postgresUrl,
  preset,
  type Setting,
  SettingProblem,
  sealingKeyList,
  secret,
} from "./setting.ts";
import { SPEECH_SETTINGS } from "./speech-settings.ts";

export { type Setting, SettingProblem };

const price = matching(PRICE, "a price in dollars such as 0.0083, with at most six decimals");

/** Every setting there is. The key is the name in Config. */
export const SETTINGS = {
  databaseUrl: secret(
    "DATABASE_URL",
    postgresUrl,
    "PostgreSQL 15 or later. Unset: an embedded PostgreSQL in the data directory.",
  ),
  databaseSessionUrl: secret(
    "DATABASE_SESSION_URL",
    postgresUrl,
    "The same database, directly or by a pooler in session mode, where DATABASE_URL leads to one that shares sessions (PgBouncer's transaction mode): for the few sessions that each process has to itself (`docs/deployment.md`). Unset: everything goes by DATABASE_URL.",
  ),
  databaseReplicaUrl: secret(
    "DATABASE_REPLICA_URL",
    postgresUrl,
    "A server that follows that of DATABASE_URL: lists, analytics and exports are read from it (`docs/high-availability.md`). Unset: everything is read from DATABASE_URL.",
  ),
  port: preset("PORT", "8080", integer(0, 65_535), "Port of the HTTP server; 0 takes any free one."),
  host: preset(
    "PARLEY_HOST",
    "127.0.0.1",
    matching(/^\S+$/, "an address or a host name"),
    "Address that the HTTP server listens on; `0.0.0.0` for all.",
  ),
  dataDir: preset(
    "PARLEY_DATA_DIR",
    "./.data",
    (text) => resolve(text),
    "Folder for the embedded database, generated keys and stored files.",
  ),
  user: optional(
    "PARLEY_USER",
    matching(/^[a-z_][a-z0-9_-]{0,31}$/, "the name of a user of this machine"),
    "User that a service started by root goes on as, once it has what only root may take; `root` to stay root. Unset: the owner of the embedded database, or the system user `parley`, which is made.",
  ),
  baseUrl: optional(
    "PARLEY_BASE_URL",
    httpUrl,
    "How people reach this service: what links begin with. Unset: PARLEY_PUBLIC_URL, else the address that a request came in by; never what a Host header says.",
  ),
  publicUrl: optional(
    "PARLEY_PUBLIC_URL",
    httpUrl,
    "Where carriers reach this service: their webhooks go to `/carrier/...` on it, and their signatures are over it. Unset: PARLEY_BASE_URL.",
  ),
  carrierHosts: optional(
    "PARLEY_CARRIER_HOSTS",
    hostAddresses,
    'Other addresses of carriers\' hosts, as JSON: a regional host, a gateway of your own or a stand-in, such as `{"api.twilio.com": "http://127.0.0.1:9901"}`. Of carriers with addresses of their own (Twilio, Telnyx) loopback is reached by this setting alone.',
  ),
  carrierPrivateHosts: optional(
    "PARLEY_CARRIER_PRIVATE_HOSTS",
    hostList,
    "Hosts within your own network that accounts of kind `sip` and `smpp` may name: names, addresses and networks such as `pbx.office.example,10.1.2.0/24`. Any tenant may then have this service contact them. Unset: hosts with public addresses alone.",
  ),
  secretKey: secret(
    "PARLEY_SECRET_KEY",
    matching(/^\S{32,}$/, "at least 32 characters without spaces"),
    "Root of all keyed hashes and encryption, at least 32 characters. Unset: generated once into the data directory. Every node needs the same; one with another than its database's does not start.",
  ),
  sealingKeys: {
    ...secret(
      "PARLEY_SEALING_KEYS",
      (text) => text,
      "Keys that secrets in the database are sealed under, at least 32 characters each, the newest last, separated by commas; `parley secret rotate` goes over to the last. Unset: `sealing-keys` of the data directory, and until a first rotation a key derived from PARLEY_SECRET_KEY. Every node needs the same.",
    ),
    parse: sealingKeyList,
  } as Setting<readonly string[] | undefined>,
  bootstrapApiKey: secret(
    "PARLEY_BOOTSTRAP_API_KEY",
    matching(
      /^pk_(test|live)_[\w-]{20,200}$/,
      "a key of the form pk_test_... or pk_live_..., with 20 to 200 letters, digits, - and _ that nobody can guess",
    ),
    "First boot creates a tenant with this API key (`pk_test_...` or `pk_live_...`); later boots change nothing.",
  ),
  roles: preset(
    "PARLEY_ROLES",
    "api,worker,media",
    listOf("api", "worker", "media"),
    "What this process does: any of `api`, `worker` (texts and everything else) and `media` (calls), each but the API in a process of its own.",
  ),
  poweredBy: preset("PARLEY_POWERED_BY", "Parley", anyText, "Label in the `powered_by` field of every answer."),
  llmBaseUrl: optional(
    "PARLEY_LLM_BASE_URL",
    httpUrl,
    "OpenAI-compatible endpoint of the language model. Unset: the offline model.",
  ),
  llmApiKey: secret(
    "PARLEY_LLM_API_KEY",
    matching(/^\S+$/, "a key without spaces"),
    "Key of that endpoint, if it needs one.",
  ),
  llmModel: optional("PARLEY_LLM_MODEL", anyText, "Model to ask for; needed with PARLEY_LLM_BASE_URL."),
  llmTimeoutMs: preset(
    "PARLEY_LLM_TIMEOUT_MS",
    "30000",
    integer(100, MAX_MS),
    "Longest wait for one answer of the language model, in milliseconds; where a second one is named, each has half of it.",
  ),
  llmFallbackBaseUrl: optional(
    "PARLEY_LLM_FALLBACK_BASE_URL",
    httpUrl,
    "OpenAI-compatible endpoint of a second language model, which is asked where the first one fails. Unset: none.",
  ),
  llmFallbackApiKey: secret(
    "PARLEY_LLM_FALLBACK_API_KEY",
    matching(/^\S+$/, "a key without spaces"),
    "Key of that second endpoint, if it needs one.",
  ),
  llmFallbackModel: optional(
    "PARLEY_LLM_FALLBACK_MODEL",
    anyText,
    "Model to ask the second endpoint for, whatever model an agent names; needed with PARLEY_LLM_FALLBACK_BASE_URL.",
  ),
  simulatorLatencyMs: preset(
    "PARLEY_SIMULATOR_LATENCY_MS",
    "0",
    integer(0, MAX_MS),
    "Time that the simulated carrier takes to accept one text or call, in milliseconds.",
  ),
  simulatorRate: preset(
    "PARLEY_SIMULATOR_RATE",
    "0",
    decimal(0, 1_000_000),
    "Texts a second that the simulated carrier takes per sender; 0 is unlimited.",
  ),
  simulatorLostReplyRate: preset(
    "PARLEY_SIMULATOR_LOST_REPLY_RATE",
    "0",
    decimal(0, 1),
    "Share of accepted texts and calls whose reply the simulated carrier loses, 0 to 1: for fault tests.",
  ),
  simulatorReceiptMs: preset(
    "PARLEY_SIMULATOR_RECEIPT_MS",
    "0",
    integer(0, MAX_MS),
    "How long after a text the simulated carrier's receipt for it comes, in milliseconds.",
  ),
  simulatorReports: preset(
    "PARLEY_SIMULATOR_REPORTS",
    "lookup",
    oneOf("lookup", "receipt", "nothing"),
    "How the simulated carrier lets an attempt in doubt be settled: by `lookup`, by its `receipt` alone, or by `nothing`: for fault tests.",
  ),
  simulatorCallPace: preset(
    "PARLEY_SIMULATOR_CALL_PACE",
    "full",
    oneOf("full", "clock"),
    "How fast simulated calls go by: `full` speed, over at once with times ahead of the clock, or as long as they say by the tenant's `clock`.",
  ),
  liveClock: preset(
    "PARLEY_LIVE_CLOCK",
    "real",
    oneOf("real", "moved"),
    "With `moved`, a tenant's clock that the simulator has moved counts for live numbers too. Only for tests whose peers stand for the telephone network: it calls people at night.",
  ),
  firstHourTexts: preset(
    "PARLEY_FIRST_HOUR_TEXTS",
    "500",
    integer(0, 1_000_000),
    "Campaign texts that a sender which is new with a real carrier sends in its first hour: a tenth at once, the rest evenly. 0: no such ramp.",
  ),
  complianceProfile: preset(
    "PARLEY_COMPLIANCE_PROFILE",
    "strict",
    oneOf("strict", "federal"),
    "Calling hours: `strict` is the strictest of all states, `federal` the federal rule and each state's own.",
  ),
  reassignedNumbers: preset(
    "PARLEY_REASSIGNED_NUMBERS",
    "none",
    oneOf("none", "simulated"),
    "Database that is asked whether a number changed hands before its first text: `none`, or `simulated`.",
  ),
  pricePerSegment: preset(
    "PARLEY_PRICE_PER_SEGMENT",
    "0.01",
    price,
    "Price of one segment of a text, in US dollars: for the cost estimate of a preflight.",
  ),
  pricePerPictureText: preset(
    "PARLEY_PRICE_PER_PICTURE_TEXT",
    "0.03",
    price,
    "Price of a text with pictures (MMS), however long it is, in US dollars: for the cost estimate of a preflight.",
  ),
  pricePerLookup: preset(
    "PARLEY_PRICE_PER_LOOKUP",
    "0.008",
    price,
    "What the carrier takes for looking up a phone's line type, in US dollars: stated where look-ups are asked for.",
  ),
  priceCallMinute: preset(
    "PARLEY_PRICE_CALL_MINUTE",
    "0.01",
    price,
    "What the carrier takes for each minute of a call, one that has begun included, in US dollars: for the cost of calls.",
  ),
  priceSpeechToTextMinute: preset(
    "PARLEY_PRICE_SPEECH_TO_TEXT_MINUTE",
    "0",
    price,
    "What a minute of sound costs that is turned into words, in US dollars.",
  ),
  priceVoiceThousandCharacters: preset(
    "PARLEY_PRICE_VOICE_THOUSAND_CHARACTERS",
    "0",
    price,
    "What a thousand characters cost that are spoken, in US dollars.",
  ),
  priceModelMillionInput: preset(
    "PARLEY_PRICE_MODEL_MILLION_INPUT",
    "0",
    price,
    "What a million tokens cost that the language model reads, in US dollars.",
  ),
  priceModelMillionOutput: preset(
    "PARLEY_PRICE_MODEL_MILLION_OUTPUT",
    "0",
    price,
    "What a million tokens cost that the language model writes, in US dollars.",
  ),
  logLevel: preset(
    "PARLEY_LOG_LEVEL",
    "info",
    oneOf("fatal", "error", "warn", "info", "debug", "trace", "silent"),
    "Least level that is logged: `fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`.",
  ),
  rateLimit: preset(
    "PARLEY_RATE_LIMIT",
    "500",
    integer(0, 1_000_000),
    "Requests a second that one API key may make; 0 is unlimited.",
  ),
  authFailureLimit: preset(
    "PARLEY_AUTH_FAILURE_LIMIT",
    "60",
    integer(0, 1_000_000),
    "Wrong API keys, passwords and links a minute that one address may send, over all nodes, before it is put off; 0 is unlimited. So many webhooks without their carrier's signature it may send to each process.",
  ),
  sessionIdleMinutes: preset(
    "PARLEY_SESSION_IDLE_MINUTES",
    "30",
    integer(5, 1_440),
    "Minutes without use after which whoever is signed in to the console is signed out.",
  ),
  sessionHours: preset(
    "PARLEY_SESSION_HOURS",
    "12",
    integer(1, 720),
    "Hours after which whoever signed in to the console signs in anew, however much it is used; of sessions that begin from then on.",
  ),
  overloadMs: preset(
    "PARLEY_OVERLOAD_MS",
    "500",
    integer(0, MAX_MS),
    "Wait of a request for the event loop and the database past which bulk posts and lists are turned away, in milliseconds; 0 is never.",
  ),
  standstillMs: preset(
    "PARLEY_STANDSTILL_MS",
    "10000",
    integer(0, MAX_MS),
    "Time without a turn of its event loop after which a process ends itself, in milliseconds: its supervisor starts it again, and what held two is set aside; 0 is never.",
  ),
  trustedProxies: optional(
    "PARLEY_TRUSTED_PROXIES",
    networks,
    "Proxies whose `X-Forwarded-For`, `-Host` and `-Proto` are believed: addresses and networks such as `10.0.0.0/8`, separated by commas. Unset: none, and all who come through one are one address to the limits.",
  ),
  metricsToken: secret(
    "PARLEY_METRICS_TOKEN",
    matching(/^[\w.~+/=-]{16,200}$/, "16 to 200 letters, digits and any of - . _ ~ + / ="),
    "What a monitor sends for `/metrics` as `Authorization: Bearer ...`. Unset: metrics are for this machine alone, by its loopback address and through no proxy.",
  ),
  reference: preset(
    "PARLEY_REFERENCE",
    "open",
    oneOf("open", "off"),
    "The API's reference at `/docs` and its document at `/openapi.json`: `open` to everybody, or `off`.",
  ),
  requestTimeoutMs: preset(
    "PARLEY_REQUEST_TIMEOUT_MS",
    "60000",
    integer(1_000, 3_600_000),
    "Longest that a request may take to arrive, headers and body, in milliseconds.",
  ),
  maxUploadBytes: preset(
    "PARLEY_MAX_UPLOAD_BYTES",
    "1073741824",
    integer(1, 1_000_000_000_000),
    "Largest file that an import of contacts takes, in bytes.",
  ),
  databasePool: preset(
    "PARLEY_DATABASE_POOL",
    "10",
    integer(1, 150),
    "Connections to the database that one process opens at most for its pool.",
  ),
  replicaLagMs: preset(
    "PARLEY_REPLICA_LAG_MS",
    "1000",
    integer(10, 60_000),
    "How far the server of DATABASE_REPLICA_URL may be behind, in milliseconds: a reading waits for it as long as that at most, and is then the database's.",
  ),
  shutdownGraceMs: preset(
    "PARLEY_SHUTDOWN_GRACE_MS",
    "0",
    integer(0, 60_000),
    "How long a stopping API still takes new connections, for a load balancer to see `/readyz` say no; in milliseconds.",
  ),
  streamGraceMs: preset(
    "PARLEY_STREAM_GRACE_MS",
    "0",
    integer(0, 3_600_000),
    "How long a stopping API goes on passing on the sound of carriers' calls that comes by it (`/carrier/{carrier_id}/stream`) before those calls end with it, in milliseconds. Beside a media node in the same service it is of no use: that ends its calls itself.",
  ),
  callGraceMs: preset(
    "PARLEY_CALL_GRACE_MS",
    "20000",
    integer(0, 3_600_000),
    "How long a stopping media node lets its calls go on before it ends them, in milliseconds.",
  ),
  sweepIntervalMs: preset(
    "PARLEY_SWEEP_INTERVAL_MS",
    "5000",
    integer(100, 3_600_000),
    "How often due work without a job is looked for, in milliseconds.",
  ),
  journalDays: preset(
    "PARLEY_JOURNAL_DAYS",
    "14",
    integer(1, 3_650),
    "Days for which `journal/` of the data directory keeps what was sent and who said stop: the oldest backup that can be restored without sending twice.",
  ),
  eventDays: preset(
    "PARLEY_EVENT_DAYS",
    "30",
    integer(1, 3_650),
    "Days for which the log of events is kept: whoever follows it may be away for as long and miss nothing.",
  ),
  ...OBJECT_SETTINGS,
  ...SPEECH_SETTINGS,
  ...CALL_SETTINGS,
} as const;

type Value<S> = S extends Setting<infer T> ? T : never;

/** All settings, parsed. Made by readConfig, passed on, never changed. */
export type Config = { readonly [K in keyof typeof SETTINGS]: Value<(typeof SETTINGS)[K]> };
