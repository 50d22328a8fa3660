import { type Described, type JsonSchema, urlOf } from "#test/support/api/openapi.ts";
import { sample } from "#test/support/api/world.ts";
import { SENDER } from "#test/support/campaigns/campaign.ts";
import { TOLL_FREE_FIELDS } from "#test/support/campaigns/toll-free.ts";
import { type IdField, withValue } from "./id-fields.ts";
import { SHARED_PHONE, type Things } from "./marked-tenant.ts";

type Fields = Record<string, unknown>;

/** An operation with the fields of its form, where it takes a file. */
export type Operation = Described & { form: JsonSchema | undefined };
export type Built = { url: string; body: FormData | object | undefined; headers: Record<string, string> };

const CONTACT = { phone_number: SHARED_PHONE, first_name: "Ann" };
const LATE = "2099-01-01T00:00:00Z";
let last = 0;

/** What a body says where its schema alone does not determine it, by operation. */
const BODIES: Record<string, (n: number, things: Things) => Fields> = {
  updateOrganization: () => ({ archived: false }),
  moveClock: () => ({ advance_ms: 1 }),
  updateAgent: () => ({ agent_name: "Ava" }),
  previewAgent: () => ({ draft: { agent_type: "sms", agent_name: "Ava", prompt: "Ask." } }),
  playTurn: () => ({ text: "Hello", extract: false, draft: { agent_type: "sms", agent_name: "Ava", prompt: "Ask." } }),
  // A test key makes nobody more than one who looks on.
  updateUser: () => ({ permission: "viewer" }),
  askWhatIf: (_, things) => ({ phone_number: things.phone }),
  updateContact: () => ({ last_name: "Lee" }),
  changeContacts: (_, things) => ({ action: "untag", tag: "a", lead_ids: [things.lead] }),
  reanalyzeThreads: (_, things) => ({ thread_ids: [things.thread] }),
  importDoNotCall: () => ({ phone_numbers: ["+12125550144"] }),
  createApiKey: () => ({ name: "Matrix", mode: "test", scopes: ["read"] }),
  createCampaign: (n, things) => ({
    contacts: [CONTACT],
    campaign_id: `matrix-${n}`,
    campaign_begin_time: LATE,
    ...transfers(things),
  }),
  preflightNewCampaign: (_, things) => ({ contacts: [CONTACT], ...transfers(things) }),
  scriptHandset: () => ({ behavior: "delivers" }),
  assignTenDlcNumbers: () => ({ phone_numbers: ["+12125550171"] }),
  createTenDlcCampaign: () => ({ useCase: "MIXED", description: "Follow-ups" }),
  createBrand: () => ({ entityType: "PRIVATE_PROFIT", country: "US", vertical: "TECHNOLOGY" }),
  resubmitBrand: () => ({}),
  createTollFreeVerification: (n) => ({ ...TOLL_FREE_FIELDS, phone_number: `+1800557${String(1_000 + n).slice(-4)}` }),
  resubmitTollFreeVerification: () => ({}),
  createPhoneNumber: () => ({ area_code: "212" }),
  createCall: (_, things) => ({ voice_agent_id: things.voice_agent, from_number: SENDER, to_number: SHARED_PHONE }),
  updatePhoneNumber: () => ({ resting_until: null }),
  linkPhoneNumber: (_, things) => ({ agent_id: things.voice_agent }),
  preflightNewVoiceCampaign: () => ({ leads: [CONTACT], agent_outbound_number: SENDER, ...FAR_OFF }),
  createVoiceCampaign: (n) => ({
    leads: [CONTACT],
    campaign_id: `matrix-${n}`,
    agent_outbound_number: SENDER,
    ...FAR_OFF,
  }),
  putConsent: () => ({ basis: "express_written", source: "a form" }),
};

const FAR_OFF = { campaign_begin_time: "2098-01-01T00:00:00Z", campaign_end_time: LATE };

/** Without them the voice agent is not looked at. */
const transfers = (things: Things): Fields => ({
  enable_sms_to_voice: true,
  voice_agent_id: things.voice_agent,
  outbound_number: SENDER,
});

/** A request of a tenant's own to an operation, with one id replaced. */
export function requestWith(operation: Operation, things: Things, field: IdField | undefined, value: string): Built {
  const n = ++last;
  const names: Fields = {
    org_id: things.organization,
    organization_id: things.organization,
    user_id: things.user,
    agent_id: things.agent,
    sms_agent_id: things.agent,
    list_id: things.list,
    lead_id: things.lead,
    campaign_id: operation.path.startsWith("/v1/10dlc/")
      ? things.ten_dlc_campaign
      : operation.path.startsWith("/v1/voice/")
        ? things.voice_campaign
        : things.campaign,
    voice_agent_id: things.voice_agent,
    call_id: things.call,
    call: things.handset_call,
    message_id: things.message,
    media_id: things.media,
    thread_id: things.thread,
    brand_id: things.brand,
    brandId: things.brand,
    import_id: things.import,
    key_id: things.key,
    version: "1",
    voice_id: "offline-slt",
    phone_number: things.phone,
    agent_type: "sms",
    svc_sms_number: SENDER,
    to: SENDER,
    contacts: [CONTACT],
    clients: [CONTACT],
    leads: [CONTACT],
    email: `m${n}@example.com`,
    channel: "sms",
  };
  const isBought = operation.path.startsWith("/v1/voice/phone-numbers/");
  if (operation.path.startsWith("/v1/toll-free/")) names.phone_number = things.toll_free;
  const params = Object.fromEntries(
    operation.pathParams.map((name) => [name, isBought ? things.number : String(names[name])]),
  );
  const needed = Object.entries(operation.query).filter(([, { required }]) => required);
  let query: Fields = Object.fromEntries(
    needed.map(([name, { schema }]) => [name, names[name] ?? sample(schema, name, names, false)]),
  );
  const own = BODIES[operation.id]?.(n, things);
  // What an update takes is all optional, and one of it is needed.
  let body: unknown = operation.body && { ...(sample(operation.body, "", names, false) as Fields), ...own };
  let form: Fields = operation.form ? { organization_id: things.organization, user_id: things.user } : {};
  if (field?.at === "path") params[field.way[0] as string] = value;
  if (field?.at === "query") query = { ...query, [field.way[0] as string]: value };
  // Contacts are named or filtered, never both.
  if (operation.id === "changeContacts" && field?.way[0] === "filter")
    body = { ...(body as Fields), lead_ids: undefined };
  if (field?.at === "body") body = withValue(body, field.way, value);
  if (field?.at === "form") form = { ...form, [field.way[0] as string]: value };
  return {
    url: urlOf(operation.path, params, query),
    body: operation.form ? formOf(form) : (body as object | undefined),
    headers: field?.at === "header" ? { [field.way[0] as string]: value } : {},
  };
}

function formOf(fields: Fields): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, String(value));
  form.append("file", new Blob(["phone_number\n+12125590001\n"]), "matrix.csv");
  return form;
}
