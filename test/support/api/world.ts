import assert from "node:assert/strict";
import { anAgent, SENDER } from "#test/support/campaigns/campaign.ts";
import { aBrand as anActiveBrand, aTenDlcCampaign } from "#test/support/campaigns/ten-dlc.ts";
import { TOLL_FREE_FIELDS, TOLL_FREE_MORE } from "#test/support/campaigns/toll-free.ts";
import type { Described, JsonSchema } from "./openapi.ts";
import type { Answer, Parley } from "./parley.ts";

type Fields = Record<string, unknown>;

/** The parts of a request to an operation. */
export type Sent = { params: Record<string, string>; query: Fields; body: unknown };

/** A tenant with one of everything, and requests that succeed for every operation. */
export type World = {
  /** Ids and other values by the name that the contract has for them. */
  named: Record<string, unknown>;
  /**
   * A request that succeeds: with what is required, or with every field there is. What the operation uses up (deletes,
   * revokes) is made anew when `fresh`.
   */
  valid(operation: Described, how?: { full?: boolean; fresh?: boolean }): Promise<Sent>;
};

type Api = Pick<Parley, "get" | "post">;
type Makers = {
  agent(): Promise<string>;
  list(): Promise<Fields>;
  campaign(): Promise<string>;
  key(): Promise<string>;
  user(): Promise<string>;
  voiceCampaign(): Promise<string>;
  number(): Promise<string>;
};

let made = 0;

/** Makes the world of the tenant that `api` is a client of. Its ids are distinguished by `made`. */
export async function aWorld(api: Api): Promise<World> {
  const parts = await anAgent(api);
  const owner = { organization_id: parts.organizationId, user_id: parts.userId };
  const voice = await makeAgent(api, { ...owner, agent_type: "voice", voice_id: "offline-slt" });
  const makers = makersOf(api, owner, parts.agentId, voice.voice_agent_id as string);
  const list = await makers.list();
  const campaign = await makers.campaign();
  const brandId = await anActiveBrand(api);
  const tenDlcCampaign = await aTenDlcCampaign(api, { brandId, useCase: "MIXED", numbers: ["+12125550144"] });
  const me = (await api.get("/v1/me")).body;
  const named: Fields = {
    ...owner,
    org_id: parts.organizationId,
    assignee: parts.userId,
    organization_ids: [parts.organizationId],
    tenant_id: me.tenant_id,
    // Not the one that campaigns are made with: it is changed in every way that there is.
    agent_id: await makers.agent(),
    // Nothing else changes which fields it asks for.
    asking_agent_id: await makers.agent(),
    sms_agent_id: parts.agentId,
    voice_agent_id: voice.voice_agent_id,
    list_id: list.list_id,
    lead_id: (list.leads as Fields[])[0]!.unique_id,
    campaign_id: campaign,
    from_campaign: { campaign_id: campaign, status: "failed", reason: "invalid_number" },
    thread_id: `${CONTACT}_${campaign}`,
    thread_ids: [`${CONTACT}_${campaign}`],
    message_id: (await api.get(`/v1/campaigns/${campaign}/messages?limit=1`)).body.messages[0].message_id,
    brand_id: (await aBrand(api)).brandId,
    brandId,
    ten_dlc_campaign_id: tenDlcCampaign,
    // The carrier has decided: to read it changes nothing any more.
    toll_free_number: await aTollFree(api, ++made, true),
    key_id: await makers.key(),
    // Looks on: a test key may not make it more.
    permission: "viewer",
    viewer_id: await makers.user(),
    voice_campaign_id: await makers.voiceCampaign(),
    number: await makers.number(),
    offered: (await api.get("/v1/voice/phone-numbers/search?area_code=415&limit=1")).body.phone_numbers[0].phone_number,
    media_id: NEVER.media_id,
    call_id: await aCall(api, voice.voice_agent_id as string),
    call: await aHandsetCall(api),
    agent_outbound_number: SENDER,
    from_number: SENDER,
    to_number: CONTACT,
    phone_number: CONTACT,
    svc_sms_number: SENDER,
    outbound_number: SENDER,
    transfer_to: SENDER,
    ...SAMPLES,
  };
  return { named, valid: (operation, how = {}) => valid(api, named, makers, operation, how) };
}

/** A number that its script leaves alone: it delivers. */
export const CONTACT = "+12125550199";

/** Ids in the form of ours that were never given out, and a thread that never was. */
export const NEVER: Record<string, string> = {
  org_id: "org_00000000000000000000000001",
  agent_id: "agt_00000000000000000000000001",
  list_id: "list_00000000000000000000000001",
  lead_id: "lead_00000000000000000000000001",
  campaign_id: "sms_campaign_never",
  thread_id: "+12125550177_sms_campaign_never",
  brand_id: "B000001",
  key_id: "key_00000000000000000000000001",
  user_id: "usr_00000000000000000000000001",
  import_id: "imp_00000000000000000000000001",
  call_id: "call_00000000000000000000000001",
  message_id: "msg_00000000000000000000000001",
  media_id: "media_00000000000000000000000001",
  provider_id: "idp_00000000000000000000000001",
  call: "sim_999999999999",
  task_id: Buffer.from("reply never").toString("base64url"),
};

/** What a field of this name may be, where its type alone does not determine it. */
const SAMPLES: Fields = {
  language: "en-US",
  version: "1",
  start: "09:00",
  end: "20:00",
  days: [1, 2, 3],
  state: "NY",
  areaCode: "212",
  area_code: "212",
  contains: "1",
  phone_digits: "0199",
  agent_outbound_numbers: [SENDER],
  own_number: SENDER,
  kinds: "message.*,campaign.progressed",
  birthday: "1980-01-01",
  phone_numbers: ["+12125550144"],
  file: "212,5550144",
  allowed_links: ["example.com"],
  allowed_addresses: ["127.0.0.0/8", "::1"],
  media_urls: ["https://cdn.example.com/plan.png"],
  extraction_fields: ["interest", { name: "budget", type: "number" }],
  email: "ann@example.com",
  contact_email: "ann@example.com",
  voice_id: "offline-slt",
  ambient_sound: "coffee-shop",
  time_zone: "America/New_York",
  daily_spend_limit: "250.00",
  messages_days: 365,
  calls_days: 365,
  events_days: 30,
  recordings_days: 90,
  requests_days: 7,
  begin: "2026-01-01T00:00:00Z",
  consent_basis: "express",
  consent_at: "2026-01-01T00:00:00Z",
  obtained_at: "2026-01-01T00:00:00Z",
  campaign_begin_time: "2098-01-01T00:00:00Z",
  campaign_end_time: "2099-01-01T00:00:00Z",
};

/** Operations that succeed only after a worker's or a fault's doing, or by an upgrade; the tests named show them. */
const NEEDS_MORE: Record<string, string> = {
  undoImport: "imports.test.ts",
  getImport: "imports.test.ts",
  getImportErrors: "imports.test.ts",
  listImportErrors: "imports.test.ts",
  // Once it has been removed, it is loaded again when a worker has seen to that.
  removeDemo: "demo.test.ts",
  resendMessage: "resend.test.ts",
  // Of live keys alone.
  createCarrier: "carriers.test.ts",
  listCarriers: "carriers.test.ts",
  getCarrier: "carriers.test.ts",
  updateCarrier: "carriers.test.ts",
  deleteCarrier: "carriers.test.ts",
  connectCarrier: "carriers.test.ts",
  checkCarrier: "carriers.test.ts",
  rotateCarrier: "carriers.test.ts",
  lookUpNumber: "lookups.test.ts",
  getNumberLookup: "lookups.test.ts",
  lookUpCampaign: "lookups.test.ts",
  lookUpList: "lookups.test.ts",
  // A person or a live key invites; a test key makes nobody who could sign in.
  inviteUser: "sessions.test.ts",
  setSignInPolicy: "factors.test.ts",
  createIdentityProvider: "single-sign-on.test.ts",
  putIdentityProvider: "single-sign-on.test.ts",
  deleteIdentityProvider: "single-sign-on.test.ts",
  checkIdentityProvider: "single-sign-on.test.ts",
  resolveUnknownCall: "unknown-calls.test.ts",
  resolveSetAside: "standstill.test.ts",
  getRecording: "calls.test.ts",
  getMedia: "media.test.ts",
  uploadPicture: "uploaded-pictures.test.ts",
  getWaveform: "calls.test.ts",
  injectIntoCall: "single-call.test.ts",
  actInHandsetCall: "played-calls.test.ts",
  playCall: "playground-calls.test.ts",
  takeHandsetCall: "spoken-handset.test.ts",
};

/** Whether `valid` has a request that succeeds; of forms it has none either. */
export const canSucceed = (operation: Described): boolean => operation.takesJson && !(operation.id in NEEDS_MORE);

async function valid(
  api: Api,
  named: Fields,
  makers: Makers,
  operation: Described,
  { full = false, fresh = false }: { full?: boolean; fresh?: boolean },
): Promise<Sent> {
  // Another request may have stopped all that leaves.
  if (operation.id === "createCall" || operation.id === "writeMessage") await api.post("/v1/sending/resume", {});
  const names = { ...named, ...(await own(api, named, makers, operation, fresh)) };
  const params = Object.fromEntries(operation.pathParams.map((name) => [name, String(names[name] ?? "nonsense")]));
  const left = full ? (LEFT_OUT[operation.id] ?? []) : [];
  const query = Object.fromEntries(
    Object.entries(operation.query)
      .filter(([name, { required }]) => required || (full && name !== "pagination_key" && !left.includes(name)))
      .map(([name, { schema }]) => [name, sample(schema, name, names, full)]),
  );
  const body = operation.body && without(sample(operation.body, "", names, full), left);
  return { params, query, body: needed(operation, body, names) };
}

/** Changed only of a campaign that is paused or has not begun: edit.test.ts. */
const OF_WAITING = [
  "objective",
  "media_urls",
  "campaign_begin_time",
  "campaign_end_time",
  "calling_window",
  "sms_agent_id",
  "voice_agent_id",
  "agent_outbound_number",
  "agent_outbound_numbers",
  "redial_enabled",
  "redial_config",
  "max_concurrent_calls",
  "calls_per_second",
];

/** Fields of which an operation takes one or the other. */
const LEFT_OUT: Record<string, readonly string[]> = {
  moveClock: ["to"],
  updateCampaign: OF_WAITING,
  updateVoiceCampaign: OF_WAITING,
  listContacts: ["phone_number", "external_id"],
  changeContacts: ["lead_ids"],
  // Not in the past by the tenant's clock: contactability.test.ts.
  askWhatIf: ["at"],
  // An API key has read nothing.
  listThreads: ["unread"],
  endUserSessions: ["session_id"],
  // Of live mode: account-numbers.test.ts, account-registry.test.ts.
  createPhoneNumber: ["carrier_id"],
  purchasePhoneNumber: ["carrier_id"],
  searchPhoneNumbers: ["carrier_id"],
  createBrand: ["carrier_id"],
};

/** What the schema says by a word, not by `required`. */
function needed(operation: Described, body: unknown, names: Fields): unknown {
  if (operation.id === "moveClock") return { advance_ms: 1 };
  if (operation.id === "createCall") return { agent_id: names.agent_id, ...(body as Fields) };
  if (operation.id === "playTurn") return { agent_id: names.agent_id, text: "Hello", ...(body as Fields) };
  if (operation.id === "previewAgent") return { agent_id: names.agent_id, ...(body as Fields) };
  // Leads, or where they are to be taken from.
  if (/^(create|preflightNew)Campaign$/.test(operation.id)) return { contacts: names.contacts, ...(body as Fields) };
  if (/^(create|preflightNew)VoiceCampaign$/.test(operation.id)) return { leads: names.leads, ...(body as Fields) };
  if (operation.id === "changeContacts") return { tag: "a", filter: {}, ...(body as Fields) };
  if (operation.id === "askWhatIf") return { phone_number: CONTACT, ...(body as Fields) };
  if (operation.id === "importDoNotCall") return { file: "212,5550144", ...(body as Fields) };
  return body;
}

function without(value: unknown, names: readonly string[]): unknown {
  if (names.length === 0 || value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));
}

/** Names that mean another thing in this operation, or a thing that it uses up. */
async function own(api: Api, named: Fields, makers: Makers, operation: Described, fresh: boolean): Promise<Fields> {
  const n = ++made;
  const contact = { phone_number: CONTACT, first_name: "Ann", loan_type: "fixed" };
  const common: Fields = {
    archived: false,
    email: `w${n}@example.com`,
    contacts: [contact],
    clients: [contact],
    leads: [contact],
  };
  if (operation.path.startsWith("/v1/10dlc/campaign/")) common.campaign_id = named.ten_dlc_campaign_id;
  if (operation.path.startsWith("/v1/voice/campaigns/")) common.campaign_id = named.voice_campaign_id;
  if (operation.path.startsWith("/v1/voice/phone-numbers/{")) common.phone_number = named.number;
  switch (operation.id) {
    case "createCampaign":
      return { ...common, campaign_id: `world-${n}` };
    case "createVoiceCampaign":
      return { ...common, campaign_id: `world-voice-${n}` };
    case "preflightNewCampaign":
    case "preflightNewVoiceCampaign":
      return { ...common, campaign_id: `world-ahead-${n}` };
    case "purchasePhoneNumber":
      return { ...common, phone_number: named.offered };
    case "updatePhoneNumber":
      return { ...common, resting_until: LATE };
    case "linkPhoneNumber":
    case "createCall":
      return { ...common, agent_id: named.voice_agent_id };
    case "putAgentScript":
      return { ...common, agent_id: named.asking_agent_id, questions: [QUESTION] };
    case "createApiKey":
      return { ...common, expires_at: LATE, mode: "test" };
    case "listAudit":
    case "exportAudit":
      return { ...common, begin: "2026-01-01T00:00:00Z", end: LATE, actor: "key", outcome: "done" };
    case "listCalls":
    case "searchExtractions":
    case "exportExtractions":
      return { ...common, begin: "2026-01-01T00:00:00Z", end: LATE };
    case "getActivity":
    case "getActivityBreakdown":
      return { ...common, end: "2026-01-20T00:00:00Z" };
    case "callFromHandset":
    case "textFromHandset":
    case "checkCarrier":
      return { ...common, to_number: SENDER };
    case "updateContact":
      return { ...common, phone_number: undefined };
    case "addDoNotCall":
    case "removeDoNotCall":
      return { ...common, phone_number: "+12125550144" };
    case "createTollFreeVerification":
      return { ...common, ...TOLL_FREE_FIELDS, ...TOLL_FREE_MORE, phone_number: aTollFreeNumber(n) };
    case "getTollFreeVerification":
      return { ...common, phone_number: named.toll_free_number };
    case "resubmitTollFreeVerification":
      return {
        ...{ ...common, ...TOLL_FREE_FIELDS, ...TOLL_FREE_MORE },
        phone_number: fresh ? await aTollFree(api, n, true) : named.toll_free_number,
      };
    case "resubmitBrand":
      return fresh ? { ...common, brand_id: await aRejectedBrand(api) } : common;
    case "updateUser":
    case "inviteUser":
    case "deleteUser":
    case "listUserSessions":
    case "endUserSessions":
    case "resetUserFactors":
      return { ...common, user_id: fresh ? await makers.user() : named.viewer_id };
    case "rotateApiKey":
      return fresh ? { ...common, key_id: await makers.key() } : common;
  }
  if (operation.method !== "DELETE" || !fresh) return common;
  switch (operation.pathParams.at(-1)) {
    case "agent_id":
      return { ...common, agent_id: await makers.agent() };
    case "list_id":
      return { ...common, list_id: (await makers.list()).list_id };
    case "lead_id":
      return { ...common, lead_id: ((await makers.list()).leads as Fields[])[0]!.unique_id };
    case "campaign_id":
      return {
        ...common,
        campaign_id: await (operation.path.startsWith("/v1/voice/") ? makers.voiceCampaign() : makers.campaign()),
      };
    case "phone_number":
      return { ...common, phone_number: await makers.number() };
    case "key_id":
      return { ...common, key_id: await makers.key() };
  }
  return common;
}

const QUESTION = { field: "interest", question: "Does it interest you?", rephrased: ["Would you like it?"] };
const LATE = "2099-01-01T00:00:00Z";

function makersOf(api: Api, owner: Fields, agentId: string, voiceAgentId: string): Makers {
  return {
    voiceCampaign: async () => {
      const leads = [{ phone_number: CONTACT, first_name: "Ann" }];
      const fields = { voice_agent_id: voiceAgentId, agent_outbound_number: SENDER, leads, ...FAR_OFF };
      return mustBe(202, await api.post("/v1/voice/campaigns", fields)).campaign_id as string;
    },
    number: async () => {
      const fields = { area_code: "312", ...owner };
      return mustBe(201, await api.post("/v1/voice/phone-numbers/create", fields)).phone_number as string;
    },
    agent: async () =>
      (await makeAgent(api, { ...owner, agent_type: "sms", extraction_fields: [QUESTION.field] })).agent_id as string,
    list: async () => {
      const contacts = [{ phone_number: `+1212556${String(1000 + (++made % 9000))}`, first_name: "Lee" }];
      return mustBe(201, await api.post("/v1/contacts/lists", { ...owner, list_name: "World", contacts }));
    },
    campaign: async () => {
      const campaign = { ...owner, campaign_name: "World", sms_agent_id: agentId, svc_sms_number: SENDER };
      const contacts = [{ phone_number: CONTACT, first_name: "Ann" }];
      return mustBe(202, await api.post("/v1/campaigns", { ...campaign, contacts })).campaign_id as string;
    },
    user: async () => {
      const fields = { name: "World", email: `world${++made}@example.com`, permission: "viewer" };
      return mustBe(201, await api.post(`/v1/organizations/${owner.organization_id}/users`, fields))
        .unique_id as string;
    },
    key: async () => mustBe(201, await api.post("/v1/api-keys", { name: "World" })).key_id as string,
  };
}

const FAR_OFF = { campaign_begin_time: "2098-01-01T00:00:00Z", campaign_end_time: "2099-01-01T00:00:00Z" };

async function aCall(api: Api, voiceAgentId: string): Promise<unknown> {
  const fields = { voice_agent_id: voiceAgentId, from_number: SENDER, to_number: CONTACT };
  return (mustBe(201, await api.post("/v1/voice/calls", fields)).call as Fields).call_id;
}

async function aHandsetCall(api: Api): Promise<unknown> {
  const path = `/v1/simulator/handsets/${encodeURIComponent(CONTACT)}/calls`;
  return mustBe(201, await api.post(path, { to_number: SENDER })).carrier_id;
}

async function makeAgent(api: Api, fields: Fields): Promise<Fields> {
  return mustBe(201, await api.post("/v1/agents", { agent_name: "Ava", prompt: "Ask.", ...fields }));
}

const aBrand = async (api: Api, ein = "12-3456789"): Promise<Fields> =>
  mustBe(
    201,
    await api.post("/v1/10dlc/brand", {
      entityType: "PRIVATE_PROFIT",
      displayName: "Acme",
      country: "US",
      email: "a@acme.example",
      vertical: "TECHNOLOGY",
      ein,
    }),
  );

/** The simulated registry rejects an EIN that ends in 0000, after some seconds of the tenant's time. */
async function aRejectedBrand(api: Api): Promise<unknown> {
  const { brandId } = await aBrand(api, "12-0000000");
  await api.post("/v1/simulator/clock", { advance_ms: 60_000 });
  await api.get(`/v1/10dlc/brand/${brandId}`);
  return brandId;
}

const aTollFreeNumber = (n: number): string => `+1800555${String(1_000 + n)}`;

/** A number's verification; refused, if it is to be resubmitted: the simulated registry refuses what begins with "none". */
async function aTollFree(api: Api, n: number, isRefused = false): Promise<string> {
  const phone_number = aTollFreeNumber(n);
  const opt_in_description = isRefused ? "None yet" : TOLL_FREE_FIELDS.opt_in_description;
  mustBe(201, await api.post("/v1/toll-free/verifications", { ...TOLL_FREE_FIELDS, phone_number, opt_in_description }));
  if (isRefused) {
    await api.post("/v1/simulator/clock", { advance_ms: 60_000 });
    await api.get(`/v1/toll-free/verifications/${encodeURIComponent(phone_number)}`);
  }
  return phone_number;
}

function mustBe(status: number, answer: Answer): Fields {
  assert.equal(answer.status, status, JSON.stringify(answer.body));
  return answer.body;
}

/** A value of a schema: by the field's name where that is known, by its type elsewhere. */
export function sample(schema: JsonSchema, name: string, names: Fields, full: boolean): unknown {
  if (name !== "" && name in names && (names[name] === undefined || plausible(schema, names[name]))) return names[name];
  if ("const" in schema) return schema.const;
  if (schema.enum) return schema.enum[0];
  if ("default" in schema) return schema.default;
  const branch = schema.properties ? undefined : schema.anyOf?.find((option) => option.type !== "null");
  if (branch) return sample(branch, name, names, full);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  switch (type) {
    case "object":
      return Object.fromEntries(
        Object.entries(schema.properties ?? {})
          .filter(([field]) => full || schema.required?.includes(field))
          .map(([field, property]) => [field, sample(property, field, names, full)])
          .filter(([, value]) => value !== undefined),
      );
    case "array":
      return [sample(schema.items ?? {}, name, names, full)];
    case "integer":
    case "number":
      return schema.minimum ?? 1;
    case "boolean":
      return true;
    default:
      if (schema.format === "date-time") return "2026-01-05T16:00:00.000Z";
      if (schema.format === "date") return "2026-01-05";
      return `a ${name || "text"}`.slice(0, schema.maxLength ?? 200);
  }
}

/** A name may stand for two things: `end` is a time here and an hour of the day there, `status` one of a recipient or of a message. */
function plausible(schema: JsonSchema, value: unknown): boolean {
  if (schema.enum) return schema.enum.includes(value);
  const types = [schema, ...(schema.anyOf ?? [])].flatMap((branch) => branch.type ?? []);
  const type = Array.isArray(value) ? "array" : typeof value;
  return types.length === 0 || types.includes(type) || (type === "number" && types.includes("integer"));
}
