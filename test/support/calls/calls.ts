import { randomUUID } from "node:crypto";
import type pg from "pg";
import type { TurnLatency, Utterance } from "#domain/calls/report.ts";
import { NO_ID, parseId } from "#domain/values/id.ts";
import type { Parley } from "#test/support/api/parley.ts";
import { anAgent, SENDER } from "#test/support/campaigns/campaign.ts";

type Api = Pick<Parley, "get" | "post">;

/** Whose calls they are: uuids, as the database has them, and the organization's and user's public ids. */
export type CallsOf = {
  tenantId: string;
  organizationId: string;
  userId: string;
  agentId: string;
  publicOrganizationId: string;
  publicUserId: string;
};

/** An organization with a user and a voice agent, to insert calls for. */
export async function aVoiceOwner(api: Api, sql: Pick<pg.Client, "query">): Promise<CallsOf> {
  const made = await anAgent(api, { agent_type: "voice", voice_id: "11labs-Adrian" });
  const organizationId = parseId("organization", made.organizationId)!;
  const { rows } = await sql.query("select tenant_id from organizations where id = $1", [organizationId]);
  return {
    tenantId: rows[0].tenant_id,
    organizationId,
    userId: parseId("user", made.userId)!,
    agentId: parseId("agent", made.agentId)!,
    publicOrganizationId: made.organizationId,
    publicUserId: made.userId,
  };
}

/** A voice campaign's row alone: nothing of it is due. Answers with its uuid. */
export async function insertVoiceCampaign(
  sql: Pick<pg.Client, "query">,
  of: CallsOf,
  campaignId: string,
): Promise<string> {
  const id = randomUUID();
  await sql.query(
    `insert into campaigns (tenant_id, id, campaign_id, channel, name, organization_id, user_id, agent_id, agent_version, carrier, lane_id,
       sender, status, body_hash, created_at)
     values ($1, $2, $3, 'voice', 'Test', $4, $5, $6, 1, 'simulator', $2, $7, 'completed', '', now())`,
    [of.tenantId, id, campaignId, of.organizationId, of.userId, of.agentId, SENDER],
  );
  return id;
}

export type CallRow = Record<string, unknown> & {
  id?: string;
  start_at: Date;
  campaign_id?: string;
  /** Of call_details; without them the call has none. */
  detail?: { utterances?: Utterance[]; latencies?: TurnLatency[] } & Record<string, unknown>;
};

/** Inserts calls that are over, as they would be written: a minute long, answered by a person and analysed, unless a row says otherwise. */
export async function insertCalls(
  sql: Pick<pg.Client, "query">,
  of: CallsOf,
  rows: readonly CallRow[],
): Promise<string[]> {
  const calls = rows.map(({ detail: _, ...row }) => ({
    tenant_id: of.tenantId,
    id: randomUUID(),
    organization_id: of.organizationId,
    user_id: of.userId,
    campaign_id: NO_ID,
    direction: "outbound",
    purpose: "call",
    carrier: "simulator",
    agent_id: of.agentId,
    agent_version: 1,
    number: SENDER,
    phone: "+12125550123",
    status: "ended",
    reason: "agent_hangup",
    answerer: "human",
    in_voicemail: false,
    successful: false,
    sentiment: "Neutral",
    duration_ms: 60_000,
    dialed_at: row.start_at,
    answered_at: row.start_at,
    end_at: new Date(row.start_at.getTime() + 60_000),
    node_id: NO_ID,
    created_at: row.start_at,
    analysed_at: row.start_at,
    ...row,
  }));
  const details = rows.flatMap(({ detail }, i) =>
    detail === undefined ? [] : [{ ...NO_DETAIL, tenant_id: of.tenantId, call_id: calls[i]!.id, ...detail }],
  );
  await sql.query("insert into calls select * from jsonb_populate_recordset(null::calls, $1)", [JSON.stringify(calls)]);
  await sql.query("insert into call_details select * from jsonb_populate_recordset(null::call_details, $1)", [
    JSON.stringify(details),
  ]);
  return calls.map((call) => call.id);
}

const NO_DETAIL = {
  transcript: "",
  utterances: [],
  latencies: [],
  extracted_fields: {},
  evidence: {},
  voicemail_left: false,
};
