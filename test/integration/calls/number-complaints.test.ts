import assert from "node:assert/strict";
import { test } from "node:test";
import { countActivity } from "#operations/campaigns/count-activity.ts";
import { judgeNumbers } from "#operations/numbers/judge-numbers.ts";
import { numberEvents } from "#operations/system/number-events.ts";
import * as optOuts from "#store/compliance/opt-outs.ts";
import { aCalling, aLine, drain, phone, untaken } from "#test/support/calls/calling.ts";

test("a STOP is a complaint about the number that called where no text came between, and the call was within a day", async (t) => {
  const calling = await aCalling(t, 6, {});
  const { client, tenantId } = calling;
  const ctx = calling.with(aLine((plan) => ({ report: untaken("dial_no_answer", plan.now) })));
  await drain(ctx, calling.lane);
  /** A text to the contact, so long after its call. */
  const text = (i: number, kind: string, after: string) =>
    client.query(
      `insert into messages (tenant_id, campaign_id, id, thread_id, lane_id, phone, direction, kind, step, state, created_at, sent_at, updated_at)
       select thread.tenant_id, thread.campaign_id, gen_random_uuid(), thread.id, thread.campaign_id, thread.phone, 'outbound', $3, 1000, 'sent', at, at, at
       from threads thread
       join calls call on call.tenant_id = thread.tenant_id and call.phone = thread.phone
       cross join lateral (select call.start_at + $4::interval as at) as it
       where thread.tenant_id = $1 and thread.phone = $2`,
      [tenantId, phone(i), kind, after],
    );
  // All were texted long before the call, and most of them again.
  await client.query("update threads set first_sent_at = first_sent_at - interval '2 days'");
  await text(0, "drip", "1 minute");
  await text(1, "drip", "-1 minute");
  await text(2, "confirmation", "1 minute");
  const { rows } = await client.query<{ at: Date }>("select max(start_at) as at from calls");
  const stop = (i: number, source: string, hours: number) =>
    ctx.db.transaction((tx) =>
      optOuts.optOut(tx, tenantId, phone(i), {
        source: source as never,
        quote: "STOP",
        at: new Date(rows[0]!.at.getTime() + hours * 3_600_000),
        newId: ctx.newId,
        hash: ctx.hashPhone,
      }),
    );
  for (const i of [0, 1, 2]) await stop(i, "keyword", 1);
  await stop(3, "keyword", 25);
  await stop(4, "call", 25);
  while (await numberEvents(ctx));
  await client.query("update calls set purpose = 'redial' where phone = $1", [phone(5)]);
  while (await countActivity(ctx, judgeNumbers));
  const counted = await client.query("select sum(complaints)::int as complaints from number_days");
  // Not the one who was texted after the call, nor the one who was called the day before.
  assert.equal(counted.rows[0].complaints, 3);
  const strata = await client.query(
    "select placed, campaign_id = $1 as first from number_days where placed > 0 order by 1",
    [calling.lane.laneId],
  );
  assert.deepEqual(strata.rows, [
    { placed: 1, first: false },
    { placed: 5, first: true },
  ]);
});

test("what else is made of a page of the log does not hold up its counts where it fails", async (t) => {
  const calling = await aCalling(t, 2, {});
  const ctx = calling.with(aLine());
  await drain(ctx, calling.lane);
  while (await numberEvents(ctx));
  const failing = async () => {
    throw new Error("It cannot be judged.");
  };
  while (await countActivity(ctx, failing));
  const { rows } = await calling.client.query(
    "select sum(n)::int as n from activity_counts where measure = 'answered'",
  );
  assert.equal(rows[0].n, 2);
});

test("days that are held against no number any more are forgotten as calls are counted", async (t) => {
  const calling = await aCalling(t, 1, {});
  const { client, tenantId } = calling;
  const ctx = calling.with(aLine());
  const days = async () =>
    (
      await client.query(
        "select ((select max(end_at) from calls)::date - day) as ago from number_days where placed > 0 order by day",
      )
    ).rows.map(({ ago }) => ago);
  await drain(ctx, calling.lane);
  for (const ago of [6, 7, 40])
    await client.query(
      `insert into number_days (tenant_id, day, number, campaign_id, placed, answered, complaints, unwanted)
       select $1, ((max(end_at) at time zone 'UTC')::date - $2::int), '+12125550100', $1, 1, 1, 0, 0 from calls`,
      [tenantId, ago],
    );
  while (await numberEvents(ctx));
  while (await countActivity(ctx, judgeNumbers));
  assert.deepEqual(await days(), [6, 0]);
});
