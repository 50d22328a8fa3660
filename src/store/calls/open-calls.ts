import type { CallStatus, DisconnectionReason } from "#domain/calls/call.ts";
import type { CallReport, Utterance } from "#domain/calls/report.ts";
import type { Uuid } from "#domain/values/id.ts";
import { anyOf, crossTenant, crossTenantChanging, statement, type Tx } from "#store/database/db.ts";
import type { OpenAttempt } from "#store/messaging/attempts.ts";

const wantedStops = crossTenant(
  "list-wanted-stops",
  `select id from calls where node_id = $1 and status in ('registered', 'ongoing') and stop_requested_at is not null`,
);

/** Calls of a node whose end was requested. */
export function toBeStopped(tx: Tx, nodeId: Uuid): Promise<{ id: Uuid }[]> {
  return tx.rows(wantedStops, [nodeId]);
}

const nodeOfCall = statement(
  "find-node-of-call",
  `select node_id from calls where tenant_id = $1 and id = $2 and carrier = $3 and status in ('registered', 'ongoing')`,
);
const addressOfNode = crossTenant(
  "find-call-address-of-node",
  "select call_address as address from nodes where id = $1 and call_address is not null and lost_at is null",
);

/** Where the node listens that holds an open call of a carrier's. */
export async function nodeOf(tx: Tx, tenantId: Uuid, call: { id: Uuid; carrier: string }): Promise<string | undefined> {
  const found = await tx.first<{ node_id: Uuid }>(nodeOfCall, [tenantId, call.id, call.carrier]);
  return found && (await tx.first<{ address: string }>(addressOfNode, [found.node_id]))?.address;
}

const openOver = statement(
  "count-open-calls-of-carrier",
  "select count(*)::int as n from calls where tenant_id = $1 and carrier = $2 and status in ('registered', 'ongoing')",
);

/** A tenant's calls that go on over a carrier, in both directions. */
export async function over(tx: Tx, tenantId: Uuid, carrier: string): Promise<number> {
  return (await tx.first<{ n: number }>(openOver, [tenantId, carrier]))!.n;
}

const attemptOfCall = statement(
  "find-open-attempt-of-call",
  `select attempt.tenant_id, attempt.ref, attempt.campaign_id, attempt.message_id as intent_id, attempt.carrier, attempt.error_code
   from calls call join attempts attempt on attempt.tenant_id = $1 and attempt.message_id = call.dial_id
     and attempt.state = any($4::text[])
   where call.tenant_id = $1 and call.id = $2 and call.carrier = $3`,
);

/** The attempt of a call of a carrier's of which it is not known whether it was placed. `isOwned`: a node has it, unless it was given to a person. */
export function openAttemptOf(
  tx: Tx,
  tenantId: Uuid,
  call: { id: Uuid; carrier: string; isOwned: boolean },
): Promise<OpenAttempt[]> {
  const states = call.isOwned ? ["held"] : ["in_flight", "uncertain", "held"];
  return tx.rows<OpenAttempt>(attemptOfCall, [tenantId, call.id, call.carrier, states]);
}

const adoptCalls = crossTenantChanging(
  "adopt-calls",
  `update calls set node_id = $2 where node_id = any($1::uuid[]) and status in ('registered', 'ongoing') returning id`,
);

/** Assigns the open calls of nodes to another id: that of the same process in a new place. */
export function adopt(tx: Tx, from: readonly Uuid[], to: Uuid): Promise<{ id: Uuid }[]> {
  return tx.rows(adoptCalls, [from, to]);
}

export type LostCall = {
  tenant_id: Uuid;
  id: Uuid;
  dialed_at: Date;
  answered_at: Date | null;
  /** Real time; null for a node that is not in the register. */
  lost_at: Date | null;
};

const register = crossTenant("list-register-of-nodes", "select id, lost_at from nodes");
// A call whose attempt is open was perhaps never placed: the look-up comes first. One that came in has none.
const lostCalls = crossTenant(
  "list-lost-calls",
  `select call.tenant_id, call.id, call.dialed_at, call.answered_at, call.node_id
   from calls call join tenants on tenants.id = call.tenant_id
   where call.status in ('registered', 'ongoing')
     and (call.node_id = any($1::uuid[])
       or (call.node_id <> all($3::uuid[]) and call.created_at <= $2::timestamptz + tenants.clock_offset_ms * interval '1 millisecond'))
     and not exists (
       select from attempts attempt where attempt.tenant_id = call.tenant_id and attempt.message_id = call.dial_id
         and attempt.state in ('in_flight', 'uncertain'))
   order by call.tenant_id, call.id limit 1000`,
);

/** Calls whose node was lost by `lostBefore`, or that were made before `unknownBefore` by one that is in no register. */
export async function lost(tx: Tx, lostBefore: Date, unknownBefore: Date): Promise<LostCall[]> {
  const nodes = await tx.rows<{ id: Uuid; lost_at: Date | null }>(register);
  const gone = nodes.filter((node) => node.lost_at !== null && node.lost_at <= lostBefore).map(({ id }) => id);
  const values = [gone, unknownBefore, nodes.map(({ id }) => id)];
  const rows = await tx.rows<Omit<LostCall, "lost_at"> & { node_id: Uuid }>(lostCalls, values);
  const lostAt = new Map(nodes.map(({ id, lost_at }) => [id, lost_at]));
  return rows.map(({ node_id: id, ...call }) => ({ ...call, lost_at: lostAt.get(id) ?? null }));
}

const callsOfNode = crossTenant(
  "list-calls-of-node",
  `select call.tenant_id, call.id, call.dialed_at, call.answered_at, null::timestamptz as lost_at
   from calls call
   where call.node_id = $1 and call.status in ('registered', 'ongoing') and call.id <> all($2::uuid[])
     and not exists (
       select from attempts attempt where attempt.tenant_id = call.tenant_id and attempt.message_id = call.dial_id
         and attempt.state in ('in_flight', 'uncertain'))
   order by call.tenant_id, call.id limit 1000`,
);

/** Open calls of a node, without those that it holds and those of which it is not known yet whether they were placed. */
export function unheld(tx: Tx, nodeId: Uuid, held: readonly Uuid[]): Promise<LostCall[]> {
  return tx.rows<LostCall>(callsOfNode, [nodeId, held]);
}

const callsOfDials = statement(
  "list-calls-of-dials",
  `select dial.id, dial.call_id from unnest($2::uuid[], $3::uuid[]) as it (campaign_id, id)
   join dials dial on dial.tenant_id = $1 and dial.campaign_id = it.campaign_id and dial.id = it.id
   where dial.call_id is not null and ${anyOf("it.id")}`,
);

/** The calls that dials were placed as, by dial. */
export async function ofDials(
  tx: Tx,
  tenantId: Uuid,
  them: readonly { campaignId: Uuid; dialId: Uuid }[],
): Promise<Map<Uuid, Uuid>> {
  const values = [tenantId, them.map((dial) => dial.campaignId), them.map((dial) => dial.dialId)];
  const rows = await tx.rows<{ id: Uuid; call_id: Uuid }>(callsOfDials, values);
  return new Map(rows.map((row) => [row.id, row.call_id]));
}

export type EndedCall = {
  id: Uuid;
  status: Extract<CallStatus, "ended" | "not_connected" | "error">;
  reason: DisconnectionReason;
  in_voicemail: boolean;
  duration_ms: number;
  dialed_at: Date;
  answered_at: Date | null;
  end_at: Date;
  utterances: Utterance[] | null;
  voicemail_left: boolean | null;
};

const endedCalls = statement(
  "list-calls-ended-in-doubt",
  `select call.id, call.status, call.reason, call.in_voicemail, call.duration_ms, call.dialed_at, call.answered_at, call.end_at,
     detail.utterances, detail.voicemail_left
   from unnest($2::uuid[], $3::uuid[]) as it (campaign_id, id)
   join dials dial on dial.tenant_id = $1 and dial.campaign_id = it.campaign_id and dial.id = it.id and dial.state = 'dialing'
   join calls call on call.tenant_id = $1 and call.id = dial.call_id and call.status in ('ended', 'not_connected', 'error')
   left join call_details detail on detail.tenant_id = $1 and detail.call_id = call.id
   where ${anyOf("it.id")}`,
);

/** The calls of dials that are not finished, though the calls are: it was not known whether they had begun. */
export function endedInDoubt(
  tx: Tx,
  tenantId: Uuid,
  them: readonly { campaignId: Uuid; dialId: Uuid }[],
): Promise<EndedCall[]> {
  if (them.length === 0) return Promise.resolve([]);
  return tx.rows<EndedCall>(endedCalls, [
    tenantId,
    them.map((dial) => dial.campaignId),
    them.map((dial) => dial.dialId),
  ]);
}

/** The report of a call whose course is unknown: its node is lost. */
export const lostReport = (call: { dialedAt: Date; answeredAt: Date | null; endedAt: Date }): CallReport =>
  reportOf({
    status: "error",
    reason: "error_unknown",
    ...call,
    durationMs: call.answeredAt ? Math.max(0, call.endedAt.getTime() - call.answeredAt.getTime()) : 0,
  });

/** The report of a call that was stopped before it was placed. */
export const stoppedReport = (call: { dialedAt: Date; endedAt: Date }): CallReport =>
  reportOf({ status: "not_connected", reason: "manual_stopped", ...call, answeredAt: null, durationMs: 0 });

/** The report of an ended call, as far as it decides what follows. */
export const storedReport = (call: EndedCall): CallReport => ({
  ...reportOf({
    status: call.status,
    reason: call.reason,
    dialedAt: call.dialed_at,
    answeredAt: call.answered_at,
    endedAt: call.end_at,
    durationMs: call.duration_ms,
  }),
  inVoicemail: call.in_voicemail,
  voicemailLeft: call.voicemail_left ?? false,
  utterances: call.utterances ?? [],
});

function reportOf(call: {
  status: CallReport["status"];
  reason: DisconnectionReason;
  dialedAt: Date;
  answeredAt: Date | null;
  endedAt: Date;
  durationMs: number;
}): CallReport {
  return {
    status: call.status,
    reason: call.reason,
    dialedAt: call.dialedAt.toISOString(),
    ...(call.answeredAt ? { answeredAt: call.answeredAt.toISOString() } : {}),
    endedAt: call.endedAt.toISOString(),
    durationMs: call.durationMs,
    inVoicemail: false,
    voicemailLeft: false,
    utterances: [],
    latencies: [],
    requests: {},
    usage: { voiceCharacters: 0, speechToTextMs: 0, inputTokens: 0, outputTokens: 0 },
  };
}
