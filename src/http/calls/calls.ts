import * as contract from "#contract/calls/calls.ts";
import { latencySummary } from "#domain/calls/latency.ts";
import { callPageRequest } from "#domain/calls/page.ts";
import type { Utterance } from "#domain/calls/report.ts";
import { publicId, requireId } from "#domain/values/id.ts";
import { requireInstant } from "#domain/values/instant.ts";
import { pageAnswer } from "#http/server/page.ts";
import { type Edge, route } from "#http/server/route.ts";
import { latencyView, timeView } from "#http/server/views.ts";
import { createCall } from "#operations/calls/create-call.ts";
import { injectIntoCall, stopCall } from "#operations/calls/order-call.ts";
import {
  getCall,
  type ListedCall,
  listCalls,
  listCampaignCalls,
  type WholeCall,
} from "#operations/calls/read-calls.ts";
import { getRecording, getWaveform, recordingToken } from "#operations/calls/read-recording.ts";
import type { Caller, Context } from "#operations/context.ts";

/** As many as a wide screen can show beside each other. */
const DEFAULT_POINTS = 1_000;

export function callRoutes(edge: Edge): void {
  route(edge, contract.listCampaignCalls, async ({ ctx, caller, params, query }) => {
    const wanted = { ...callPageRequest(query), status: query.status, sentiment: query.sentiment };
    const page = await listCampaignCalls(ctx, caller, params.campaign_id, wanted);
    return { campaign_id: params.campaign_id, ...pageAnswer("calls", page, campaignCallView) };
  });

  route(edge, contract.listCalls, async ({ ctx, caller, query, origin }) => {
    const wanted = {
      ...callPageRequest(query),
      organizationId: requireId("organization", query.organization_id, "Organization"),
      userId: query.user_id === undefined ? undefined : requireId("user", query.user_id, "User"),
      isAdmin: query.is_admin === true,
      campaignId: query.campaign_id,
      phone: query.phone_number,
      number: query.own_number,
      status: query.status,
      outcome: query.outcome,
      sentiment: query.sentiment,
      begin: query.begin === undefined ? undefined : requireInstant("begin", query.begin),
      end: query.end === undefined ? undefined : requireInstant("end", query.end),
    };
    const page = await listCalls(ctx, caller, wanted);
    return pageAnswer("calls", page, (it) => listedView(it, urlOf(it, caller.tenantId, origin)));
  });

  route(edge, contract.getCall, ({ ctx, caller, params, origin }) =>
    answerOf(ctx, caller, requireId("call", params.call_id, "Call"), origin),
  );

  route(edge, contract.createCall, async ({ ctx, caller, body, origin }) => {
    const [field, agent] = body.agent_id
      ? (["agent_id", body.agent_id] as const)
      : (["voice_agent_id", body.voice_agent_id!] as const);
    const id = await createCall(ctx, caller, {
      agent: { field, id: agent },
      from: body.from_number,
      to: body.to_number,
      organizationId: body.organization_id && requireId("organization", body.organization_id, "Organization"),
      userId: body.user_id && requireId("user", body.user_id, "User"),
      contact: body.contact ?? {},
      objective: body.objective,
    });
    return answerOf(ctx, caller, id, origin);
  });

  route(edge, contract.stopCall, async ({ ctx, caller, params, origin }) => {
    const id = requireId("call", params.call_id, "Call");
    await stopCall(ctx, caller, id);
    return answerOf(ctx, caller, id, origin);
  });

  route(edge, contract.injectIntoCall, async ({ ctx, caller, params, body }) => {
    await injectIntoCall(ctx, caller, requireId("call", params.call_id, "Call"), body.text);
    return { call_id: params.call_id, message: "The agent is given it at its next turn" };
  });

  route(edge, contract.getRecording, async ({ ctx, caller, params }) =>
    getRecording(ctx, caller, requireId("call", params.call_id, "Call")),
  );

  route(edge, contract.getWaveform, async ({ ctx, caller, params, query }) => {
    const id = requireId("call", params.call_id, "Call");
    const { peakMs, contact, agent } = await getWaveform(ctx, caller, id, query.points ?? DEFAULT_POINTS);
    return { call_id: params.call_id, peak_ms: peakMs, contact: [...contact], agent: [...agent] };
  });

  async function answerOf(ctx: Context, caller: Caller, id: string, origin: string) {
    const call = await getCall(ctx, caller, id);
    return { call: callView(call, urlOf(call, caller.tenantId, origin)) };
  }

  function urlOf(it: ListedCall, tenantId: string, origin: string): string | null {
    if (it.recording === null) return null;
    const token = recordingToken(edge.ctx, tenantId, it.id);
    return `${origin}/v1/voice/calls/${publicId("call", it.id)}/recording?token=${token}`;
  }
}

/** The interface's own record, to the letter: why the call ended is not in it. */
const campaignCallView = (it: ListedCall) => ({
  call_id: publicId("call", it.id),
  to_number: it.direction === "outbound" ? it.phone : it.number,
  from_number: it.direction === "outbound" ? it.number : it.phone,
  call_successful: it.successful,
  in_voicemail: it.in_voicemail,
  call_status: it.status,
  user_sentiment: it.sentiment,
  call_duration_ms: it.duration_ms,
  start_timestamp: it.start_at.toISOString(),
  end_timestamp: timeView(it.end_at),
  transcript: it.transcript,
  extracted_fields: it.extracted_fields,
});

const listedView = (it: ListedCall, recordingUrl: string | null) => ({
  ...campaignCallView(it),
  direction: it.direction,
  purpose: it.purpose,
  campaign_id: it.campaign,
  organization_id: publicId("organization", it.organization_id),
  user_id: it.user_id && publicId("user", it.user_id),
  agent_id: publicId("agent", it.agent_id),
  agent_version: it.agent_version,
  lead_id: it.contact_id && publicId("contact", it.contact_id),
  answered_by: it.answerer,
  disconnection_reason: it.reason,
  summary: it.summary,
  recording_url: recordingUrl,
  cost: it.cost,
});

const callView = (it: WholeCall, recordingUrl: string | null) => ({
  ...listedView(it, recordingUrl),
  dialed_at: timeView(it.dialed_at),
  scheduled_for: timeView(it.scheduledFor),
  waiting_because: it.because,
  answered_at: timeView(it.answered_at),
  stop_requested_at: timeView(it.stop_requested_at),
  voicemail_left: it.voicemail_left,
  carrier: it.carrier,
  carrier_code: it.carrier_code,
  recording_ms: it.recording_ms,
  recording_problem: it.recording_problem,
  transcript_object: it.utterances.map(utteranceView),
  latency: latencySummary(it.latencies),
  turns: it.latencies.map(latencyView),
  evidence: it.evidence,
});

/** Retell's shape: words in seconds of the call's sound. */
const utteranceView = (it: Utterance) => ({
  role: it.role === "agent" ? "agent" : "user",
  content: it.text,
  words: it.words.map(({ word, startMs, endMs }) => ({ word, start: startMs / 1000, end: endMs / 1000 })),
  interrupted: it.interrupted === true,
});
