import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import type { Uuid } from "#domain/values/id.ts";
import * as claims from "#store/sending/claims.ts";
import * as gateFacts from "#store/sending/gate-facts.ts";
import { until } from "#test/support/api/parley.ts";
import { aCampaign } from "#test/support/campaigns/campaign.ts";
import { assertLedger } from "#test/support/messaging/ledger.ts";
import {
  aCarrier,
  accepted,
  aSending,
  drain,
  phone,
  type Sending,
  withCarrier,
} from "#test/support/messaging/sending.ts";

const PHONES = 60;
const LANES = 6;

/** Campaigns to the same phones from senders of their own, one a lane. */
async function lanesOf(sending: Sending): Promise<Sending["lane"][]> {
  for (let i = 1; i < LANES; i++) {
    await aCampaign(sending.api, {
      contacts: Array.from({ length: PHONES }, (_, n) => ({ phone_number: phone(n) })),
      campaign: { svc_sms_number: `+1212555020${i}` },
    });
  }
  const { rows } = await sending.client.query<{ id: Uuid }>("select id from lanes order by id");
  assert.equal(rows.length, LANES);
  return rows.map(({ id }) => ({ tenantId: sending.tenantId, laneId: id }));
}

test("six lanes that claim the same phones at once never send one more than the cap allows", async (t) => {
  const sending = await aSending(t, PHONES);
  const lanes = await lanesOf(sending);
  const carrier = aCarrier(async (text) => {
    await pause(1);
    return accepted(text);
  });
  const waiting = async () => {
    const { rows } = await sending.client.query("select count(*)::int as n from messages where state = 'scheduled'");
    return rows[0].n as number;
  };
  // A phone that another lane has is left, and looked at again.
  await until("nothing is undecided", async () => {
    await Promise.all(lanes.map((lane) => drain(withCarrier(sending.another(), carrier), lane)));
    return (await waiting()) === 0;
  });
  const texts = new Map<string, number>();
  for (const { to } of carrier.handed) texts.set(to, (texts.get(to) ?? 0) + 1);
  assert.deepEqual(new Set(texts.values()), new Set([3]));
  assert.equal(texts.size, PHONES);
  const { rows } = await sending.client.query(
    `select rule, count(*)::int as n, bool_and(due_at = (
       select min(at) from attempts where attempts.phone = messages.phone) + interval '1 day') as when_the_first_is_a_day_old
     from messages where state = 'held' group by rule`,
  );
  assert.deepEqual(rows, [{ rule: "strict_attempts", n: PHONES * (LANES - 3), when_the_first_is_a_day_old: true }]);
  await assertLedger(sending.client);
});

test("while a claim holds a phone another finds it busy, and what it counts after the commit has the first's attempts", async (t) => {
  const sending = await aSending(t, 1);
  const first = sending.another();
  const second = sending.another();
  const since = new Date(0);
  await first.db.transaction(async (tx) => {
    const [held] = await claims.consents(tx, sending.tenantId, [phone(0)]);
    assert.equal(held!.busy, false);
    const [other] = await second.db.transaction((also) => claims.consents(also, sending.tenantId, [phone(0)]));
    assert.equal(other!.busy, true);
  });
  await drain(withCarrier(first, aCarrier(accepted)), sending.lane);
  await second.db.transaction(async (tx) => {
    assert.equal((await claims.consents(tx, sending.tenantId, [phone(0)]))[0]!.busy, false);
    assert.equal((await gateFacts.outreach(tx, sending.tenantId, [phone(0)], since)).length, 1);
  });
});

test("what the carrier refused or never got does not count, what may have arrived does", async (t) => {
  const sending = await aSending(t, 4);
  const outcomes = ["rejected", "not_sent", "uncertain", "accepted"] as const;
  const carrier = aCarrier((text) => {
    const outcome = outcomes[Number(text.to.slice(-1))]!;
    if (outcome === "accepted") return accepted(text);
    if (outcome === "not_sent") return { outcome, code: "busy", retryAfterMs: 3_600_000 };
    return { outcome, code: outcome };
  });
  await drain(withCarrier(sending.ctx, carrier), sending.lane);
  const phones = outcomes.map((_, i) => phone(i));
  const counted = await sending.ctx.db.transaction((tx) =>
    gateFacts.outreach(tx, sending.tenantId, phones, new Date(0)),
  );
  assert.deepEqual(counted.map((row) => row.phone).sort(), [phone(2), phone(3)]);
});

test("the count is read by the phone's index alone", async (t) => {
  const sending = await aSending(t, 200);
  await drain(withCarrier(sending.ctx, aCarrier(accepted)), sending.lane);
  await sending.client.query("set enable_seqscan = off");
  const { rows } = await sending.client.query<{ "QUERY PLAN": string }>(
    `explain select attempt.at from unnest($1::text[]) as candidate (phone)
     cross join lateral (
       select at from attempts where tenant_id = $2 and phone = candidate.phone and at > $3 and outreach
         and coalesce(state in ('in_flight', 'uncertain', 'accepted', 'held') or may_have_left, false)
       order by at desc limit 20) as attempt`,
    [[phone(0), phone(1)], sending.tenantId, new Date(0)],
  );
  const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
  assert.match(plan, /attempts_by_phone/);
  assert.doesNotMatch(plan, /Seq Scan|Sort/);
});
