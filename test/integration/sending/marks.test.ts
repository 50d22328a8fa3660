import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Uuid } from "#domain/values/id.ts";
import type { Context } from "#operations/context.ts";
import { raiseFence } from "#operations/restore/raise-fence.ts";
import { drainLane } from "#operations/sending/drain-lane.ts";
import { readSending } from "#operations/sending/limit-spending.ts";
import { recordReceipts } from "#operations/sending/record-receipts.ts";
import { recoverAttempts } from "#operations/sending/recover-attempts.ts";
import type { OutgoingText } from "#ports/sms-carrier.ts";
import * as marks from "#store/messaging/marks.ts";
import * as nodes from "#store/system/nodes.ts";
import { until } from "#test/support/api/parley.ts";
import { waitingForLocks } from "#test/support/database/locks.ts";
import { aBackup, lift } from "#test/support/database/restore.ts";
import { assertCounts, assertLedger } from "#test/support/messaging/ledger.ts";
import {
  aCarrier,
  accepted,
  aSending,
  drain,
  type FakeCarrier,
  type Sending,
  states,
  withCarrier,
} from "#test/support/messaging/sending.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

const CENT = { PARLEY_PRICE_PER_SEGMENT: "0.01" };
/** Texts of a claim, and of those that are marked together. */
const [TEXTS, SET] = [10, 4];
/** Past the settle time of a doubt, and past the time in which a carrier calls back. */
const LATER_MS = 5_000;
const PAST_CALLBACKS_MS = 700_000;
const GATEWAY = { lookupByRef: false, marks: true, mostClaimed: TEXTS } as const;

const recover = (ctx: Context) => recoverAttempts(ctx, new AbortController().signal);

/** A carrier that cannot be asked, and has its texts marked in sets: `at` is awaited before each set, and before each text that it writes. */
function aGateway(
  at: (where: "mark" | "write", n: number) => Promise<void> = async () => {},
  settledTogether = TEXTS,
): FakeCarrier {
  const carrier = aCarrier(accepted, { ...GATEWAY, settledTogether });
  let [sets, written] = [0, 0];
  return {
    ...carrier,
    async send(batch, signal) {
      const leaving: OutgoingText[] = [];
      let again = 0;
      for (let from = 0; from < batch.texts.length; from += SET) {
        const set = batch.texts.slice(from, from + SET);
        await at("mark", sets++);
        const marked = await batch.mark!(set).catch(() => {
          again = LATER_MS;
          return new Set<Uuid>();
        });
        for (const text of set) {
          if (!marked.has(text.ref)) continue;
          await at("write", written++);
          if (!batch.mayLeave(text)) continue;
          carrier.handed.push(text);
          leaving.push(text);
        }
      }
      const outcomes = new Map(leaving.map((text) => [text.ref, accepted(text)]));
      signal.throwIfAborted();
      return batch.texts.map(
        ({ ref }) => outcomes.get(ref) ?? { outcome: "not_sent", code: "held_up", retryAfterMs: again },
      );
    },
  };
}

/** A process that has its place in the register, until it is taken for dead; it does not see that itself. */
async function aDoomed(sending: Sending, carrier: FakeCarrier) {
  const id = sending.ctx.newId();
  const place = await nodes.join(sending.api.databaseUrl, sending.ctx.db, {
    ...{ id, roles: ["worker"], now: () => new Date() },
  });
  const ctx = { ...withCarrier(sending.ctx, carrier), node: { id, alive: () => true } };
  return { id, ctx, die: () => place.abandon() };
}

const phones = ({ handed }: FakeCarrier) => handed.map(({ to }) => to);

/** A claim of ten whose process stands where it is asked to, is taken for dead there, and wakes up when `wake` is called. */
async function aSleeper(t: TestContext, stands: { where: "mark" | "write"; n: number }, env = {}) {
  const sending = await aSending(t, TEXTS, { env: { ...CENT, ...env } });
  const asleep = Promise.withResolvers<void>();
  const woken = Promise.withResolvers<void>();
  t.after(() => woken.resolve());
  const slow = aGateway(async (where, n) => {
    if (where !== stands.where || n !== stands.n) return;
    asleep.resolve();
    await woken.promise;
  });
  const doomed = await aDoomed(sending, slow);
  const drained = drainLane(doomed.ctx, sending.lane, new AbortController().signal);
  // One that sleeps until the test is over finds its database gone.
  drained.catch(() => {});
  await asleep.promise;
  return {
    ...{ sending, doomed, slow },
    async wake() {
      woken.resolve();
      await drained;
    },
  };
}

test("of a claim whose process died what was marked is left to its receipts, and the rest is sent by others, once; nor does a process that was taken for dead send any of it", async (t) => {
  const { sending, doomed, slow, wake } = await aSleeper(t, { where: "write", n: 2 });
  const { client, tenantId, lane } = sending;
  const spent = async () => (await readSending(sending.ctx, sending)).spent / 10_000;
  assert.equal(await spent(), TEXTS);
  // As if the account was lent: the claim has counted them against the loan's day.
  await client.query(
    `insert into lent_carrier_uses (tenant_id, carrier, tokens, tokens_at, day, texts)
     select tenant_id, 'simulator', 0, now(), day, $1 from spend_days`,
    [TEXTS],
  );
  await doomed.die();
  const quick = aGateway();
  const here = withCarrier(sending.another(), quick);
  await recover(here);
  assert.deepEqual(await states(client, "attempts"), { not_sent: TEXTS - SET, uncertain: SET }, "at once");
  assert.equal(await spent(), SET, "what has not left costs nothing");
  const { rows: uses } = await client.query("select texts from lent_carrier_uses");
  assert.deepEqual(uses, [{ texts: SET }], "and is none of the loan's texts of the day");
  await drain(here, lane);
  assert.equal(quick.handed.length, TEXTS - SET);
  assert.equal(await spent(), TEXTS);

  // Two of the first set were written, two were about to be.
  await recordReceipts(sending.ctx, tenantId, [{ ref: slow.handed[0]!.ref, status: "delivered" }]);
  const later = (ms: number) => withCarrier(sending.another(), quick, ms);
  await recover(later(LATER_MS));
  await recover(later(LATER_MS + PAST_CALLBACKS_MS));
  await drain(later(LATER_MS + PAST_CALLBACKS_MS), lane);
  assert.deepEqual(await states(client, "messages"), { accepted: TEXTS - SET, delivered: 1, unknown: SET - 1 });
  assert.equal(quick.handed.length, TEXTS - SET, "nothing that was marked is sent again");

  await wake();
  const all = [...phones(slow), ...phones(quick)];
  assert.equal(new Set(all).size, all.length, "each at most once");
  const { unknown = 0 } = await states(client, "messages");
  assert.equal(unknown, TEXTS - all.length, "late as it is, its word counts");
  await assertLedger(client);
});

test("a process that dies before its first mark leaves nothing in doubt", async (t) => {
  const { sending, doomed, slow, wake } = await aSleeper(t, { where: "mark", n: 0 });
  await doomed.die();
  const quick = aGateway();
  const here = withCarrier(sending.another(), quick);
  await recover(here);
  await drain(here, sending.lane);
  assert.equal(quick.handed.length, TEXTS);
  await wake();
  assert.equal(slow.handed.length, 0, "it cannot mark any more");
  assert.deepEqual(await states(sending.client, "messages"), { accepted: TEXTS });
  await assertCounts(sending.client);
  await assertLedger(sending.client);
});

test("what is given back waits for its lane before it takes the day's spending, as a claim does", async (t) => {
  const { sending, doomed } = await aSleeper(t, { where: "mark", n: 0 });
  const { client } = sending;
  await doomed.die();
  // They are no part of their sender's first hour, which would take the lane before all.
  await client.query("update messages set kind = 'confirmation'");
  await client.query("begin");
  await client.query("select from lanes for update");
  const recovered = recover(withCarrier(sending.another(), aGateway()));
  await until("it waits for the lane", async () => (await waitingForLocks(client)) > 0);
  await client.query("select from spend_days for update nowait");
  await client.query("commit");
  await recovered;
  assert.deepEqual(await states(client, "attempts"), { not_sent: TEXTS });
  assert.equal((await readSending(sending.ctx, sending)).spent, 0);
});

test("whichever comes first, each text is either marked or taken from its process, and none is both", async (t) => {
  const { sending, doomed } = await aSleeper(t, { where: "mark", n: 0 });
  const { client, tenantId } = sending;
  const { rows } = await client.query("select ref from attempts order by ref");
  const refs = rows.map(({ ref }) => ref as Uuid);
  await doomed.die();
  const here = withCarrier(sending.another(), aGateway());
  const [, ...answers] = await Promise.all([
    recover(here),
    ...refs.map((ref) => marks.mark(sending.ctx.db, tenantId, doomed.id, [ref])),
  ]);
  const marked = answers.flatMap((set) => [...set]);
  const found = await states(client, "attempts");
  assert.equal(Number(found.not_sent ?? 0) + marked.length, TEXTS);
  const { rows: given } = await client.query("select ref from attempts where state = 'not_sent'");
  assert.ok(given.every(({ ref }) => !marked.includes(ref)));
  assert.equal((await marks.mark(sending.ctx.db, tenantId, doomed.id, refs)).size, 0, "and no mark is given twice");
});

test("a mark is committed before the carrier has its answer, and only what its own node has claimed is marked", async (t) => {
  const sending = await aSending(t, TEXTS);
  const seen: { marked: number; written: number }[] = [];
  let looks = Promise.resolve();
  const look = async (written: number) => {
    const { rows } = await sending.client.query("select count(*)::int as n from attempts where unmarked is null");
    seen.push({ marked: rows[0].n, written });
  };
  const watch = aGateway(async (where, n) => {
    if (where === "mark") return;
    looks = looks.then(() => look(n + 1));
    await looks;
  }, 3);
  await drain(withCarrier(sending.ctx, watch), sending.lane);
  assert.equal(watch.handed.length, TEXTS);
  assert.equal(seen.length, TEXTS);
  for (const { marked, written } of seen) assert.ok(marked >= written, `${marked} marked, ${written} written`);
  assert.deepEqual(await states(sending.client, "messages"), { accepted: TEXTS });
  await sending.client.query("update attempts set state = 'in_flight', unmarked = true");
  const { rows } = await sending.client.query("select ref from attempts");
  const refs = rows.map(({ ref }) => ref as Uuid);
  const stranger = sending.ctx.newId();
  assert.equal((await marks.mark(sending.ctx.db, sending.tenantId, stranger, refs)).size, 0);
});

test("where marks or their journal cannot be written nothing leaves, and it is due again", async (t) => {
  const sending = await aSending(t, TEXTS);
  const carrier = aGateway();
  let fails = true;
  const append = async () => {
    if (fails) throw new Error("the disk is full");
  };
  const journaled = (ms: number): Context => ({ ...withCarrier(sending.ctx, carrier, ms), journal: { append } });
  await drainLane(journaled(0), sending.lane, new AbortController().signal);
  assert.equal(carrier.handed.length, 0);
  assert.deepEqual(await states(sending.client, "messages"), { scheduled: TEXTS });
  fails = false;
  await drain(journaled(2 * LATER_MS), sending.lane);
  assert.equal(carrier.handed.length, TEXTS);
});

test("while the restore fence is up nothing is given back: what was not marked at the backup may have been marked after it", async (t) => {
  const { sending, doomed } = await aSleeper(t, { where: "mark", n: 1 });
  const { client, lane } = sending;
  await raiseFence(sending.ctx, { reason: "restored by hand", asOf: new Date() });
  await doomed.die();
  const quick = aGateway();
  const later = (ms: number) => withCarrier(sending.another(), quick, ms);
  await recover(later(0));
  assert.deepEqual(await states(client, "attempts"), { uncertain: TEXTS });
  await lift(later(0), sending.api.config, { acceptMissing: true });
  await recover(later(LATER_MS));
  await recover(later(LATER_MS + PAST_CALLBACKS_MS));
  await drain(later(LATER_MS + PAST_CALLBACKS_MS), lane);
  assert.equal(quick.handed.length, 0);
  assert.deepEqual(await states(client, "messages"), { unknown: TEXTS });
});

test("a database that is put back to before the marks of what has left sends none of it again", async (t) => {
  const sending = await aSending(t, TEXTS);
  let backup: Awaited<ReturnType<typeof aBackup>> | undefined;
  const carrier = aGateway(async (where, n) => {
    if (where === "mark" && n === 0) backup = await aBackup(t, sending.api.config, sending.api.databaseUrl);
  });
  await drain(withCarrier(sending.ctx, carrier), sending.lane);
  assert.equal(carrier.handed.length, TEXTS);
  const { url, ctx } = await backup!();
  const client = await openClient(t, url);
  assert.deepEqual(await states(client, "attempts"), { in_flight: TEXTS });
  const later = (ms: number) => withCarrier(ctx, carrier, ms);
  await recover(later(70_000));
  const account = await lift(later(0), sending.api.config);
  assert.deepEqual([account.lifted, account.missing], [true, []]);
  for (const ms of [70_000, 70_000 + LATER_MS, 70_000 + LATER_MS + PAST_CALLBACKS_MS]) {
    await recover(later(ms));
    await drain(later(ms), sending.lane);
  }
  assert.equal(carrier.handed.length, TEXTS, "each once");
  assert.deepEqual(await states(client, "messages"), { unknown: TEXTS });
});

test("a process that has lost its place gives nothing back: it may be looking at a database that nobody has fenced yet", async (t) => {
  const { sending, doomed } = await aSleeper(t, { where: "mark", n: 0 });
  await doomed.die();
  const astray: Context = {
    ...withCarrier(sending.another(), aGateway()),
    node: { id: sending.ctx.newId(), alive: () => false },
  };
  await recover(astray);
  await until("it is in doubt", async () => (await states(sending.client, "attempts")).uncertain === TEXTS);
  await recover(withCarrier(sending.another(), aGateway()));
  assert.deepEqual(await states(sending.client, "attempts"), { not_sent: TEXTS });
});
