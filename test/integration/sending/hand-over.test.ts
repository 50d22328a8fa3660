import assert from "node:assert/strict";
import { test } from "node:test";
import type { Context } from "#operations/context.ts";
import { drainDialLane } from "#operations/dialing/conduct-calls.ts";
import { receiveMessage } from "#operations/messaging/receive-message.ts";
import { recordReceipts } from "#operations/sending/record-receipts.ts";
import { recoverAttempts } from "#operations/sending/recover-attempts.ts";
import type { JournalEntry } from "#ports/journal.ts";
import type { SendOutcome } from "#ports/sms-carrier.ts";
import { until } from "#test/support/api/parley.ts";
import * as calling from "#test/support/calls/calling.ts";
import { SENDER } from "#test/support/campaigns/campaign.ts";
import { assertCounts, assertLedger } from "#test/support/messaging/ledger.ts";
import {
  aCarrier,
  accepted,
  aSending,
  drain,
  phone,
  type Sending,
  states,
  withCarrier,
} from "#test/support/messaging/sending.ts";

const recover = (ctx: Context) => recoverAttempts(ctx, new AbortController().signal);
/** Past the settle time of a doubt. */
const LATER_MS = 5_000;
const HOUR_MS = 3_600_000;
const stopped: SendOutcome = { outcome: "rejected", code: "21610", optedOut: true };

async function optedOut({ client }: Pick<Sending, "client">): Promise<string[]> {
  const { rows } = await client.query("select phone from consents where opted_out_at is not null order by phone");
  return rows.map((row) => row.phone);
}

/** The context whose process dies before it has committed anything more than `commits` transactions. */
function dyingAfter(ctx: Context, commits: number): Context {
  let left = commits;
  const transaction: Context["db"]["transaction"] = async (work) => {
    if (left-- <= 0) throw new Error("dead");
    return ctx.db.transaction(work);
  };
  return { ...ctx, db: { ...ctx.db, transaction } };
}

test("a carrier's report that a contact has opted out is kept by a process that dies right after it", async (t) => {
  const sending = await aSending(t, 1, { agent: { drip_schedule: [{ day: 1, message: "Still there?" }] } });
  const carrier = aCarrier(() => stopped);
  const entries: JournalEntry[] = [];
  const journal = { append: async (entry: JournalEntry) => void entries.push(entry) };
  // The claim, and one commit more.
  const doomed = { ...dyingAfter(withCarrier(sending.ctx, carrier), 2), journal };
  await assert.rejects(drain(doomed, sending.lane), /dead/);
  assert.deepEqual(await optedOut(sending), [phone(0)]);
  assert.deepEqual(
    entries.map(({ kind }) => kind),
    ["sends", "opt_out"],
  );
  // What it had left open is looked up, is not there, and does not leave again.
  const later = (ms: number) => withCarrier(sending.another(), carrier, 61_000 + ms);
  await recover(later(0));
  await recover(later(LATER_MS));
  await drain(later(LATER_MS), sending.lane);
  assert.equal(carrier.handed.length, 1);
  assert.deepEqual(await states(sending.client, "threads"), { opted_out: 1 });
  await assertLedger(sending.client);
});

test("it waits for no attempt of its own batch", async (t) => {
  const sending = await aSending(t, 3);
  const carrier = aCarrier((text) => (text.to === phone(1) ? accepted(text) : stopped));
  const said: string[] = [];
  const log = { ...sending.ctx.log, warn: (_: unknown, message: string) => void said.push(message) };
  await drain(withCarrier({ ...sending.ctx, log }, carrier), sending.lane);
  // Its own attempts are settled after it: an opt-out that waited for them would wait in vain, and say so.
  assert.deepEqual(said, []);
  assert.deepEqual(await optedOut(sending), [phone(0), phone(2)]);
  assert.deepEqual(await states(sending.client, "messages"), { accepted: 1, failed: 2 });
  assert.deepEqual(await states(sending.client, "threads"), { opted_out: 2, sent: 1 });
  await assertLedger(sending.client);
});

test("a receipt that says that the contact has opted out at the carrier is an opt-out", async (t) => {
  const sending = await aSending(t, 2, { agent: { drip_schedule: [{ day: 1, message: "Still there?" }] } });
  const carrier = aCarrier(accepted);
  await drain(withCarrier(sending.ctx, carrier), sending.lane);
  const { ref, to } = carrier.handed[0]!;
  for (let times = 0; times < 2; times++) {
    await recordReceipts(sending.ctx, sending.tenantId, [
      { ref, status: "failed", errorCode: "21610", optedOut: true },
    ]);
  }
  assert.deepEqual(await optedOut(sending), [to]);
  assert.deepEqual(await states(sending.client, "threads"), { opted_out: 1, sent: 1 });
  assert.deepEqual(await states(sending.client, "messages"), { accepted: 1, failed: 1, scheduled: 1, suppressed: 1 });
  await assertCounts(sending.client);
});

test("a drain whose claim fails waits for what it has with the carrier", async (t) => {
  const sending = await aSending(t, 600);
  const { promise, resolve } = Promise.withResolvers<void>();
  const carrier = aCarrier(async (text) => {
    await promise;
    return accepted(text);
  });
  const ctx = withCarrier(sending.ctx, carrier);
  let claims = 0;
  const transaction: Context["db"]["transaction"] = async (work) => {
    if (++claims === 2) throw new Error("no second claim");
    return ctx.db.transaction(work);
  };
  let isOver = false;
  const drained = drain({ ...ctx, db: { ...ctx.db, transaction } }, sending.lane)
    .then(
      () => "drained",
      (error: Error) => error.message,
    )
    .finally(() => (isOver = true));
  await until("the second claim has failed", async () => claims === 2);
  // One that waits for nothing else ends as soon as it may run on, and long before the database answers somebody.
  await sending.client.query("select 1");
  assert.equal(isOver, false);
  resolve();
  assert.equal(await drained, "no second claim");
  assert.deepEqual(await states(sending.client, "attempts"), { accepted: 500 });
});

/** The context whose clock stands still, until the journal has been written: then it is `laterMs` later. */
function jumping(ctx: Context, aheadMs: number, laterMs: number): Context {
  let at = Date.now() + aheadMs;
  const journal = {
    append: async () => {
      at += laterMs;
    },
  };
  return { ...ctx, now: () => new Date(at), journal };
}

/** Makes the campaign end an hour from now, by its tenant's clock. */
const endsInAnHour = ({ client }: Pick<Sending, "client">) =>
  client.query(
    `update campaigns set end_at = $1::timestamptz + tenants.clock_offset_ms * interval '1 millisecond'
     from tenants where tenants.id = tenant_id`,
    [new Date(Date.now() + HOUR_MS)],
  );

test("a text that was decided in its window does not leave after it", async (t) => {
  const sending = await aSending(t, 2);
  await endsInAnHour(sending);
  const carrier = aCarrier(accepted);
  const ctx = withCarrier(sending.ctx, carrier);
  await drain(jumping(ctx, HOUR_MS - 2_000, 3_000), sending.lane);
  assert.equal(carrier.handed.length, 0);
  assert.deepEqual(await states(sending.client, "attempts"), { not_sent: 2 });
  await drain(withCarrier(sending.ctx, carrier, HOUR_MS + 2_000), sending.lane);
  assert.deepEqual([carrier.handed.length, await states(sending.client, "messages")], [0, { expired: 2 }]);
  await assertLedger(sending.client);
});

test("nor does one that the carrier held up on its way to the bytes", async (t) => {
  const sending = await aSending(t, 1);
  await endsInAnHour(sending);
  const carrier = aCarrier(accepted);
  let at = Date.now() + HOUR_MS - 3_000;
  const answers: boolean[] = [];
  const slow: typeof carrier = {
    ...carrier,
    async send(batch, signal) {
      answers.push(batch.mayLeave(batch.texts[0]));
      at += 4_000;
      answers.push(batch.mayLeave(batch.texts[0]), batch.mayLeave());
      return carrier.send(batch, signal);
    },
  };
  const ctx = { ...withCarrier(sending.ctx, slow), now: () => new Date(at) };
  await drain(ctx, sending.lane);
  assert.deepEqual(answers, [true, false, true], "the text may not, the batch might");
});

test("a carrier is sent how long a text is valid: the window for outreach, five minutes for a confirmation", async (t) => {
  const sending = await aSending(t, 1);
  const carrier = aCarrier(accepted);
  await drain(withCarrier(sending.ctx, carrier), sending.lane);
  const { rows } = await sending.client.query("select at from attempts");
  const leftMs = carrier.handed[0]!.validUntil!.getTime() - rows[0].at.getTime();
  assert.ok(leftMs > HOUR_MS && leftMs < 12 * HOUR_MS, `${leftMs} ms of the day's window`);
  const word = { carrier: "simulator", carrierId: "in_1", from: phone(0), to: SENDER, text: "STOP" };
  await receiveMessage(sending.ctx, sending.tenantId, { ...word, sentAt: new Date() });
  await drain(withCarrier(sending.ctx, carrier), sending.lane);
  const { rows: made } = await sending.client.query("select created_at from messages where kind = 'confirmation'");
  assert.equal(carrier.handed[1]!.validUntil!.getTime() - made[0].created_at.getTime(), 300_000);
});

test("a call that was decided in its window is not dialled after it", async (t) => {
  const setup = await calling.aCalling(t, 2);
  await endsInAnHour(setup);
  const line = calling.aLine();
  const ctx = setup.with(line);
  await drainDialLane(jumping(ctx, HOUR_MS - 2_000, 3_000), setup.lane, new AbortController().signal);
  await until("both are put back", async () => (await calling.states(setup.client, "attempts")).not_sent === 2);
  assert.deepEqual([line.begun.length, line.left.length], [2, 0]);
});

/**
 * The context of a machine that is suspended once its claim is in the journal, and then goes on: its steady clock has stood still, and the
 * other is set right. It has proved its place anew since.
 */
function suspended(ctx: Context): Context {
  let aheadMs = 0;
  const journal = {
    append: async () => {
      aheadMs = 7_000;
    },
  };
  return { ...ctx, now: () => new Date(Date.now() + aheadMs), journal };
}

test("a text does not leave a machine that was suspended for longer than an opt-out waits for it", async (t) => {
  const sending = await aSending(t, 1);
  const carrier = aCarrier(accepted);
  const ctx = suspended(withCarrier(sending.ctx, carrier));
  await drain(ctx, sending.lane);
  const { rows } = await sending.client.query("select state, error_code from attempts order by at limit 1");
  assert.deepEqual(rows, [{ state: "not_sent", error_code: "held_up" }]);
  await drain(ctx, sending.lane);
  assert.equal(carrier.handed.length, 1, "it is decided anew, and then leaves");
  assert.deepEqual(await states(sending.client, "attempts"), { accepted: 1, not_sent: 1 });
});

test("nor is a call dialled by one", async (t) => {
  const setup = await calling.aCalling(t, 1);
  const line = calling.aLine();
  const ctx = suspended(setup.with(line));
  await calling.drain(ctx, setup.lane);
  assert.ok(!line.left.includes(line.begun[0]!), "the claim is too old");
  await until("it is put back", async () => (await calling.states(setup.client, "attempts")).not_sent === 1);
  await calling.drain(ctx, setup.lane);
  assert.deepEqual([line.begun.length, line.left.length], [2, 1]);
});

test("what no pause holds back waits for a carrier that bars the sender, and everything else with it", async (t) => {
  const sending = await aSending(t, 2);
  let isBarred = false;
  const carrier = aCarrier((text) =>
    isBarred ? { outcome: "barred", because: "carrier_account_suspended", code: "30002" } : accepted(text),
  );
  await drain(withCarrier(sending.ctx, carrier), sending.lane);
  isBarred = true;
  const say = (i: number) =>
    receiveMessage(sending.ctx, sending.tenantId, {
      carrier: "simulator",
      carrierId: `in_${i}`,
      from: phone(i),
      to: SENDER,
      text: "STOP",
      sentAt: new Date(),
    });
  await say(0);
  await drain(withCarrier(sending.ctx, carrier), sending.lane);
  await say(1);
  for (let second = 0; second < 50; second += 10)
    await drain(withCarrier(sending.ctx, carrier, second * 1_000), sending.lane);
  assert.equal(carrier.handed.length, 3, "asked once");
  isBarred = false;
  await drain(withCarrier(sending.ctx, carrier, 61_000), sending.lane);
  assert.equal(carrier.handed.length, 5);
  const { rows } = await sending.client.query("select held_until from lanes");
  assert.deepEqual(rows, [{ held_until: null }]);
});
