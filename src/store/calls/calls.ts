import type { Attestation } from "#domain/calls/attestation.ts";
import type { Answerer, CallPurpose, CallStatus, DisconnectionReason, Sentiment } from "#domain/calls/call.ts";
import type { RecordingProblem } from "#domain/calls/recording-guard.ts";
import type { CallUsage, TurnLatency, Utterance } from "#domain/calls/report.ts";
import type { Uuid } from "#domain/values/id.ts";
import { CONTACT_NAME } from "#store/contacts/full-name.ts";
import { anyOf, statement, type Tx } from "#store/database/db.ts";

// Calls as they are read. They are written where they are dialled and ended.

/** A call without its large columns. `campaign` is the caller's own id of its campaign, null for a call of none. */
export type Call = {
  id: Uuid;
  organization_id: Uuid;
  user_id: Uuid | null;
  campaign: string | null;
  contact_id: Uuid | null;
  direction: "outbound" | "inbound";
  purpose: CallPurpose;
  carrier: string;
  carrier_code: string | null;
  carrier_text: string | null;
  attestation: Attestation | null;
  agent_id: Uuid;
  agent_version: number;
  number: string;
  phone: string;
  status: CallStatus;
  reason: DisconnectionReason | null;
  answerer: Answerer | null;
  in_voicemail: boolean;
  successful: boolean;
  sentiment: Sentiment;
  duration_ms: number;
  start_at: Date;
  /** Null for a single call that has not been dialled, which has no row in the table. */
  dialed_at: Date | null;
  answered_at: Date | null;
  end_at: Date | null;
  stop_requested_at: Date | null;
};

/** Further columns of a page of calls. A call that goes on has none of them yet. */
export type CallText = {
  transcript: string;
  extracted_fields: Record<string, unknown>;
  summary: string | null;
  recording: string | null;
  cost: Record<string, string> | null;
};

/** Further columns of a single call. */
export type CallDetail = CallText & {
  utterances: Utterance[];
  latencies: TurnLatency[];
  evidence: Record<string, unknown>;
  recording_ms: number | null;
  recording_problem: RecordingProblem | null;
  usage: CallUsage | null;
  voicemail_left: boolean;
  speech_to_text: string | null;
  codec: string | null;
  encrypted: boolean | null;
};

export const NO_TEXT: CallText = { transcript: "", extracted_fields: {}, summary: null, recording: null, cost: null };

export const NO_DETAIL: CallDetail = {
  ...NO_TEXT,
  utterances: [],
  latencies: [],
  evidence: {},
  recording_ms: null,
  recording_problem: null,
  usage: null,
  voicemail_left: false,
  speech_to_text: null,
  codec: null,
  encrypted: null,
};

// The campaign is looked up row by row, by its key: joined, a planner without statistics reads all of the tenant's for each.
export const CALL_COLUMNS = `call.id, call.organization_id, call.user_id,
  (select campaign.campaign_id from campaigns campaign where campaign.tenant_id = $1 and campaign.id = call.campaign_id) as campaign,
  call.contact_id, call.direction, call.purpose, call.carrier, call.carrier_code, call.carrier_text, call.attestation, call.agent_id, call.agent_version, call.number,
  call.phone, call.status, call.reason, call.answerer, call.in_voicemail, call.successful, call.sentiment, call.duration_ms,
  call.start_at, call.dialed_at, call.answered_at, call.end_at, call.stop_requested_at`;

const page = (which: string): string =>
  `select ${CALL_COLUMNS} from calls call where call.tenant_id = $1 and ${which} order by call.start_at desc limit $4`;

const ofCampaign = statement("list-calls-of-campaign", page("call.campaign_id = $2 and call.start_at < $3"));
const ofOrganization = statement(
  "list-calls-of-organization",
  page("call.organization_id = $2 and call.start_at < $3"),
);
const ofUser = statement("list-calls-of-user", page("call.user_id = $2 and call.start_at < $3"));

export type PageWanted = { before: Date | undefined; limit: number };

const values = (tenantId: Uuid, of: Uuid, { before, limit }: PageWanted) => [
  tenantId,
  of,
  before ?? "infinity",
  limit + 1,
];

/** A campaign's calls, newest start first, one more than a page. */
export function listOfCampaign(tx: Tx, tenantId: Uuid, campaignId: Uuid, wanted: PageWanted): Promise<Call[]> {
  return tx.rows<Call>(ofCampaign, values(tenantId, campaignId, wanted));
}

/** An organization's calls, newest start first, one more than a page. */
export function listOfOrganization(tx: Tx, tenantId: Uuid, organizationId: Uuid, wanted: PageWanted): Promise<Call[]> {
  return tx.rows<Call>(ofOrganization, values(tenantId, organizationId, wanted));
}

/** A user's calls, which are all its organization's. */
export function listOfUser(tx: Tx, tenantId: Uuid, userId: Uuid, wanted: PageWanted): Promise<Call[]> {
  return tx.rows<Call>(ofUser, values(tenantId, userId, wanted));
}

const textsOf = statement(
  "list-texts-of-calls",
  `select call_id, transcript, extracted_fields, summary, recording, cost from call_details
   where tenant_id = $1 and call_id = any($2::uuid[]) and ${anyOf("call_id")}`,
);

/** Results of calls; ongoing ones are not included. */
export async function texts(tx: Tx, tenantId: Uuid, ids: readonly Uuid[]): Promise<Map<Uuid, CallText>> {
  if (ids.length === 0) return new Map();
  const rows = await tx.rows<CallText & { call_id: Uuid }>(textsOf, [tenantId, ids]);
  return new Map(rows.map(({ call_id, ...text }) => [call_id, text]));
}

/** Who took part in a call, by the names that people know. A contact without a name has none. */
export type CallNames = { contact_name: string | null; agent_name: string | null; campaign_name: string | null };

export const NO_NAMES: CallNames = { contact_name: null, agent_name: null, campaign_name: null };

// Each looked up by its key, as the campaign above.
const namesOf = statement(
  "list-names-of-calls",
  `select call.id as call_id,
     (select ${CONTACT_NAME} from contacts contact
      where contact.tenant_id = $1 and contact.id = call.contact_id) as contact_name,
     (select version.config->>'agent_name' from agent_versions version
      where version.tenant_id = $1 and version.agent_id = call.agent_id and version.version = call.agent_version) as agent_name,
     (select campaign.name from campaigns campaign
      where campaign.tenant_id = $1 and campaign.id = call.campaign_id) as campaign_name
   from calls call where call.tenant_id = $1 and call.id = any($2::uuid[]) and ${anyOf("call.id")}`,
);

/** The names of calls that have been placed or taken. */
export async function names(tx: Tx, tenantId: Uuid, ids: readonly Uuid[]): Promise<Map<Uuid, CallNames>> {
  if (ids.length === 0) return new Map();
  const rows = await tx.rows<CallNames & { call_id: Uuid }>(namesOf, [tenantId, ids]);
  return new Map(rows.map(({ call_id, ...all }) => [call_id, all]));
}

const findCall = statement(
  "find-call",
  `select ${CALL_COLUMNS} from calls call where call.tenant_id = $1 and call.id = $2`,
);

export function find(tx: Tx, tenantId: Uuid, id: Uuid): Promise<Call | undefined> {
  return tx.first<Call>(findCall, [tenantId, id]);
}

const findDetail = statement(
  "find-call-detail",
  `select transcript, extracted_fields, summary, recording, cost, utterances, latencies, evidence, recording_ms, usage, voicemail_left,
     speech_to_text, codec, encrypted,
     (select problem from recording_alarms alarm where alarm.tenant_id = $1 and alarm.call_id = $2) as recording_problem
   from call_details where tenant_id = $1 and call_id = $2`,
);

export function detail(tx: Tx, tenantId: Uuid, id: Uuid): Promise<CallDetail | undefined> {
  return tx.first<CallDetail>(findDetail, [tenantId, id]);
}

const findVoiceCampaign = statement(
  "find-voice-campaign-id",
  "select id from campaigns where tenant_id = $1 and campaign_id = $2 and channel = 'voice'",
);

/** A voice campaign by the caller's own id; a deleted one too, since its calls stay. */
export async function voiceCampaign(tx: Tx, tenantId: Uuid, campaignId: string): Promise<Uuid | undefined> {
  return (await tx.first<{ id: Uuid }>(findVoiceCampaign, [tenantId, campaignId]))?.id;
}

const findCampaign = statement(
  "find-campaign-of-calls",
  "select id from campaigns where tenant_id = $1 and campaign_id = $2",
);

/** A campaign of calls or of texts, by the caller's own id: texts lead to calls too. */
export async function campaign(tx: Tx, tenantId: Uuid, campaignId: string): Promise<Uuid | undefined> {
  return (await tx.first<{ id: Uuid }>(findCampaign, [tenantId, campaignId]))?.id;
}
