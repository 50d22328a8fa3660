import type { TurnLatency } from "#domain/calls/report.ts";
import { publicId } from "#domain/values/id.ts";

// Response views of rows that more than one route returns.

type Time = Date | number | null;

/** ISO 8601 UTC; what waits without end (PostgreSQL's infinity) has no time to show. */
export const timeView = (at: Time): string | null => (at instanceof Date ? at.toISOString() : null);

export const threadIdView = (phone: string, campaignId: string): string => `${phone}_${campaignId}`;

type MessageRow = {
  id: string;
  phone: string;
  direction: string;
  kind: string;
  state: string;
  reason: string | null;
  rule: string | null;
  text: string | null;
  segments: number | null;
  due_at: Time;
  created_at: Date;
  sent_at: Date | null;
  thread_id: string | null;
};

export function messageView(it: MessageRow, campaignId: string) {
  return {
    message_id: publicId("message", it.id),
    thread_id: it.thread_id === null ? null : threadIdView(it.phone, campaignId),
    phone_number: it.phone,
    direction: it.direction,
    kind: it.kind,
    state: it.state,
    reason: it.reason,
    rule: it.rule,
    text: it.text,
    segments: it.segments,
    scheduled_for: timeView(it.due_at),
    created_at: it.created_at.toISOString(),
    sent_at: timeView(it.sent_at),
  };
}

export const reasonView = ({ state, reason, n }: { state: string; reason: string; n: number }) => ({
  state,
  reason,
  recipients: n,
});

export type UserRow = {
  id: string;
  organization_id: string;
  organization_ids: readonly string[];
  name: string;
  email: string;
  permission: string;
  created_at: Date;
};

export function userView(it: UserRow) {
  return {
    unique_id: publicId("user", it.id),
    name: it.name,
    email: it.email,
    permission: it.permission,
    organization_id: publicId("organization", it.organization_id),
    organization_ids: it.organization_ids.map((id) => publicId("organization", id)),
    created_at: it.created_at.toISOString(),
  };
}

/** What one answer of an agent's took, in the field's names. */
export const latencyView = (it: TurnLatency) => ({
  at_ms: it.atMs,
  endpointing_ms: it.endpointingMs,
  asr_ms: it.speechToTextMs,
  llm_ms: it.modelMs,
  tts_ms: it.voiceMs,
  e2e_ms: it.totalMs,
});
