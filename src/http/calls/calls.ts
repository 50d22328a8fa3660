import * as contract from "#contract/calls/calls.ts";
import { warned } from "#contract/values/unknown-names.ts";
import { carrierCause } from "#domain/calls/carrier-cause.ts";
import { latencySummary } from "#domain/calls/latency.ts";
import { callPageRequest } from "#domain/calls/page.ts";
import { hasUserLine, type Utterance } from "#domain/calls/report.ts";
import { callResult } from "#domain/calls/result.ts";
import { publicId, requireId } from "#domain/values/id.ts";
import { requireInstant } from "#domain/values/instant.ts";
import { pageAnswer } from "#http/server/page.ts";
import { type Edge, route } from "#http/server/route.ts";
import { latencyView, timeView } from "#http/server/views.ts";
import { linkToken } from "#operations/accounts/link-token.ts";
import { createCall } from "#operations/calls/create-call.ts";
import { injectIntoCall, stopCall } from "#operations/calls/order-call.ts";
import {
  getCall,
  type ListedCall,
  listCalls,
  listCampaignCalls,
  type WholeCall,
} from "#operations/calls/read-calls.ts";
import { getRecording, getWaveform } from "#operations/calls/read-recording.ts";
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
      agentId: query.agent_id,
      digits: query.phone_digits,
      phone: query.phone_number,
      number: query.own_number,
      status: query.status,
      outcome: query.outcome,
      sentiment: query.sentiment,
      begin: query.begin === undefined ? undefined : requireInstant("begin", query.begin),
      end: query.end === undefined ? undefined : requireInstant("end", query.end),
    };
    const page = await listCalls(ctx, caller, wanted);
    return pageAnswer("calls", page, (call) => listedView(call, urlOf(call, caller.tenantId, origin)));
  });

  route(edge, contract.getCall, ({ ctx, caller, params, origin }) =>
    answerOf(ctx, caller, requireId("call", params.call_id, "Call"), origin),
  );

  route(edge, contract.createCall, async ({ ctx, caller, body, origin }) => {
    const [field, agent] = body.agent_id
      ? (["agent_id", body.agent_id] as const)
      : (["voice_agent_id", body.voice_agent_id!] as const);
    const { id, warnings } = await createCall(ctx, caller, {
      agent: { field, id: agent },
      from: body.from_number,
      to: body.to_number,
      organizationId: body.organization_id && requireId("organization", body.organization_id, "Organization"),
      userId: body.user_id && requireId("user", body.user_id, "User"),
      contact: body.contact ?? {},
      objective: body.objective,
    });
    return warned(await answerOf(ctx, caller, id, origin), warnings);
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

  function urlOf(call: ListedCall, tenantId: string, origin: string): string | null {
    if (call.recording === null) return null;
    const id = publicId("call", call.id);
    return `${origin}/v1/voice/calls/${id}/recording?token=${linkToken(edge.ctx, tenantId, { what: "recording", id })}`;
  }
}

const resultView = (call: ListedCall) =>
  callResult({
    ...{ status: call.status, reason: call.reason, answerer: call.answerer },
    ...{ inVoicemail: call.in_voicemail, durationMs: call.duration_ms },
    // Of an erased contact's call nothing is left that says so.
    hasContactSpoken: call.phone.startsWith("+") ? hasUserLine(call.transcript) : undefined,
  });

/** The interface's own record, to the letter, with the contact's name and what the call came to: why the call ended is not in it. */
const campaignCallView = (call: ListedCall) => ({
  call_id: publicId("call", call.id),
  to_number: call.direction === "outbound" ? call.phone : call.number,
  from_number: call.direction === "outbound" ? call.number : call.phone,
  call_successful: call.successful,
  in_voicemail: call.in_voicemail,
  call_status: call.status,
  call_result: call.because !== null ? null : resultView(call),
  user_sentiment: call.sentiment,
  call_duration_ms: call.duration_ms,
  start_timestamp: call.start_at.toISOString(),
  end_timestamp: timeView(call.end_at),
  transcript: call.transcript,
  extracted_fields: call.extracted_fields,
  contact_name: call.contact_name,
});

const listedView = (call: ListedCall, recordingUrl: string | null) => ({
  ...campaignCallView(call),
  direction: call.direction,
  purpose: call.purpose,
  campaign_id: call.campaign,
  organization_id: publicId("organization", call.organization_id),
  user_id: call.user_id && publicId("user", call.user_id),
  agent_id: publicId("agent", call.agent_id),
  agent_version: call.agent_version,
  lead_id: call.contact_id && publicId("contact", call.contact_id),
  agent_name: call.agent_name,
  campaign_name: call.campaign_name,
  answered_by: call.answerer,
  disconnection_reason: call.reason,
  scheduled_for: timeView(call.scheduledFor),
  waiting_because: call.because,
  summary: call.summary,
  recording_url: recordingUrl,
  cost: call.cost,
});

const callView = (call: WholeCall, recordingUrl: string | null) => ({
  ...listedView(call, recordingUrl),
  dialed_at: timeView(call.dialed_at),
  answered_at: timeView(call.answered_at),
  stop_requested_at: timeView(call.stop_requested_at),
  voicemail_left: call.voicemail_left,
  carrier: call.carrier,
  carrier_code: call.carrier_code,
  carrier_cause: carrierCause(call.carrier_code, call.carrier_text),
  caller_attestation: call.attestation && { level: call.attestation.level, verdict: call.attestation.verdict },
  recording_ms: call.recording_ms,
  recording_problem: call.recording_problem,
  speech_to_text: call.speech_to_text,
  codec: call.codec,
  encrypted: call.encrypted,
  transcript_object: call.utterances.map(utteranceView),
  latency: latencySummary(call.latencies),
  turns: call.latencies.map(latencyView),
  evidence: call.evidence,
});

/** Retell's shape: words in seconds of the call's sound. */
const utteranceView = (utterance: Utterance) => ({
  role: utterance.role === "agent" ? "agent" : "user",
  content: utterance.text,
  words: utterance.words.map(({ word, startMs, endMs }) => ({ word, start: startMs / 1000, end: endMs / 1000 })),
  interrupted: utterance.interrupted === true,
});
