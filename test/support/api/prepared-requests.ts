import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type pg from "pg";
import { parseId, publicId } from "#domain/values/id.ts";
import { aVoiceOwner, insertCalls } from "#test/support/calls/calls.ts";
import { aCampaign, SENDER } from "#test/support/campaigns/campaign.ts";
import type { Parley } from "./parley.ts";

type Api = Pick<Parley, "get" | "post">;
type Fields = Record<string, unknown>;

/** A request that succeeds once something else has happened, which is written as whoever does it would have written it. */
export type Prepared = { params: Record<string, string>; query: Fields; body: Fields | undefined };

const PHONE = "+12125550142";

/** What has effects on people and begins where a worker, a call or a fault has led, by operation. */
export const PREPARED: Readonly<Record<string, (api: Api, sql: pg.Client) => Promise<Prepared>>> = {
  async resendMessage(api, sql) {
    const { campaignId } = await aCampaign(api, { contacts: [{ phone_number: PHONE }] });
    const { messages } = (await api.get(`/v1/campaigns/${campaignId}/messages`)).body;
    const { message_id } = messages[0];
    const { rows } = await sql.query(
      "update messages set state = 'unknown', due_at = null where id = $1 returning tenant_id, campaign_id, id",
      [parseId("message", message_id)],
    );
    const [message] = rows;
    await sql.query(
      `insert into attempts (tenant_id, ref, campaign_id, message_id, phone, state, node_id, carrier, sender, at, check_at)
       values ($1, $2, $3, $4, $5, 'held', $2, 'simulator', $6, now(), now())`,
      [message.tenant_id, randomUUID(), message.campaign_id, message.id, PHONE, SENDER],
    );
    return { params: { campaign_id: campaignId, message_id }, query: {}, body: undefined };
  },
  async resolveSetAside(api, sql) {
    const id = `simulator sim_${++last}`;
    const tenantId = parseId("tenant", (await api.get("/v1/me")).body.tenant_id);
    await sql.query(
      `insert into stuck_tasks (tenant_id, kind, id, times, first_at, last_at, set_aside_at)
       values ($1, 'text', $2, 2, now(), now(), now())`,
      [tenantId, id],
    );
    const task_id = Buffer.from(`text ${id}`).toString("base64url");
    return { params: { task_id }, query: {}, body: { action: "discard" } };
  },
  async injectIntoCall(api, sql) {
    const of = await aVoiceOwner(api, sql);
    const ongoing = { status: "ongoing", reason: null, end_at: null, start_at: new Date(Date.now() + ++last) };
    const [id] = await insertCalls(sql, of, [ongoing]);
    return { params: { call_id: publicId("call", id!) }, query: {}, body: { text: "Offer them Tuesday." } };
  },
  async resolveUnknownCall(api, sql) {
    const of = await aVoiceOwner(api, sql);
    const made = await api.post("/v1/voice/campaigns", {
      leads: [{ phone_number: PHONE }],
      voice_agent_id: publicId("agent", of.agentId),
      agent_outbound_number: SENDER,
      campaign_begin_time: "2098-01-01T00:00:00Z",
      campaign_end_time: "2099-01-01T00:00:00Z",
    });
    assert.equal(made.status, 202, JSON.stringify(made.body));
    const { campaign_id } = made.body;
    await sql.query(
      `update dials set state = 'unknown', due_at = null
       where campaign_id = (select id from campaigns where tenant_id = $1 and campaign_id = $2)`,
      [of.tenantId, campaign_id],
    );
    const { leads } = (await api.get(`/v1/voice/campaigns/${campaign_id}/leads`)).body;
    return { params: { campaign_id, lead_id: leads[0].unique_id }, query: {}, body: { action: "redial" } };
  },
};

/** Calls of a tenant never begin in the same millisecond. */
let last = 0;
