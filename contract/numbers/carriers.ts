import { type TObject, Type } from "typebox";
import { operation } from "#contract/values/operation.ts";
import { id, named, nullable, oneOf, page, paging, tenantId, text, timestamp } from "#contract/values/shapes.ts";

const tag = "Carriers";

const KINDS = ["twilio", "telnyx", "smpp", "sip"] as const;

export const Carrier = named("Carrier", {
  carrier_id: Type.String(),
  kind: Type.Enum([...KINDS]),
  name: Type.String(),
  organization_id: nullable(
    Type.String({ description: "null: any of the tenant's organizations may send and call by it" }),
  ),
  settings: Type.Object({}, { additionalProperties: true }),
  shared: nullable(
    Type.Object(
      {
        texts_per_second: nullable(Type.Number({ description: "null: no limit of its own" })),
        texts_per_day: nullable(Type.Integer({ description: "null: no limit of its own" })),
        calls_at_once: nullable(Type.Integer({ description: "null: it carries no calls" })),
      },
      {
        description:
          "What the tenant may send and call by an account that who runs the service shares with it, and alone changes; null: the account is the tenant's own",
      },
    ),
  ),
  status: Type.Enum(["new", "connected", "problem", "suspended"], {
    description:
      "new: not connected yet; problem: the carrier did not take its credentials; suspended: the carrier has suspended it. Campaigns send while it is connected",
  }),
  problem: nullable(Type.String({ description: "A sentence: what is wrong" })),
  numbers_count: Type.Integer(),
  webhook_url: nullable(
    Type.String({
      description: "What its webhooks begin with; null: no PARLEY_PUBLIC_URL is set, or the account is shared",
    }),
  ),
  last_checked_at: nullable(timestamp()),
  created_at: timestamp(),
});

const CREDENTIAL = { minLength: 1, maxLength: 4_000, pattern: "\\S" };
const credential = (description: string) => Type.String({ ...CREDENTIAL, description });
const maybe = (description: string) => Type.Optional(credential(description));
const hostName = Type.String({ minLength: 1, maxLength: 253, pattern: "^\\S+$" });
const port = Type.Integer({ minimum: 1, maximum: 65_535 });
const word = (description: string) => Type.Optional(text(200, description));
const senders = (description: string) =>
  Type.Optional(Type.Array(text(40), { maxItems: 10_000, uniqueItems: true, description }));

/** What each kind needs. Credentials are never in an answer. */
export const CARRIER_FIELDS = {
  twilio: {
    credentials: Type.Object({
      account_sid: Type.String({ pattern: "^AC[0-9a-fA-F]{32}$", description: "AC and 32 hexadecimal digits" }),
      auth_token: credential("Signs webhooks too, also where an API key is given"),
      api_key_sid: maybe("SK...: used instead of the token, with its secret"),
      api_key_secret: maybe("Of that API key"),
    }),
    settings: Type.Object({
      messaging_service_sid: word("MG...: texts go out by this messaging service"),
      customer_profile_sid: word("BU...: brands are registered with this approved customer profile"),
      voice: Type.Optional(
        Type.Enum(["trunk", "stream"], {
          description:
            "How calls go from and to the account's numbers: over a SIP trunk, which is an account of its own here, or by Twilio's API and Media Streams. Without it: trunk",
        }),
      ),
      calls_per_second: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 100, description: "That Twilio begins for the account. Without it: 1" }),
      ),
      region: word("Such as ie1"),
      edge: word("Such as dublin"),
      deactivations: Type.Optional(
        Type.Boolean({
          description: "Read Twilio's daily list of given-up US numbers: consents of their former owners end",
        }),
      ),
    }),
  },
  telnyx: {
    credentials: Type.Object({
      api_key: credential("KEY..."),
      public_key: credential("Of webhooks: Ed25519, base64"),
    }),
    settings: Type.Object({
      messaging_profile_id: word("Texts go out by this messaging profile"),
      connection_id: word("Calls go out by this connection"),
    }),
  },
  smpp: {
    credentials: Type.Object({ system_id: credential("At most 15 characters"), password: credential("Of the bind") }),
    settings: Type.Object({
      host: hostName,
      port,
      tls: Type.Optional(Type.Boolean()),
      bind: Type.Optional(Type.Enum(["trx", "tx_rx"])),
      window: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
      per_second: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 100_000 })),
      encoding: word("gsm7, latin1 or ucs2"),
      source_ton: Type.Optional(Type.Integer({ minimum: 0, maximum: 255 })),
      source_npi: Type.Optional(Type.Integer({ minimum: 0, maximum: 255 })),
      receipt_id: Type.Optional(Type.Enum(["hex", "decimal", "as_sent"])),
      version: Type.Optional(Type.Enum(["3.4", "5.0"])),
      system_type: word("At most 12 characters"),
      long_texts: Type.Optional(Type.Enum(["udh", "udh16", "sar", "payload"])),
      ca_certificate: Type.Optional(text(20_000, "PEM, of a private authority")),
      senders: senders("The numbers that it sends from"),
    }),
  },
  sip: {
    credentials: Type.Object({ username: maybe("Where the trunk asks for one"), password: maybe("Of that name") }),
    settings: Type.Object({
      host: hostName,
      port: Type.Optional(port),
      transport: word("udp, tcp or tls"),
      srtp: word("off, optional or required"),
      preset: word("twilio, telnyx, bandwidth, plivo, vonage, asterisk or freeswitch"),
      identity: Type.Optional(
        Type.Object(
          {
            from_user: word("The user in From, where it is not the number"),
            header: word("p-asserted-identity or p-preferred-identity: has the number besides From"),
          },
          { additionalProperties: false },
        ),
      ),
      from_domain: word("The host in From, where it is not host"),
      number_format: word("plus or digits: how numbers are written"),
      codecs: Type.Optional(
        Type.Array(Type.String({ maxLength: 10 }), {
          maxItems: 10,
          description: "opus, g722, pcmu, pcma, in the order in which they are offered; pcmu and pcma when absent",
        }),
      ),
      dtmf: word("auto, rtp or info: how keys are pressed"),
      register: Type.Optional(Type.Boolean({ description: "REGISTER with the trunk" })),
      outbound_proxy: word("Host, or host and port; several with commas, the first first"),
      allowed_addresses: senders("Addresses and networks that calls may come from"),
      numbers: senders("The numbers of the trunk"),
    }),
  },
} satisfies Record<(typeof KINDS)[number], { credentials: TObject; settings: TObject }>;

/** Of any kind: which fields are needed is said by its kind, in docs/carriers/README.md. */
const credentials = Type.Unsafe<Record<string, string>>(
  Type.Object(
    {},
    {
      additionalProperties: true,
      maxProperties: 20,
      description: "By kind. Write-only: kept sealed, and never in an answer",
    },
  ),
);
const settings = Type.Unsafe<Record<string, unknown>>(
  Type.Object({}, { additionalProperties: true, maxProperties: 50, description: "By kind" }),
);
const organizationId = Type.Optional(nullable(id("organization; null: all of the tenant's organizations")));
const params = Type.Object({ carrier_id: id("carrier") });
const one = Type.Object({ carrier: Carrier });
/** Carriers reach real phones: only live keys, and people in live mode, have any. */
const live = { tenantWide: true, liveKeysOnly: true } as const;

export const createCarrier = operation({
  id: "createCarrier",
  method: "POST",
  path: "/v1/carriers",
  tag,
  summary: "Add an account with a carrier; connect it next",
  scope: "admin",
  ...live,
  body: Type.Object({
    name: text(100),
    kind: oneOf(KINDS, "twilio, telnyx, smpp or sip"),
    organization_id: organizationId,
    credentials,
    settings: Type.Optional(settings),
    tenant_id: tenantId(),
  }),
  status: 201,
  response: one,
});

export const listCarriers = operation({
  id: "listCarriers",
  method: "GET",
  path: "/v1/carriers",
  tag,
  summary: "List the accounts with carriers, newest first",
  scope: "read",
  ...live,
  query: Type.Object({ tenant_id: tenantId(), ...paging }),
  status: 200,
  response: page("carriers", Carrier),
});

export const getCarrier = operation({
  id: "getCarrier",
  method: "GET",
  path: "/v1/carriers/:carrier_id",
  tag,
  summary: "Get an account with a carrier",
  scope: "read",
  ...live,
  params,
  status: 200,
  response: one,
});

export const updateCarrier = operation({
  id: "updateCarrier",
  method: "PATCH",
  path: "/v1/carriers/:carrier_id",
  tag,
  summary: "Change an account's name, organization or settings; settings are replaced as a whole",
  scope: "admin",
  ...live,
  params,
  body: Type.Object({
    name: Type.Optional(text(100)),
    organization_id: organizationId,
    settings: Type.Optional(settings),
    tenant_id: tenantId(),
  }),
  status: 200,
  response: one,
});

export const deleteCarrier = operation({
  id: "deleteCarrier",
  method: "DELETE",
  path: "/v1/carriers/:carrier_id",
  tag,
  summary: "Remove an account; its numbers stay at the carrier. Not while a campaign that is not over sends by it",
  scope: "admin",
  ...live,
  params,
  status: 200,
  response: Type.Object({ carrier_id: Type.String() }),
});

const CarrierNumber = named("CarrierNumber", {
  phone_number: Type.String(),
  capabilities: Type.Object({ sms: Type.Boolean(), mms: Type.Boolean(), voice: Type.Boolean() }),
});

const CarrierChange = named("CarrierChange", {
  what: Type.String(),
  from: nullable(Type.String()),
  to: Type.String(),
  foreign: Type.Boolean({ description: "It points to somebody else's address: it is changed with `replace` alone" }),
});

export const connectCarrier = operation({
  id: "connectCarrier",
  method: "POST",
  path: "/v1/carriers/:carrier_id/connect",
  tag,
  summary:
    "Check an account, have its texts and calls come here, and import its numbers; with `dry_run` only say what would change",
  scope: "admin",
  ...live,
  params,
  body: Type.Object({
    replace: Type.Optional(Type.Boolean({ description: "Also webhooks that point to somebody else's address" })),
    dry_run: Type.Optional(Type.Boolean({ description: "Change nothing" })),
    tenant_id: tenantId(),
  }),
  errors: ["carrier_problem"],
  status: 200,
  response: Type.Object({
    carrier: Carrier,
    numbers: Type.Array(CarrierNumber),
    changes: Type.Array(CarrierChange),
    missing: Type.Array(Type.String(), { description: "What somebody has to do before texts or calls work" }),
  }),
});

export const checkCarrier = operation({
  id: "checkCarrier",
  method: "POST",
  path: "/v1/carriers/:carrier_id/check",
  tag,
  summary: "Check an account: each check with its problem and what to do",
  scope: "admin",
  ...live,
  params,
  body: Type.Object({
    to_number: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 40,
        description: "A number to place one test call to, where the kind can",
      }),
    ),
    tenant_id: tenantId(),
  }),
  status: 200,
  response: Type.Object({
    carrier: Carrier,
    checks: Type.Array(
      named("CarrierCheck", {
        name: Type.String(),
        ok: Type.Boolean(),
        problem: nullable(Type.String()),
        remedy: nullable(Type.String()),
        ladder: Type.Optional(
          Type.Array(Type.String(), {
            description: "Of a SIP trunk: what went over the wire, a line a message, without credentials",
          }),
        ),
      }),
    ),
  }),
});

export const rotateCarrier = operation({
  id: "rotateCarrier",
  method: "POST",
  path: "/v1/carriers/:carrier_id/rotate",
  tag,
  summary: "Replace an account's credentials, once the carrier takes the new ones",
  scope: "admin",
  ...live,
  params,
  body: Type.Object({ credentials, tenant_id: tenantId() }),
  errors: ["carrier_problem"],
  status: 200,
  response: one,
});
