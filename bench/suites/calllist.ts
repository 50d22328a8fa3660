import assert from "node:assert/strict";
import { aVoiceOwner, type CallsOf, insertVoiceCampaign } from "#test/support/calls/calls.ts";
import { type Service, startService } from "../service.ts";
import { type Bench, quantile } from "../suite.ts";

const PAGES = 200;

/** As a call of some minutes is kept: what a page of calls has to read besides the calls. */
const TRANSCRIPT = "Agent: Hi, this is Ava. Do you have a minute?\nUser: Yes, go on.\n".repeat(12);

const INSERTS = [
  `insert into calls (tenant_id, id, organization_id, user_id, campaign_id, direction, purpose, carrier, agent_id, agent_version, number, phone,
     status, reason, in_voicemail, duration_ms, start_at, dialed_at, answered_at, end_at, node_id, created_at)
   select $1, ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, $2, $3, $4, 'outbound', 'call', 'simulator', $5, 1,
     '+12125550100', '+1212444' || lpad((n % 10000)::text, 4, '0'), 'ended', 'agent_hangup', n % 3 = 0, 60000, at, at, at,
     at + interval '1 minute', $4, at
   from generate_series($6::int, $7::int) as n, lateral (select timestamptz '2026-01-01' + n * interval '1 second' as at) as it`,
  `insert into call_details (tenant_id, call_id, transcript, extracted_fields, cost)
   select $1, ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, $2, '{"interest": "yes"}', '{"total": "0.0123"}'
   from generate_series($3::int, $4::int) as n`,
] as const;

/** A page of a campaign's calls with 1,000 and with 1,000,000 of them: the first page, pages in the middle, and the history of the organization that has it. */
export async function run(bench: Bench): Promise<void> {
  const few = 1_000;
  const many = bench.small ? 3_000 : 1_000_000;
  const service = await startService(bench);
  try {
    const of = await aVoiceOwner(service, service.sql);
    const campaign = await insertVoiceCampaign(service.sql, of, "calls");
    await fill(service, of, campaign, 1, few);
    await pages(service, of);
    const small = await pages(service, of);
    for (let from = few + 1; from <= many; from += 50_000) {
      await fill(service, of, campaign, from, Math.min(many, from + 49_999));
    }
    await pages(service, of);
    const large = await pages(service, of);
    bench.figure({ name: "first page p50", value: large.first, unit: "ms", baseline: small.first });
    bench.figure({ name: "next pages p50", value: large.next, unit: "ms", baseline: small.next });
    bench.figure({ name: "history first page p50", value: large.history, unit: "ms", baseline: small.history });
  } finally {
    await service.stop();
  }
}

async function fill(service: Service, of: CallsOf, campaign: string, from: number, to: number): Promise<void> {
  const { tenantId, organizationId, userId, agentId } = of;
  await service.sql.query(INSERTS[0], [tenantId, organizationId, userId, campaign, agentId, from, to]);
  await service.sql.query(INSERTS[1], [tenantId, TRANSCRIPT, from, to]);
}

async function pages(service: Service, of: CallsOf): Promise<{ first: number; next: number; history: number }> {
  const took = { first: [] as number[], next: [] as number[], history: [] as number[] };
  const list = "/v1/voice/campaigns/calls/calls?limit=50";
  let key: string | undefined;
  for (let i = 0; i < PAGES; i++) {
    const body = await timed(service, key ? `${list}&pagination_key=${key}` : list, key ? took.next : took.first);
    assert.equal(body.calls.length, 50);
    // Every fourth is a first page again.
    key = i % 4 === 3 ? undefined : body.next_pagination_key;
    if (i % 4 === 0) {
      await timed(service, `/v1/voice/calls?limit=50&organization_id=${of.publicOrganizationId}`, took.history);
    }
  }
  const { first, next, history } = took;
  return { first: quantile(first, 0.5), next: quantile(next, 0.5), history: quantile(history, 0.5) };
}

async function timed(service: Service, path: string, into: number[]) {
  const begin = performance.now();
  const { status, body } = await service.get(path);
  into.push(performance.now() - begin);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}
