import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type pg from "pg";
import { wire } from "#app/context.ts";
import { NO_ID } from "#domain/values/id.ts";
import * as callClock from "#store/calls/clock.ts";
import { statements } from "#store/database/db.ts";
import "#store/calls/search.ts";
import "#store/calls/calls.ts";
import { type Parley, startParley } from "#test/support/api/parley.ts";
import { aVoiceOwner, type CallsOf, insertCalls, insertVoiceCampaign } from "#test/support/calls/calls.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

type Calls = { api: Parley; sql: pg.Client; of: CallsOf; campaign: string };

async function aCampaignOfCalls(t: TestContext): Promise<Calls> {
  const api = await startParley(t, {}, ["api"]);
  const sql = await openClient(t, api.databaseUrl);
  const of = await aVoiceOwner(api, sql);
  return { api, sql, of, campaign: await insertVoiceCampaign(sql, of, "spring") };
}

test("1,000 calls that start in one millisecond are each on one page, whatever the page's size", async (t) => {
  const { api, sql, of, campaign } = await aCampaignOfCalls(t);
  const { ctx, close } = wire(api.config, api.databaseUrl, "test");
  t.after(close);
  const at = new Date("2026-11-20T15:00:00.000Z");
  // Some hundred nodes at once, a few calls each: as claims and answers come in.
  const starts = await Promise.all(
    Array.from({ length: 250 }, () => ctx.db.transaction((tx) => callClock.take(tx, of.tenantId, at, 4))),
  );
  const ids = await insertCalls(
    sql,
    of,
    starts.flat().map((start_at, i) => ({ campaign_id: campaign, start_at, in_voicemail: i % 3 === 0 })),
  );
  assert.equal(new Set(ids).size, 1_000);

  for (const [limit, query] of [
    [500, ""],
    [100, ""],
    [7, ""],
    [333, "&status=voicemail"],
  ] as const) {
    const seen: string[] = [];
    let key: string | null = "";
    for (let pages = 0; key !== null; pages++) {
      assert.ok(pages <= 1_000 / limit, "it comes to an end");
      const more: string = key && `&pagination_key=${key}`;
      const { body } = await api.get(`/v1/voice/campaigns/spring/calls?limit=${limit}${query}${more}`);
      seen.push(...body.calls.map((call: { call_id: string }) => call.call_id));
      key = body.next_pagination_key;
    }
    const wanted = query === "" ? 1_000 : 334;
    assert.deepEqual([seen.length, new Set(seen).size], [wanted, wanted], `by ${limit}`);
  }
});

test("no two starts that are taken are the same, and each is later than those before", async (t) => {
  const { api, of } = await aCampaignOfCalls(t);
  const { ctx, close } = wire(api.config, api.databaseUrl, "test");
  t.after(close);
  const take = (at: string, count: number) =>
    ctx.db.transaction((tx) => callClock.take(tx, of.tenantId, new Date(at), count));
  const taken = [
    ...(await take("2026-11-20T15:00:00.000Z", 3)),
    ...(await take("2026-11-20T15:00:00.001Z", 2)),
    ...(await take("2026-11-20T14:00:00.000Z", 1)),
    ...(await take("2026-11-20T15:00:10.000Z", 2)),
  ].map((time) => time.toISOString().slice(17, 23));
  assert.deepEqual(taken, ["00.000", "00.001", "00.002", "00.003", "00.004", "00.005", "10.000", "10.001"]);
});

/** What the generic plan of a statement is, as the service's own connections would have it. */
async function planOf(sql: pg.Client, name: string, values: readonly (string | null)[]): Promise<string> {
  const found = statements().find((statement) => statement.name === name);
  assert.ok(found, `there is a statement ${name}`);
  await sql.query("set enable_seqscan = off");
  await sql.query("set plan_cache_mode = force_generic_plan");
  await sql.query(`prepare "${name}" as ${found.text}`);
  const { rows } = await sql.query(
    `explain execute "${name}" (${values.map((value) => (value === null ? "null" : `'${value}'`)).join(", ")})`,
  );
  return rows.map((row) => row["QUERY PLAN"]).join("\n");
}

test("a page of calls is read from its index, in the page's order, and nothing before the page is sorted or skipped", async (t) => {
  const { sql, of, campaign } = await aCampaignOfCalls(t);
  const base = Date.parse("2026-11-20T15:00:00.000Z");
  await insertCalls(
    sql,
    of,
    Array.from({ length: 2_000 }, (_, i) => ({ campaign_id: campaign, start_at: new Date(base + i) })),
  );
  await sql.query("analyze calls");
  for (const [name, index, which] of [
    ["list-calls-of-campaign", "calls_by_campaign", campaign],
    ["list-calls-of-organization", "calls_by_organization", of.organizationId],
    ["list-calls-of-user", "calls_by_user", of.userId],
  ] as const) {
    const plan = await planOf(sql, name, [of.tenantId, which, "infinity", "51"]);
    assert.match(plan, new RegExp(`^Limit.*\n *->  Index Scan Backward using ${index} on calls`), plan);
    assert.doesNotMatch(plan, /Sort|Filter|Seq Scan/, plan);
    // One campaign by its key for each call of the page.
    assert.match(plan, /on campaigns campaign.*\n *Index Cond: \(\(tenant_id = \$1\) AND \(id = call.campaign_id\)\)/);
  }
});

test("calls that are sought are read in the page's order from the index of what is sought", async (t) => {
  const { sql, of, campaign } = await aCampaignOfCalls(t);
  const base = Date.parse("2026-11-20T15:00:00.000Z");
  await insertCalls(
    sql,
    of,
    Array.from({ length: 2_000 }, (_, i) => ({
      campaign_id: i % 20 === 0 ? campaign : NO_ID,
      phone: `+1212555${1_000 + (i % 500)}`,
      start_at: new Date(base + i),
    })),
  );
  await sql.query("analyze calls");
  for (const [name, index, user, campaignId, phone, agent] of [
    ["search-calls-of-organization", "calls_by_organization", null, null, null, null],
    ["search-calls-of-user", "calls_by_user", of.userId, null, null, null],
    ["search-calls-of-campaign", "calls_by_campaign", null, campaign, null, null],
    ["search-calls-of-phone", "calls_by_phone", null, null, "+12125551007", null],
    ["search-calls-of-agent", "calls_by_agent", null, null, null, of.agentId],
  ] as const) {
    const values = [of.tenantId, of.organizationId, "infinity", "-infinity", user, campaignId, phone];
    const plan = await planOf(sql, name, [...values, null, null, null, "Negative", "51", agent, null]);
    assert.match(plan, new RegExp(`^Limit.*\\n *->  Index Scan Backward using ${index} on calls`), plan);
    assert.doesNotMatch(plan, /Sort|Seq Scan/, plan);
  }
});
