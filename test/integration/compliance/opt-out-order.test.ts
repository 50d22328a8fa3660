import assert from "node:assert/strict";
import { test } from "node:test";
import { receiveMessage } from "#operations/messaging/receive-message.ts";
import { replayOptOuts, type Word } from "#operations/restore/words.ts";
import { optOut } from "#store/compliance/opt-outs.ts";
import { SENDER } from "#test/support/campaigns/campaign.ts";
import { isOut, say } from "#test/support/messaging/inbound-texts.ts";
import { aSending, phone } from "#test/support/messaging/sending.ts";

/** Every order of a list. */
function orders<T>(of: readonly T[]): T[][] {
  if (of.length <= 1) return [[...of]];
  return of.flatMap((first, i) => orders(of.toSpliced(i, 1)).map((rest) => [first, ...rest]));
}

test("STOP, START, STOP within a second end opted out, in whatever order they arrive (F33)", async (t) => {
  const sending = await aSending(t, 12);
  const at = Date.now();
  const words = [
    ["STOP", 0],
    ["START", 300],
    ["STOP", 600],
  ] as const;
  for (const [i, order] of orders(words).entries()) {
    for (const [word, after] of order) await say(sending, sending.ctx, phone(i), word, new Date(at + after));
    assert.equal(await isOut(sending, phone(i)), true, order.map(([word, after]) => `${word}@${after}`).join(" "));
  }
});

test("the text that was sent last counts, whichever arrives last; of two sent at once it is STOP", async (t) => {
  const sending = await aSending(t, 6);
  const at = Date.now();
  const after = async (i: number, ...words: [string, number][]) => {
    for (const [word, ms] of words) await say(sending, sending.ctx, phone(i), word, new Date(at + ms));
    return isOut(sending, phone(i));
  };
  assert.equal(await after(0, ["STOP", 0], ["START", 300]), false);
  assert.equal(await after(1, ["STOP", 300], ["START", 0]), true, "a START that is older than the STOP");
  assert.equal(await after(2, ["STOP", 0], ["START", 0]), true, "a START of the same moment");
  assert.equal(
    await after(3, ["STOP", 0], ["START", 300], ["STOP", 100]),
    false,
    "a STOP that is older than the START",
  );
  assert.equal(await after(4, ["STOP", 0], ["YES", 300]), true, "YES is an answer");
  assert.equal(await after(5, ["START", 0]), false, "a START from a phone that never stopped");
});

test("STOPs and STARTs at once leave each phone in the state of its last text, and nothing deadlocks", async (t) => {
  const sending = await aSending(t, 20);
  const others = [sending.ctx, sending.another(), sending.another()];
  const at = Date.now();
  const words: [number, string, number][] = Array.from({ length: 20 }, (_, i) => i).flatMap((i) => [
    [i, "STOP", 0],
    [i, "START", 200],
    [i, i % 2 === 0 ? "STOP" : "HELP", 400],
  ]);
  const shuffled = words.toSorted((a, b) => ((a[0] * 7 + a[2]) % 11) - ((b[0] * 7 + b[2]) % 11));
  const next = shuffled.values();
  await Promise.all(
    others.map(async (ctx) => {
      for (const [i, word, ms] of next) await say(sending, ctx, phone(i), word, new Date(at + ms));
    }),
  );
  for (let i = 0; i < 20; i += 2) assert.equal(await isOut(sending, phone(i)), true, phone(i));
  const { rows } = await sending.client.query(
    "select deadlocks::int from pg_stat_database where datname = current_database()",
  );
  assert.equal(rows[0].deadlocks, 0);
});

test("a keyword that the carrier has answered itself is obeyed and not answered again", async (t) => {
  const sending = await aSending(t, 1);
  let texts = 0;
  const word = async (text: string, sentAt: Date) => {
    const ids = { carrier: "simulator", carrierId: `answered_${++texts}` };
    await receiveMessage(sending.ctx, sending.tenantId, {
      ...ids,
      from: phone(0),
      to: SENDER,
      text,
      sentAt,
      isAnswered: true,
    });
  };
  await word("STOP", new Date(Date.now() - 1_000));
  assert.equal(await isOut(sending, phone(0)), true);
  await word("HELP", new Date());
  await word("START", new Date());
  assert.equal(await isOut(sending, phone(0)), false);
  const { rows } = await sending.client.query("select kind from messages where kind in ('confirmation', 'help')");
  assert.deepEqual(rows, []);
});

test("an id that a carrier gives to two texts does not lose the second one's STOP, which counts once", async (t) => {
  const sending = await aSending(t, 3);
  const from = (i: number, text: string, sentAt: Date) =>
    receiveMessage(sending.ctx, sending.tenantId, {
      ...{ carrier: "simulator", carrierId: "one_id", from: phone(i), to: SENDER },
      ...{ text, sentAt },
    });
  const at = Date.now();
  await from(0, "Hello", new Date(at));
  await from(1, "STOP", new Date(at));
  await from(2, "Hello", new Date(at));
  const out = () => Promise.all([0, 1, 2].map((i) => isOut(sending, phone(i))));
  assert.deepEqual(await out(), [false, true, false]);
  await from(0, "STOP", new Date(at));
  assert.deepEqual(await out(), [true, true, false]);
  await from(1, "STOP", new Date(at));
  const { rows } = await sending.client.query("select phone from consent_records order by phone");
  assert.deepEqual(
    rows.map((row) => row.phone),
    [phone(0), phone(1)],
  );
});

test("START undoes what was said by text, by whomever it was understood, and not what was said in a call", async (t) => {
  const sending = await aSending(t, 4);
  const at = Date.now();
  const stop = (i: number, source: string, ms: number) =>
    sending.ctx.db.transaction((tx) =>
      optOut(tx, sending.tenantId, phone(i), {
        source,
        quote: `by ${source}`,
        at: new Date(at + ms),
        newId: sending.ctx.newId,
        hash: sending.ctx.hashPhone,
      }),
    );
  await stop(0, "agent", 0);
  await stop(1, "carrier", 0);
  await stop(2, "call", 0);
  await say(sending, sending.ctx, phone(3), "STOP", new Date(at));
  await stop(3, "call", 500);
  // The last had stopped by text before it did so in a call.
  for (const [i, out] of [false, false, true, true].entries()) {
    await say(sending, sending.ctx, phone(i), "START", new Date(at + 1_000));
    assert.equal(await isOut(sending, phone(i)), out, phone(i));
  }
  const { rows: kept } = await sending.client.query("select opt_out_quote from consents where phone = $1", [phone(3)]);
  assert.deepEqual(kept, [{ opt_out_quote: "by call" }]);
  const { rows: confirmed } = await sending.client.query(
    "select phone from messages where kind = 'confirmation' and text like 'You are subscribed%' order by phone",
  );
  assert.deepEqual(
    confirmed.map((row) => row.phone),
    [phone(0), phone(1)],
  );
  const { rows: records } = await sending.client.query(
    "select source from consent_records where phone = $1 order by at",
    [phone(3)],
  );
  assert.deepEqual(
    records.map((row) => row.source),
    ["keyword", "call"],
  );
});

test("a restored database is given every text in order: a START does not undo an opt-out that was said in a call", async (t) => {
  const sending = await aSending(t, 3);
  const at = Date.now();
  const word = (i: number, kind: "opt_out" | "opt_in", source: string, ms: number): Word => {
    return { kind, source, at: new Date(at + ms).toISOString(), tenantId: sending.tenantId, phone: phone(i) };
  };
  // Of two machines, one after the other.
  await replayOptOuts(sending.ctx, [
    ...[word(0, "opt_in", "keyword", 600), word(1, "opt_in", "keyword", 600), word(2, "opt_in", "journal", 600)],
    ...[word(0, "opt_out", "call", 0), word(1, "opt_out", "journal", 0), word(2, "opt_out", "call", 0)],
  ]);
  for (const [i, out] of [true, false, false].entries()) assert.equal(await isOut(sending, phone(i)), out, phone(i));
});
