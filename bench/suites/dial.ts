import assert from "node:assert/strict";
import type pg from "pg";
import { leadsOf, phoneOf } from "#app/capacity/people.ts";
import { until } from "#test/support/api/parley.ts";
import { aNoon, anAgent, SENDER } from "#test/support/campaigns/campaign.ts";
import { residentMb, type Service, startService } from "../service.ts";
import { type Bench, timed } from "../suite.ts";
import { spokenBy } from "../words.ts";

const PATIENCE_MS = 900_000;
/** As many calls as the dialer claims at once. */
const BATCH = 200;

/** A voice campaign of simulated calls in words only, from planned dials to finished records. */
export async function run(bench: Bench): Promise<void> {
  const count = bench.small ? 100 : 100_000;
  const ours = await dialAll(bench, count);
  const baseline = await writeRaw(bench, count, ours.sample);
  bench.figure({ name: "to finished record", value: count / ours.seconds, unit: "calls/s", baseline });
  bench.figure({ name: "media's resident memory", value: ours.peakMb, unit: "MB", baseline: ours.idleMb });
}

type Target = { tenantId: string; campaignId: string; id: string; beginAt: Date };
/** What one call leaves behind, as text: its record's and the carrier's. */
type Sample = { transcript: string; utterances: string; heard: string };

async function aCampaign(service: Service, count: number): Promise<Target> {
  const noon = await aNoon(service);
  const beginAt = new Date(noon.getTime() + 3_600_000);
  const voice = { agent_type: "voice", voice_id: "slt" };
  const { agentId, organizationId } = await anAgent(service, voice);
  const { status, body } = await service.post("/v1/voice/campaigns", {
    voice_agent_id: agentId,
    organization_id: organizationId,
    agent_outbound_number: SENDER,
    campaign_begin_time: beginAt.toISOString(),
    calls_per_second: 1_000,
    max_concurrent_calls: 10_000,
    leads: leadsOf(count),
  });
  assert.equal(status, 202, JSON.stringify(body));
  const { rows } = await service.sql.query("select tenant_id, id from campaigns where campaign_id = $1", [
    body.campaign_id,
  ]);
  // More than a caller may ask for: here the machine is what limits it.
  await service.sql.query("update dial_lanes set per_second = 1000000");
  return { tenantId: rows[0].tenant_id, id: rows[0].id, campaignId: body.campaign_id, beginAt };
}

/** As PUT /v1/simulator/handsets has them, for many at once. */
async function writeScripts({ sql }: Service, tenantId: string, count: number): Promise<void> {
  const scripts = Array.from({ length: count }, (_, i) => ({ phone: phoneOf(i), says: spokenBy(i) }));
  await sql.query(
    `insert into simulator_handsets (tenant_id, phone, behavior, says)
     select $1, phone, 'answer', says from jsonb_to_recordset($2::jsonb) as script (phone text, says text[])`,
    [tenantId, JSON.stringify(scripts)],
  );
}

async function dialAll(bench: Bench, count: number) {
  const service = await startService(bench);
  try {
    const target = await aCampaign(service, count);
    await writeScripts(service, target.tenantId, count);
    await service.startWorker();
    const media = await service.startMedia();
    const idleMb = residentMb(media);
    let peakMb = idleMb;
    const watch = setInterval(() => {
      peakMb = Math.max(peakMb, residentMb(media));
    }, 200);
    const begin = performance.now();
    await service.post("/v1/simulator/clock", { to: new Date(target.beginAt.getTime() + 60_000).toISOString() });
    await until("every call is over", async () => (await connected(service, target.id)) === count, PATIENCE_MS);
    const seconds = (performance.now() - begin) / 1000;
    clearInterval(watch);
    const { body } = await service.get(`/v1/simulator/traffic?campaign_id=${target.campaignId}`);
    const clean = { accepted: count, distinct: count, duplicates: 0, after_opt_out: 0, outside_window: 0 };
    assert.deepEqual(body.calls, clean);
    const { rows } = await service.sql.query<Sample>(
      `select transcript, utterances::text, heard::text from call_details
       join calls on calls.tenant_id = call_details.tenant_id and calls.id = call_id
       join attempts on attempts.tenant_id = calls.tenant_id and attempts.message_id = calls.dial_id
       join simulator_calls on simulator_calls.tenant_id = calls.tenant_id and simulator_calls.ref = attempts.ref
       where status = 'ended' limit 1`,
    );
    return { seconds, sample: rows[0]!, idleMb, peakMb };
  } finally {
    await service.stop();
  }
}

/** Every phone of these answers, and asks for no second call. */
async function connected({ sql }: Service, campaignId: string): Promise<number> {
  const { rows } = await sql.query(
    "select coalesce(sum(n), 0)::int as n from campaign_counts where campaign_id = $1 and state = 'call_connected'",
    [campaignId],
  );
  return rows[0].n;
}

/** The same rows in the same steps, with nothing decided and nothing said. */
async function writeRaw(bench: Bench, count: number, sample: Sample): Promise<number> {
  const service = await startService(bench);
  try {
    const target = await aCampaign(service, count);
    await service.stopApi();
    const { seconds, result } = await timed(() => claimAndEnd(service.sql, target, sample));
    assert.equal(result, count);
    return count / seconds;
  } finally {
    await service.stop();
  }
}

const STEPS = {
  claim: `with it as (select * from unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::uuid[]) as it (id, ref, call_id, phone, thread_id)),
     dialing as (
       update dials dial set state = 'dialing', due_at = null, call_id = it.call_id, updated_at = now()
       from it where dial.tenant_id = $1 and dial.campaign_id = $7 and dial.id = it.id),
     attempt as (
       insert into attempts (tenant_id, ref, campaign_id, message_id, phone, state, node_id, carrier, sender, at, check_at, channel)
       select $1, ref, $7, id, phone, 'in_flight', $7, 'raw', '+12125550100', now(), now(), 'voice' from it)
     insert into calls (tenant_id, id, organization_id, campaign_id, thread_id, dial_id, direction, purpose, carrier, agent_id,
       agent_version, number, phone, status, start_at, dialed_at, node_id, created_at)
     select $1, call_id, (select organization_id from campaigns where tenant_id = $1 and id = $7), $7, thread_id, id, 'outbound', 'call',
       'raw', $7, 1, '+12125550100', phone, 'registered', $8::timestamptz + row_number() over () * interval '1 ms', now(), $7, now()
     from it`,
  accept: `insert into simulator_calls (tenant_id, seq, handset, number, direction, at, ref, campaign, n, ends_by)
     select $1, nextval(pg_get_serial_sequence('simulator_texts', 'seq')), phone, '+12125550100', 'to_handset', now(), ref, 'raw', 1, now()
     from unnest($2::uuid[], $3::text[]) as it (ref, phone)`,
  settle: `with attempt as (
       update attempts attempt set state = 'accepted', settled_at = now(), carrier_id = 'sim_1'
       from unnest($2::uuid[]) as it (ref) where attempt.tenant_id = $1 and attempt.ref = it.ref)
     update calls call set carrier_id = 'sim_1', status = 'ongoing', answered_at = now()
     from unnest($3::uuid[]) as it (id) where call.tenant_id = $1 and call.id = it.id`,
  heard: `update simulator_calls set outcome = 'answered', ended_at = now(), duration_ms = 20000, heard = $4::jsonb
     from unnest($2::uuid[], $3::text[]) as it (ref, phone)
     where simulator_calls.tenant_id = $1 and simulator_calls.handset = it.phone and simulator_calls.ref = it.ref`,
  end: `with call as (
       update calls call set status = 'ended', reason = 'agent_hangup', answerer = 'human', duration_ms = 20000, end_at = now()
       from unnest($3::uuid[]) as it (id) where call.tenant_id = $1 and call.id = it.id),
     dial as (
       update dials dial set state = 'done', updated_at = now()
       from unnest($4::uuid[]) as it (id) where dial.tenant_id = $1 and dial.campaign_id = $2 and dial.id = it.id),
     thread as (
       update threads thread set called_at = now(), updated_at = now()
       from unnest($5::uuid[]) as it (id) where thread.tenant_id = $1 and thread.campaign_id = $2 and thread.id = it.id)
     insert into call_details (tenant_id, call_id, transcript, utterances) select $1, id, $6, $7::jsonb from unnest($3::uuid[]) as it (id)`,
} as const;

let last = 0;
const growingId = (): string => `01900000-0000-7000-9000-${(++last).toString(16).padStart(12, "0")}`;

async function claimAndEnd(sql: pg.Client, { tenantId, id, beginAt }: Target, sample: Sample): Promise<number> {
  const step = (name: keyof typeof STEPS, ...values: unknown[]) =>
    sql.query({ name: `raw-dial-${name}`, text: STEPS[name], values: [tenantId, ...values] });
  for (let done = 0; ; ) {
    await sql.query("begin");
    const { rows } = await sql.query({
      name: "raw-dial-due",
      text: `select id, phone, thread_id from dials where tenant_id = $1 and lane_id = $2 and due_at <= $3
             order by due_at, id limit ${BATCH} for update skip locked`,
      values: [tenantId, id, new Date(beginAt.getTime() + 60_000)],
    });
    const [ids, phones, threads] = ["id", "phone", "thread_id"].map((name) => rows.map((row) => row[name]));
    const [refs, calls] = [rows.map(growingId), rows.map(growingId)];
    await step("claim", ids, refs, calls, phones, threads, id, new Date(beginAt.getTime() + done));
    await sql.query("commit");
    if (rows.length === 0) return done;
    await step("accept", refs, phones);
    await step("settle", refs, calls);
    await step("heard", refs, phones, sample.heard);
    await step("end", id, calls, ids, threads, sample.transcript, sample.utterances);
    done += rows.length;
  }
}
