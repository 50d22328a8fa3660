import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { uuidSource } from "#app/process/ids.ts";
import { addLeads } from "#operations/campaigns/add-leads.ts";
import { deleteCampaign, pauseCampaign, resumeCampaign } from "#operations/campaigns/control-campaign.ts";
import { addDoNotCall } from "#operations/compliance/add-do-not-call.ts";
import { removePhones } from "#operations/compliance/remove-do-not-call.ts";
import type { Context } from "#operations/context.ts";
import { receiveMessage } from "#operations/messaging/receive-message.ts";
import { recordReceipts } from "#operations/sending/record-receipts.ts";
import { recoverAttempts } from "#operations/sending/recover-attempts.ts";
import type { InboundText, SendOutcome } from "#ports/sms-carrier.ts";
import * as optOuts from "#store/compliance/opt-outs.ts";
import { until } from "#test/support/api/parley.ts";
import { aCampaign, SENDER } from "#test/support/campaigns/campaign.ts";
import { isOut, say } from "#test/support/messaging/inbound-texts.ts";
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
import { counted, IN_FLIGHT, looksAgain, OPEN_ATTEMPTS } from "#test/support/time/counted.ts";

const caller = (sending: Sending) => ({
  tenantId: sending.tenantId,
  accountId: sending.tenantId,
  keyId: sending.tenantId,
  mode: "test" as const,
  scopes: [],
  organizations: undefined,
  newId: sending.ctx.newId,
});

const campaignIsPaused = async ({ client }: Sending) =>
  (await client.query("select from campaigns where status = 'paused'")).rowCount === 1;

/** What may not be answered while a text to the phone is still on its way, and what becomes of the thread. */
const WAYS_TO_STOP = {
  "a STOP": { stop: (sending: Sending, ctx: Context) => say(sending, ctx, phone(0), "STOP"), thread: "opted_out" },
  "an entry in the do-not-call list": {
    stop: (sending: Sending, ctx: Context) =>
      addDoNotCall({ ...ctx, tenantDb: ctx.db }, caller(sending), phone(0), {
        organizationId: undefined,
        reason: undefined,
      }),
    thread: "sent",
  },
};

/** Holds for a phone as soon as it is committed, and while the operation still waits. */
const BARRED = `select phone from consents where opted_out_at is not null and phone = $1
  union all select phone from do_not_call where phone = $1`;

/** Sessions of this database that hold a transaction open while they ask for nothing. */
const IN_TRANSACTION = `select from pg_stat_activity where datname = current_database() and state = 'idle in transaction'`;

for (const [name, { stop, thread }] of Object.entries(WAYS_TO_STOP)) {
  test(`${name} is committed at once, and answered when the text that is on its way has left`, async (t) => {
    const sending = await aSending(t, 1);
    let answer: (outcome: SendOutcome) => void = () => {};
    const carrier = aCarrier(() => new Promise((resolve) => (answer = resolve)));
    const drained = drain(withCarrier(sending.ctx, carrier), sending.lane);
    await until("the text is with the carrier", async () => carrier.handed.length >= 1);
    const looks = counted(sending.another(), OPEN_ATTEMPTS);
    let hasStopped = false;
    const stopped = stop(sending, looks.ctx).then(() => (hasStopped = true));
    await looksAgain(looks);
    assert.equal(hasStopped, false);
    assert.notEqual((await sending.client.query(BARRED, [phone(0)])).rowCount, 0);
    await until(
      "nobody waits in a transaction",
      async () => (await sending.client.query(IN_TRANSACTION)).rowCount === 0,
    );
    answer({ outcome: "accepted", carrierId: "c_1" });
    await stopped;
    await drained;
    assert.deepEqual(await states(sending.client, "threads"), { [thread]: 1 });
    const { rows } = await sending.client.query("select state from messages where kind = 'start'");
    assert.deepEqual(rows, [{ state: "accepted" }], "what had left before counts");
    await assertCounts(sending.client);
    await assertLedger(sending.client);
  });
}

test("a STOP whose text stays on its way is answered after six seconds, and what comes back is not sent again", async (t) => {
  const sending = await aSending(t, 1);
  const carrier = aCarrier(() => ({ outcome: "uncertain", code: "reply_lost" }));
  await drain(withCarrier(sending.ctx, carrier), sending.lane);
  const from = performance.now();
  const other = sending.another();
  const said: string[] = [];
  const log = { ...other.log, warn: (_: unknown, message: string) => void said.push(message) };
  await say(sending, { ...other, log }, phone(0), "STOP");
  const tookMs = performance.now() - from;
  assert.ok(tookMs > 5_900, `${tookMs} ms`);
  assert.deepEqual(said, ["what was on its way before an opt-out may still arrive"]);
  await recoverAttempts(withCarrier(sending.ctx, carrier, 5_000), new AbortController().signal);
  const after = aCarrier(accepted);
  await drain(withCarrier(sending.ctx, after, 10_000), sending.lane);
  assert.deepEqual(
    after.handed.map(({ purpose }) => purpose),
    ["confirmation"],
  );
  await assertLedger(sending.client);
});

test("a STOP does not wait for a text that has been in doubt for longer than it may be handed over", async (t) => {
  const sending = await aSending(t, 1);
  const carrier = aCarrier(() => ({ outcome: "uncertain", code: "reply_lost" }));
  const earlier = { ...withCarrier(sending.ctx, carrier), newId: uuidSource(() => Date.now() - 2 * 60_000) };
  await drain(earlier, sending.lane);
  assert.equal(carrier.handed.length, 1);
  const looks = counted(sending.another(), OPEN_ATTEMPTS);
  await say(sending, looks.ctx, phone(0), "STOP");
  assert.equal(looks.times(), 2, "once in each of the tenant's modes");
  assert.deepEqual(await states(sending.client, "threads"), { opted_out: 1 });
  assert.deepEqual(await states(sending.client, "attempts"), { uncertain: 1 });
});

test("a claim does not wait for an opt-out: it leaves that phone, and takes the others", async (t) => {
  const sending = await aSending(t, 5);
  const carrier = aCarrier(accepted);
  await sending.ctx.db.transaction(async (tx) => {
    await optOuts.lock(tx, sending.tenantId, [phone(2)]);
    await drain(withCarrier(sending.another(), carrier), sending.lane);
    assert.deepEqual(carrier.handed.map(({ to }) => to).sort(), [phone(0), phone(1), phone(3), phone(4)]);
    await optOuts.optOut(tx, sending.tenantId, phone(2), {
      source: "operator",
      quote: null,
      at: new Date(),
      newId: sending.ctx.newId,
      hash: sending.ctx.hashPhone,
    });
  });
  const { rows } = await sending.client.query(
    "select run_at <= now() + interval '5 seconds' as soon from graphile_worker.jobs",
  );
  assert.deepEqual(rows, [{ soon: true }], "the lane is looked at again soon");
  await drain(withCarrier(sending.ctx, carrier), sending.lane);
  assert.equal(carrier.handed.length, 4);
});

/** What changes a campaign and has its lane looked at, and which of two contacts is texted then. */
const CHANGES: Record<string, { change(sending: Sending, ctx: Context): Promise<unknown>; texted: string[] }> = {
  "is resumed": {
    change: (sending, ctx) => resumeCampaign(ctx, caller(sending), sending.campaignId),
    texted: [phone(0), phone(1)],
  },
  "is deleted": { change: (sending, ctx) => deleteCampaign(ctx, caller(sending), sending.campaignId), texted: [] },
  "has leads added": {
    change: (sending, ctx) => {
      const clients = [{ phone_number: phone(1), first_name: "Ann" }];
      return addLeads(
        ctx,
        caller(sending),
        { campaign_id: sending.campaignId },
        Buffer.from(JSON.stringify({ clients })),
      );
    },
    texted: [phone(0), phone(1)],
  },
};

for (const [name, { change, texted }] of Object.entries(CHANGES)) {
  test(`a claim does not wait for a campaign that ${name}: it leaves that one, and takes the others of the lane`, async (t) => {
    const sending = await aSending(t, name === "has leads added" ? 1 : 2);
    if (name === "is resumed") await pauseCampaign(sending.ctx, caller(sending), sending.campaignId);
    await aCampaign(sending.api, { contacts: [{ phone_number: phone(9) }] });
    // As the lane's first drain does, which waits for whoever holds one of them, and holds nothing yet.
    await sending.client.query("update campaigns set status = 'active' where status = 'processing'");
    const carrier = aCarrier(accepted);
    let passed = false;
    // All that the change does but the commit, with which it takes the lane.
    const transaction: Context["db"]["transaction"] = (work) =>
      sending.ctx.db.transaction(async (tx) => {
        const result = await work(tx);
        drain(withCarrier(sending.another(), carrier), sending.lane).then(() => (passed = true));
        await until("the claim has come by, and has not waited for whoever has the campaign", async () => passed);
        return result;
      });
    await change(sending, { ...sending.ctx, db: { ...sending.ctx.db, transaction } });
    assert.deepEqual(
      carrier.handed.map(({ to }) => to),
      [phone(9)],
    );
    await drain(withCarrier(sending.ctx, carrier), sending.lane);
    assert.deepEqual(
      carrier.handed
        .slice(1)
        .map(({ to }) => to)
        .sort(),
      texted,
    );
  });
}

test("a job for later does not replace one that is due now", async (t) => {
  const sending = await aSending(t, 1, { agent: { drip_schedule: [{ day: 1, message: "Still there?" }] } });
  const carrier = aCarrier(accepted);
  // The campaign's own job, due now, is waiting; the drain ends with a drip that is due tomorrow.
  await drain(withCarrier(sending.ctx, carrier), sending.lane);
  const { rows } = await sending.client.query("select run_at <= now() as now from graphile_worker.jobs");
  assert.deepEqual(rows, [{ now: true }]);
});

test("once a pause has committed no attempt begins, until the resume", async (t) => {
  // More than two processes have on their way at once, with a carrier that answers nobody before the pause.
  const sending = await aSending(t, 4_000);
  const { promise: isPaused, resolve: goOn } = Promise.withResolvers<void>();
  const carrier = aCarrier(async (text) => {
    await isPaused;
    return accepted(text);
  });
  const drained = Promise.all(
    [sending.ctx, sending.another()].map((ctx) => drain(withCarrier(ctx, carrier), sending.lane)),
  );
  await until("some are out", async () => carrier.handed.length > 0);
  const paused = pauseCampaign(sending.another(), caller(sending), sending.campaignId);
  await until("the pause is committed", () => campaignIsPaused(sending));
  const begun = async () => (await sending.client.query("select count(*)::int as n from attempts")).rows[0].n;
  const atPause = await begun();
  goOn();
  await Promise.all([paused, drained]);
  assert.equal(await begun(), atPause);
  assert.ok(atPause < 4_000, `${atPause} attempts had begun`);
  assert.equal(carrier.handed.length, atPause);
  await resumeCampaign(sending.another(), caller(sending), sending.campaignId);
  await drain(withCarrier(sending.ctx, carrier), sending.lane);
  assert.equal(carrier.handed.length, 4_000);
  await assertLedger(sending.client);
});

test("a STOP that was said before a START and comes after it does not undo it", async (t) => {
  const sending = await aSending(t, 1);
  const now = Date.now();
  await say(sending, sending.ctx, phone(0), "START", new Date(now));
  await say(sending, sending.ctx, phone(0), "STOP", new Date(now - 2_000));
  assert.equal((await sending.client.query("select from consents where opted_out_at is not null")).rowCount, 0);
  await say(sending, sending.ctx, phone(0), "STOP", new Date(now + 2_000));
  assert.equal((await sending.client.query("select from consents where opted_out_at is not null")).rowCount, 1);
});

test("a second pause waits for the text that is on its way as the first one does", async (t) => {
  const sending = await aSending(t, 1);
  let answer: (outcome: SendOutcome) => void = () => {};
  const carrier = aCarrier(() => new Promise((resolve) => (answer = resolve)));
  const drained = drain(withCarrier(sending.ctx, carrier), sending.lane);
  await until("the text is with the carrier", async () => carrier.handed.length >= 1);
  // Its client gets no answer: a process that dies now has paused the campaign, and another is asked again.
  const first = pauseCampaign(sending.another(), caller(sending), sending.campaignId);
  await until("the pause is committed", () => campaignIsPaused(sending));
  const looks = counted(sending.another(), IN_FLIGHT);
  let hasPaused = false;
  const second = pauseCampaign(looks.ctx, caller(sending), sending.campaignId).then(() => (hasPaused = true));
  await looksAgain(looks);
  assert.equal(hasPaused, false);
  answer({ outcome: "accepted", carrierId: "c_1" });
  await Promise.all([first, second, drained]);
  await assertLedger(sending.client);
});

test("300 STOPs among claims on one lane: no text is handed over after its STOP, and nothing deadlocks", async (t) => {
  const sending = await aSending(t, 600);
  const stoppedAt = new Map<string, number>();
  let tooLate = 0;
  const carrier = aCarrier(async (text) => {
    if (text.purpose === "start" && stoppedAt.has(text.to)) tooLate++;
    await pause(2);
    return accepted(text);
  });
  const stopper = sending.another();
  const phones = Array.from({ length: 300 }, (_, i) => phone(i * 2)).values();
  const stopAll = async () => {
    for (const from of phones) {
      await say(sending, stopper, from, "STOP");
      stoppedAt.set(from, Date.now());
    }
  };
  // A few texts at a time, so that claims and STOPs meet often.
  await sending.client.query("update lanes set per_second = 150, tokens = 20");
  const all = Promise.all([1, 2, 3, 4].map(stopAll));
  const drainer = withCarrier(sending.ctx, carrier);
  await until("all have their text or their STOP", async () => {
    await drain(drainer, sending.lane);
    const { rows } = await sending.client.query(
      "select from messages where kind = 'start' and state = 'scheduled' limit 1",
    );
    return rows.length === 0;
  });
  await all;
  await drain(drainer, sending.lane);
  assert.equal(tooLate, 0);
  const { rows } = await sending.client.query(
    "select deadlocks::int from pg_stat_database where datname = current_database()",
  );
  assert.equal(rows[0].deadlocks, 0);
  assert.equal((await states(sending.client, "threads")).opted_out, 300);
});

test("counts are what counting gives, after any mixture of events", async (t) => {
  const sending = await aSending(t, 60, { agent: { drip_schedule: [{ day: 1, message: "Still there?" }] } });
  const seed = Number(SEED);
  const random = seeded(seed);
  const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)]!;
  const outcomes = [
    accepted,
    accepted,
    () => ({ outcome: "uncertain", code: "taken" }) as const,
    () => ({ outcome: "uncertain", code: "reply_lost" }) as const,
    () => ({ outcome: "rejected", code: "30007" }) as const,
    () => ({ outcome: "not_sent", code: "429", retryAfterMs: 0 }) as const,
  ];
  const carrier = aCarrier((text) => pick(outcomes)(text));
  let aheadMs = 0;
  const at = () => withCarrier(sending.ctx, carrier, aheadMs);
  // Few at a time: every event finds recipients in every state.
  await sending.client.query("update lanes set per_second = 8");
  const someone = () => phone(Math.floor(random() * 60));
  const events = [
    () => drain(at(), sending.lane),
    () => drain(at(), sending.lane),
    async () => {
      for (const { ref } of carrier.handed.filter(() => random() < 0.2)) {
        if (!carrier.taken.has(ref)) continue;
        await recordReceipts(at(), sending.tenantId, [
          { ref, status: pick(["sent", "delivered", "undelivered", "failed"]) },
        ]);
      }
    },
    () => recoverAttempts(at(), new AbortController().signal),
    // Only who has nothing on its way: the wait for it is another test's.
    async () => {
      const from = someone();
      const { rows } = await sending.client.query(
        "select from attempts where phone = $1 and state in ('in_flight', 'uncertain')",
        [from],
      );
      if (rows.length === 0)
        await say(sending, at(), from, pick(["STOP", "STOP", "START", "HELP", "Who is this?"]), at().now());
    },
    () => pauseCampaign(at(), caller(sending), sending.campaignId),
    () => resumeCampaign(at(), caller(sending), sending.campaignId),
    async () => {
      aheadMs += pick([100, 3_000, 600_000]);
    },
  ];
  const done: string[] = [];
  for (let i = 0; i < 200; i++) {
    const event = pick(events);
    done.push(String(events.indexOf(event)));
    await event();
    await assertCounts(sending.client).catch((error) => {
      throw new Error(`seed ${seed}, after the events ${done.join(" ")}: ${error.message}`);
    });
  }
  t.diagnostic(`seed ${seed}: ${JSON.stringify(await states(sending.client, "threads"))}`);
});

/** Mulberry32: small, and the same everywhere. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

test("a phone that is taken off the list while it is added again is listed in the end", async (t) => {
  const sending = await aSending(t, 1);
  const { ctx } = sending;
  const scope = { organizationId: undefined, reason: undefined };
  await addDoNotCall({ ...ctx, tenantDb: ctx.db }, caller(sending), phone(0), scope);
  let removed: string[] | undefined;
  const tenantDb: typeof ctx.db = {
    ...ctx.db,
    transaction: (work) =>
      ctx.db.transaction((tx) =>
        work({
          ...tx,
          async first(statement, values) {
            // Between finding it listed and reading it.
            if (statement.name === "find-do-not-call")
              removed ??= await removePhones(ctx, caller(sending), [phone(0)], undefined);
            return tx.first(statement, values);
          },
        }),
      ),
  };
  const entry = await addDoNotCall({ ...ctx, tenantDb }, caller(sending), phone(0), scope);
  assert.deepEqual([removed, entry.phone], [[phone(0)], phone(0)]);
});

test("a carrier's keyword counts as the contact's word though our own list lacks it, and is not answered a second time", async (t) => {
  const sending = await aSending(t, 3);
  await drain(withCarrier(sending.ctx, aCarrier(accepted)), sending.lane);
  const text = { carrier: "simulator", to: SENDER, text: "Genug", sentAt: new Date() };
  const inbound = (i: number, more: Partial<InboundText>) =>
    receiveMessage(sending.ctx, sending.tenantId, { ...text, carrierId: `keyword_${i}`, from: phone(i), ...more });
  await inbound(0, { keyword: "stop", isAnswered: true });
  await inbound(1, { keyword: "stop" });
  await inbound(2, {});
  assert.deepEqual(await Promise.all([0, 1, 2].map((i) => isOut(sending, phone(i)))), [true, true, false]);
  const { rows } = await sending.client.query("select phone from messages where kind = 'confirmation'");
  assert.deepEqual(rows, [{ phone: phone(1) }], "the carrier has confirmed the first itself");
});
