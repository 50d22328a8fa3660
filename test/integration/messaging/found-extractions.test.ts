import assert from "node:assert/strict";
import { test } from "node:test";
import { exportExtractions, searchExtractions } from "#operations/agents/read-extractions.ts";
import * as foundExtractions from "#store/agents/found-extractions.ts";
import { aSending, phone } from "#test/support/messaging/sending.ts";

const OTHERS = 20_000;

/** Conversations of the campaign that found out a price, a second apart; in the oldest of all a pet. */
const FILL = `
  with one as (select * from threads limit 1),
  others as (
    insert into threads select (jsonb_populate_record(null::threads, to_jsonb(one) || jsonb_build_object('id', gen_random_uuid(), 'phone', '+1303' || (1000000 + n)))).*
    from one, generate_series(1, ${OTHERS}) as n returning tenant_id, campaign_id, id, phone)
  insert into extractions (tenant_id, campaign_id, thread_id, fields, evidence, objective_met, do_not_message, call_transferred, call_scheduled,
    extracted_at, through_step)
  select tenant_id, campaign_id, id, jsonb_build_object('price', '450000'), '{}'::jsonb, false, false, false, false,
    '2026-01-01T00:00:00Z'::timestamptz + (right(phone, 7)::int - 1000000) * interval '1 second', 1 from others
  union all
  select tenant_id, campaign_id, id, '{"pet":"a cat"}'::jsonb, '{}'::jsonb, false, false, false, false, '2025-12-31T00:00:00Z'::timestamptz, 1 from one`;

test("a field that is rare is looked for so far at a time, page by page, until it is found", async (t) => {
  const { ctx, client, tenantId } = await aSending(t, 1);
  await client.query(FILL);
  await client.query("analyze threads, extractions");
  const [organization] = (await client.query("select organization_id as id from campaigns")).rows;
  const caller = {
    tenantId,
    accountId: tenantId,
    keyId: tenantId,
    mode: "test" as const,
    scopes: [],
    newId: ctx.newId,
  };
  const asked = { ...caller, organizations: undefined };
  const all = {
    organizationId: organization.id as string,
    ...{
      channel: undefined,
      campaignId: undefined,
      agentId: undefined,
      value: undefined,
      begin: undefined,
      end: undefined,
    },
  };

  const page = { before: { at: "infinity" as const, id: "ffffffff-ffff-ffff-ffff-ffffffffffff" }, limit: 50 };
  const { rows, cut } = await foundExtractions.list(ctx.db, tenantId, organization.id, page, { ...all, field: "pet" });
  const walked = await client.query("select from extractions where extracted_at >= $1", [cut!.at]);
  assert.deepEqual([rows.length, walked.rowCount], [0, foundExtractions.WALKED]);

  const found: string[] = [];
  let pages = 0;
  for (let after: readonly string[] | undefined, more = true; more; pages++) {
    const answer = await searchExtractions(ctx, asked, { ...all, field: "pet", limit: 50, after });
    found.push(...answer.items.map((item) => item.phone));
    more = answer.hasMore;
    after = answer.nextKey === null ? undefined : Buffer.from(answer.nextKey, "base64url").toString().split("|");
  }
  assert.deepEqual([found, pages], [[phone(0)], Math.ceil((OTHERS + 1) / foundExtractions.WALKED)]);

  const lines: string[][] = [];
  const table = await exportExtractions(ctx, asked, { ...all, field: undefined });
  for await (const piece of table.rows) lines.push(...piece);
  assert.equal(lines.length, OTHERS + 1);
  assert.equal(new Set(lines.map((line) => line[2])).size, OTHERS + 1, "each once");
});
