import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { replyToThread } from "#operations/messaging/reply-to-thread.ts";
import { isStoppedSince } from "#operations/process-state.ts";
import { heedStops, resumeSending, stopSending } from "#operations/sending/stop-sending.ts";
import { enqueueDue } from "#operations/sending/sweep.ts";
import type { SendOutcome } from "#ports/sms-carrier.ts";
import { until } from "#test/support/api/parley.ts";
import { say } from "#test/support/messaging/inbound-texts.ts";
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
import { SEED } from "#test/support/source/draw.ts";
import { counted, looksAgain } from "#test/support/time/counted.ts";

const caller = (sending: Sending) => ({
  tenantId: sending.tenantId,
  accountId: sending.tenantId,
  keyId: sending.tenantId,
  mode: "test" as const,
  scopes: [],
  organizations: undefined,
  newId: sending.ctx.newId,
});

const NONE = { accepted: 0, rejected: 0, not_sent: 0, uncertain: 0, in_flight: 0 };

test("whenever the stop comes between two claims, no more is handed over after its answer than it says", async (t) => {
  const sending = await aSending(t, 3_000);
  const carrier = aCarrier(accepted);
  const [one, two] = [sending.another(), sending.another()].map((ctx) => withCarrier(ctx, carrier));
  const waits = Array.from({ length: 12 }, (_, i) => ((Number(SEED) * 31 + i * 17) % 60) + 1);
  let wereUnderWay = 0;
  for (const waitMs of waits) {
    const drained = Promise.all([drain(one!, sending.lane), drain(two!, sending.lane)]);
    await pause(waitMs);
    const answer = await stopSending(sending.ctx, caller(sending), "a test");
    const handed = carrier.handed.length;
    wereUnderWay += answer.texts.accepted + answer.texts.not_sent;
    await drained;
    await drain(one!, sending.lane);
    // On a slow machine it may answer while a claim is being handed over, and says of how many.
    const after = carrier.handed.length - handed;
    assert.ok(after <= answer.texts.in_flight, `${after} after ${waitMs} ms, with seed ${SEED}`);
    await resumeSending(sending.ctx, caller(sending));
  }
  await drain(one!, sending.lane);
  assert.equal(carrier.handed.length, 3_000, "nothing is lost by it");
  assert.equal(new Set(carrier.handed.map(({ to }) => to)).size, 3_000, "nor sent twice");
  t.diagnostic(`${wereUnderWay} texts were under way at ${waits.length} stops`);
  await assertCounts(sending.client);
  await assertLedger(sending.client);
});

test("what was claimed and not handed over is given back, and what a carrier keeps is counted within two seconds", async (t) => {
  const sending = await aSending(t, 3);
  const worker = sending.another();
  const { promise: asked, resolve: goOn } = Promise.withResolvers<void>();
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  const carrier = aCarrier(accepted);
  // It has the first text, and asks about the others only once the stop is known.
  const slow = {
    ...carrier,
    async send({ texts, mayLeave }: Parameters<typeof carrier.send>[0]): Promise<SendOutcome[]> {
      carrier.handed.push(texts[0]!);
      goOn();
      await answered;
      return texts.map((text, i) =>
        i === 0
          ? accepted(text)
          : mayLeave(text)
            ? { outcome: "rejected", code: "left_after_the_stop" }
            : { outcome: "not_sent", code: "held_up", retryAfterMs: 0 },
      ) as SendOutcome[];
    },
  };
  const drained = drain(withCarrier(worker, slow), sending.lane);
  await asked;
  const from = performance.now();
  const first = await stopSending(sending.ctx, caller(sending), null);
  assert.ok(performance.now() - from < 2_500, `${performance.now() - from} ms`);
  assert.deepEqual(first.texts, { ...NONE, in_flight: 3 });
  await heedStops(worker);
  const looks = counted(sending.another(), "count-attempts-by-state");
  const second = stopSending(looks.ctx, caller(sending), "again");
  await looksAgain(looks);
  answer();
  assert.deepEqual((await second).texts, { ...NONE, accepted: 1, not_sent: 2 });
  await drained;
  assert.equal((await second).stop.reason, null, "the first stop stays");
  assert.deepEqual(await states(sending.client, "messages"), { accepted: 1, scheduled: 2 });
  await assertLedger(sending.client);
});

test("what is claimed after a resume leaves at once, though its process saw the stop a moment ago", async (t) => {
  const sending = await aSending(t, 3);
  const worker = sending.another();
  await stopSending(sending.ctx, caller(sending), null);
  await heedStops(worker);
  await resumeSending(sending.ctx, caller(sending));
  const carrier = aCarrier(accepted);
  await drain(withCarrier(worker, carrier), sending.lane);
  assert.deepEqual(await states(sending.client, "attempts"), { accepted: 3 }, "none was given back");

  await stopSending(sending.ctx, caller(sending), null);
  await heedStops(worker);
  assert.ok(isStoppedSince(worker.process, sending.tenantId, 0), "of what was claimed before it heeds the stop");
});

test("a STOP is confirmed while everything is stopped, and an answer waits for the resume", async (t) => {
  const sending = await aSending(t, 2);
  const carrier = aCarrier(accepted);
  const ctx = withCarrier(sending.ctx, carrier);
  await drain(ctx, sending.lane);
  await stopSending(ctx, caller(sending), null);
  await say(sending, ctx, phone(0), "STOP");
  await say(sending, ctx, phone(1), "Tell me more");
  const { rows } = await sending.client.query(
    "update threads set reply_due_at = now() - interval '1 minute' where reply_due_at is not null returning campaign_id, id",
  );
  const key = { tenantId: sending.tenantId, campaignId: rows[0].campaign_id, threadId: rows[0].id };
  await replyToThread(ctx, key, new AbortController().signal);
  await drain(ctx, sending.lane);
  const purposes = carrier.handed.map(({ purpose }) => purpose);
  assert.deepEqual(purposes, ["start", "start", "confirmation"]);

  const jobs = async () =>
    (await sending.client.query("select task_identifier as job from graphile_worker.jobs order by 1")).rows.map(
      ({ job }) => job,
    );
  await sending.client.query("delete from graphile_worker._private_jobs");
  await enqueueDue(ctx);
  assert.deepEqual(await jobs(), [], "the sweep leaves alone what may not leave");
  await resumeSending(ctx, caller(sending));
  assert.ok((await jobs()).includes("reply-to-thread"));
});

test("a lane that has a confirmation left is swept while everything is stopped", async (t) => {
  const sending = await aSending(t, 2);
  const carrier = aCarrier(accepted);
  const ctx = withCarrier(sending.ctx, carrier);
  await drain(ctx, sending.lane);
  await stopSending(ctx, caller(sending), null);
  await say(sending, ctx, phone(0), "STOP");
  await sending.client.query("delete from graphile_worker._private_jobs");
  await enqueueDue(ctx);
  await until("its job is there", async () => {
    const { rows } = await sending.client.query("select task_identifier as job from graphile_worker.jobs");
    return rows.some(({ job }) => job === "drain-lane");
  });
});
