import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { textDigest } from "#domain/messaging/text-digest.ts";
import type { Context } from "#operations/context.ts";
import { resendMessage } from "#operations/messaging/resend-message.ts";
import { recoverAttempts } from "#operations/sending/recover-attempts.ts";
import type { DoubtedText, OutgoingText, SendOutcome } from "#ports/sms-carrier.ts";
import { aBackup, lift } from "#test/support/database/restore.ts";
import { assertCounts } from "#test/support/messaging/ledger.ts";
import {
  aCarrier,
  aSending,
  drain,
  type FakeCarrier,
  phone,
  type Sending,
  withCarrier,
} from "#test/support/messaging/sending.ts";
import { openClient } from "#test/support/processes/worker-process.ts";

const refused: SendOutcome = { outcome: "not_sent", code: "429", retryAfterMs: 0 };
const taken: SendOutcome = { outcome: "accepted", carrierId: "c" };
const lost: SendOutcome = { outcome: "uncertain", code: "lost" };
const lostTaken: SendOutcome = { outcome: "uncertain", code: "taken" };

/** What the carrier says to each contact's text, attempt by attempt; from there on it takes it. */
const STORIES: readonly (readonly SendOutcome[])[] = [
  [taken],
  [refused, taken],
  [refused, refused, refused, taken],
  [refused, lostTaken],
  [lostTaken],
  [lost],
  [refused, lost],
  [lost, refused, taken],
  [refused, refused],
];
/** Past the time in which an attempt has an owner; what is found lost then is settled the next time. */
const ROUND_MS = 70_000;
/** As many as the longest story has doubts and refusals. */
const ROUNDS = 6;

/** A carrier that gives these answers until `ends`. `during` is awaited while it has the first batch. */
function aTeller(during: () => Promise<void>) {
  const times = new Map<string, number>();
  let first: Promise<void> | undefined;
  const state = { isOver: false };
  const carrier = aCarrier(async ({ to }: OutgoingText) => {
    first ??= during();
    await first;
    const n = times.get(to) ?? 0;
    times.set(to, n + 1);
    return state.isOver ? taken : (STORIES[Number(to.slice(-4))]![n] ?? refused);
  });
  return { carrier, state };
}

/** Until nothing is due or in doubt any more. */
async function finish(ctx: Context, sending: Sending, carrier: FakeCarrier): Promise<void> {
  for (let round = 1; round <= ROUNDS; round++) {
    const later = withCarrier(ctx, carrier, round * ROUND_MS);
    await recoverAttempts(later, new AbortController().signal);
    await drain(later, sending.lane);
  }
}

const texts = (carrier: FakeCarrier): string[] => [...carrier.taken.values()].map(({ to }) => to).sort();
const everybody = STORIES.map((_, i) => phone(i));

async function restoreAndFinish(
  t: TestContext,
  sending: Sending,
  { carrier, state }: ReturnType<typeof aTeller>,
  backup: Awaited<ReturnType<typeof aBackup>>,
  recovers: boolean,
): Promise<void> {
  const { url, ctx } = await backup();
  const client = await openClient(t, url);
  // As workers do while the fence is up: they settle, and send nothing.
  if (recovers) await finish(ctx, sending, carrier);
  const before = carrier.handed.length;
  const account = await lift(withCarrier(ctx, carrier), sending.api.config);
  assert.deepEqual([account.lifted, account.missing], [true, []]);
  assert.equal(carrier.handed.length, before, "nothing left while it was fenced");
  state.isOver = true;
  await finish(ctx, sending, carrier);
  assert.deepEqual(texts(carrier), everybody, "each once");
  const { rows } = await client.query("select distinct state from messages where step = 0");
  assert.deepEqual(rows, [{ state: "accepted" }]);
  await assertCounts(client);
}

for (const recovers of [false, true]) {
  const when = recovers ? "after its attempts were settled" : "at once";
  for (const during of [false, true]) {
    const what = during ? "on their way to the carrier" : "due";
    test(`texts that were ${what} at the backup and tried again after it are sent once, the fence lifted ${when}`, async (t) => {
      const sending = await aSending(t, STORIES.length);
      let backup = during ? undefined : await aBackup(t, sending.api.config, sending.api.databaseUrl);
      const teller = aTeller(async () => {
        backup ??= await aBackup(t, sending.api.config, sending.api.databaseUrl);
      });
      const ctx = withCarrier(sending.ctx, teller.carrier);
      // Some of it is settled by look-ups, and tried again; the end is a worker that dies.
      await drain(ctx, sending.lane);
      await finish(ctx, sending, teller.carrier);
      await restoreAndFinish(t, sending, teller, backup!, recovers);
    });
  }
}

test("a text that a person had sent again after the backup is not offered to a person once more", async (t) => {
  const sending = await aSending(t, 1);
  const deaf = aCarrier(() => lost, { lookupByRef: false, callbackCarriesRef: false });
  await drain(withCarrier(sending.ctx, deaf), sending.lane);
  const { rows } = await sending.client.query("select id, state from messages where step = 0");
  assert.equal(rows[0].state, "unknown");
  const backup = await aBackup(t, sending.api.config, sending.api.databaseUrl);
  const caller = {
    tenantId: sending.tenantId,
    accountId: sending.tenantId,
    keyId: sending.tenantId,
    mode: "test",
    scopes: [],
    organizations: undefined,
    newId: sending.ctx.newId,
  } as const;
  await resendMessage(sending.ctx, caller, sending.campaignId, rows[0].id);
  const carrier = aCarrier(() => lostTaken);
  await drain(withCarrier(sending.ctx, carrier), sending.lane);
  assert.equal(carrier.taken.size, 1);
  const { url, ctx } = await backup();
  await lift(withCarrier(ctx, carrier), sending.api.config);
  await finish(ctx, sending, carrier);
  const client = await openClient(t, url);
  const { rows: after } = await client.query("select state from messages where step = 0");
  assert.deepEqual(after, [{ state: "accepted" }]);
  assert.equal(carrier.taken.size, 1);
  await assertCounts(client);
});

test("a text whose words only the journal's digest is left of is looked up by that", async (t) => {
  const sending = await aSending(t, 1);
  const backup = await aBackup(t, sending.api.config, sending.api.databaseUrl);
  const carrier = aCarrier(() => taken);
  await drain(withCarrier(sending.ctx, carrier), sending.lane);
  const { ctx } = await backup();
  await lift(withCarrier(ctx, carrier), sending.api.config);
  const asked: DoubtedText[] = [];
  const { lookUp } = carrier;
  carrier.lookUp = (tenantId, attempts, signal) => {
    asked.push(...attempts);
    return lookUp(tenantId, attempts, signal);
  };
  await finish(ctx, sending, carrier);
  assert.deepEqual(
    asked.map(({ text, digest }) => ({ text, digest })),
    carrier.handed.map(({ text }) => ({ text: null, digest: textDigest(text, 0) })),
  );
  assert.equal(carrier.handed.length, 1);
});
