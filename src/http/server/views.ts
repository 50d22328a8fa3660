import { nextEnd, type SessionTimes } from "#domain/accounts/session.ts";
import type { TurnLatency } from "#domain/calls/report.ts";
import type { LeftOut } from "#domain/contacts/left-out.ts";
import type { Media } from "#domain/messaging/media.ts";
import { publicId } from "#domain/values/id.ts";

// Response views of rows that more than one route returns.

type Time = Date | number | null;

/** ISO 8601 UTC; what waits without end (PostgreSQL's infinity) has no time to show. */
export const timeView = (at: Time): string | null => (at instanceof Date ? at.toISOString() : null);

export const threadIdView = (phone: string, campaignId: string): string => `${phone}_${campaignId}`;

/** The contact's own `state`, which its recipient's takes the place of. */
export const contactStateView = (fields: Record<string, unknown> | null): string | null =>
  typeof fields?.state === "string" ? fields.state : null;

/** A lead that its campaign did not take, in the place of a recipient. */
export const leftOutView = ({ index, value, reason, error, duplicate_of }: LeftOut) => ({
  unique_id: null,
  phone_number: value,
  state: "invalid",
  contact_state: null,
  reason,
  outcome: null,
  index,
  error,
  duplicate_of,
});

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
  media: readonly Media[] | null;
  media_urls: readonly string[] | null;
};

/** What a link opens a file of a text by, by its public id. */
export type MediaUrl = (mediaId: string) => string;

function mediaView(media: Media, urlOf: MediaUrl) {
  const id = publicId("media", media.id);
  return {
    media_id: id,
    status: media.state,
    content_type: media.content_type,
    bytes: media.bytes,
    url: media.state === "kept" ? urlOf(id) : null,
    problem: media.state === "kept" ? null : media.problem,
  };
}

const sentMediaView = (url: string) => ({
  media_id: null,
  status: "sent",
  content_type: null,
  bytes: null,
  url,
  problem: null,
});

export function messageView(message: MessageRow, campaignId: string, urlOf: MediaUrl) {
  return {
    message_id: publicId("message", message.id),
    thread_id: message.thread_id === null ? null : threadIdView(message.phone, campaignId),
    phone_number: message.phone,
    direction: message.direction,
    kind: message.kind,
    state: message.state,
    reason: message.reason,
    rule: message.rule,
    text: message.text,
    media: [
      ...(message.media ?? []).map((media) => mediaView(media, urlOf)),
      ...(message.media_urls ?? []).map(sentMediaView),
    ],
    segments: message.segments,
    scheduled_for: timeView(message.due_at),
    created_at: message.created_at.toISOString(),
    sent_at: timeView(message.sent_at),
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

export function userView(user: UserRow) {
  return {
    unique_id: publicId("user", user.id),
    name: user.name,
    email: user.email,
    permission: user.permission,
    organization_id: publicId("organization", user.organization_id),
    organization_ids: user.organization_ids.map((id) => publicId("organization", id)),
    created_at: user.created_at.toISOString(),
  };
}

/** What one answer of an agent's took, in the field's names. */
export const latencyView = (latency: TurnLatency) => ({
  at_ms: latency.atMs,
  endpointing_ms: latency.endpointingMs,
  asr_ms: latency.speechToTextMs,
  llm_ms: latency.modelMs,
  tts_ms: latency.voiceMs,
  e2e_ms: latency.totalMs,
});

type SessionRow = {
  id: string;
  user_agent: string | null;
  address: string;
  created_at: Date;
  seen_at: Date;
  expires_at: Date;
};

/** A session in a list; `current` is the caller's own. */
export const openSessionView = (session: SessionRow, current: string | undefined, times: SessionTimes) => ({
  session_id: publicId("session", session.id),
  is_current: session.id === current,
  user_agent: session.user_agent,
  address: session.address,
  created_at: session.created_at.toISOString(),
  last_seen_at: session.seen_at.toISOString(),
  expires_at: nextEnd(session.seen_at, session.expires_at, times).toISOString(),
});

/** How far the look-up of a list's lines is, as a list shows it; null where nobody has asked for one. */
export const lineLookupView = (list: {
  line_lookup: "importing" | "waiting" | "completed" | "failed" | null;
  line_lookup_problem: string | null;
  lines_looked_up: number | null;
}) =>
  list.line_lookup === null
    ? null
    : { status: list.line_lookup, looked_up: list.lines_looked_up ?? 0, error: list.line_lookup_problem };
